/** The lanes of a payment: one row for each attempt, on a common time axis, and the distribution of its amount. */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { duration, odds, sat } from '../format.ts';
import { type AttemptLane, axisMarks, type LaneState, type Spread, stateAt } from '../pictures/lanes.ts';
import { amount, stateMark, term } from '../pieces.ts';
import { failureSentence } from '../why/failure-sentences.ts';
import type { WholeAttempt } from './whole-payment.ts';

/** Width of the SVG view box of the lanes. On the page it is stretched to the available width. */
const WIDTH = 1000;
const LANE_HEIGHT = 22;
/** Maximum number of lanes drawn. Further attempts are only in the table. */
const MAX_LANES = 200;

/** The content of the picture. */
export interface LanesShown {
  readonly attempts: readonly WholeAttempt[];
  readonly lanes: readonly AttemptLane[];
  readonly end: number;
  readonly at: number;
  readonly chosen: number;
  readonly choose: (index: number) => void;
}

/** The picture. Each lane is a button that shows its attempt below. */
export function lanesPicture(shown: LanesShown): TemplateResult {
  const { attempts, end, at } = shown;
  const x = (ms: number): number => (ms / end) * WIDTH;
  return html`<div class="lanes">
    <div class="lane-axis" aria-hidden="true"><span></span>
      <svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none">
        ${axisMarks(end).map((ms) => svg`<line class="axis" x1=${x(ms)} x2=${x(ms)} y1="4" y2="16" />`)}
        <path class="now" d="M${x(at)} 0V16" />
      </svg>
      <span class="faint small number lane-end">0 to ${duration(end)}</span>
    </div>
    <ol class="lane-list">
      ${attempts.slice(0, MAX_LANES).map((_, index) => lane(shown, index, x))}
    </ol>
    ${
      attempts.length > MAX_LANES
        ? html`<p class="faint">${attempts.length - MAX_LANES} further attempts are in the table below.</p>`
        : nothing
    }
  </div>`;
}

function lane(
  { attempts, lanes, end, at, chosen, choose }: LanesShown,
  index: number,
  x: (ms: number) => number,
): TemplateResult {
  const attempt = attempts[index]!;
  const { startMs, endMs } = lanes[index]!;
  const state = stateAt(lanes[index]!, at);
  const shownEnd = Math.min(at, endMs ?? end);
  const from = x(startMs);
  const width = Math.max(6, x(shownEnd) - from);
  const ends = from + width;
  return html`<li><button type="button" class="lane ${state}" aria-pressed=${chosen === index ? 'true' : 'false'}
      @click=${() => choose(index)}>
    <span class="lane-name">${index + 1}. ${amount(attempt.amount_msat)}</span>
    <svg viewBox="0 0 ${WIDTH} ${LANE_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
      ${state === 'future' ? nothing : svg`<rect class="lane-bar" x=${Math.min(from, WIDTH - 6)} y="5" width=${width} height="12" rx="2" />`}
      ${state === 'failed' ? svg`<path class="lane-cross" d="M${ends - 3} 2V20" />` : nothing}
      <path class="now" d="M${x(at)} 0V${LANE_HEIGHT}" />
    </svg>
    <span class="lane-state">${laneWords(state, attempt)}</span>
  </button></li>`;
}

function laneWords(state: LaneState, attempt: WholeAttempt): unknown {
  if (state === 'future') return html`<span class="faint">not yet</span>`;
  if (state !== 'failed')
    return html`${stateMark(state)} <span class="faint small">${odds(attempt.probability_ppm)}</span>`;
  return html`${stateMark(state)} <span class="faint small">${placeOf(attempt)}</span>`;
}

/** Where an attempt failed. Nodes are numbered from 0, which is this node; the last is the recipient. */
function placeOf({ failure, route }: WholeAttempt): string {
  const index = failure?.erring_index;
  if (index === undefined) return '';
  return index >= route.length ? 'at the recipient' : `at hop ${index + 1} of ${route.length}`;
}

/** Why an attempt failed, as a sentence. */
export const reasonOf = ({ failure, failreason }: WholeAttempt): string =>
  failureSentence(failure?.failcodename) ?? failreason ?? 'The failure message could not be decrypted.';

/** A bar of the amounts that have arrived, are in flight, and are still missing at the displayed moment. */
export function spreadPicture(
  total: number | bigint,
  { arrivedMsat, inFlightMsat }: Spread,
  status: string,
): TemplateResult {
  const most = Math.max(Number(total), Number(arrivedMsat + inFlightMsat), 1);
  const part = (msat: bigint): number => (Number(msat) / most) * WIDTH;
  const words =
    arrivedMsat > 0n || inFlightMsat > 0n
      ? `${sat(arrivedMsat)} arrived, ${sat(inFlightMsat)} on the way`
      : status === 'pending'
        ? 'nothing is on the way'
        : 'nothing is on the way, nothing arrived';
  return html`<div class="spread">
    <svg viewBox="0 0 ${WIDTH} 20" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bounds-ground" width=${WIDTH} height="20" rx="2" />
      <rect class="spread-arrived" width=${part(arrivedMsat)} height="20" />
      <rect class="spread-flight" x=${part(arrivedMsat)} y="5" width=${part(inFlightMsat)} height="10" />
    </svg>
    <p class="small">At this moment: ${words}, of ${sat(total)}.
      ${arrivedMsat > BigInt(total) ? html`Slightly more than the requested amount arrives, because of the ${term('shadow', 'shadow')}.` : nothing}</p>
  </div>`;
}
