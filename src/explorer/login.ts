/**
 * The rune of this tab. `fulgurite explorer` opens `/ui/#code=…`. Browsers keep the addresses that they open, fragments
 * included, so the link holds a code that works once: it is taken out of the address bar and exchanged for the rune,
 * which is kept in the session of this tab. No cookie holds it: a browser never adds it to a request on its own, which
 * is what makes requests of other sites harmless.
 *
 * A link that is opened in a tab of the page that is already open changes only the fragment. It is exchanged there.
 *
 * A further tab of the same page asks those that are open (`BroadcastChannel`), which only scripts of this origin hear.
 */
const KEY = 'fulgurite-rune';
const CHANNEL = 'fulgurite-login';
const REDEEM = '/ui/redeem';
/** Milliseconds that other tabs get to answer. */
const WAIT_MS = 150;

type LoginNews = { readonly ask: true } | { readonly rune: string };

/** Takes the code of a link out of the address bar, if there is one. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Exchanges a code for a rune. @throws Error that says why not, for the reader */
async function redeemed(code: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(REDEEM, { method: 'POST', headers: { Code: code } });
  } catch {
    throw new Error('The service does not answer. Is it running?');
  }
  const { rune, message } = await response.json();
  if (response.ok) return rune;
  throw new Error(`${message}.`);
}

/** Keeps the rune of this tab. */
export class Login {
  readonly #channel = new BroadcastChannel(CHANNEL);
  #rune: string | undefined;
  /** Why the last link did not work. */
  fault: string | undefined;

  /** @param onLink called when a link was opened in this tab while the page was open, after its code was exchanged */
  constructor(onLink: () => void) {
    this.#rune = sessionStorage.getItem(KEY) ?? undefined;
    this.#channel.addEventListener('message', ({ data }: MessageEvent<LoginNews>) => {
      if ('ask' in data && this.#rune !== undefined) this.#channel.postMessage({ rune: this.#rune });
    });
    addEventListener('hashchange', () => {
      const code = takeCode();
      if (code !== undefined) void this.#redeem(code).then(onLink);
    });
  }

  get rune(): string | undefined {
    return this.#rune;
  }

  keep(rune: string): void {
    this.#rune = rune;
    this.fault = undefined;
    sessionStorage.setItem(KEY, rune);
  }

  /** The node did not take the rune. */
  forget(): void {
    this.#rune = undefined;
    sessionStorage.removeItem(KEY);
  }

  /** Finds the rune of a tab that begins: by the link that opened it, else from other tabs. */
  async begin(): Promise<void> {
    const code = takeCode();
    if (code !== undefined) await this.#redeem(code);
    await this.#askOthers();
  }

  /** A link that is no longer good leaves a tab that has a rune as it is. */
  async #redeem(code: string): Promise<void> {
    try {
      this.keep(await redeemed(code));
    } catch (error) {
      this.fault = (error as Error).message;
    }
  }

  /** Asks the other tabs for a rune, and keeps it. Resolves after a moment also when none answers. */
  async #askOthers(): Promise<void> {
    if (this.#rune !== undefined) return;
    await new Promise<void>((resolve) => {
      const heard = ({ data }: MessageEvent<LoginNews>): void => {
        if ('rune' in data && this.#rune === undefined) this.keep(data.rune);
        if (this.#rune === undefined) return;
        done();
      };
      const done = (): void => {
        clearTimeout(timer);
        this.#channel.removeEventListener('message', heard);
        resolve();
      };
      const timer = setTimeout(done, WAIT_MS);
      this.#channel.addEventListener('message', heard);
      this.#channel.postMessage({ ask: true });
    });
  }
}
