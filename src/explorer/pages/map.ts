/** `/map`: the network as a backdrop, a chosen node with its surroundings, and the network as seen from that node. */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { MapColumns } from '../../map-files/columns.ts';
import { about, counted, grouped, shortId } from '../format.ts';
import { MapPane, mapWord } from '../map/map-pane.ts';
import {
  feeClasses,
  type Neighbourhood,
  neighbourhood,
  type Rings,
  ringRadius,
  ringsFrom,
} from '../map/neighbourhood.ts';
import { NodeField } from '../node-field.ts';
import { connectedNodes, type Directory, mapColumns, nodeDirectory } from '../nodes.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { amount, errorPanel, hostile, node as nodeName, table, term, terminal, waiting } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';

type Channels = MethodResult<'listchannels'>['channels'];

/** Milliseconds after which a map with the quick layout is requested again. */
const AGAIN_MS = 15_000;
/** Maximum number of neighbours in the table. */
const MAX_ROWS = 12;
/** Maximum number of neighbours whose names are shown in the picture. */
const NAMED = 12;

class MapPage implements OpenPage {
  readonly #host: PageHost;
  readonly #pane: MapPane;
  readonly #field: NodeField;
  #query: URLSearchParams;
  #columns: MapColumns | undefined;
  #directory: Directory | undefined;
  #error: unknown;
  /** Index of the chosen node. Undefined if none is chosen, or the graph lacks the node. */
  #node: number | undefined;
  #around: Neighbourhood | undefined;
  #rings: Rings | undefined;
  #channels: Channels | undefined;
  #channel: { readonly scid: string; readonly ends: readonly [number, number] } | undefined;
  #run = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#query = host.place.query;
    this.#pane = new MapPane({
      label:
        'Map of the network. Arrow keys move it, + and - zoom, 0 shows all. Use the field above to find nodes.',
      picked: (picked) => this.#picked(picked),
      left: host.left,
    });
    this.#field = new NodeField({
      id: 'node',
      label: term('node', 'Node'),
      rpc: host.rpc,
      redraw: () => this.#draw(),
      chosen: (id) => host.change({ node: id, channel: undefined }),
    });
    host.title('Map');
    host.keys([
      { key: '+', does: 'Zoom in', run: () => this.#pane.zoom(1.4) },
      { key: '-', does: 'Zoom out', run: () => this.#pane.zoom(1 / 1.4) },
      { key: '0', does: 'Show all', run: () => this.#pane.focus([]) },
    ]);
    this.#draw();
    void this.#begin();
  }

  moved({ query }: PagePlace): void {
    this.#query = query;
    void this.#choose();
  }

  async #begin(): Promise<void> {
    const { rpc, left } = this.#host;
    try {
      this.#columns = await mapColumns(rpc);
      this.#pane.show(this.#columns);
      this.#draw();
      this.#directory = await nodeDirectory(rpc);
      await this.#field.name();
      await this.#choose();
      if (!this.#columns.isSettled) this.#askAgain();
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
      this.#draw();
    }
  }

  /** Requests the map again after a while, because a better layout may be available then. */
  #askAgain(): void {
    const timer = setTimeout(async () => {
      const columns = await mapColumns(this.#host.rpc).catch(() => this.#columns!);
      const isSame = columns.version === this.#columns?.version;
      if (columns.isSettled && isSame) {
        this.#columns = columns;
        this.#pane.show(columns);
        this.#drawPicture();
      } else if (isSame) this.#askAgain();
      this.#draw();
    }, AGAIN_MS);
    this.#host.left.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  #picked(picked: number | undefined): void {
    if (picked === undefined || this.#directory === undefined) return;
    this.#host.change({ node: this.#directory.id(picked), channel: undefined });
  }

  /** Shows the node or channel that the address names. */
  async #choose(): Promise<void> {
    const run = ++this.#run;
    const directory = this.#directory;
    if (directory === undefined) return;
    const { rpc, left } = this.#host;
    const id = this.#query.get('node') ?? undefined;
    const scid = this.#query.get('channel') ?? undefined;
    this.#error = undefined;
    this.#channels = undefined;
    this.#channel = undefined;
    this.#node = id === undefined ? undefined : directory.indexOf(id);
    this.#around = this.#node === undefined ? undefined : neighbourhood(directory.columns, this.#node);
    this.#drawPicture();
    this.#draw();
    try {
      if (scid !== undefined) {
        const { channels } = await rpc.call('listchannels', { short_channel_id: scid }, { signal: left });
        if (run !== this.#run) return;
        if (channels.length === 0 && (await this.#isOwn(scid))) {
          if (run === this.#run) this.#host.go(`channels?channel=${scid}`);
          return;
        }
        this.#channels = channels;
        const ends = [channels[0]?.source, channels[0]?.destination].map((one) =>
          directory.indexOf(one ?? ''),
        );
        if (ends[0] !== undefined && ends[1] !== undefined)
          this.#channel = { scid, ends: [ends[0], ends[1]] };
        this.#host.title(`Channel ${scid}`);
      } else if (id !== undefined) {
        const { channels } = await rpc.call('listchannels', { source: id }, { signal: left });
        if (run !== this.#run) return;
        this.#channels = channels;
        this.#host.title(directory.alias(id) ?? shortId(id));
      } else this.#host.title('Map');
    } catch (error) {
      if (left.aborted || run !== this.#run) return;
      this.#error = error;
    }
    if (scid !== undefined) this.#drawPicture();
    this.#draw();
  }

  /** Whether a channel that is not in the graph is one of ours, which may be unannounced. */
  async #isOwn(scid: string): Promise<boolean> {
    const params = { short_channel_id: scid };
    const { channels } = await this.#host.rpc.call('listpeerchannels', params, { signal: this.#host.left });
    return channels.length > 0;
  }

  /** Draws on top of the backdrop, and brings the drawn part of the map into view. */
  #drawPicture(): void {
    const columns = this.#columns;
    const node = this.#node;
    const around = this.#around;
    if (columns === undefined) return;
    const isRings = this.#query.get('view') === 'rings' && node !== undefined;
    this.#rings = isRings ? ringsFrom(columns, node) : undefined;
    if (this.#rings !== undefined) {
      const { counts } = this.#rings;
      this.#pane.draw((at, span) => ringsPicture(at(node!), span, counts));
      this.#pane.show(this.#rings.columns);
      return;
    }
    if (this.#channel !== undefined) {
      const { ends } = this.#channel;
      this.#pane.draw((at) => channelPicture(at(ends[0]), at(ends[1])));
      this.#pane.show(columns, ends);
      return;
    }
    if (node === undefined || around === undefined) {
      this.#pane.draw(() => nothing);
      this.#pane.show(columns);
      return;
    }
    const name = (other: number): string => this.#directory?.node(other).alias ?? '';
    this.#pane.draw((at, _span, width) => aroundPicture(columns, node, around, at, name, width));
    this.#pane.show(columns, [
      node,
      ...around.direct.slice(0, 30).map((link) => otherEnd(columns, link, node)),
    ]);
  }

  #draw(): void {
    const id = this.#query.get('node') ?? undefined;
    const scid = this.#query.get('channel') ?? undefined;
    this.#host.show(html`<h1 class="question">The network</h1>
      <form class="panel map-search" @submit=${(event: SubmitEvent) => void this.#submit(event)}>
        ${this.#field.template(id)}<button>Show</button>
      </form>
      <div class="map-frame">
        <div class="map-box big-map">${this.#pane.element} ${this.#tools(id)} ${this.#pane.wholeButton()}</div>
        <aside class="map-side" aria-label="What is shown">
          ${this.#error === undefined ? nothing : errorPanel(this.#error)}
          ${this.#columns === undefined && this.#error === undefined ? waiting('Drawing the map …') : nothing}
          ${scid !== undefined ? this.#channelPanel(scid) : id !== undefined ? this.#nodePanel(id) : this.#summary()}
        </aside>
      </div>
      ${scid !== undefined ? terminal('listchannels', { short_channel_id: scid }) : id !== undefined ? terminal('listchannels', { source: id }) : terminal('listchannels', {})}`);
  }

  #tools(id: string | undefined): TemplateResult {
    return html`<div class="map-tools">
      <button type="button" class="quiet square" aria-label="Zoom in" @click=${() => this.#pane.zoom(1.5)}>+</button>
      <button type="button" class="quiet square" aria-label="Zoom out" @click=${() => this.#pane.zoom(1 / 1.5)}>−</button>
      <button type="button" class="quiet" @click=${() => this.#pane.focus([])}>All</button>
      ${
        id === undefined
          ? nothing
          : html`<button type="button" class="quiet" aria-pressed=${this.#query.get('view') === 'rings'}
              @click=${() => this.#host.change({ view: this.#query.get('view') === 'rings' ? undefined : 'rings' })}>From this node</button>`
      }
    </div>`;
  }

  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const found = await this.#field.resolve(this.#query.get('node') ?? undefined);
    if (found !== undefined) this.#host.change({ node: found, channel: undefined });
    else this.#host.announce('No node has this alias or id');
  }

  #summary(): unknown {
    const columns = this.#columns;
    if (columns === undefined) return nothing;
    return html`<section class="panel">
      <p><strong>${counted(connectedNodes(columns), 'node')}</strong> and <strong>${counted(columns.from.length, 'link')}</strong> between
        them. A link stands for all ${term('channel', 'channels')} between two nodes.</p>
      <p class="faint small">Each point is a node. Lines are the largest links; zoom in to see more. Choose a node, or search
        for one.</p>
      ${columns.isSettled ? nothing : html`<p class="faint small">A better layout is being computed. It will appear automatically.</p>`}
    </section>`;
  }

  #nodePanel(id: string): unknown {
    if (this.#directory === undefined) return waiting('Loading names …');
    const alias = this.#directory.alias(id);
    const head = html`<h2>${alias === undefined ? shortId(id) : hostile(alias)}</h2>
      <p class="small"><code class="whole-id">${id}</code></p>`;
    if (this.#node === undefined)
      return html`<section class="panel">${head}<p>${/^0[23][0-9a-f]{64}$/i.test(id) ? 'This graph has no such node.' : 'The link contains no valid node id: an id has 66 hex digits and begins with 02 or 03.'}</p></section>`;
    const channels = this.#channels;
    return html`<section class="panel">${head}
      <p><a class="button" href="/ui/route?to=${id}">Pay this node</a></p>
      ${this.#rings === undefined ? nothing : ringsTable(this.#rings)}
      ${channels === undefined ? waiting('Loading its channels …') : this.#nodeFacts(channels)}
    </section>`;
  }

  #nodeFacts(channels: Channels): TemplateResult {
    const capacity = channels.reduce((sum, one) => sum + BigInt(one.amount_msat), 0n);
    const active = channels.filter((one) => one.active);
    return html`<dl class="confirm">
        <div><dt>Channels</dt><dd>${grouped(channels.length)}, ${grouped(active.length)} enabled</dd></div>
        <div><dt>Neighbours</dt><dd>${grouped(this.#around?.count ?? 0)}</dd></div>
        <div><dt>${term('capacity', 'Capacity')}</dt><dd title="${capacity} msat">${about(capacity)}</dd></div>
      </dl>
      ${feeHistogram(active.map((one) => one.fee_per_millionth))}
      ${table(
        'Its largest neighbours',
        ['Neighbour', 'Capacity', 'Channels'],
        neighboursIn(channels)
          .slice(0, MAX_ROWS)
          .map(({ id, msat, count }) => [
            html`<a href="/ui/map?node=${id}">${nodeName(id, this.#directory?.alias(id))}</a>`,
            about(msat),
            grouped(count),
          ]),
      )}`;
  }

  #channelPanel(scid: string): unknown {
    const channels = this.#channels;
    if (channels === undefined) return this.#error === undefined ? waiting('Loading the channel …') : nothing;
    if (channels.length === 0)
      return html`<section class="panel"><h2>${hostile(scid)}</h2><p>This graph has no such channel. Channels of our own that are not announced are on the page <a href="/ui/channels">Channels</a>.</p></section>`;
    const [first] = channels;
    return html`<section class="panel"><h2>Channel <code>${scid}</code></h2>
      <dl class="confirm"><div><dt>${term('capacity', 'Capacity')}</dt><dd>${amount(first!.amount_msat)}</dd></div></dl>
      ${channels.map(
        (
          one,
        ) => html`<h3>${nodeName(one.source, this.#directory?.alias(one.source))} → ${nodeName(one.destination, this.#directory?.alias(one.destination))}</h3>
          <dl class="confirm">
            <div><dt>State</dt><dd>${one.active ? '✓ enabled' : html`<span class="state bad">✕ disabled</span>`}</dd></div>
            <div><dt>${term('baseFee', 'Base fee')}</dt><dd>${amount(one.base_fee_millisatoshi)}</dd></div>
            <div><dt>${term('proportionalFee', 'Proportional fee')}</dt><dd>${grouped(one.fee_per_millionth)} ${term('ppm', 'ppm')}</dd></div>
            <div><dt>${term('delay', 'Delay')}</dt><dd>${one.delay} blocks</dd></div>
            <div><dt>${term('htlcMinimum', 'Minimum per part')}</dt><dd>${amount(one.htlc_minimum_msat)}</dd></div>
            ${one.htlc_maximum_msat === undefined ? nothing : html`<div><dt>${term('htlcMaximum', 'Maximum per part')}</dt><dd>${amount(one.htlc_maximum_msat)}</dd></div>`}
          </dl>`,
      )}</section>`;
  }
}

/** The neighbours of a node, largest capacity first. */
function neighboursIn(
  channels: Channels,
): { readonly id: string; readonly msat: bigint; readonly count: number }[] {
  const found = new Map<string, { id: string; msat: bigint; count: number }>();
  for (const { destination: id, amount_msat: msat } of channels) {
    const known = found.get(id) ?? { id, msat: 0n, count: 0 };
    found.set(id, { id, msat: known.msat + BigInt(msat), count: known.count + 1 });
  }
  return [...found.values()].sort((a, b) => (a.msat < b.msat ? 1 : -1));
}

const otherEnd = ({ from, to }: MapColumns, link: number, node: number): number =>
  from[link] === node ? to[link]! : from[link]!;

type At = (node: number) => readonly [number, number];

function aroundPicture(
  columns: MapColumns,
  node: number,
  { direct, further }: Neighbourhood,
  at: At,
  name: (node: number) => string,
  width: number,
): TemplateResult {
  const line = (kind: string) => (link: number) => {
    const [x1, y1] = at(columns.from[link]!);
    const [x2, y2] = at(columns.to[link]!);
    const thick = kind === 'near' ? 1 + Math.max(0, (columns.capacity[link]! - 150) / 30) : 1;
    return svg`<line class=${`around ${kind}`} x1=${x1} y1=${y1} x2=${x2} y2=${y2} stroke-width=${thick} />`;
  };
  const neighbours = direct.map((link) => otherEnd(columns, link, node));
  const [x, y] = at(node);
  return svg`${further.map(line('far'))} ${direct.map(line('near'))}
    ${neighbours.map((one) => {
      const [left, top] = at(one);
      return svg`<circle class="around-node" cx=${left} cy=${top} r="3.5" />`;
    })}
    ${neighbours.slice(0, NAMED).map((one) => mapWord(name(one).slice(0, 18), at(one), 7, width, 'map-word small-word'))}
    <circle class="end-mark source" cx=${x} cy=${y} r="9" />
    ${mapWord(name(node), [x, y], 14, width)}`;
}

const channelPicture = (
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): TemplateResult =>
  svg`<line class="route-line" x1=${x1} y1=${y1} x2=${x2} y2=${y2} stroke-width="5" />
    <circle class="end-mark source" cx=${x1} cy=${y1} r="8" /><circle class="end-mark goal" cx=${x2} cy=${y2} r="8" />`;

/** The circles that show the distances in hops around a node. @param span width of the whole map in pixels */
function ringsPicture(
  [x, y]: readonly [number, number],
  span: number,
  counts: readonly number[],
): TemplateResult {
  const rings = counts.length - 1;
  return svg`${counts.slice(1).map((_count, at) => {
    const radius = (span / 2) * ringRadius(at + 1, rings);
    return svg`<circle class="ring" cx=${x} cy=${y} r=${radius} />
      <text class="map-word" x=${x} y=${y - radius + 14} text-anchor="middle">${at + 1}</text>`;
  })}<circle class="end-mark source" cx=${x} cy=${y} r="7" />`;
}

function ringsTable({ counts }: Rings): TemplateResult {
  return table(
    'Nodes by distance',
    [term('hop', 'Hops'), 'Nodes'],
    counts.slice(1).map((count, at) => [at + 1, grouped(count)]),
  );
}

/** The fee rates of a node's channels as bars of a histogram. */
function feeHistogram(ppms: readonly number[]): TemplateResult {
  const classes = feeClasses(ppms);
  const most = Math.max(1, ...classes.map(({ count }) => count));
  return html`<h3>${term('proportionalFee', 'Fees')} that it charges, in ppm</h3>
    <dl class="histogram">${classes.map(
      ({ label, count }) => html`<div><dt>${label}</dt><dd>
        <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width=${(100 * count) / most} height="12" rx="2" /></svg>
        <span>${grouped(count)}</span></dd></div>`,
    )}</dl>`;
}

/** Opens the page. */
export const page: Page = (host) => new MapPage(host);
