/**
 * The answer of `getroutes` as a ladder: a row for each part, with a box for each hop from left to right. It is a list
 * of lists, so it is readable without the drawing.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Amount } from '../event-types.ts';
import { about, grouped, odds, sat, share, THIN } from '../format.ts';
import type { LayerBounds } from '../layers/layer-bounds.ts';
import { amount, hostile, node, term } from '../pieces.ts';
import type { MethodResult } from '../rpc.ts';
import { boundsBar, boundsText } from './bars.ts';

/** One route of an answer. */
export type AnsweredRoute = MethodResult<'getroutes'>['routes'][number];
/** One hop of a route. */
export type AnsweredHop = AnsweredRoute['path'][number];

/** Facts about a channel direction that the answer does not contain. */
export interface DirectionFacts {
  readonly capacityMsat: Amount;
  readonly htlcMaximumMsat: Amount | undefined;
  readonly baseMsat: number;
  readonly ppm: number;
}

/** Facts that the ladder shows besides the answer. */
export interface LadderFacts {
  readonly alias: (id: string) => string | undefined;
  readonly direction: (scidDir: string) => DirectionFacts | undefined;
  /** The bounds of a direction in the question's layers. */
  readonly bounds: (scidDir: string) => LayerBounds | undefined;
}

/** Number of line styles, which differ in colour and dashes. */
export const LINE_KINDS = 6;
/** CSS class of the line of a part. */
export const lineKind = (part: number): string => `line-${part % LINE_KINDS}`;

/** Fee of a route: the amount sent minus the amount that arrives. */
export const feeOf = (route: AnsweredRoute): bigint =>
  BigInt(route.path[0]?.amount_in_msat ?? route.amount_msat) - BigInt(route.amount_msat);

/** Total delay of a route in blocks. */
export const delayOf = (route: AnsweredRoute): number => route.path[0]?.cltv_in ?? route.final_cltv;

/** Whether any two of the routes use exactly the same channels. */
export function sharesAWay(routes: readonly AnsweredRoute[]): boolean {
  const ways = routes.map(({ path }) => path.map((hop) => hop.short_channel_id_dir).join());
  return new Set(ways).size < ways.length;
}

/** Width of a line for an amount, in pixels. @param whole the amount that gets the maximum width */
export const lineWidth = (msat: Amount, whole: Amount): number =>
  2.5 + 7.5 * Math.sqrt(Number(msat) / Math.max(1, Number(whole)));

/** The ladder. */
export function ladder(routes: readonly AnsweredRoute[], facts: LadderFacts): TemplateResult {
  const largest = routes.reduce((most, { amount_msat }) => Math.max(most, Number(amount_msat)), 1);
  return html`<ol class="ladder" aria-label="Parts" @keydown=${walk}>
    ${routes.map((route, part) => partRow(route, part, largest, routes.length, facts))}
  </ol>`;
}

/**
 * Handles arrow keys: left and right move to the neighbouring hop, up and down to the same position in the part above
 * or below, or to its last hop if that part is shorter.
 */
