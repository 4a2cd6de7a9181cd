/**
 * A small chart of fee against odds, from which the user can choose an answer: the current one, and those that
 * `getroutes` with `pareto` returns. A point is left out if a different point costs no more and is at least as likely.
 */
import { html, nothing, svg, type TemplateResult } from 'lit-html';
import { odds, sat } from '../format.ts';
import { amount, table, term } from '../pieces.ts';

/** A possible answer. Fee in msat, odds in parts per million. */
export interface FrontPoint {
  readonly feeMsat: bigint;
  readonly oddsPpm: number;
  readonly parts: number;
}

/** The points that are likelier than every other point that costs no more, cheapest first. */
export function frontOf(points: readonly FrontPoint[]): FrontPoint[] {
  const sorted = points.toSorted((a, b) =>
    a.feeMsat === b.feeMsat ? b.oddsPpm - a.oddsPpm : a.feeMsat < b.feeMsat ? -1 : 1,
  );
  const front: FrontPoint[] = [];
  for (const point of sorted) if (point.oddsPpm > (front.at(-1)?.oddsPpm ?? -1)) front.push(point);
  return front;
}

/** Omits points whose odds, as displayed, equal those of a cheaper point. */
export function tellingApart(front: readonly FrontPoint[]): FrontPoint[] {
  return front.filter((point, at) => at === 0 || odds(point.oddsPpm) !== odds(front[at - 1]!.oddsPpm));
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [320, 150, 44, 26, 12, 14];

/** Fraction of the range that is left free at each end of an axis. */
const MARGIN = 0.1;

/** An axis from slightly below the smallest value to slightly above the largest, but never beyond 0 and `limit`. */
export function scaleOf(
  values: readonly number[],
  limit = Number.POSITIVE_INFINITY,
): { readonly low: number; readonly high: number; readonly at: (value: number) => number } {
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((greatest - least) * MARGIN, greatest * 0.005, 1);
  const low = Math.max(0, least - margin);
  const high = Math.min(limit, greatest + margin);
  return { low, high, at: (value) => (value - low) / (high - low) };
}

/**
 * The chart, with an equivalent table. Nothing if there is no choice. @param take called with the fee of the chosen
 * answer
 */
export function frontChart(
  points: readonly FrontPoint[],
  shown: FrontPoint,
  take: (feeMsat: bigint) => void,
): TemplateResult | typeof nothing {
  const front = tellingApart(frontOf(points));
  if (front.length < 2) return nothing;
  const fees = scaleOf([...front, shown].map(({ feeMsat }) => Number(feeMsat)));
  const shares = scaleOf(
    [...front, shown].map(({ oddsPpm }) => oddsPpm),
    1e6,
  );
  const x = (fee: bigint): number => LEFT + (WIDTH - LEFT - RIGHT) * fees.at(Number(fee));
  const y = (ppm: number): number => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * shares.at(ppm);
  const path = front
    .map(({ feeMsat: fee, oddsPpm }, at) => `${at === 0 ? 'M' : 'L'}${x(fee)} ${y(oddsPpm)}`)
    .join('');
  return html`<section class="panel"><h2>${term('front', 'Cheaper or likelier')}</h2><div class="front">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" class="chart" aria-hidden="true">
      ${[0, 0.25, 0.5, 0.75, 1]
        .map((share) => shares.low + share * (shares.high - shares.low))
        .map(
          (ppm) => svg`<path class="grid" d="M${LEFT} ${y(ppm)}H${WIDTH - RIGHT}" />
          <text class="front-axis" x=${LEFT - 6} y=${y(ppm) + 4} text-anchor="end">${odds(Math.round(ppm))}</text>`,
        )}
      <text class="front-axis" x=${LEFT} y=${HEIGHT - 6}>${fees.low === 0 ? 'no fee' : sat(BigInt(Math.round(fees.low)))}</text>
      <text class="front-axis" x=${WIDTH - RIGHT} y=${HEIGHT - 6} text-anchor="end">${sat(BigInt(Math.round(fees.high)))}</text>
      <path class="front-line" d=${path} />
      ${front.map(
        (point) => svg`<circle class="front-dot" cx=${x(point.feeMsat)}
          cy=${y(point.oddsPpm)} r="4" />
          <circle class="front-target" cx=${x(point.feeMsat)} cy=${y(point.oddsPpm)} r="11" @click=${() => take(point.feeMsat)} />`,
      )}
      <circle class="front-dot now" cx=${x(shown.feeMsat)} cy=${y(shown.oddsPpm)} r="6" />
    </svg>
    ${table(
      'Fee against odds',
      ['Fee', 'Odds', 'Parts', 'Choose'],
      front.map((point) => [
        amount(point.feeMsat),
        odds(point.oddsPpm),
        point.parts,
        point.feeMsat === shown.feeMsat
          ? 'shown'
          : html`<button type="button" class="quiet" @click=${() => take(point.feeMsat)}
              aria-label="Show the answer for a fee of ${sat(point.feeMsat)}">Show</button>`,
      ]),
    )}
  </div></section>`;
}
