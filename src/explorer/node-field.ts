/**
 * A field for a node. The user types an id, or types part of an alias and chooses from a list (WAI-ARIA pattern
 * "combobox"). The value is the id of the chosen node; the alias is only displayed.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { counted, shortId, visible } from './format.ts';
import { type Directory, type FoundNode, nodeDirectory } from './nodes.ts';
import { hostile } from './pieces.ts';
import type { Rpc } from './rpc.ts';

const ID = /^0[23][0-9a-f]{64}$/;

/** Options of a field. */
export interface NodeFieldOptions {
  readonly id: string;
  readonly label: unknown;
  readonly rpc: Rpc;
  readonly placeholder?: string;
  readonly redraw: () => void;
  /** Called when the user has chosen a node. */
  readonly chosen: (id: string) => void;
}

/** A field for a node, with its state. */
export class NodeField {
  readonly #options: NodeFieldOptions;
  #directory: Directory | undefined;
  #found: readonly FoundNode[] = [];
  #marked = 0;
  #isOpen = false;
  #text: string | undefined;

  constructor(options: NodeFieldOptions) {
    this.#options = options;
  }

  /** The field. @param value id of the chosen node, if any */
  template(value: string | undefined): TemplateResult {
    const { id, label, placeholder = 'Alias or node id' } = this.#options;
    const list = `${id}-list`;
    const isOpen = this.#isOpen && this.#found.length > 0;
    return html`<div class="node-field">
      <label for=${id}>${label}</label>
      <input id=${id} name=${id} role="combobox" autocomplete="off" spellcheck="false" placeholder=${placeholder}
        aria-expanded=${isOpen} aria-controls=${list} aria-autocomplete="list"
        aria-activedescendant=${isOpen ? `${list}-${this.#marked}` : nothing}
        .value=${this.#text ?? this.#shown(value)}
        @input=${(event: Event) => void this.#typed((event.target as HTMLInputElement).value)}
        @keydown=${(event: KeyboardEvent) => this.#pressed(event)}
        @blur=${() => this.#close()} />
      <ul id=${list} role="listbox" aria-label="Nodes" ?hidden=${!isOpen}>
        ${this.#found.map(
          (
            node,
            place,
          ) => html`<li id="${list}-${place}" role="option" aria-selected=${place === this.#marked}
            @pointerdown=${(event: Event) => {
              event.preventDefault();
              this.#choose(node);
            }}>
            <span>${node.alias === '' ? html`<code>${shortId(node.id)}</code>` : hostile(node.alias)}</span>
            <span class="faint small"><code>${shortId(node.id)}</code> · ${counted(node.degree, 'neighbour')}</span>
          </li>`,
        )}
      </ul>
    </div>`;
  }

  /**
   * Finds the id for the field: `value` if no text was typed, the text itself if it is an id, otherwise the id of the
   * first node found.
   */
  async resolve(value: string | undefined): Promise<string | undefined> {
    if (this.#text === undefined) return value;
    const text = this.#text.trim();
    if (ID.test(text.toLowerCase())) return text.toLowerCase();
    this.#directory ??= await nodeDirectory(this.#options.rpc);
    return this.#directory.search(text, 1)[0]?.id;
  }

  #shown(value: string | undefined): string {
    if (value === undefined) return '';
    const alias = this.#directory?.alias(value);
    return alias === undefined ? value : visible(alias);
  }

  /** Loads the names, so that an id in the address is shown as an alias. */
  async name(): Promise<void> {
    this.#directory = await nodeDirectory(this.#options.rpc);
    this.#options.redraw();
  }

  async #typed(text: string): Promise<void> {
    this.#text = text;
    this.#directory ??= await nodeDirectory(this.#options.rpc);
    if (this.#text !== text) return;
    this.#found = this.#directory.search(text);
    this.#marked = 0;
    this.#isOpen = true;
    this.#options.redraw();
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#close();
    const count = this.#found.length;
    if (!this.#isOpen || count === 0) return;
    if (event.key === 'ArrowDown') this.#marked = (this.#marked + 1) % count;
    else if (event.key === 'ArrowUp') this.#marked = (this.#marked + count - 1) % count;
    else if (event.key === 'Enter') this.#choose(this.#found[this.#marked]!);
    else return;
    event.preventDefault();
    this.#options.redraw();
  }

  #choose({ id }: FoundNode): void {
    this.#text = undefined;
    this.#close();
    this.#options.chosen(id);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.redraw();
  }
}