export function walk(event: KeyboardEvent): void {
  const [dx, dy] = STEPS[event.key] ?? [0, 0];
  const target = event.target as HTMLElement;
  if ((dx === 0 && dy === 0) || !target.matches('.hop-scid') || event.ctrlKey || event.altKey) return;
  const parts = [...(event.currentTarget as HTMLElement).querySelectorAll('.part')].map((part) => [
    ...part.querySelectorAll<HTMLElement>('.hop-scid'),
  ]);
  const part = parts.findIndex((hops) => hops.includes(target));
  const place = parts[part]?.indexOf(target) ?? 0;
  const hops = parts[part + dy] ?? [];
  const next = dy === 0 ? hops[place + dx] : hops[Math.min(place, hops.length - 1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

const STEPS: Readonly<Record<string, readonly [along: number, across: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function partRow(
  route: AnsweredRoute,
  part: number,
  largest: number,
  count: number,
  facts: LadderFacts,
): TemplateResult {
  const fee = feeOf(route);
  const first = route.path[0];
  return html`<li class="part">
    <div class="part-head">
      ${sample(part, lineWidth(route.amount_msat, largest))}
      <span class="part-name">${count === 1 ? 'The only part' : `Part ${part + 1}`}</span>
      <strong>${amount(route.amount_msat)}</strong>
      <span>${term('fee', 'fee')} ${amount(fee)} <span class="faint">(${share(fee, route.amount_msat)})</span></span>
      <span>${term('odds', 'odds')} ${odds(route.probability_ppm)}</span>
      <span>${term('delay', 'delay')} ${grouped(delayOf(route))}${THIN}blocks</span>
    </div>
    <ol class="hops" aria-label="Hops of part ${part + 1}">
      ${first === undefined ? nothing : html`<li class="stop source">${node(first.node_id_in, facts.alias(first.node_id_in))}</li>`}
      ${route.path.map((hop, place) => hopBox(hop, part, lineWidth(route.amount_msat, largest), place === route.path.length - 1, facts))}
    </ol>
  </li>`;
}

/** A sample of a part's line, for the head of its row. */
const sample = (
  part: number,
  width: number,
): TemplateResult => html`<svg class="sample" viewBox="0 0 36 14" width="36"
    height="14" aria-hidden="true">${svg`<path class=${`route-line ${lineKind(part)}`} d="M2 7H34" stroke-width=${width} />`}</svg>`;

function hopBox(
  hop: AnsweredHop,
  part: number,
  width: number,
  isLast: boolean,
  facts: LadderFacts,
): TemplateResult {
  const fee = BigInt(hop.amount_in_msat) - BigInt(hop.amount_out_msat);
  const blocks = hop.cltv_in - hop.cltv_out;
  const known = facts.direction(hop.short_channel_id_dir);
  const scid = hop.short_channel_id_dir;
  return html`<li class="ladder-hop">
      <a class="hop-scid" href="/ui/map?channel=${scid.split('/')[0]}"><code>${scid}</code></a>
      <svg class="hop-line" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
        ${svg`<path class=${`route-line ${lineKind(part)}`} d="M0 7H100" stroke-width=${width} />`}
      </svg>
      <span class="hop-facts small">
        ${fee === 0n ? html`<span class="faint">no fee</span>` : html`<span>+${sat(fee)}</span>`}
        ${blocks === 0 ? nothing : html`<span class="faint">${blocks}${THIN}blocks</span>`}
        ${known === undefined ? nothing : fill(hop.amount_out_msat, known)}
        ${believed(facts.bounds(scid), known)}
      </span>
    </li>
    <li class="stop ${isLast ? 'goal' : ''}">${node(hop.node_id_out, facts.alias(hop.node_id_out))}</li>`;
}

/** The part's share of the channel's capacity. */
function fill(msat: Amount, { capacityMsat }: DirectionFacts): TemplateResult {
  const part = Math.min(1, Number(msat) / Math.max(1, Number(capacityMsat)));
  return html`<span class="fill" title="of a capacity of ${sat(capacityMsat)}">
    <svg viewBox="0 0 60 6" width="60" height="6" aria-hidden="true">
      <rect class="fill-all" width="60" height="6" rx="3" /><rect class="fill-part" width=${Math.max(1, 60 * part)} height="6" rx="3" />
    </svg>
    <span class="faint">of ${about(capacityMsat)}</span>
  </span>`;
}

/** The bounds from layers, as a bar if the capacity is known, and as text with the names of the layers. */
function believed(bounds: LayerBounds | undefined, known: DirectionFacts | undefined): unknown {
  if (bounds === undefined) return nothing;
  return html`<span class="hop-bounds" title=${`layer ${bounds.saidBy.join(', ')}`}>
    ${known === undefined ? nothing : boundsBar(wholeBounds(bounds, known), known.capacityMsat)}
    <span>${boundsWords(bounds, known)}</span>
  </span>`;
}

const wholeBounds = ({ minimumMsat, maximumMsat }: LayerBounds, known: DirectionFacts) => ({
  minimum_msat: minimumMsat,
  maximum_msat: maximumMsat ?? known.capacityMsat,
});

function boundsWords(bounds: LayerBounds, known: DirectionFacts | undefined): string {
  const { minimumMsat, maximumMsat } = bounds;
  if (known !== undefined) return boundsText(wholeBounds(bounds, known), known.capacityMsat);
  if (maximumMsat === undefined) return `at least ${about(minimumMsat)}`;
  return boundsText({ minimum_msat: minimumMsat, maximum_msat: maximumMsat });
}

/** The content of the ladder as table rows: part, hop, channel, to, amount, fee, blocks, bounds in layers. */
export function ladderRows(
  routes: readonly AnsweredRoute[],
  { alias, bounds, direction }: LadderFacts,
): unknown[][] {
  return routes.flatMap((route, part) =>
    route.path.map((hop, place) => [
      part + 1,
      place + 1,
      html`<code>${hop.short_channel_id_dir}</code>`,
      hostile(alias(hop.node_id_out) ?? hop.node_id_out.slice(0, 16)),
      amount(hop.amount_out_msat),
      amount(BigInt(hop.amount_in_msat) - BigInt(hop.amount_out_msat)),
      hop.cltv_in - hop.cltv_out,
      wordsIn(bounds(hop.short_channel_id_dir), direction(hop.short_channel_id_dir)),
    ]),
  );
}

const wordsIn = (bounds: LayerBounds | undefined, known: DirectionFacts | undefined): string =>
  bounds === undefined ? '–' : `${boundsWords(bounds, known)} (layer ${bounds.saidBy.join(', ')})`;

/** The column headings for the rows of `ladderRows`. */
export const LADDER_HEADS = ['Part', 'Hop', 'Channel', 'To', 'Amount', 'Fee', 'Blocks', 'Bounds in layers'];
