/**
 * What a payment may cost, computed from the parameters in which callers say it.
 *
 *   keysend    max(floor(amount · ppm / 10⁶), exemptfee), ppm = maxfeepercent in steps of 0.0001 %; or maxfee
 *   xkeysend   max(floor(amount / 100), 5,000 msat); or maxfee
 *
 * All limits are inclusive. An HTLC expires one block later than its delay says, because the next block may
 * be found while the HTLC travels. So we ask the network for one block less than it would forward.
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
/** Core Lightning's default of `retry_for`: seconds during which new attempts begin. */
export const DEFAULT_RETRY_FOR_S = 60;
/** Longest delay of a route in blocks. One more block of slack still fits the network's limit. */
export const MAX_ROUTE_DELAY = MAX_DELAY_BLOCKS - 1;
/** Longest delay of a route that both the network and the caller accept, in blocks. */
export const longestDelay = (maxdelay: number): number => Math.min(maxdelay, MAX_ROUTE_DELAY);
/** Delay in blocks that the recipient itself gets. The most demanding implementations ask for this many. */
export const FINAL_CLTV_BLOCKS = 42;

const MILLIONTHS_OF_PERCENT_PER_PPM = 100n;
const XKEYSEND_LEAST_MSAT = 5_000n;
/** 1 %, in millionths. */
const XKEYSEND_PPM = 10_000n;

/** All bitcoin there will ever be, in msat. Sums of smaller amounts, fees and shadows fit 64 bits. */
export const MOST_PAYABLE_MSAT = msat(2_100_000_000_000_000_000n);

/** @throws PaymentRefused when no payment can be that large. */
export function requirePayable(amountMsat: Msat): void {
  if (amountMsat > MOST_PAYABLE_MSAT) throw new PaymentRefused({ kind: 'amountTooLarge' });
}

/** The fee limit, cut so that sums fit 64 bits. A limit above all bitcoin there will ever be limits nothing. */
export function usableFeeLimit(maxfeeMsat: Msat): Msat {
  return maxfeeMsat < MOST_PAYABLE_MSAT ? maxfeeMsat : MOST_PAYABLE_MSAT;
}

/** The ways in which the caller of a keysend may limit its fees. `maxfeeMsat` excludes the other two. */
export interface KeysendFeeLimits {
  /** Per cent of the amount, in millionths: 500,000 is 0.5 %. */
  readonly maxfeepercentMillionths?: bigint | undefined;
  readonly exemptfeeMsat?: Msat | undefined;
  readonly maxfeeMsat?: Msat | undefined;
}

/** The parameter by which the caller of a keysend limited the fees. A remedy must speak of the same one. */
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

/** The parameter by which the caller of an xkeysend limited the fees. */
export function xkeysendFeeTerms(maxfeeMsat: Msat | undefined): FeeTerms {
  if (maxfeeMsat !== undefined) return { parameter: 'maxfee' };
  return { parameter: 'maxfee', share: { ppm: XKEYSEND_PPM, leastMsat: XKEYSEND_LEAST_MSAT } };
}

const feePpm = (maxfeepercentMillionths = DEFAULT_MAXFEEPERCENT_MILLIONTHS): bigint =>
  maxfeepercentMillionths / MILLIONTHS_OF_PERCENT_PER_PPM;

/**
 * The most fees that a keysend may cost, in msat.
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

/** The most fees that an xkeysend may cost when its caller gives no limit, in msat. */
export function xkeysendMaxfee(amountMsat: Msat): Msat {
  const share = proportionalMsat(amountMsat, XKEYSEND_PPM);
  return msat(share > XKEYSEND_LEAST_MSAT ? share : XKEYSEND_LEAST_MSAT);
}
