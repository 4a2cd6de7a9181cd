/**
 * What a payment may cost, from the ways in which callers say it.
 *
 *   keysend    max(floor(amount · ppm / 10⁶), exemptfee), ppm = maxfeepercent in steps of 0.0001 %; or maxfee
 *   xkeysend   max(floor(amount / 100), 5,000 msat); or maxfee
 *
 * All limits are inclusive. An HTLC expires one block later than its delay says (the next block may be found
 * while it travels), so what can be asked of the network is one block less than what it forwards.
 */
import { MAX_DELAY_BLOCKS } from '../engine/route-outcome.ts';
import { FulguriteError } from '../model/errors.ts';
import { type Msat, msat, U64_MAX } from '../model/msat.ts';
import { proportionalMsat } from '../model/policy.ts';
import type { FeeTerms } from './remedy.ts';

/** 0.5 % in millionths. */
export const DEFAULT_MAXFEEPERCENT_MILLIONTHS = 500_000n;
export const DEFAULT_EXEMPTFEE_MSAT = msat(5_000n);
export const DEFAULT_RETRY_FOR_S = 60;
/** Largest delay that stays within it together with the block of slack. */
export const MAX_ROUTE_DELAY = MAX_DELAY_BLOCKS - 1;
/** Blocks that the network would accept, and the caller. */
export const longestDelay = (maxdelay: number): number => Math.min(maxdelay, MAX_ROUTE_DELAY);
/** Blocks that the recipient itself gets: what the most demanding implementations ask for. */
export const FINAL_CLTV_BLOCKS = 42;

const MILLIONTHS_OF_PERCENT_PER_PPM = 100n;
const XKEYSEND_LEAST_MSAT = 5_000n;
/** 1 %. */
const XKEYSEND_PPM = 10_000n;

/** All bitcoin there will ever be. Below it, sums of amounts, fees and shadows stay within 64 bits. */
export const MOST_PAYABLE_MSAT = msat(2_100_000_000_000_000_000n);

/** @throws FulguriteError -32602 when no payment can be that large. */
export function requirePayable(amountMsat: Msat): void {
  if (amountMsat <= MOST_PAYABLE_MSAT) return;
  const reason = 'is more than all bitcoin there will ever be';
  throw new FulguriteError('invalidParams', `amount_msat: ${reason}`, { parameter: 'amount_msat', reason });
}

/** A fee limit beyond all bitcoin limits nothing. */
export function usableFeeLimit(maxfeeMsat: Msat): Msat {
  return maxfeeMsat < MOST_PAYABLE_MSAT ? maxfeeMsat : MOST_PAYABLE_MSAT;
}

export interface KeysendFeeLimits {
  /** Per cent of the amount, in millionths; 500,000 is 0.5 %. */
  readonly maxfeepercentMillionths?: bigint | undefined;
  readonly exemptfeeMsat?: Msat | undefined;
  readonly maxfeeMsat?: Msat | undefined;
}

/** How a keysend's caller said what it may cost. */
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

/** How an xkeysend's caller said it. */
export function xkeysendFeeTerms(maxfeeMsat: Msat | undefined): FeeTerms {
  if (maxfeeMsat !== undefined) return { parameter: 'maxfee' };
  return { parameter: 'maxfee', share: { ppm: XKEYSEND_PPM, leastMsat: XKEYSEND_LEAST_MSAT } };
}

const feePpm = (maxfeepercentMillionths = DEFAULT_MAXFEEPERCENT_MILLIONTHS): bigint =>
  maxfeepercentMillionths / MILLIONTHS_OF_PERCENT_PER_PPM;

/**
 * The most that a keysend may cost.
 * @throws FulguriteError -32602 when limits contradict each other or the percentage overflows.
 */
export function keysendMaxfee(amountMsat: Msat, limits: KeysendFeeLimits): Msat {
  const { maxfeepercentMillionths, exemptfeeMsat, maxfeeMsat } = limits;
  if (maxfeeMsat !== undefined) {
    if (maxfeepercentMillionths === undefined && exemptfeeMsat === undefined) return maxfeeMsat;
    throw new FulguriteError(
      'invalidParams',
      'If you specify maxfee, cannot specify maxfeepercent or exemptfee.',
      { parameter: 'maxfee', reason: 'excludes maxfeepercent and exemptfee' },
    );
  }
  const share = proportionalMsat(amountMsat, feePpm(maxfeepercentMillionths));
  if (share > U64_MAX) {
    throw new FulguriteError('invalidParams', 'Overflow when computing fee budget, fee rate too high.', {
      parameter: 'maxfeepercent',
      reason: 'overflow',
    });
  }
  const exempt = exemptfeeMsat ?? DEFAULT_EXEMPTFEE_MSAT;
  return share > exempt ? msat(share) : exempt;
}

/** The most that an xkeysend may cost when its caller does not say. */
export function xkeysendMaxfee(amountMsat: Msat): Msat {
  const share = proportionalMsat(amountMsat, XKEYSEND_PPM);
  return msat(share > XKEYSEND_LEAST_MSAT ? share : XKEYSEND_LEAST_MSAT);
}
