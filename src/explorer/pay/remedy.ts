/** The smallest change that makes a route possible, as text and as a button that asks again. */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Amount } from '../event-types.ts';
import { odds, sat } from '../format.ts';
import { term } from '../pieces.ts';
import { CallRefused } from '../rpc.ts';
import { refusalOf } from '../why/why-facts.ts';
import { HOPELESS_PPM } from './odds-warning.ts';
import { OWN_LAYERS, remedyChange } from './query.ts';

type RemedyChanges = Readonly<Record<string, unknown>>;

const REMEDY_WORDS: Readonly<Record<string, (value: Amount) => string>> = {
  amount_msat: (value) => `an amount of ${sat(value)}`,
  invoice_amount_msat: (value) => `an invoice of ${sat(value)}`,
  maxfee_msat: (value) => `a fee limit of ${sat(value)}`,
  maxfee: (value) => `a fee limit of ${sat(value)}`,
  maxdelay: (value) => `${value} blocks of delay`,
  final_cltv: (value) => `${value} blocks for the recipient`,
  maxparts: (value) => `${value} parts`,
};

/** A remedy in words. */
export const remedyText = (remedy: RemedyChanges): string =>
  Object.entries(remedy)
    .filter(([key]) => key !== 'minimal')
    .map(([key, value]) => REMEDY_WORDS[key]?.(value as Amount) ?? `${key} ${String(value)}`)
    .join(' and ');

/** The query with the remedy applied. */
export function remedied(remedy: RemedyChanges, query: URLSearchParams): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [key, value] of Object.entries(remedyChange(remedy))) changed.set(key, value ?? '');
  return changed;
}

/**
 * The button that applies a remedy.
 * @param query the query that found no route
 * @param oddsPpm odds of the route after the remedy, in parts per million, if known
 */
export function remedyButton(
  remedy: RemedyChanges,
  query: URLSearchParams,
  oddsPpm?: number,
): TemplateResult {
  return html`<p class="remedy"><span>${term('remedy', 'What would help')}:</span>
    <a class="button" href="/ui/route?${remedied(remedy, query).toString()}">Ask with ${remedyText(remedy)}</a>
    ${oddsPpm === undefined ? nothing : html`<strong>${oddsWords(oddsPpm)}</strong>`}</p>`;
}

/** The odds of a remedy as a sentence. Very low odds come with a warning. */
export const oddsWords = (ppm: number): string =>
  ppm < HOPELESS_PPM
    ? `Then there is a route, but the payment is very unlikely to arrive: its odds are ${odds(ppm)}.`
    : `Its odds are ${odds(ppm)}.`;

/**
 * What a user can do after a plan or a payment found no route: apply the remedy, or see why. A plan also uses knowledge
 * from earlier payments, so it may find no route even if the page shows some; the page that explains why includes the
 * layers with that knowledge. Nothing for other errors.
 */
export function wayOn(error: unknown, query: URLSearchParams): unknown {
  const refusal = error instanceof CallRefused ? refusalOf(error.data) : undefined;
  if (refusal === undefined) return nothing;
  const { binding, remedy } = refusal;
  const layers = (binding.search ?? binding).layers ?? [];
  const why = new URLSearchParams(query);
  if (layers.length > 0) why.set('layers', [...new Set([...OWN_LAYERS, ...layers])].join(','));
  return html`${remedy === undefined ? nothing : remedyButton(remedy, query)}
    <p><a href="/ui/why?${why.toString()}">Why not?</a>
      ${layers.length === 0 ? nothing : html`<span class="faint small">The routes above ignore what was learned from payments. Payments use that knowledge.</span>`}</p>`;
}
