/**
 * LND's bimodal estimator (LND 0.21, `routing/probability_bimodal.go`; only its formulas are used). With capacity c and
 * scale s, balances have the density
 *
 *     e^(−x/s) + e^((x−c)/s) + 1/c
 *
 * LND integrates the last term as x/(c·s), so it has almost no effect. The success probability is the probability that
 * the balance is at least the amount, given the amounts that succeeded and failed. Both fade by e^(−age / 7 days).
 * Without results of the pair within 7 days, results of the forwarding node's other pairs have weight 0.2 each.
 */
import type { LndPairMemory } from '../../src/laboratory/routers/lnd-memory.ts';

const SCALE_MSAT = 300_000_000;
const DECAY_US = 7 * 86_400e6;
const NODE_WEIGHT = 0.2;

/** A question about a pair. */
export interface BimodalQuestion {
  readonly to: number;
  readonly amountMsat: number;
  readonly capacityMsat: number;
  /** Whether the pair begins at the sender: then the balance is known. */
  readonly isOwn: boolean;
  readonly nowUs: number;
}

/** Bounds of a balance, and an amount, in msat. */
export interface BimodalAmounts {
  readonly capacityMsat: number;
  readonly successMsat: number;
  readonly failMsat: number;
  readonly amountMsat: number;
}

/** Probability that a pair carries the amount. @param pairs results of all pairs of the forwarding node */
export function bimodalChance(
  pairs: ReadonlyMap<number, Readonly<LndPairMemory>>,
  { to, amountMsat, capacityMsat, isOwn, nowUs }: BimodalQuestion,
): number {
  const direct = pairs.get(to);
  const kept = (sinceUs: number): number => Math.exp(-(nowUs - sinceUs) / DECAY_US);
  if (isOwn) return direct?.failedUs === undefined ? 1 : 1 - kept(direct.failedUs);
  let [successMsat, failMsat] = [0, capacityMsat];
  if (direct?.failedUs !== undefined)
    failMsat =
      capacityMsat - kept(direct.failedUs) * (capacityMsat - Math.min(capacityMsat, direct.failMsat));
  if (direct?.succeededUs !== undefined) successMsat = kept(direct.succeededUs) * direct.successMsat;
  const chance = bimodalFormula({ capacityMsat, successMsat, failMsat, amountMsat });
  const latestUs = Math.max(direct?.succeededUs ?? -Infinity, direct?.failedUs ?? -Infinity);
  if (nowUs - latestUs < DECAY_US) return chance;
  let [sum, weights] = [chance, 1];
  for (const [peer, pair] of pairs) {
    if (peer === to) continue;
    if (pair.successMsat > 0 && pair.succeededUs !== undefined) {
      sum += NODE_WEIGHT * kept(pair.succeededUs);
      weights += NODE_WEIGHT * kept(pair.succeededUs);
    }
    if (pair.failMsat > 0 && pair.failedUs !== undefined) weights += NODE_WEIGHT * kept(pair.failedUs);
  }
  return sum / weights;
}

/**
 * Probability that the balance is at least the amount, given that it lies between the amounts that succeeded and
 * failed.
 */
export function bimodalFormula(
  { capacityMsat, amountMsat, ...seen }: BimodalAmounts,
  scaleMsat = SCALE_MSAT,
): number {
  if (capacityMsat === 0 || amountMsat > capacityMsat) return 0;
  let { successMsat, failMsat } = seen;
  if (failMsat <= successMsat) [successMsat, failMsat] = [0, capacityMsat];
  if (successMsat >= capacityMsat) [successMsat, failMsat] = [capacityMsat - 1, capacityMsat];
  failMsat = Math.min(failMsat, capacityMsat);
  if (amountMsat >= failMsat) return 0;
  if (amountMsat <= successMsat) return 1;
  const integral = (x: number): number =>
    -Math.exp(-x / scaleMsat) + Math.exp((x - capacityMsat) / scaleMsat) + x / (capacityMsat * scaleMsat);
  const width = integral(failMsat) - integral(successMsat);
  return width === 0 ? 0 : Math.min(1, Math.max(0, (integral(failMsat) - integral(amountMsat)) / width));
}
