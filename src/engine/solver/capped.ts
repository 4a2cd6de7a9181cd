/** The bound of amounts in the kernel. */
import { AMOUNT_CAP_MSAT } from '../../layers/bounds-fold.ts';

/** Amounts beyond the cap behave as the cap does. */
export function capped(amount: bigint): bigint {
  if (amount > AMOUNT_CAP_MSAT) return AMOUNT_CAP_MSAT;
  return amount;
}
