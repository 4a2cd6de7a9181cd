/**
 * This node's beliefs about channels: each direction with a belief, and its bounds drawn on a bar of the capacity. The
 * node sorts and counts the beliefs. The page shows the first few thousand and the total number. Each channel has a
 * history.
 */
import { html, nothing, type TemplateResult } from 'lit-html';
import { Aliases } from '../aliases.ts';
import { about, counted, grouped } from '../format.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { boundsBar, boundsText } from '../pictures/bars.ts';
import { beliefBar, certainty, strengthAt } from '../pictures/belief-bar.ts';
import { amount, errorPanel, hostile, node, table, term, terminal, waiting, when } from '../pieces.ts';
import type { MethodParams, MethodResult } from '../rpc.ts';
import { VirtualList } from '../virtual-list.ts';

type BeliefParams = MethodParams<'listbeliefs'>;
type BeliefAnswer = MethodResult<'listbeliefs'>;
type ListedBelief = BeliefAnswer['beliefs'][number];

/** Maximum number of beliefs on the page. */
const MAX_BELIEFS = 5000;
const SORTS = {
  newest: 'newest first',
  oldest: 'oldest first',
  narrowest: 'most certain first',
  widest: 'least certain first',
  largest: 'largest channel first',
  channel: 'by channel',
} as const;

class BeliefsPage implements OpenPage {
  readonly #host: PageHost;
  readonly #list: VirtualList;
  readonly #aliases: Aliases;
  #place: PagePlace;
  #answer: BeliefAnswer | undefined;
  #one: BeliefAnswer | undefined;
  #error: unknown;
  /** Number of changes of the layer since the list was read. */
  #changes = 0;

