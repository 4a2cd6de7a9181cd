/**
 * The class of a direction: a property, known from gossip, that correlates with the balance. Owners raise the fee of a
 * side that is nearly empty, and lower the fee of a side that is full, so comparing the fees of both directions gives
 * information about the balance.
 *
 *   0  at least one of the two directions is not usable
 *   1  the fees are alike
 *   2  costlier: the fee rate is more than 50 ppm above twice the rate of the opposite direction
 *   3  cheaper, by the same margin
 *
 * The kernel has the same rule (assembly/graph/build.ts); a property test compares them.
 */
import { type ChannelGraph, POLICY_ENABLED, POLICY_KNOWN } from '../model/channel-graph.ts';
import type { Direction } from '../model/short-channel-id.ts';

/** A class of directions, 0 … 3. */
export type DirectionClass = 0 | 1 | 2 | 3;

/** Number of classes. */
export const DIRECTION_CLASSES = 4;

/** The class of one direction of a channel, given by its index in the graph. */
export function directionClass(graph: ChannelGraph, channel: number, direction: Direction): DirectionClass {
  const [at, back] = [2 * channel + direction, 2 * channel + (1 - direction)];
  const usable = POLICY_KNOWN | POLICY_ENABLED;
  const flags = graph.policyFlags[at]! & graph.policyFlags[back]!;
  if ((flags & usable) !== usable) return 0;
  const fee = graph.feeProportionalMillionths[at]!;
  const other = graph.feeProportionalMillionths[back]!;
  if (fee > 2 * other + 50) return 2;
  return other > 2 * fee + 50 ? 3 : 1;
}
