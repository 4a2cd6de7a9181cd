/** Keyboard shortcuts. `?` lists them. While a field has the focus, only Escape works. */
import { html, type TemplateResult } from 'lit-html';

/** One shortcut: the key (`KeyboardEvent.key`), its description, and its action. */
export interface KeyHelp {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'));

/** The keyboard shortcuts of the frame and of the open page. */
export class Keys {
  readonly #general: readonly KeyHelp[];
  #ofPage: readonly KeyHelp[] = [];

  constructor(general: readonly KeyHelp[]) {
    this.#general = general;
    document.addEventListener('keydown', (event) => this.#pressed(event));
  }

  /** Sets the shortcuts of the open page. */
  set(list: readonly KeyHelp[]): void {
    this.#ofPage = list;
  }

  /** All shortcuts as a list. */
  help(): TemplateResult {
    const rows = [...this.#general, ...this.#ofPage];
    return html`<dl class="keys">
      ${rows.map(({ key, does }) => html`<div><dt><kbd>${NAMES[key] ?? key}</kbd></dt><dd>${does}</dd></div>`)}
    </dl>`;
  }

  #pressed(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    // An open dialog handles its own keys, such as Escape.
    if (document.querySelector('dialog[open]') !== null) return;
    if (isWriting(event.target) && event.key !== 'Escape') return;
    const found = [...this.#ofPage, ...this.#general].find(({ key }) => key === event.key);
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  }
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};
