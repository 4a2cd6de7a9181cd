/**
 * The measured shape of the main network: quantiles of attributes of nodes, channels and enabled directions in the
 * public snapshot of 2026-02-03 (Core Lightning's test data gossip-store-2026-02-03: 17,324 nodes, 50,808 channels,
 * 65,810 enabled directions; htlc_maximum_msat with units corrected).
 *
 * A table contains the values at 0 %, 1 %, … 99 %, 99.5 %, 99.9 %, 99.99 % and 100 %, in run-length encoding: [value,
 * number of repetitions].
 */

/** Probabilities of the entries from 99 % on. */
const TAIL = [0.99, 0.995, 0.999, 0.9999, 1];
const ENTRIES = 99 + TAIL.length;

/**
 * Values of a distribution at the probabilities of a table (see the head of this file), from the smallest to the
 * largest.
 */
export type QuantileTable = Float64Array;

function table(runs: readonly (readonly [value: number, times: number])[]): QuantileTable {
  const values = runs.flatMap(([value, times]) => new Array<number>(times).fill(value));
  if (values.length !== ENTRIES) throw new RangeError(`${values.length} quantiles instead of ${ENTRIES}`);
  return Float64Array.from(values);
}

/** The position of probability `u` in the table: the entry at or below it, plus the fraction of the way to the next. */
function position(u: number): number {
  if (u < TAIL[0]!) return u * 100;
  let cell = 0;
  while (cell < TAIL.length - 2 && u >= TAIL[cell + 1]!) cell++;
  const within = (Math.min(u, 1) - TAIL[cell]!) / (TAIL[cell + 1]! - TAIL[cell]!);
  return 99 + cell + Math.min(within, 1 - Number.EPSILON);
}

/** The value at probability `u` in [0, 1). Returns only measured values. */
export function stepQuantile(quantiles: QuantileTable, u: number): number {
  return quantiles[Math.floor(position(u))]!;
}

/**
 * The value at probability `u` in [0, 1): interpolation between the neighbouring measured values, rounded. The
 * interpolation is geometric, or linear from a value of 0.
 */
export function smoothQuantile(quantiles: QuantileTable, u: number): number {
  const at = position(u);
  const low = quantiles[Math.floor(at)]!;
  const high = quantiles[Math.floor(at) + 1]!;
  if (low === high) return low;
  const fraction = at - Math.floor(at);
  if (low === 0) return Math.round(high * fraction);
  return Math.round(low * (high / low) ** fraction);
}

/** Number of channels, divided by the number of nodes. The mean degree is twice as much. */
export const MEAN_CHANNELS_PER_NODE = 50_808 / 17_324;
/** Number of channels of the largest node, divided by the number of nodes. */
export const MAX_DEGREE_SHARE = 1989 / 17_324;
/** Share of channels with both directions disabled. */
export const BOTH_DISABLED_SHARE = 16_915 / 50_808;

/** Share of channels with exactly one disabled direction. */
export const ONE_DISABLED_SHARE = (35_806 - 2 * 16_915) / 50_808;
/** Share of directions that have their node's most common value, for nodes with at least five channels. */
export const NODE_WIDE = { feeBase: 0.7, proportional: 0.32, delta: 0.6, htlcMinimum: 0.83 };

/** Number of channels of a node. */
export const DEGREE = table([
  [1, 55],
  [2, 16],
  [3, 8],
  [4, 4],
  [5, 3],
  [6, 2],
  [7, 2],
  [8, 1],
  [9, 1],
  [11, 1],
  [13, 1],
  [15, 1],
  [17, 1],
  [22, 1],
  [31, 1],
  [45, 1],
  [74, 1],
  [131, 1],
  [451, 1],
  [1771, 1],
  [1989, 1],
]);

