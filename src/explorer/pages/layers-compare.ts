/**
 * Asks the same question with two lists of layers. Shows both answers overlaid, and the entries that may cause the
 * difference.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Aliases } from '../aliases.ts';
import { about, grouped, odds, parseAmount, sat, shortId } from '../format.ts';
import { KINDS } from '../layers/layer-entries.ts';
import { NodeField } from '../node-field.ts';
import type { PageHost, PagePlace } from '../page.ts';
import {
  amount,
  errorPanel,
  hostile,
  node,
  nodeWords,
  pictureTable,
  table,
  term,
  terminal,
  waiting,
} from '../pieces.ts';
import type { MethodParams, MethodResult } from '../rpc.ts';
import { overlayPicture } from './layers-overlay.ts';

type CompareQuestion = MethodParams<'askrene-difflayers'>;
type CompareAnswer = MethodResult<'askrene-difflayers'>;
type ComparedSide = CompareAnswer['before'];

/**
 * Automatic layers that are added if the source is this node: the exact balances of its channels, and no fees for them.
 */
const AUTOMATIC = ['auto.localchans', 'auto.sourcefree'];
const FINAL_CLTV = 18;
/**
 * Fee limit: 5 % of the amount, but at least 10 sat. It is more than users want to pay, so that fees rarely prevent a
 * route.
 */
const FEE_PERCENT = 5n;
const MIN_FEE_MSAT = 10_000n;

/**
 * Asks a question with two lists of layers, and shows both answers. The question is in the query of the address, so
 * that it can be shared as a link.
 */
export class Comparison {
  readonly #host: PageHost;
  readonly #layer: string | undefined;
  readonly #aliases: Aliases;
  readonly #redraw: () => void;
  #names: readonly string[] = [];
  #ownId: string | undefined;
  #place: PagePlace;
  #question: CompareQuestion | undefined;
  #answer: CompareAnswer | undefined;
  #error: unknown;
  #asked = '';
  #fault: string | undefined;
  readonly #to: NodeField;
  readonly #from: NodeField;

