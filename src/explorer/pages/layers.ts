/**
 * Layers: a list of all layers with their sizes, one layer with its entries, and the effect of layers on the answer to
 * a question. Only visible entries are drawn, because a layer may have a hundred thousand entries.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import { counted, grouped, shortId } from '../format.ts';
import { entriesOf, filtered, KINDS, type ListedEntry } from '../layers/layer-entries.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { errorPanel, hostile, table, term, terminal, waiting, when } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';
import { VirtualList } from '../virtual-list.ts';
import { Comparison } from './layers-compare.ts';

type LayerSummary = MethodResult<'listlayers'>['layers'][number];

/** Milliseconds for which changes of layers are collected before the layers are requested again. */
const GATHER_MS = 1000;

class LayersPage implements OpenPage {
  readonly #host: PageHost;
  readonly #name: string | undefined;
  readonly #list: VirtualList;
  readonly #aliases: Aliases;
  readonly #comparison: Comparison;
  #place: PagePlace;
  #layers: readonly LayerSummary[] | undefined;
  #entries: readonly ListedEntry[] | undefined;
  #error: unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Number of changes of the shown layer since its entries were read. */
  #changes = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#place = host.place;
    this.#name = host.place.rest[0];
    const show = (): void => this.#show();
    this.#list = new VirtualList(show, host.left);
    this.#aliases = new Aliases(host.rpc, show, host.left);
    this.#comparison = new Comparison(host, this.#name, this.#aliases, show);
    host.title(this.#name === undefined ? 'Layers' : `Layer ${this.#name}`);
    host.left.addEventListener('abort', () => clearTimeout(this.#timer));
    host.events.on('layer', (event) => this.#changed(event.layer, event.changes), host.left);
    host.events.on('reset', () => void this.#loadList(), host.left);
    this.#show();
    void this.#loadList();
    if (this.#name !== undefined) void this.#loadEntries(this.#name);
    this.#comparison.read(this.#place);
  }

  moved(place: PagePlace): void {
    this.#place = place;
    this.#comparison.read(place);
    this.#show();
  }

  #changed(name: string, changes: number): void {
    if (name === this.#name) this.#changes += Math.max(1, changes);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#loadList();
    }, GATHER_MS);
  }

  async #loadList(): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      this.#layers = (await rpc.call('listlayers', {}, { signal: left })).layers;
      this.#comparison.known(this.#layers.map(({ layer }) => layer));
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  async #loadEntries(layer: string): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      const { layers } = await rpc.call('askrene-listlayers', { layer }, { signal: left });
      this.#entries = layers[0] === undefined ? [] : entriesOf(layers[0]);
      this.#changes = 0;
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    if (this.#error !== undefined) this.#host.show(errorPanel(this.#error));
    else if (this.#layers === undefined) this.#host.show(waiting('Loading the layers…'));
    else
      this.#host.show(
        this.#name === undefined ? this.#all(this.#layers) : this.#one(this.#name, this.#layers),
      );
  }

  #all(layers: readonly LayerSummary[]): TemplateResult {
    return html`<div class="answer"><h1>${layers.length === 0 ? 'There is no layer yet' : counted(layers.length, 'layer')}</h1>
        <p class="faint">A ${term('layer', 'layer')} changes what a route search sees, when the search names it.</p></div>
      ${
        layers.length === 0
          ? nothing
          : html`<section class="panel"><h2>All layers</h2>${table(
              'All layers',
              ['Name', 'Entries', 'Of these', 'Newest record', 'Kept on disk'],
              layers.map((layer) => [
                html`<a href=${`/ui/layers/${encodeURIComponent(layer.layer)}`}>${hostile(layer.layer)}</a>`,
                grouped(totalOf(layer)),
                partsOf(layer),
                layer.newest_record === undefined ? '–' : when(layer.newest_record),
                layer.persistent ? 'yes' : 'no',
              ]),
            )}</section>`
      }
      ${this.#comparison.template()} ${terminal('listlayers', {})}`;
  }

  #one(name: string, layers: readonly LayerSummary[]): TemplateResult {
    const summary = layers.find(({ layer }) => layer === name);
    if (summary === undefined) {
      return html`<section class="panel"><h1>There is no layer of this name</h1>
        <p><a href="/ui/layers">See all layers</a></p></section>${terminal('listlayers', {})}`;
    }
    return html`<div class="answer"><h1>Layer ${hostile(name)}</h1>
        <p class="faint">${counted(totalOf(summary), 'entry', 'entries')}${totalOf(summary) === 0 ? '' : `: ${partsOf(summary)}`};
          ${summary.persistent ? 'kept on disk' : 'lost when the node stops'}. <a href="/ui/layers">All layers</a></p></div>
      ${this.#comparison.template()} ${this.#entriesPanel(name)} ${terminal('askrene-listlayers', { layer: name })}`;
  }

  #entriesPanel(name: string): TemplateResult {
    if (this.#entries === undefined) return waiting('Loading the entries…');
    const kind = this.#place.query.get('kind') ?? '';
    const text = this.#place.query.get('find') ?? '';
    const shown = filtered(this.#entries, kind, text);
    const change = (member: 'kind' | 'find') => (event: Event) =>
      this.#host.change({ [member]: (event.target as HTMLInputElement).value }, true);
    return html`<section class="panel"><h2>Entries</h2>
      <div class="controls">
        <label>Kind <select @change=${change('kind')}>
          <option value="">all kinds</option>
          ${Object.entries(KINDS).map(([key, words]) => html`<option value=${key} ?selected=${key === kind}>${words}</option>`)}
        </select></label>
        <label>Channel or node contains <input type="search" .value=${text} autocomplete="off" spellcheck="false"
          @input=${change('find')} /></label>
        ${
          this.#changes === 0
            ? nothing
            : html`<button type="button" class="quiet" @click=${() => void this.#loadEntries(name)}>
                ${counted(this.#changes, 'change')} since then: reload</button>`
        }
      </div>
      <p class="faint small" role="status">${counted(shown.length, 'entry', 'entries')} shown of ${grouped(this.#entries.length)}.</p>
      ${this.#list.template({ label: 'Entries of the layer', count: shown.length, row: (index) => this.#row(shown[index]!) })}
    </section>`;
  }

  #row({ kind, subject, time, says }: ListedEntry): TemplateResult {
    const isNode = kind === 'disabledNode' || kind === 'nodeBias';
    const alias = isNode ? this.#aliases.of(subject) : undefined;
    return html`<div class="entry"><span class="entry-kind small">${KINDS[kind]}</span>
      <code class="entry-subject" title=${subject}>${isNode ? shortId(subject) : subject}</code>
      <span class="entry-says">${hostile(says())}${alias === undefined ? nothing : html` <span class="faint">${hostile(alias)}</span>`}</span>
      <span class="entry-time faint small">${time === undefined ? nothing : when(time)}</span></div>`;
  }
}

const PARTS = [
  ['constraints', 'bounds'],
  ['impressions', 'movements'],
  ['channel_updates', 'changed terms'],
  ['created_channels', 'created channels'],
  ['disabled_nodes', 'disabled nodes'],
  ['biases', 'channel preferences'],
  ['node_biases', 'node preferences'],
] as const;

const totalOf = (layer: LayerSummary): number => PARTS.reduce((sum, [member]) => sum + layer[member], 0);

const partsOf = (layer: LayerSummary): string =>
  PARTS.filter(([member]) => layer[member] > 0)
    .map(([member, words]) => `${grouped(layer[member])} ${words}`)
    .join(', ');

/** Opens the list of layers, or a single layer. */
export const page: Page = (host) => new LayersPage(host);
