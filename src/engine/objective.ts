/**
 * What a route is worth: fee + price of risk · (−ln probability) + price of delay + price of each further part.
 *
 * Price of risk: what we would pay not to have the payment fail once per nat of −ln P. It grows with the
 * amount, since a larger payment stuck or retried costs more, and has a floor for tiny ones.
 * Price of delay: interest on the amount while it may be locked, per block.
 * Price of a part: what every HTLC after the first costs apart from its fee; a split must save more than that.
 */

/** Knobs of the objective, all in money. */
export interface ObjectiveKnobs {
  /**
   * Paid at most, in ppm of the amount, per nat of −ln P: with 1,000 a 100,000 sat payment takes a route
   * 10 sat dearer only if it is 10 % likelier to arrive. The default was chosen on the mainnet graph of
   * 2026-02-03 so that fees fall below Core Lightning's while answers are, on average, no less likely.
   */
  readonly riskPpmPerNat: number;
  /** Floor of that price in msat per nat: below it fees of single millisatoshis would outweigh reliability. */
  readonly riskBaseMsatPerNat: number;
  /**
   * Price of locking money, in billionths of the amount per block. 1 is 0.005 % a year: an HTLC is locked for
   * seconds; only the rare stuck one stays for all its blocks, at perhaps 5 % a year.
   */
  readonly delayBillionthsPerBlock: number;
  /**
   * Paid at most for doing with one part less, in ppm of the amount: with 3 a payment of 100,000 sat goes in two
   * parts instead of one only if that saves 0.31 sat, the base included: so much fee, or (at the default price of
   * risk) 0.3 % of probability. The reason for it: every HTLC more is one more that fails for what no capacity
   * tells (a node that is off, a full slot, a stuck channel), taken as 3 times in 1,000, at the price of risk; the
   * last part decides when the payment is there; and more nodes see it.
   */
  readonly partPpm: number;
  /** Floor of that price, in msat. */
  readonly partBaseMsat: number;
}

export const DEFAULT_OBJECTIVE: ObjectiveKnobs = {
  riskPpmPerNat: 1000,
  riskBaseMsatPerNat: 2000,
  delayBillionthsPerBlock: 1,
  partPpm: 3,
  partBaseMsat: 10,
};

/** The prices the kernel works with for one amount: msat per nat, msat per msat and block, and msat for every part after the first. */
export interface Prices {
  readonly riskPriceMsatPerNat: number;
  readonly delayRate: number;
  readonly partPriceMsat: number;
}

export function pricesFor(amountMsat: bigint, knobs: ObjectiveKnobs = DEFAULT_OBJECTIVE): Prices {
  return {
    riskPriceMsatPerNat: knobs.riskBaseMsatPerNat + (Number(amountMsat) * knobs.riskPpmPerNat) / 1e6,
    delayRate: knobs.delayBillionthsPerBlock * 1e-9,
    partPriceMsat: knobs.partBaseMsat + (Number(amountMsat) * knobs.partPpm) / 1e6,
  };
}
