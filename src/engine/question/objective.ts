/**
 * What a route is worth, as a price to be minimised:
 *
 *   fee + price of risk · (−ln probability) + price of delay + price of each further part
 *
 * The price of risk is what we would pay not to have the payment fail, per nat of −ln P. It grows with the
 * amount, since a larger payment that is stuck or retried costs more. For tiny amounts it has a floor. The
 * price of delay is interest on the amount while it may be locked, per block. The price of a part is what
 * every HTLC after the first costs apart from its fee. A split must save more than that.
 */

/** The settings of the objective, all in money. */
export interface ObjectiveKnobs {
  /**
   * Paid at most per nat of −ln P, in ppm of the amount. With 1,000, a payment of 100,000 sat takes a route
   * that is 10 sat costlier only if it is 10 % likelier to arrive. The default was chosen on the mainnet graph
   * of 2026-02-03: fees fall below Core Lightning's, while answers are on average no less likely.
   */
  readonly riskPpmPerNat: number;
  /**
   * Floor of that price, in msat per nat. Below it, fees of single millisatoshis would outweigh reliability.
   */
  readonly riskBaseMsatPerNat: number;
  /**
   * Price of locking money, in billionths of the amount per block. 1 is 0.005 % a year. That is little,
   * because an HTLC is locked for seconds; only the rare stuck one stays for all its blocks, at perhaps 5 % a
   * year.
   */
  readonly delayBillionthsPerBlock: number;
  /**
   * Paid at most for one part less, in ppm of the amount. With 3, a payment of 100,000 sat goes in two parts
   * only if that saves 0.31 sat, the base included. It may save that much fee, or (at the default price of
   * risk) 0.3 % of probability. Why a part has a price: every further HTLC can fail for reasons that no
   * capacity tells, such as a node that is off, a full slot or a stuck channel. We take 3 in 1,000 for it, at
   * the price of risk. Also, the payment is complete only with its last part, and more nodes see it.
   */
  readonly partPpm: number;
  /** Floor of that price, in msat. */
  readonly partBaseMsat: number;
}

/** The settings used unless a request brings its own. */
export const DEFAULT_OBJECTIVE: ObjectiveKnobs = {
  riskPpmPerNat: 1000,
  riskBaseMsatPerNat: 2000,
  delayBillionthsPerBlock: 1,
  partPpm: 3,
  partBaseMsat: 10,
};

/**
 * The prices that the kernel uses for one amount: msat per nat, msat per msat and block, and msat for every
 * part after the first.
 */
export interface Prices {
  readonly riskPriceMsatPerNat: number;
  readonly delayRate: number;
  readonly partPriceMsat: number;
}

/** The prices that follow from the settings for one amount. */
export function pricesFor(amountMsat: bigint, knobs: ObjectiveKnobs = DEFAULT_OBJECTIVE): Prices {
  return {
    riskPriceMsatPerNat: knobs.riskBaseMsatPerNat + (Number(amountMsat) * knobs.riskPpmPerNat) / 1e6,
    delayRate: knobs.delayBillionthsPerBlock * 1e-9,
    partPriceMsat: knobs.partBaseMsat + (Number(amountMsat) * knobs.partPpm) / 1e6,
  };
}
