/** Liquidity bounds drawn on a bar of the capacity, and the same bounds in words. */
import { html, svg, type TemplateResult } from 'lit-html';
import type { Amount } from '../event-types.ts';
import { about } from '../format.ts';
import { beliefBar } from './belief-bar.ts';

/** The bounds of a direction's liquidity. */
export interface KnownBounds {
  readonly minimum_msat: Amount;
  readonly maximum_msat: Amount;
}

const WIDTH = 200;
const HEIGHT = 14;

/**
 * The bar of a capacity: thick up to what certainly passes, thin where it is uncertain, empty where it certainly does
 * not pass.
 * @param strength from 0 to 1: old beliefs are drawn fainter.
 */
export function boundsBar(
  { minimum_msat, maximum_msat }: KnownBounds,
  capacity: Amount,
  strength = 1,
): TemplateResult {
  const { known, open } = beliefBar(minimum_msat, maximum_msat, capacity);
  return html`<svg class="bounds-bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bounds-ground" width=${WIDTH} height=${HEIGHT} rx="2" />
    <g opacity=${strength.toFixed(2)}>
      ${svg`<rect class="bounds-known" width=${known * WIDTH} height=${HEIGHT} />
      <rect class="bounds-open" x=${known * WIDTH} y="4.5" width=${(open - known) * WIDTH} height="5" />`}
      ${open < 1 ? svg`<line class="bounds-end" x1=${open * WIDTH} x2=${open * WIDTH} y1="0" y2=${HEIGHT} />` : null}
    </g>
  </svg>`;
}

/** The bounds in words. */
export function boundsText({ minimum_msat, maximum_msat }: KnownBounds, capacity?: Amount): string {
  const isWhole = capacity !== undefined && BigInt(maximum_msat) >= BigInt(capacity);
  if (BigInt(minimum_msat) === 0n) return isWhole ? 'nothing known' : `at most ${about(maximum_msat)}`;
  if (isWhole) return `at least ${about(minimum_msat)}`;
  return `${about(minimum_msat)} to ${about(maximum_msat)}`;
}
