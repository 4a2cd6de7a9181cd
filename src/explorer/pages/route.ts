/**
 * `/route`: whether and how a recipient can be paid. Shows the question as a form, and the answer as lines on the map
 * and as a ladder.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { counted, grouped, inMsat, odds, sat, share } from '../format.ts';
import { KnownDirections } from '../layers/direction-facts.ts';
import { type LayerBounds, layerBounds } from '../layers/layer-bounds.ts';
import { MapPane, mapWord } from '../map/map-pane.ts';
import { type Directory, mapColumns, nodeDirectory } from '../nodes.ts';
import type { OpenPage, Page, PageHost, PagePlace } from '../page.ts';
import { largestEvenAmount } from '../pay/even-odds.ts';
import { EVEN_PPM, unlikely } from '../pay/odds-warning.ts';
import { canPay, PayPanel, type PayWish } from '../pay/pay-panel.ts';
import {
  amountText,
  faultsOf,
  questionOf,
  type RouteParams,
  routeParams,
  USUAL_MAXPARTS,
  usualFeeLimit,
} from '../pay/query.ts';
import { QueryForm } from '../pay/query-form.ts';
import { wayOn } from '../pay/remedy.ts';
import { type FrontPoint, frontChart } from '../pictures/front.ts';
import {
  delayOf,
  feeOf,
  LADDER_HEADS,
  ladder,
  ladderRows,
  lineKind,
  lineWidth,
  sharesAWay,
} from '../pictures/ladder.ts';
import {
  addressFaults,
  amount,
  errorPanel,
  figure,
  pictureTable,
  term,
  terminal,
  waiting,
} from '../pieces.ts';
import { CallRefused, type MethodResult } from '../rpc.ts';

type FoundRoutes = MethodResult<'getroutes'>;

/** Milliseconds that a slider must rest before the page asks again. */
const SLIDER_MS = 150;

class RoutePage implements OpenPage {
  readonly #host: PageHost;
  readonly #form: QueryForm;
  readonly #pay: PayPanel;
  readonly #known: KnownDirections;
  readonly #pane: MapPane;
  /** The beliefs of the question's layers about the hops. */
  #bounds: ReadonlyMap<string, LayerBounds> = new Map();
  #query: URLSearchParams;
  #ownId: string | undefined;
  #canPay = false;
  #params: RouteParams | undefined;
  #answer: FoundRoutes | undefined;
  #error: unknown;
  #isAsking = false;
  #tookMs = 0;
  #front: readonly FrontPoint[] = [];
  /**
   * The largest amount with odds of at least one half. Undefined unless the requested amount has lower odds and a
   * search has found one.
   */
  #evenMsat: bigint | undefined;
  #directory: Directory | undefined;
  #run = 0;
  #slider: ReturnType<typeof setTimeout> | undefined;

