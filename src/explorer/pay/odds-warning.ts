/** Warns in words about a payment that will probably fail, because 1 % and 97 % look alike as figures. */
import { html, nothing, type TemplateResult } from 'lit-html';
import { odds, THIN } from '../format.ts';

/** Odds in parts per million above which a payment is more likely to arrive than to fail. */
export const EVEN_PPM = 500_000;
/** Odds in parts per million below which a route is not worth trying. */
export const HOPELESS_PPM = 1000;

/** A warning if odds are below one half. Otherwise nothing. @param more what the user can do about it */
export function unlikely(ppm: number, more: unknown = nothing): TemplateResult | typeof nothing {
  if (ppm >= EVEN_PPM) return nothing;
  const words =
    ppm < HOPELESS_PPM
      ? html`There is a route, but the payment is very unlikely to arrive: the odds are below 0.1${THIN}%, so fewer than one in a thousand
          such payments would.`
      : html`The first attempt will probably fail: its odds are ${odds(ppm)}, so about ${Math.max(1, Math.round(ppm / 10_000))}
          in 100 such attempts would arrive.`;
  return html`<section class="panel notice unlikely"><p>⚠ ${words} A smaller amount has better odds.</p>${more}</section>`;
}
