/**
 * A simulated node pays us. The payer knows all balances and uses the cheapest path that can carry the amount, so it
 * needs only one attempt. The search runs backwards from us, adding one hop per round, because the path from a node to
 * us determines what the node must forward.
 *
 *     need(us) = amount,   need(u) = need(v) + fee of u for need(v) on u -> v,   and the payer itself charges no fee
 */

import { type Msat, msat } from '../../../model/msat.ts';
import { forwardingFeeMsat } from '../../../model/policy.ts';
import type { World } from '../world.ts';

/** One channel direction and the amount that moves over it. */
export interface PaidHop {
  readonly directionIndex: number;
  readonly amountMsat: Msat;
}

/** Maximum number of hops: roughly as many as fit in an onion (BOLT 4). */
const MAX_HOPS = 20;

interface WayToUs {
  readonly needMsat: bigint;
  readonly hop: PaidHop | undefined;
  readonly next: WayToUs | undefined;
}

/** The hops from a node to us, starting at the payer. Undefined when there is no such path. O(hops × channels). */
export function wayToUs(world: World, payer: number, to: number, amountMsat: bigint): PaidHop[] | undefined {
  const { channels, nodes } = world;
  const ways = new Map<number, WayToUs>([[to, { needMsat: amountMsat, hop: undefined, next: undefined }]]);
  let best: WayToUs | undefined;
  let frontier = new Set([to]);
  for (let hops = 0; hops < MAX_HOPS && frontier.size > 0; hops++) {
    const reached = new Set<number>();
    const before = new Map(ways);
    for (let channel = 0; channel < channels.count; channel++) {
      for (const directionIndex of [2 * channel, 2 * channel + 1]) {
        const [from, into] = endsOf(world, directionIndex);
        const way = frontier.has(into) ? before.get(into) : undefined;
        if (way === undefined || from === to || into === payer) continue;
        if (!isOpenFor(world, directionIndex, way.needMsat) || nodes.is(from, 'offline')) continue;
        const fee = from === payer ? 0n : forwardingFeeMsat(channels.policy(directionIndex), way.needMsat);
        const hop = { directionIndex, amountMsat: msat(way.needMsat) };
        const found = { needMsat: way.needMsat + fee, hop, next: way };
        if (from === payer) {
          if (best === undefined || found.needMsat < best.needMsat) best = found;
        } else if (found.needMsat < (ways.get(from)?.needMsat ?? found.needMsat + 1n)) {
          ways.set(from, found);
          reached.add(from);
        }
      }
    }
    frontier = reached;
  }
  return best && hopsFrom(best);
}

function endsOf({ channels }: World, directionIndex: number): [from: number, into: number] {
  const channel = directionIndex >> 1;
  const ends: [number, number] = [channels.node1[channel] as number, channels.node2[channel] as number];
  return (directionIndex & 1) === 0 ? ends : [ends[1], ends[0]];
}

function isOpenFor({ channels }: World, directionIndex: number, amountMsat: bigint): boolean {
  if (channels.isClosed(directionIndex >> 1) || channels.isFull(directionIndex)) return false;
  if (channels.balance(directionIndex) < amountMsat) return false;
  const { enabled, htlcMinimumMsat, htlcMaximumMsat } = channels.policy(directionIndex);
  return enabled && amountMsat >= htlcMinimumMsat && amountMsat <= htlcMaximumMsat;
}

function hopsFrom(way: WayToUs): PaidHop[] {
  const hops: PaidHop[] = [];
  for (let at: WayToUs | undefined = way; at?.hop !== undefined; at = at.next) hops.push(at.hop);
  return hops;
}