  constructor(host: PageHost) {
    this.#host = host;
    this.#place = host.place;
    const show = (): void => this.#show();
    this.#list = new VirtualList(show, host.left);
    this.#aliases = new Aliases(host.rpc, show, host.left);
    host.title('Beliefs');
    host.events.on(
      'layer',
      ({ layer, changes }) => {
        if (layer !== (this.#layer ?? 'xpay')) return;
        this.#changes += Math.max(1, changes);
        this.#show();
      },
      host.left,
    );
    this.#show();
    void this.#load();
    void this.#loadOne();
  }

  moved(place: PagePlace): void {
    const before = this.#place;
    this.#place = place;
    const isOther = (name: string): boolean => before.query.get(name) !== place.query.get(name);
    if (isOther('layer') || isOther('sort')) void this.#load();
    if (isOther('layer') || isOther('channel')) void this.#loadOne();
    this.#show();
  }

  get #layer(): string | undefined {
    return this.#place.query.get('layer') || undefined;
  }

  get #params(): BeliefParams {
    const asked = this.#place.query.get('sort') ?? '';
    const sort = asked in SORTS ? (asked as keyof typeof SORTS) : 'newest';
    return { layer: this.#layer, sort, limit: MAX_BELIEFS };
  }

  async #load(): Promise<void> {
    try {
      const { rpc, left } = this.#host;
      this.#answer = await rpc.call('listbeliefs', this.#params, { signal: left });
      this.#error = undefined;
      this.#changes = 0;
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  async #loadOne(): Promise<void> {
    const short_channel_id_dir = this.#place.query.get('channel') ?? '';
    this.#one = undefined;
    if (short_channel_id_dir === '') return this.#show();
    try {
      const { rpc, left } = this.#host;
      const params = { layer: this.#layer, short_channel_id_dir };
      this.#one = await rpc.call('listbeliefs', params, { signal: left });
    } catch (error) {
      if (this.#host.left.aborted) return;
      this.#error = error;
    }
    this.#show();
  }

  #show(): void {
    if (this.#error !== undefined) this.#host.show(errorPanel(this.#error));
    else if (this.#answer === undefined) this.#host.show(waiting('Loading the beliefs…'));
    else this.#host.show(this.#whole(this.#answer));
  }

  #whole({ beliefs, num_beliefs }: BeliefAnswer): TemplateResult {
    const count = Number(num_beliefs);
    return html`<div class="answer">
        <h1>${count === 0 ? 'No beliefs yet' : `Beliefs about ${counted(count, 'channel direction')}`}</h1>
        <p class="faint">Each attempt shows what ${term('direction', 'directions')} carry. These ${term('belief', 'beliefs')}
          shape the next route, and count less as they age.${
            this.#layer === undefined ? nothing : html` Layer ${hostile(this.#layer)}.`
          }</p></div>
      ${this.#history()}
      ${
        count === 0
          ? nothing
          : html`<section class="panel" aria-labelledby="beliefs-title"><h2 id="beliefs-title">All beliefs</h2>
              ${this.#controls()} ${barLegend()}
              ${
                beliefs.length < count
                  ? html`<p class="faint small">${grouped(beliefs.length)} of ${grouped(count)} are shown. Change the order to see others.</p>`
                  : nothing
              }
              ${this.#list.template({
                label: 'Beliefs, row by row',
                count: beliefs.length,
                row: (index) => this.#row(beliefs[index]!),
              })}</section>`
      }
      ${terminal('listbeliefs', this.#params)}`;
  }

  #controls(): TemplateResult {
    const { sort } = this.#params;
    return html`<div class="controls">
      <label>Order <select @change=${(event: Event) => this.#host.change({ sort: (event.target as HTMLSelectElement).value })}>
        ${Object.entries(SORTS).map(([key, words]) => html`<option value=${key} ?selected=${key === sort}>${words}</option>`)}
      </select></label>
      ${
        this.#changes === 0
          ? nothing
          : html`<button type="button" class="quiet" @click=${() => void this.#load()}>${counted(this.#changes, 'change')} since then: reload</button>`
      }
    </div>`;
  }

  #row(belief: ListedBelief): TemplateResult {
    const { short_channel_id_dir, capacity_msat, records, timestamp } = belief;
    const age = Date.now() / 1000 - Number(timestamp);
    const chosen = this.#place.query.get('channel') === short_channel_id_dir;
    return html`<button type="button" class="belief" aria-pressed=${chosen ? 'true' : 'false'}
        @click=${() => this.#host.change({ channel: chosen ? undefined : short_channel_id_dir })}>
      <code>${short_channel_id_dir}</code>
      <span class="belief-bar">${capacity_msat === undefined ? nothing : boundsBar(belief, capacity_msat, strengthAt(age))}</span>
      <span class="belief-words">${boundsText(belief, capacity_msat)}
        <span class="faint small">${capacity_msat === undefined ? 'unknown channel' : `of ${about(capacity_msat)}`}</span></span>
      <span class="belief-age faint small"><span class="number">${counted(records, 'record')}, </span>${when(timestamp)}</span>
    </button>`;
  }

  /** The history of one channel, and the current belief about the direction. */
  #history(): TemplateResult | typeof nothing {
    const channel = this.#place.query.get('channel') ?? '';
    if (channel === '') return nothing;
    if (this.#one === undefined) return waiting('Loading the history of the channel…');
    const { beliefs, history = [] } = this.#one;
    const belief = beliefs[0];
    return html`<section class="panel" aria-labelledby="history-title">
      <h2 id="history-title">Channel <code>${channel}</code></h2>
      ${
        belief === undefined
          ? html`<p>Nothing is known about this direction${history.length > 0 ? ', only about the other one' : ''}.</p>`
          : this.#now(belief)
      }
      ${
        history.length === 0
          ? nothing
          : table(
              'Records of the channel, newest first',
              ['When', 'Direction', 'Kind', 'Amount'],
              history
                .toReversed()
                .slice(0, 200)
                .map(({ short_channel_id_dir, kind, amount_msat, timestamp }) => [
                  when(timestamp),
                  short_channel_id_dir === channel ? 'this way' : 'the other way',
                  RECORDS[kind],
                  amount(amount_msat),
                ]),
            )
      }
      <p><button type="button" class="quiet" @click=${() => this.#host.change({ channel: undefined })}>Close</button></p>
    </section>`;
  }

  #now(belief: ListedBelief): TemplateResult {
    const { source, destination, capacity_msat, minimum_msat, maximum_msat } = belief;
    const end = (id: string | undefined): unknown =>
      id === undefined ? 'an unknown node' : node(id, this.#aliases.of(id));
    return html`<p>From ${end(source)} to ${end(destination)}: certainly ${amount(minimum_msat)}, certainly not more than
        ${amount(maximum_msat)}${
          capacity_msat === undefined
            ? nothing
            : html`, of ${amount(capacity_msat)}; ${certainty(beliefBar(minimum_msat, maximum_msat, capacity_msat))}`
        }.</p>
      ${capacity_msat === undefined ? nothing : boundsBar(belief, capacity_msat)}`;
  }
}

const RECORDS = {
  minimum: 'carries at least',
  maximum: 'carries at most',
  impression: 'went through',
} as const;

function barLegend(): TemplateResult {
  const sample = { minimum_msat: 30, maximum_msat: 70 };
  return html`<div class="bar-legend small"><span class="belief-bar">${boundsBar(sample, 100)}</span>
    <span>Thick: certainly available. Thin: possibly available. Beyond the mark: certainly not available. Fainter: older. The bar is the ${term('capacity', 'capacity')}.</span></div>`;
}

/** Opens the page. */
export const page: Page = (host) => new BeliefsPage(host);
