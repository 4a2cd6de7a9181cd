/**
 * The geometry of a belief on the bar of a capacity, and how much it has faded. A belief fades over an hour, because by
 * then half of a channel's liquidity has moved.
 */
import type { Amount } from '../event-types.ts';

/**
 * Positions on a bar, from 0 to 1. Liquidity up to `known` is certain, up to `open` uncertain, and beyond `open`
 * certainly not available.
 */
export interface BeliefBar {
  readonly known: number;
  readonly open: number;
}

/** The positions of bounds on the bar of a capacity. */
export function beliefBar(minimumMsat: Amount, maximumMsat: Amount, capacityMsat: Amount): BeliefBar {
  const capacity = Number(capacityMsat);
  if (!(capacity > 0)) return { known: 0, open: 1 };
  const part = (amount: Amount): number => Math.min(1, Math.max(0, Number(amount) / capacity));
  const known = part(minimumMsat);
  return { known, open: Math.max(known, part(maximumMsat)) };
}

/** Seconds after which a belief has the lowest opacity. */
export const FORGET_S = 3600;
/** The lowest opacity. A belief drawn with it is still readable. */
const FAINTEST = 0.35;

/** Opacity of a belief of this age, from 0.35 to 1. */
export function strengthAt(ageS: number): number {
  const fresh = 1 - Math.min(1, Math.max(0, ageS / FORGET_S));
  return FAINTEST + (1 - FAINTEST) * fresh;
}

/** A few words about how much of the capacity the bounds leave uncertain. */
export function certainty({ known, open }: BeliefBar): string {
  const left = open - known;
  if (left <= 0.01) return 'known';
  if (left >= 0.99) return 'unknown';
  return `${Math.round(left * 100)} % open`;
}
