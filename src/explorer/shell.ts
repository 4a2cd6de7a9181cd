/**
 * The frame of the explorer: the header with search and navigation, the page below it, the dialog of keyboard
 * shortcuts, and the live region for screen readers. The script starts here; pages are loaded when they are opened.
 */
import { html, nothing, render, type TemplateResult } from 'lit-html';
import { Events, type StreamState } from './events.ts';
import { Keys } from './keys.ts';
import { Login } from './login.ts';
import type { OpenPage, PageHost, PagePlace } from './page.ts';
import { PAGES, pageNamed } from './pages.ts';
import { explainTerms } from './pictures/tip.ts';
import { errorPanel } from './pieces.ts';
import { addressOf, changed, ROOT, Router } from './router.ts';
import { NOT_THERE, NoAnswer, Rpc } from './rpc.ts';
import { applyTheme, otherTheme, theme } from './theme.ts';

const NAME = 'Fulgurite';

class Frame {
  readonly #login = new Login(() => this.#signedIn());
  readonly #rpc: Rpc;
  readonly #events: Events;
  readonly #router: Router;
  readonly #keys: Keys;
  #place: PagePlace;
  #open: OpenPage | undefined;
  #leave = new AbortController();
  #isRefused = false;
  #stream: StreamState = 'starting';
  #isSimulated = false;
  /** Content to draw in the next animation frame. Undefined if there is none. */
  #shown: { readonly content: unknown } | undefined;
  /** Whether drawing is scheduled for the next animation frame. */
  #isPlanned = false;