  constructor(host: PageHost) {
    this.#host = host;
    this.#query = host.place.query;
    const redraw = (): void => this.#draw();
    this.#form = new QueryForm(host, redraw);
    this.#pay = new PayPanel(host, redraw);
    this.#known = new KnownDirections(host.rpc, host.left);
    this.#pane = new MapPane({
      label: 'Map of the network with the routes. Arrow keys move it, + and - zoom.',
      left: host.left,
    });
    host.title('Route');
    const toHops = (): void => document.querySelector<HTMLElement>('.hop-scid')?.focus();
    host.keys([{ key: 'h', does: 'Go to the hops. Arrow keys move between them', run: toHops }]);
    this.#draw();
    void this.#begin();
  }

  moved({ query }: PagePlace): void {
    this.#query = query;
    void this.#ask();
  }

  async #begin(): Promise<void> {
    try {
      const info = await this.#host.rpc.call('getinfo', {}, { signal: this.#host.left });
      this.#ownId = info.id;
      this.#canPay = canPay(info);
    } catch (error) {
      this.#error = error;
    }
    await this.#ask();
    // The answer does not wait for the map and the names.
    void mapColumns(this.#host.rpc).then(
      (columns) => {
        this.#pane.show(columns);
        void nodeDirectory(this.#host.rpc).then((directory) => {
          this.#directory = directory;
          this.#drawMap();
          void this.#form.name();
        });
      },
      () => undefined,
    );
  }

  async #ask(): Promise<void> {
    const run = ++this.#run;
    this.#params = this.#ownId === undefined ? undefined : routeParams(questionOf(this.#query), this.#ownId);
    if (this.#params === undefined) {
      this.#answer = undefined;
      this.#draw();
      return;
    }
    this.#isAsking = true;
    this.#evenMsat = undefined;
    this.#draw();
    const beganMs = performance.now();
    try {
      const answer = await this.#host.rpc.call('getroutes', this.#params, { signal: this.#host.left });
      if (run !== this.#run) return;
      this.#tookMs = performance.now() - beganMs;
      this.#answer = answer;
      this.#error = undefined;
      const { fee } = totals(answer);
      this.#host.title(
        `${counted(answer.routes.length, 'part')}, fee ${sat(fee)}, odds ${odds(answer.probability_ppm)}`,
      );
      this.#host.announce(summaryText(answer));
    } catch (error) {
      if (run !== this.#run || this.#host.left.aborted) return;
      this.#answer = undefined;
      this.#error = error;
      this.#host.title('No route');
    }
    this.#isAsking = false;
    this.#draw();
    this.#drawMap();
    if (this.#answer !== undefined) {
      await Promise.all([this.#learnChannels(run), this.#learnFront(run), this.#learnEvenAmount(run)]);
    }
  }

  async #learnChannels(run: number): Promise<void> {
    const hops = this.#answer!.routes.flatMap(({ path }) => path.map((hop) => hop.short_channel_id_dir));
    const options = { signal: this.#host.left };
    const [bounds] = await Promise.all([
      layerBounds(this.#host.rpc, this.#params!.layers, hops, options),
      this.#known.learn(hops),
    ]);
    if (run !== this.#run) return;
    this.#bounds = bounds;
    this.#draw();
  }

  /**
   * Requests the trade-off between fee and odds, at least up to the usual fee limit, so that likelier answers are still
   * shown after the user has chosen a cheaper one. If this fails, only the chart is missing.
   */
  async #learnFront(run: number): Promise<void> {
    const { maxfee_msat, amount_msat } = this.#params!;
    const [limit, usual] = [BigInt(maxfee_msat), usualFeeLimit(BigInt(amount_msat))];
    const params = { ...this.#params!, maxfee_msat: limit > usual ? limit : usual, pareto: true };
    const shown = pointOf(this.#answer!);
    try {
      const { front } = await this.#host.rpc.call('getroutes', params, { signal: this.#host.left });
      if (run === this.#run) this.#front = [shown, ...(front ?? []).map(pointOf)];
    } catch {
      if (run === this.#run) this.#front = [shown];
    }
    if (run === this.#run) this.#draw();
  }

  /** If the odds are below one half, finds the largest amount with odds of at least one half. */
  async #learnEvenAmount(run: number): Promise<void> {
    if (Number(this.#answer!.probability_ppm) >= EVEN_PPM) return;
    const question = questionOf(this.#query);
    const ask = async (amountMsat: bigint): Promise<number | undefined> => {
      if (run !== this.#run) return undefined;
      const params = routeParams({ ...question, amountMsat }, this.#ownId!)!;
      try {
        const answer = await this.#host.rpc.call('getroutes', params, { signal: this.#host.left });
        return Number(answer.probability_ppm);
      } catch {
        return undefined;
      }
    };
    const even = await largestEvenAmount(question.amountMsat!, ask);
    if (run !== this.#run) return;
    this.#evenMsat = even;
    this.#draw();
  }

  #evenOddsButton(): unknown {
    const even = this.#evenMsat;
    if (even === undefined) return nothing;
    const query = new URLSearchParams(this.#query);
    query.set('amount', amountText(even));
    return html`<p><a class="button" href="/ui/route?${query.toString()}">Ask for ${sat(even)}: even odds</a></p>`;
  }

  #draw(): void {
    this.#host.show(html`<h1 class="question">How can this be paid?</h1>
      ${this.#form.template(this.#query, 'Find routes')}
      ${this.#params === undefined ? this.#invitation() : this.#result(this.#params)}
      <div class="map-box ${this.#answer === undefined ? 'small-map' : ''}">${this.#pane.element} ${this.#pane.wholeButton()}</div>
      ${this.#answer === undefined ? nothing : this.#below(this.#answer, this.#params!)}`);
  }

  #invitation(): unknown {
    const faults = faultsOf(this.#query);
    if (faults.length > 0) return addressFaults(faults);
    return this.#error === undefined
      ? html`<p class="faint">Enter the recipient and the amount. The address of the page then contains the question: share it to show the answer.</p>`
      : errorPanel(this.#error);
  }

  #result(params: RouteParams): unknown {
    if (this.#error !== undefined) return this.#refusal();
    if (this.#answer === undefined) return waiting('Looking for routes …');
    const { fee, delay } = totals(this.#answer);
    return html`${addressFaults(faultsOf(this.#query))}<p class="unseen">${summaryText(this.#answer)}</p>
      <dl class="figures ${this.#isAsking ? 'asking' : ''}">
        ${figure(amount(fee), html`${term('fee', 'fee')}, ${share(fee, BigInt(params.amount_msat))} of the amount`)}
        ${figure(odds(this.#answer.probability_ppm), html`${term('odds', 'odds')} that all parts arrive`)}
        ${figure(grouped(this.#answer.routes.length), this.#answer.routes.length === 1 ? term('part', 'part') : term('part', 'parts'))}
        ${figure(grouped(delay), html`blocks ${term('delay', 'locked')} at most`)}
      </dl>
      ${unlikely(Number(this.#answer.probability_ppm), this.#evenOddsButton())}
      ${this.#isOurs(params) ? html`<p class="to-pay no-print"><a class="button" href="#pay">Pay this …</a></p>` : nothing}
      ${this.#sliders(params)}`;
  }

  #isOurs({ source }: RouteParams): boolean {
    return source === this.#ownId && this.#canPay;
  }

  #refusal(): TemplateResult {
    const address = `/ui/why?${this.#query.toString()}`;
    return errorPanel(
      this.#error,
      this.#error instanceof CallRefused
        ? html`<p><a class="button" href=${address}>Why not, and what would help?</a></p>`
        : nothing,
    );
  }

  #sliders(params: RouteParams): TemplateResult {
    const amountMsat = BigInt(params.amount_msat);
    const maxfee = BigInt(params.maxfee_msat);
    const usual = usualFeeLimit(amountMsat);
    const top = Number(maxfee > usual * 2n ? maxfee : usual * 2n);
    const parts = Number(params.maxparts);
    const change = (name: string, text: string): void => {
      clearTimeout(this.#slider);
      this.#slider = setTimeout(() => this.#host.change({ [name]: text }, true), SLIDER_MS);
    };
    // The scale of the slider is quadratic, because small limits need fine steps.
    const feeChanged = (event: Event): void => {
      const at = Number((event.target as HTMLInputElement).value) / 1000;
      change('maxfee', amountText((BigInt(Math.round(top * at * at)) / 1000n) * 1000n));
    };
    return html`<div class="sliders panel no-print">
      <label>${term('feeLimit', 'Fee limit')} <output>${sat(maxfee)}</output>
        <input type="range" min="0" max="1000" aria-valuetext=${inMsat(maxfee)}
          .value=${String(Math.round(Math.sqrt(Number(maxfee) / top) * 1000))} @input=${feeChanged} /></label>
      <label>${term('partsLimit', 'Maximum parts')} <output>${parts}</output>
        <input type="range" min="1" max=${Math.max(USUAL_MAXPARTS, parts)} .value=${String(parts)}
          @input=${(event: Event) => change('maxparts', (event.target as HTMLInputElement).value)} /></label>
    </div>`;
  }

  #below(answer: FoundRoutes, params: RouteParams): TemplateResult {
    const facts = {
      alias: (id: string) => (id === this.#ownId ? 'this node' : this.#directory?.alias(id)),
      direction: (scidDir: string) => this.#known.get(scidDir),
      bounds: (scidDir: string) => this.#bounds.get(scidDir),
    };
    return html`<h2>The parts, hop by hop</h2>
      ${
        sharesAWay(answer.routes)
          ? html`<p class="small faint">Some parts take the same route: a channel forwards only so much
              ${term('htlcMaximum', 'in one part')}, so a larger amount crosses it in several.</p>`
          : nothing
      }
      ${ladder(answer.routes, facts)}
      ${pictureTable('The same as a table', LADDER_HEADS, ladderRows(answer.routes, facts))}
      ${frontChart(this.#front, pointOf(answer), (fee) => this.#host.change({ maxfee: amountText(fee) }))}
      ${this.#isOurs(params) ? this.#pay.template(this.#wish(params)) : nothing}
      ${terminal('getroutes', params)}
      <p class="small faint">Answered in ${Math.round(this.#tookMs)} ms, including the round trip to the node.</p>`;
  }

  #wish({ destination, amount_msat, maxfee_msat }: RouteParams): PayWish<'xkeysend'> {
    const params = { destination, amount_msat, maxfee: maxfee_msat };
    return {
      method: 'xkeysend',
      identity: [destination, amount_msat, maxfee_msat].join(' '),
      amountMsat: BigInt(amount_msat),
      maxfeeMsat: BigInt(maxfee_msat),
      plan: () => this.#host.rpc.call('plankeysend', params),
      quote: { invstring: destination, amount_msat, maxfee: maxfee_msat },
      params: (plan, mark) => ({ ...params, ...(plan !== undefined && { seed: plan.seed }), ...mark }),
      intro: html`<p class="keysend-note">This is a ${term('keysend', 'keysend')}: it has no signed invoice. The recipient did not
        ask for the money, and you get no receipt that says what it was for. To pay an invoice or an offer, paste it into
        the search instead.</p>`,
      facts: [],
      note: nothing,
      wayOn: (error) => wayOn(error, this.#query),
      receipt: () => nothing,
    };
  }

  /** Draws the routes on top of the map. */
  #drawMap(): void {
    const directory = this.#directory;
    const answer = this.#answer;
    if (directory === undefined) return;
    const ends = [this.#params?.source, this.#params?.destination];
    const nodeOf = (id: string): number | undefined => directory.indexOf(id);
    const routes = (answer?.routes ?? []).map((route) => ({
      width: lineWidth(route.amount_msat, this.#params!.amount_msat as bigint),
      nodes: [route.path[0]?.node_id_in, ...route.path.map((hop) => hop.node_id_out)].flatMap((id) => {
        const index = id === undefined ? undefined : nodeOf(id);
        return index === undefined ? [] : [index];
      }),
    }));
    const [source, goal] = ends.map((id) => (id === undefined ? undefined : nodeOf(id)));
    this.#pane.draw(
      (at, _span, paneWidth) => svg`${routes.map(({ nodes, width }, part) => {
        // Parts that share a channel are drawn side by side.
        const shift = (part - (routes.length - 1) / 2) * 3;
        const points = nodes
          .map((node) =>
            at(node)
              .map((one) => (one + shift).toFixed(1))
              .join(','),
          )
          .join(' ');
        return svg`<polyline class="route-halo" points=${points} stroke-width=${width + 3} />
        <polyline class=${`route-line ${lineKind(part)}`} points=${points} stroke-width=${width} />`;
      })}
      ${routes
        .flatMap(({ nodes }) => nodes)
        .map((node) => {
          const [x, y] = at(node);
          return svg`<circle class="route-stop" cx=${x} cy=${y} r="4" />`;
        })}
      ${source === undefined ? nothing : endMark(at(source), 'source', 'from', paneWidth)}
      ${goal === undefined ? nothing : endMark(at(goal), 'goal', 'to', paneWidth)}`,
    );
    // Without a route, the recipient would be a lone dot without context, so the whole network is shown.
    const onRoutes = routes.flatMap(({ nodes }) => nodes);
    const ofEnds = [source, goal].filter((one) => one !== undefined);
    this.#pane.focus(onRoutes.length === 0 ? [] : [...onRoutes, ...ofEnds]);
  }
}

/** Marks an end of the routes by a ring and a word, so that users need not distinguish colours. */
function endMark(
  place: readonly [number, number],
  kind: string,
  word: string,
  width: number,
): TemplateResult {
  const [x, y] = place;
  return svg`<circle class="end-mark ${kind}" cx=${x} cy=${y} r="8" />${mapWord(word, place, 12, width)}`;
}

const totals = (answer: Pick<FoundRoutes, 'routes'>): { readonly fee: bigint; readonly delay: number } => ({
  fee: answer.routes.reduce((sum, route) => sum + feeOf(route), 0n),
  delay: answer.routes.reduce((most, route) => Math.max(most, delayOf(route)), 0),
});

const pointOf = (answer: Pick<FoundRoutes, 'routes' | 'probability_ppm'>): FrontPoint => ({
  feeMsat: totals(answer).fee,
  oddsPpm: Number(answer.probability_ppm),
  parts: answer.routes.length,
});

function summaryText(answer: FoundRoutes): string {
  const channels = new Set(answer.routes.flatMap(({ path }) => path.map((hop) => hop.short_channel_id_dir)));
  const { fee } = totals(answer);
  return `${counted(answer.routes.length, 'part')} over ${counted(channels.size, 'channel')}, fee ${sat(fee)}, odds ${odds(answer.probability_ppm)}.`;
}

/** Opens the page. */
export const page: Page = (host) => new RoutePage(host);