  constructor(host: PageHost, layer: string | undefined, aliases: Aliases, redraw: () => void) {
    this.#host = host;
    this.#layer = layer;
    this.#aliases = aliases;
    this.#redraw = redraw;
    this.#place = host.place;
    const shared = { rpc: host.rpc, redraw };
    this.#to = new NodeField({ ...shared, id: 'to', label: 'To', chosen: (to) => host.change({ to }) });
    this.#from = new NodeField({
      ...shared,
      id: 'from',
      label: 'From',
      placeholder: 'This node',
      chosen: (from) => host.change({ from }),
    });
  }

  /** Sets the names of all current layers. */
  known(names: readonly string[]): void {
    this.#names = names;
  }

  /** Reads the question from the address. If the question is new, asks it. */
  read(place: PagePlace): void {
    this.#place = place;
    const { query } = place;
    const asked = ['from', 'to', 'amount', 'a', 'b'].map((name) => query.get(name) ?? '').join('\n');
    if (asked === this.#asked) return;
    this.#asked = asked;
    if ((query.get('to') ?? '') !== '') {
      // If the names cannot be loaded, the fields show ids.
      void Promise.all([this.#to.name(), this.#from.name()]).catch(() => undefined);
    }
    void this.#ask();
  }

  #list(side: 'a' | 'b'): string[] {
    const text = this.#place.query.get(side);
    if (text === null) return side === 'b' && this.#layer !== undefined ? [this.#layer] : [];
    return text
      .split(',')
      .filter((name) => name !== '')
      .map(decodeURIComponent);
  }

  async #ask(): Promise<void> {
    const { rpc, left } = this.#host;
    const { query } = this.#place;
    this.#answer = undefined;
    this.#error = undefined;
    const to = query.get('to') ?? '';
    const msat = parseAmount(query.get('amount') ?? '');
    if (to === '' || msat === undefined) return;
    try {
      this.#ownId ??= (await rpc.call('getinfo', {}, { signal: left })).id;
      const source = query.get('from') || this.#ownId;
      const own = source === this.#ownId ? AUTOMATIC : [];
      const share = (msat * FEE_PERCENT) / 100n;
      this.#question = {
        source,
        destination: to,
        amount_msat: msat,
        layers: [...own, ...this.#list('a')],
        maxfee_msat: share > MIN_FEE_MSAT ? share : MIN_FEE_MSAT,
        final_cltv: FINAL_CLTV,
        compare_layers: [...own, ...this.#list('b')],
      };
      this.#answer = await rpc.call('askrene-difflayers', this.#question, { signal: left });
    } catch (error) {
      if (left.aborted) return;
      this.#error = error;
    }
    this.#redraw();
  }

  /** The form, and the answer if any. */
  template(): TemplateResult {
    return html`<section class="panel" aria-labelledby="compare">
      <h2 id="compare">${this.#layer === undefined ? 'Compare layers' : 'What does it change?'}</h2>
      ${this.#form()}
      ${
        this.#error !== undefined
          ? errorPanel(this.#error)
          : this.#answer !== undefined
            ? this.#result(this.#answer)
            : this.#asked.trim() === '' || !this.#isComplete
              ? nothing
              : waiting('Searching under both lists…')
      }
    </section>`;
  }

  get #isComplete(): boolean {
    return (
      (this.#place.query.get('to') ?? '') !== '' &&
      parseAmount(this.#place.query.get('amount') ?? '') !== undefined
    );
  }

  #form(): TemplateResult {
    const { query } = this.#place;
    const [a, b] = [this.#list('a'), this.#list('b')];
    const box = (side: 'a' | 'b', name: string, chosen: readonly string[]): TemplateResult =>
      html`<input type="checkbox" name=${side} value=${name} ?checked=${chosen.includes(name)}
        aria-label=${`${side.toUpperCase()} names ${name}`} />`;
    return html`<form class="compare" @submit=${(event: SubmitEvent) => void this.#submit(event)}>
      <p class="faint small">The same question is asked twice: once under the layers of A, once under those of B.</p>
      <div class="compare-fields">
        ${this.#to.template(query.get('to') || undefined)}
        <label>Amount <input name="amount" required autocomplete="off" .value=${query.get('amount') ?? ''} placeholder="100 000 sat"
          pattern="[\\d\\s\\u202f_.',]+(msat|sats?|btc|k|m)?" /></label>
        ${this.#from.template(query.get('from') || undefined)}
      </div>
      ${this.#fault === undefined ? nothing : html`<p class="fault" role="alert">${this.#fault}</p>`}
      ${
        this.#names.length === 0
          ? html`<p class="faint">There is no layer to compare.</p>`
          : html`<div class="compare-lists">${table(
              'Layers of each list',
              ['Layer', html`<span class="key-a">A</span>`, html`<span class="key-b">B</span>`],
              this.#names.map((name) => [hostile(name), box('a', name, a), box('b', name, b)]),
            )}</div>`
      }
      <button>Compare</button>
    </form>`;
  }

  /** Writes the question to the address. An alias is replaced by the id of its node. */
  async #submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const { query } = this.#place;
    const text = (name: string): string => String(data.get(name) ?? '').trim();
    const list = (side: string): string =>
      data
        .getAll(side)
        .map((name) => encodeURIComponent(String(name)))
        .join(',') || ',';
    try {
      const to = await this.#to.resolve(query.get('to') || undefined);
      const from = text('from') === '' ? '' : await this.#from.resolve(query.get('from') || undefined);
      this.#fault =
        to === undefined || from === undefined
          ? 'No node has this alias or id. Type more characters, or choose one from the list.'
          : undefined;
      if (this.#fault === undefined) {
        this.#asked = '';
        this.#host.change({ from, to, amount: text('amount'), a: list('a'), b: list('b') });
        return;
      }
    } catch (error) {
      this.#fault = (error as Error).message;
    }
    this.#redraw();
  }

  #result({ before, after, changed, entries, num_entries }: CompareAnswer): TemplateResult {
    const aliasOf = (id: string): string | undefined => this.#aliases.of(id);
    return html`<div class="compared" role="status"><h3>${headline(before, after, changed)}</h3></div>
      ${table(
        'Both answers',
        ['List', 'Layers', term('fee', 'Fee'), term('odds', 'Odds'), term('part', 'Parts')],
        [row('A', before), row('B', after)],
      )}
      ${overlayPicture(before.routes ?? [], after.routes ?? [], aliasOf)} ${routesTwin(before, after, aliasOf)}
      ${changed ? causes(entries, Number(num_entries)) : nothing}
      ${this.#question === undefined ? nothing : terminal('askrene-difflayers', this.#question)}`;
  }
}

/** The entries that differ between the layers and affect either answer. */
function causes(entries: CompareAnswer['entries'], count: number): TemplateResult {
  const title = 'Entries that may be the cause';
  if (count === 0) {
    return html`<h3>${title}</h3><p class="faint">No entry in the layers that differ affects either answer.</p>`;
  }
  return html`<h3>${title}</h3>
    ${table(
      title,
      ['Layer', 'Kind', 'Where', 'Content'],
      entries.map((entry) => [
        hostile(entry.layer),
        KIND_WORDS[entry.kind] ?? entry.kind,
        whereOf(entry),
        saysOf(entry),
      ]),
    )}
    ${entries.length < count ? html`<p class="faint">${grouped(entries.length)} of ${grouped(count)} are shown.</p>` : nothing}`;
}

/** The answer as a sentence. */
function headline(before: ComparedSide, after: ComparedSide, isChanged: boolean): string {
  if (!isChanged) return 'Nothing changes: both lists give the same answer';
  if (before.error !== undefined && after.error !== undefined)
    return 'Neither list has a route, for different reasons';
  if (after.error !== undefined) return 'Under B there is no route';
  if (before.error !== undefined) return 'There is a route only under B';
  const chances = `${odds(before.probability_ppm!)} under A, ${odds(after.probability_ppm!)} under B`;
  const wayOf = ({ routes }: ComparedSide): string =>
    JSON.stringify(routes!.map(({ path }) => path.map(({ short_channel_id_dir }) => short_channel_id_dir)));
  if (wayOf(before) === wayOf(after) && before.fee_msat === after.fee_msat)
    return `The same route, with different odds: ${chances}`;
  return `The answer changes: fee ${sat(before.fee_msat!)} under A, ${sat(after.fee_msat!)} under B; odds ${chances}`;
}

function row(name: 'A' | 'B', { layers, fee_msat, probability_ppm, routes, error }: ComparedSide): unknown[] {
  const key = html`<span class=${name === 'A' ? 'key-a' : 'key-b'}>${name}</span>`;
  const own = layers.filter((layer) => !AUTOMATIC.includes(layer)).join(', ') || 'none';
  if (error !== undefined)
    return [
      key,
      hostile(own),
      html`<span class="state bad">✕ no route</span>`,
      nodeWords(error.message),
      '–',
    ];
  return [key, hostile(own), amount(fee_msat!), odds(probability_ppm!), routes!.length];
}

function routesTwin(
  before: ComparedSide,
  after: ComparedSide,
  aliasOf: (id: string) => string | undefined,
): TemplateResult {
  const rows = (name: string, { routes = [] }: ComparedSide): unknown[][] =>
    routes.map(({ path, amount_msat }) => [
      name,
      amount(amount_msat),
      html`${path.map(({ short_channel_id_dir, node_id_out }) => html`<code>${short_channel_id_dir}</code> → ${node(node_id_out, aliasOf(node_id_out))} `)}`,
    ]);
  return pictureTable(
    'Both answers hop by hop',
    ['List', 'Arrives', 'Way'],
    [...rows('A', before), ...rows('B', after)],
  );
}

/** The kinds of entries that `askrene-difflayers` returns, each with its term in the list of entries. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  disabled_node: KINDS.disabledNode,
  created_channel: KINDS.createdChannel,
  channel_update: KINDS.channelUpdate,
  constraint: KINDS.constraint,
  impression: KINDS.impression,
  bias: KINDS.bias,
  node_bias: KINDS.nodeBias,
  reservation: 'reserved',
  local_channel: 'channel of this node',
  source_free: 'no fee at the source',
};

type DiffEntry = CompareAnswer['entries'][number];

function whereOf(entry: DiffEntry): unknown {
  const place = entry.short_channel_id_dir ?? entry.short_channel_id;
  return place === undefined
    ? html`<code title=${entry.node ?? ''}>${shortId(entry.node ?? '')}</code>`
    : html`<code>${place}</code>`;
}

function saysOf(entry: DiffEntry): unknown {
  const { maximum_msat, minimum_msat, amount_msat, bias, in_bias, out_bias, enabled, description } = entry;
  const parts = [
    maximum_msat === undefined ? undefined : `carries at most ${about(maximum_msat)}`,
    minimum_msat === undefined ? undefined : `carries at least ${about(minimum_msat)}`,
    amount_msat === undefined ? undefined : about(amount_msat),
    bias === undefined ? undefined : `bias ${bias}`,
    in_bias === undefined ? undefined : `bias in ${in_bias}, out ${out_bias}`,
    enabled === undefined ? undefined : enabled ? 'on' : 'off',
    entry.fee_base_msat === undefined ? undefined : `base fee ${grouped(BigInt(entry.fee_base_msat))} msat`,
    entry.fee_proportional_millionths === undefined
      ? undefined
      : `${grouped(entry.fee_proportional_millionths)} ppm`,
    entry.capacity_msat === undefined ? undefined : `capacity ${about(entry.capacity_msat)}`,
    description,
  ];
  return hostile(parts.filter((part) => part !== undefined).join(', '));
}
