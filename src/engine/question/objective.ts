/**
 * What a route is worth, as a price to be minimised:
 *
 *   fee + price of risk · (−ln probability) + price of delay + price of each further part
 *
 * The price of risk is what we would pay to avoid a failure, per nat of −ln P. It grows with the amount, since a larger
 * payment that is stuck or retried costs more. For tiny amounts it has a minimum. The price of delay is interest on the
 * amount while it may be locked, per block. The price of a part is the cost of every HTLC after the first, apart from
 * its fee. A split must save more than that.
 */

/** The settings of the objective: all are prices. */
export interface ObjectiveKnobs {
  /**
   * Maximum paid per nat of −ln P, in ppm of the amount. With 1,000, a payment of 100,000 sat takes a route that costs
   * 10 sat more only if it is 10 % more likely to succeed. The default was chosen on the mainnet graph of 2026-02-03:
   * fees are below Core Lightning's, while answers are on average no less likely.
   */
  readonly riskPpmPerNat: number;
  /**
   * Base price of risk, in msat per nat, added to the share of the amount. Without it, for tiny amounts, fees of single
   * millisatoshis would outweigh reliability.
   */
  readonly riskBaseMsatPerNat: number;
  /**
   * Price of locked funds, in billionths of the amount per block. A value of 1 is an interest of 0.005 % a year. That
   * is low, because an HTLC is usually locked for seconds; only a rare stuck one stays for all its blocks, at perhaps 5
   * % a year.
   */
  readonly delayBillionthsPerBlock: number;
  /**
   * Maximum paid to save one part, in ppm of the amount. With 3, a payment of 100,000 sat is split in two only if that
   * saves 0.31 sat, including the base: either fees, or (at the default price of risk) 0.3 % of probability. A part has
   * a price because every further HTLC can fail for reasons that capacities do not predict, such as an offline node, a
   * channel without a free HTLC slot, or a stuck HTLC. We assume that 3 in 1,000 fail, and value this at the price of
   * risk. Also, the payment is complete only with its last part, and more nodes see it.
   */
  readonly partPpm: number;
  /** Base price of a part, in msat, added to the share of the amount. */
  readonly partBaseMsat: number;
}

/** The default settings. */
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
