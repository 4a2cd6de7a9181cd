/** The smallest change that helps where there is no route, as words and as a button that asks again with it. */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Amount } from './event-types.ts';
import { sat } from './format.ts';
import { term } from './pieces.ts';
import { OWN_LAYERS, remedyChange } from './query.ts';
import { CallRefused } from './rpc.ts';
import { refusalOf } from './why-facts.ts';

type RemedyChanges = Readonly<Record<string, unknown>>;

const REMEDY_WORDS: Readonly<Record<string, (value: Amount) => string>> = {
  amount_msat: (value) => `an amount of ${sat(value)}`,
  maxfee_msat: (value) => `a fee limit of ${sat(value)}`,
  maxfee: (value) => `a fee limit of ${sat(value)}`,
  maxdelay: (value) => `${value} blocks of delay`,
  final_cltv: (value) => `${value} blocks for the recipient`,
  maxparts: (value) => `${value} parts`,
};

/** A remedy in words. */
export const remedyText = (remedy: RemedyChanges): string =>
  Object.entries(remedy)
    .map(([key, value]) => REMEDY_WORDS[key]?.(value as Amount) ?? `${key} ${String(value)}`)
    .join(' and ');

/** The button. @param query the question that found no route */
export function remedyButton(remedy: RemedyChanges, query: URLSearchParams): TemplateResult {
  const changed = new URLSearchParams(query);
  for (const [key, value] of Object.entries(remedyChange(remedy))) changed.set(key, value ?? '');
  return html`<p class="remedy"><span>${term('remedy', 'What would help')}:</span>
    <a class="button" href="/ui/route?${changed.toString()}">Ask with ${remedyText(remedy)}</a></p>`;
}

/**
 * What a reader can do after a plan or a payment found no route: ask with the remedy, and see why. A plan also counts
 * what earlier payments taught, so it can be refused where the routes above it are not. The question "why" names those
 * layers. Nothing for other errors.
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
      ${layers.length === 0 ? nothing : html`<span class="faint small">The routes above do not count what payments taught. A payment does.</span>`}</p>`;
}