/** Capacity of a channel in satoshi. */
export const CAPACITY_SAT = table([
  [1050, 1],
  [1500, 1],
  [2222, 1],
  [10_000, 1],
  [20_000, 7],
  [21_801, 1],
  [30_000, 1],
  [40_000, 1],
  [50_000, 2],
  [60_000, 1],
  [80_000, 1],
  [100_000, 5],
  [120_000, 1],
  [150_000, 1],
  [200_000, 2],
  [234_383, 1],
  [250_000, 1],
  [300_000, 1],
  [318_438, 1],
  [400_000, 1],
  [451_825, 1],
  [500_000, 3],
  [520_000, 1],
  [687_034, 1],
  [850_000, 1],
  [1_000_000, 10],
  [1_100_000, 1],
  [1_283_260, 1],
  [1_500_000, 1],
  [1_700_000, 1],
  [2_000_000, 6],
  [2_100_000, 1],
  [2_500_000, 2],
  [3_000_000, 3],
  [3_157_960, 1],
  [4_000_000, 2],
  [4_158_141, 1],
  [5_000_000, 8],
  [5_700_000, 1],
  [6_045_556, 1],
  [7_263_849, 1],
  [8_000_000, 1],
  [10_000_000, 7],
  [11_000_000, 1],
  [14_242_911, 1],
  [15_665_544, 1],
  [16_777_215, 1],
  [20_000_000, 2],
  [25_000_000, 1],
  [40_000_000, 1],
  [50_000_000, 1],
  [53_700_000, 1],
  [100_000_000, 1],
  [200_000_000, 1],
  [400_000_000, 1],
  [500_000_000, 2],
  [1_000_000_000, 1],
]);

/** fee_base_msat of an enabled direction. */
export const FEE_BASE_MSAT = table([
  [0, 46],
  [1, 3],
  [5, 1],
  [33, 1],
  [100, 1],
  [200, 1],
  [500, 2],
  [990, 1],
  [1000, 41],
  [2000, 1],
  [5000, 1],
  [10_000, 1],
  [69_420, 1],
  [9_999_000, 1],
  [10_000_000, 2],
]);

/** fee_proportional_millionths of an enabled direction. */
export const FEE_PROPORTIONAL_MILLIONTHS = table([
  [0, 7],
  [1, 23],
  [3, 1],
  [5, 1],
  [10, 5],
  [17, 1],
  [21, 1],
  [25, 1],
  [33, 1],
  [42, 1],
  [50, 1],
  [51, 1],
  [68, 1],
  [80, 1],
  [98, 1],
  [100, 4],
  [110, 1],
  [125, 1],
  [150, 1],
  [165, 1],
  [188, 1],
  [200, 2],
  [220, 1],
  [248, 1],
  [262, 1],
  [300, 1],
  [312, 1],
  [350, 1],
  [400, 1],
  [428, 1],
  [480, 1],
  [499, 2],
  [500, 6],
  [569, 1],
  [631, 1],
  [720, 1],
  [799, 1],
  [847, 1],
  [960, 1],
  [999, 1],
  [1000, 3],
  [1113, 1],
  [1300, 1],
  [1500, 1],
  [1710, 1],
  [1969, 1],
  [2000, 2],
  [2350, 1],
  [2500, 1],
  [2570, 1],
  [3000, 1],
  [3986, 1],
  [4484, 1],
  [5000, 1],
  [10_000, 2],
  [50_000, 1],
  [1_000_000, 2],
]);

/** cltv_expiry_delta of an enabled direction. */
export const CLTV_EXPIRY_DELTA = table([
  [0, 1],
  [18, 2],
  [34, 7],
  [40, 17],
  [50, 1],
  [60, 1],
  [72, 1],
  [80, 38],
  [89, 1],
  [100, 11],
  [120, 1],
  [144, 18],
  [200, 1],
  [222, 1],
  [400, 1],
  [1000, 1],
  [1444, 1],
]);

/** htlc_minimum_msat of an enabled direction. */
export const HTLC_MINIMUM_MSAT = table([
  [0, 2],
  [1, 10],
  [10, 1],
  [1000, 79],
  [5000, 1],
  [10_000, 1],
  [50_000, 1],
  [100_000, 2],
  [250_000, 1],
  [1_000_000, 3],
  [10_000_000, 1],
  [500_000_000, 1],
  [5_940_000_000, 1],
]);

/** htlc_maximum_msat of an enabled direction, in 1/10,000 of the capacity. */
export const HTLC_MAXIMUM_PERMYRIAD = table([
  [0, 1],
  [11, 1],
  [101, 1],
  [500, 1],
  [1000, 1],
  [2000, 1],
  [2500, 1],
  [3799, 1],
  [4500, 4],
  [5000, 1],
  [5869, 1],
  [6897, 1],
  [8334, 1],
  [8910, 1],
  [9000, 1],
  [9603, 1],
  [9891, 1],
  [9900, 73],
  [10_000, 11],
]);