  constructor() {
    const rune = () => this.#login.rune;
    const refused = () => this.#refused();
    this.#rpc = new Rpc(rune, refused);
    this.#events = new Events(rune, refused);
    this.#router = new Router((place) => void this.#moved(place));
    this.#place = this.#router.place;
    this.#keys = new Keys([
      { key: '/', does: 'Search', run: () => element('search').focus() },
      { key: '?', does: 'Show the keyboard shortcuts', run: () => this.#showKeys() },
      { key: 'Escape', does: 'Leave a field or a dialog', run: () => this.#escape() },
    ]);
    document.addEventListener('click', (event) => copyClicked(event));
    // Content created before a key press does not include the typed letter. Drawing it after the key press would remove
    // the letter from its field, so it is drawn first.
    document.addEventListener('beforeinput', () => this.#draw(), { capture: true });
  }

  async begin(): Promise<void> {
    explainTerms();
    // Removes the placeholders that are shown until the script runs.
    for (const id of ['header', 'main']) element(id).replaceChildren();
    this.#frame();
    await this.#login.begin();
    this.#events.onState((state) => {
      this.#stream = state;
      this.#frame();
    }, new AbortController().signal);
    await this.#moved(this.#router.place, true);
    void this.#learnNode();
  }

  async #learnNode(): Promise<void> {
    if (this.#login.rune === undefined) return;
    try {
      const info = await this.#rpc.call('getinfo', {});
      this.#isSimulated = info.simulated === true;
      this.#frame();
    } catch {
      // The page shows the error.
    }
  }

  /** Called when the address has changed. Notifies the current page, or opens a different one. */
  async #moved(place: PagePlace, isFirst = false): Promise<void> {
    const before = this.#place;
    this.#place = place;
    this.#frame();
    if (this.#login.rune === undefined) {
      this.#show(this.#loginPanel());
      return;
    }
    const isSame = !isFirst && pathOf(before) === pathOf(place);
    if (isSame && this.#open?.moved !== undefined) {
      this.#open.moved(place);
      return;
    }
    await this.#openPage(place);
    if (isFirst) return;
    // If the browser scrolled to the focused element, the heading would be hidden behind the header.
    element('main').focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  async #openPage(place: PagePlace): Promise<void> {
    this.#leave.abort();
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    this.#keys.set([]);
    this.#open = undefined;
    const entry = pageNamed(place.page);
    if (entry === undefined) {
      this.#title('Not found');
      this.#show(html`<section class="panel"><h1>There is no such page</h1>
        <p><a href=${ROOT}>Go to the start</a></p></section>`);
      return;
    }
    this.#title(entry.label ?? entry.name);
    try {
      const { page } = await entry.load();
      if (signal.aborted) return;
      this.#clear();
      element('main').dataset.page = entry.name === '' ? 'home' : entry.name;
      this.#open = page(this.#host(place, signal));
    } catch (error) {
      // The service delivers the file of the page, so the page cannot be loaded while the service is away.
      if (!signal.aborted)
        this.#show(errorPanel(error instanceof TypeError ? new NoAnswer(NOT_THERE) : error));
    }
  }

  #host(place: PagePlace, left: AbortSignal): PageHost {
    return {
      place,
      show: (content) => !left.aborted && !this.#isRefused && this.#show(content),
      title: (text) => !left.aborted && this.#title(text),
      announce: (text) => announce(text),
      go: (address) => this.#router.go(address),
      change: (change, replace = false) =>
        this.#router.go(addressOf(changed(this.#router.place, change)), replace),
      rpc: this.#rpc,
      events: this.#events,
      keys: (list) => this.#keys.set(list),
      left,
    };
  }

  /**
   * Draws the page's content in the next animation frame. If the content is updated several times before that frame,
   * only the last content is drawn. A page in a hidden tab is drawn when the tab becomes visible.
   */
  #show(content: unknown): void {
    this.#shown = { content };
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => {
      this.#draw();
      this.#isPlanned = false;
    });
  }

  #draw(): void {
    const shown = this.#shown;
    this.#shown = undefined;
    if (shown !== undefined) render(shown.content, element('main'));
  }

  /** Clears the page at once, so that nothing of the previous page is left. */
  #clear(): void {
    this.#shown = undefined;
    render(nothing, element('main'));
  }

  #title(text: string): void {
    document.title = `${text} · ${NAME}`;
  }

  /** Called when the node does not accept the rune. */
  #refused(): void {
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#login.forget();
    this.#leave.abort();
    this.#show(this.#loginPanel());
  }

  /**
   * Called after a link was opened or a rune was entered. Restarts the page with the rune. If the link failed, a page
   * that has a rune stays as it is.
   */
  #signedIn(): void {
    if (this.#login.rune === undefined || this.#login.fault !== undefined) {
      if (this.#login.rune === undefined) this.#show(this.#loginPanel());
      announce(this.#login.fault ?? '');
      this.#frame();
      return;
    }
    this.#isRefused = false;
    this.#clear();
    void this.#openPage(this.#router.place);
    void this.#learnNode();
  }

  #loginPanel(): TemplateResult {
    this.#title('Sign in');
    const enter = (event: SubmitEvent): void => {
      event.preventDefault();
      const text = new FormData(event.target as HTMLFormElement).get('rune');
      const rune = /^[\w=-]+$/.exec(String(text ?? '').trim())?.[0];
      if (rune === undefined) return;
      this.#login.keep(rune);
      this.#signedIn();
    };
    return html`<section class="panel login">
      <h1>${this.#isRefused ? 'The node does not know this rune' : 'This page needs a rune'}</h1>
      ${this.#login.fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#login.fault} Create a new link.</p>`}
      <p>A rune is a secret text that lets this page read from your node. This command creates one and opens the page
        with it:</p>
      <p class="terminal"><code class="terminal-command">fulgurite explorer</code>
        <button type="button" class="quiet" data-copy="fulgurite explorer">Copy</button></p>
      <form @submit=${enter}>
        <label>Or paste a rune here <input name="rune" autocomplete="off" spellcheck="false" required /></label>
        <button>Continue</button>
      </form>
    </section>`;
  }

  #frame(): void {
    render(this.#header(), element('header'));
  }

  #header(): TemplateResult {
    const search = (event: SubmitEvent): void => {
      event.preventDefault();
      const field = element('search') as HTMLInputElement;
      const text = field.value.trim();
      if (text === '') return;
      field.value = '';
      field.blur();
      this.#router.go(`?q=${encodeURIComponent(text)}`);
    };
    const change = (): void => {
      otherTheme();
      this.#frame();
    };
    const isDark = theme() === 'dark';
    return html`<a class="brand" href=${ROOT} aria-label="Fulgurite, start page">${BOLT}<span>fulgurite</span></a>
      ${this.#isSimulated ? html`<span class="term badge" role="button" tabindex="0" data-term="simulated">simulated</span>` : nothing}
      <form class="search" role="search" @submit=${search}>
        <label class="unseen" for="search">Search for a node, channel, offer, invoice or payment</label>
        <input id="search" type="search" autocomplete="off" spellcheck="false"
          placeholder="Node, channel, offer, invoice…" aria-keyshortcuts="/" />
        <kbd aria-hidden="true">/</kbd>
      </form>
      <nav aria-label="Pages">
        ${PAGES.filter(({ label }) => label !== undefined).map(
          ({ name, label }) =>
            html`<a href=${ROOT + name} aria-current=${this.#place.page === name ? 'page' : nothing}>${label}</a>`,
        )}
      </nav>
      <div class="tools">
        <span class="stream ${this.#stream}" role="status">${STREAM_WORDS[this.#stream]}</span>
        <button type="button" class="quiet square" @click=${change}
          aria-label=${isDark ? 'Use the light theme' : 'Use the dark theme'}>${isDark ? SUN : MOON}</button>
        <button type="button" class="quiet square keys-button" @click=${() => this.#showKeys()} aria-label="Keys">?</button>
      </div>
      ${this.#stream === 'away' ? AWAY : nothing}`;
  }

  #showKeys(): void {
    const dialog = element('keys') as HTMLDialogElement;
    render(
      html`<h2>Keys</h2>${this.#keys.help()}
        <form method="dialog"><button>Close</button></form>`,
      dialog,
    );
    if (!dialog.open) dialog.showModal();
  }

  #escape(): void {
    (document.activeElement as HTMLElement | null)?.blur();
  }
}

const AWAY = html`<p class="panel error away-banner" role="alert">The service does not answer: it was stopped, or the
  connection to it is gone. The data shown is out of date. Start it with <code>fulgurite start</code>; this page then
  continues by itself.</p>`;

const STREAM_WORDS: Readonly<Record<StreamState, string>> = {
  starting: '',
  live: 'live',
  away: 'no connection',
};

const BOLT = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
  <path class="bolt" d="M13.5 1.5 5 13h5.2l-1.7 9.5L18.5 9.8h-5.8z" />
</svg>`;
const SUN = html`<svg viewBox="0 0 24 24" width="18" height="18" class="icon" aria-hidden="true">
  <circle cx="12" cy="12" r="4.2" /><path d="M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2" />
</svg>`;
const MOON = html`<svg viewBox="0 0 24 24" width="18" height="18" class="icon" aria-hidden="true">
  <path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z" />
</svg>`;

/** Identifies an open page: its name and path. Only its query may change while it is open. */
const pathOf = ({ page, rest }: PagePlace): string => [page, ...rest].map(encodeURIComponent).join('/');

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

function announce(text: string): void {
  element('said').textContent = text;
}

/** Copies the text of `data-copy`. If the clipboard is not available, selects the text next to the button. */
function copyClicked(event: MouseEvent): void {
  const button = (event.target as Element).closest<HTMLElement>('[data-copy]');
  if (button === null) return;
  const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;
  const copied = clipboard?.writeText(button.dataset.copy ?? '') ?? Promise.reject(new Error('no clipboard'));
  copied.then(
    () => announce('Copied'),
    () => {
      const beside = button.parentElement?.querySelector('code');
      if (beside) getSelection()?.selectAllChildren(beside);
    },
  );
}

applyTheme();
await new Frame().begin();
