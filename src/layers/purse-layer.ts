/**
 * The automatic layer `auto.purse`: all our nodes as one. For a search, the purse is an additional node, connected to
 * each of our nodes by an artificial channel:
 *
 *   purse ──▶ own node   no delay; its fee is the node's price, a preference that is never paid;
 *                        min = max = the node's spendable amount
 *   own node ──▶ peer    no fee and no delay, because the node sends its own money
 *   peer ──▶ own node    disabled: a node need not forward for another of our nodes, as it can send its own money
 *
 * So one search chooses nodes, channels and parts together, and a refusal names the node that limits the payment. The
 * first hop is removed from each route before it is used. Prices count only in searches without `auto.sourcefree`.
 */

import type { NodeId } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { PurseChannel, PurseMember } from '../model/purse.ts';
import {
  type Direction,
  directionFrom,
  type ShortChannelId,
  shortChannelId,
} from '../model/short-channel-id.ts';
import { exactly, IDENTITY_FOLD } from './bounds-fold.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, PerDirection } from './cell.ts';

/** Block height in the ids of artificial channels. The chain will not reach it for 300 years. */
const MADE_BLOCK = 0xff_ffff;
/**
 * Capacity of an artificial channel: a million bitcoin. It only has to exceed any balance, because the bounds limit
 * what a node may spend. The sum over all nodes must be less than 2^64.
 */
const MADE_CAPACITY_MSAT = 100_000_000_000_000_000n;

/** The id of the artificial channel from the purse to the node with this number. */
export const virtualChannelOf = (number: number): ShortChannelId => shortChannelId(MADE_BLOCK, number, 0);

/** Whether this is an artificial channel from the purse to one of our nodes. */
export const isVirtualChannel = (id: ShortChannelId): boolean => Number(id >> 40n) === MADE_BLOCK;

/** A cell, and a text of everything from which it was computed. */
interface KnownCell {
  readonly key: string;
  readonly cell: ChannelCell;
}

/** The layer of a purse. Empty until the first refresh, and always empty if there is only one node. */
export class PurseLayer implements LayerCells {
  readonly id: number;
  readonly #subscriber: LayerSubscriber;
  #cells = new Map<ShortChannelId, KnownCell>();

  constructor(id: number, subscriber: LayerSubscriber) {
    this.id = id;
    this.#subscriber = subscriber;
  }

  /** Replaces the contents of the layer. O(number of members and channels). */
  refresh(purse: NodeId, members: readonly PurseMember[], channels: Iterable<PurseChannel>): void {
    const before = this.#cells;
    const now = new Map<ShortChannelId, KnownCell>();
    const put = (id: ShortChannelId, key: string, cell: () => ChannelCell): void => {
      const known = before.get(id);
      now.set(id, known?.key === key ? known : { key, cell: cell() });
    };
    for (const member of members) {
      const { nodeId, number, spendableMsat, largestPartMsat, pricePpm } = member;
      const key = `${purse} ${nodeId} ${spendableMsat} ${largestPartMsat} ${pricePpm}`;
      put(virtualChannelOf(number), key, () => madeCell(purse, member));
    }
    const own = new Set(members.map(({ nodeId }) => nodeId));
    for (const { ownNodeId, peerId, shortChannelId: id } of channels) {
      const betweenOwn = own.has(peerId);
      put(id, `${ownNodeId} ${peerId} ${betweenOwn}`, () => ownCell(ownNodeId, peerId, betweenOwn));
    }
    this.#cells = now;
    for (const id of new Set([...now.keys(), ...before.keys()])) {
      if (now.get(id) !== before.get(id)) this.#subscriber.channelChanged(this.id, id);
    }
  }

  channelCell(id: ShortChannelId): ChannelCell | undefined {
    return this.#cells.get(id)?.cell;
  }
  nodeCell(): undefined {
    return undefined;
  }
  channelIds(): Iterable<ShortChannelId> {
    return this.#cells.keys();
  }
  nodeIds(): Iterable<NodeId> {
    return [];
  }
}

/** The cell of an artificial channel. The direction into the purse has no policy, so it stays disabled. */
function madeCell(purse: NodeId, member: PurseMember): ChannelCell {
  const { nodeId, spendableMsat, largestPartMsat, pricePpm } = member;
  const direction = directionFrom(purse, nodeId);
  const [node1, node2] = direction === 0 ? [purse, nodeId] : [nodeId, purse];
  const out = {
    enabled: spendableMsat > 0n && largestPartMsat > 0n,
    htlcMinimumMsat: 0n,
    htlcMaximumMsat: largestPartMsat < MADE_CAPACITY_MSAT ? largestPartMsat : MADE_CAPACITY_MSAT,
    feeBaseMsat: 0n,
    feeProportionalMillionths: pricePpm,
    cltvExpiryDelta: 0,
  };
  return {
    created: { node1, node2, capacityMsat: MADE_CAPACITY_MSAT },
    updates: byDirection<PolicyUpdate | undefined>(direction, out, undefined),
    bias: [0, 0],
    bounds: byDirection(direction, exactly(spendableMsat), IDENTITY_FOLD),
    reservedMsat: [0n, 0n],
  };
}

/**
 * The cell of one of our channels: free in the outgoing direction, disabled in the incoming one. Between two of our own
 * nodes, both directions are disabled.
 */
function ownCell(ownNodeId: NodeId, peerId: NodeId, betweenOwn: boolean): ChannelCell {
  const closed: PolicyUpdate = { enabled: false };
  const free: PolicyUpdate = { feeBaseMsat: 0n, feeProportionalMillionths: 0, cltvExpiryDelta: 0 };
  const updates = betweenOwn
    ? ([closed, closed] as const)
    : byDirection(directionFrom(ownNodeId, peerId), free, closed);
  return {
    updates,
    bias: [0, 0],
    bounds: [IDENTITY_FOLD, IDENTITY_FOLD],
    reservedMsat: [0n, 0n],
  };
}

function byDirection<T>(direction: Direction, out: T, into: T): PerDirection<T> {
  return direction === 0 ? [out, into] : [into, out];
}
