/**
 * The minimum cost of a payment in one HTLC, computed with all hidden balances. No real payer can do better.
 * The search goes backwards from the recipient by Dijkstra's algorithm. A node that forwards x must receive x
 * and its fee on x. The fee grows with x, so the smallest need among the open nodes is final.
 *
 *     need(recipient) = amount        need(u) = min over u → v of need(v) + fee(u → v, need(v)), where it fits
 */

import { FulguriteError } from '../../../src/model/errors.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { forwardingFeeMsat } from '../../../src/model/policy.ts';
import type { Direction, ShortChannelId, ShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import type { SimulatedNode } from './simulated-node.ts';

/**
 * The true policy and balance of a direction. Undefined if the channel is closed, even if it is still in the
 * graph.
 */
function seenOf(simulation: SimulatedNode['simulation'], of: ShortChannelIdDir) {
  try {
    return { policy: simulation.policy(of), balanceMsat: simulation.balanceMsat(of) };
  } catch (error) {
    if (error instanceof FulguriteError) return undefined;
    throw error;
  }
}

/**
 * The minimum amount that must leave us, in msat. Undefined if no single path can carry the payment now
 * within the limit.
 */
export function leastSentMsat(
  { graph, simulation }: Pick<SimulatedNode, 'graph' | 'simulation'>,
  recipient: NodeId,
  amountMsat: bigint,
  limitMsat: bigint,
): bigint | undefined {
  const need = new Map<number, bigint>([[graph.nodeIndex(recipient), amountMsat]]);
  const settled = new Set<number>();
  for (;;) {
    const open = [...need].filter(([node]) => !settled.has(node));
    if (open.length === 0) break;
    const [node, arrivingMsat] = open.reduce((least, one) => (one[1] < least[1] ? one : least));
    settled.add(node);
    for (const channel of graph.channelsOf(node)) {
      const isFirst = graph.node1[channel] === node;
      const from = (isFirst ? graph.node2 : graph.node1)[channel]!;
      const shortChannelId = graph.shortChannelIds[channel]! as ShortChannelId;
      const direction: Direction = isFirst ? 1 : 0;
      const seen = seenOf(simulation, { shortChannelId, direction });
      if (seen === undefined) continue;
      const { policy, balanceMsat } = seen;
      const fits =
        policy.enabled &&
        arrivingMsat >= policy.htlcMinimumMsat &&
        arrivingMsat <= policy.htlcMaximumMsat &&
        arrivingMsat <= balanceMsat;
      if (!fits) continue;
      const neededMsat = arrivingMsat + forwardingFeeMsat(policy, arrivingMsat);
      const known = need.get(from);
      if (neededMsat <= limitMsat && (known === undefined || neededMsat < known)) need.set(from, neededMsat);
    }
  }
  const fromUs = simulation
    .ownChannels()
    .channels.map(({ peerId, spendableMsat }) => [need.get(graph.nodeIndex(peerId)), spendableMsat] as const)
    .filter(([neededMsat, spendableMsat]) => neededMsat !== undefined && neededMsat <= spendableMsat)
    .map(([neededMsat]) => neededMsat!);
  return fromUs.length === 0 ? undefined : fromUs.reduce((least, one) => (one < least ? one : least));
}
