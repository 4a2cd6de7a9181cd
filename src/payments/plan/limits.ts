/**
 * The limits on the cost of a payment, computed from the caller's parameters.
 *
 *   keysend          max(floor(amount · ppm / 10⁶), exemptfee), ppm = maxfeepercent in steps of 0.0001 %; or maxfee
 *   xkeysend, xpay   max(floor(amount / 100), 5,000 msat); or maxfee
 *
 * All limits are inclusive. An HTLC expires one block later than its delay implies, because the next block may be found
 * while the HTLC travels. So our maximum delay is one block less than the network's.
 */
import { MAX_DELAY_BLOCKS } from '../../engine/question/remedy-rules.ts';
import { type Msat, msat, U64_MAX } from '../../model/msat.ts';
import { proportionalMsat } from '../../model/policy.ts';
import { PaymentRefused } from '../refusal.ts';
import type { FeeTerms } from './fee-terms.ts';

/** Core Lightning's default of `maxfeepercent`: 0.5 %, in millionths of a per cent. */
export const DEFAULT_MAXFEEPERCENT_MILLIONTHS = 500_000n;
/** Core Lightning's default of `exemptfee`: small payments may cost 5 sat, regardless of the percentage. */
export const DEFAULT_EXEMPTFEE_MSAT = msat(5_000n);
/** Core Lightning's default of `retry_for`: seconds during which new attempts may start. */
export const DEFAULT_RETRY_FOR_S = 60;
/**
 * Maximum delay of a route in blocks: the network's limit, minus the block that may be found while the HTLC travels.
 */
export const MAX_ROUTE_DELAY = MAX_DELAY_BLOCKS - 1;
/** Maximum delay of a route that both the network and the caller accept, in blocks. */
export const longestDelay = (maxdelay: number): number => Math.min(maxdelay, MAX_ROUTE_DELAY);
/**
 * Blocks left to the recipient of a payment without an invoice; the most demanding implementations require that many.
 */
export const FINAL_CLTV_BLOCKS = 42;

const MILLIONTHS_OF_PERCENT_PER_PPM = 100n;
const XKEYSEND_MIN_MSAT = 5_000n;
/** Default fee limit of an xkeysend or xpay: 1 % of the amount, in millionths. */
const XKEYSEND_PPM = 10_000n;

/** The total supply of bitcoin, in msat. Sums of an amount, fees and a shadow below this limit fit in 64 bits. */
export const MAX_PAYABLE_MSAT = msat(2_100_000_000_000_000_000n);

/** @throws PaymentRefused when the amount exceeds the total supply. */
export function requirePayable(amountMsat: Msat): void {
  if (amountMsat > MAX_PAYABLE_MSAT) throw new PaymentRefused({ kind: 'amountTooLarge' });
}

/** The fee limit, capped at the total supply so that sums fit in 64 bits. */
export function usableFeeLimit(maxfeeMsat: Msat): Msat {
  return maxfeeMsat < MAX_PAYABLE_MSAT ? maxfeeMsat : MAX_PAYABLE_MSAT;
}

/** The caller's limits on the fees of a keysend. `maxfeeMsat` cannot be combined with the other two. */
export interface KeysendFeeLimits {
  /** Maximum share of the amount, in millionths of a per cent: 500,000 is 0.5 %. */
  readonly maxfeepercentMillionths?: bigint | undefined;
  readonly exemptfeeMsat?: Msat | undefined;
  readonly maxfeeMsat?: Msat | undefined;
}

/** The parameter with which the caller of a keysend limited the fees, for use in remedies. */
export function keysendFeeTerms(limits: KeysendFeeLimits): FeeTerms {
  const { maxfeepercentMillionths, exemptfeeMsat, maxfeeMsat } = limits;
  if (maxfeeMsat !== undefined) return { parameter: 'maxfee' };
  const isDefault = maxfeepercentMillionths === undefined && exemptfeeMsat === undefined;
  const share = {
    ppm: feePpm(maxfeepercentMillionths),
    leastMsat: exemptfeeMsat ?? DEFAULT_EXEMPTFEE_MSAT,
  };
  return { parameter: isDefault ? 'maxfee' : 'exemptfee', share };
}

/** The parameter with which the caller of an xkeysend or xpay limited the fees. */
export function xkeysendFeeTerms(maxfeeMsat: Msat | undefined): FeeTerms {
  if (maxfeeMsat !== undefined) return { parameter: 'maxfee' };
  return { parameter: 'maxfee', share: { ppm: XKEYSEND_PPM, leastMsat: XKEYSEND_MIN_MSAT } };
}

const feePpm = (maxfeepercentMillionths = DEFAULT_MAXFEEPERCENT_MILLIONTHS): bigint =>
  maxfeepercentMillionths / MILLIONTHS_OF_PERCENT_PER_PPM;

/**
 * The maximum fees of a keysend, in msat.
 * @throws PaymentRefused when limits contradict each other or the percentage overflows.
 */
export function keysendMaxfee(amountMsat: Msat, limits: KeysendFeeLimits): Msat {
  const { maxfeepercentMillionths, exemptfeeMsat, maxfeeMsat } = limits;
  if (maxfeeMsat !== undefined) {
    if (maxfeepercentMillionths === undefined && exemptfeeMsat === undefined) return maxfeeMsat;
    throw new PaymentRefused({ kind: 'twoFeeLimits' });
  }
  const share = proportionalMsat(amountMsat, feePpm(maxfeepercentMillionths));
  if (share > U64_MAX) throw new PaymentRefused({ kind: 'feeShareTooLarge' });
  const exempt = exemptfeeMsat ?? DEFAULT_EXEMPTFEE_MSAT;
  return share > exempt ? msat(share) : exempt;
}

/** The default fee limit of an xkeysend or xpay, in msat. */
export function xkeysendMaxfee(amountMsat: Msat): Msat {
  const share = proportionalMsat(amountMsat, XKEYSEND_PPM);
  return msat(share > XKEYSEND_MIN_MSAT ? share : XKEYSEND_MIN_MSAT);
}
