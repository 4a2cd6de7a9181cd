/**
 * The automatic layer `auto.localchans`: our own channels as reported by the network, announced or not, with exact
 * knowledge of their liquidity.
 *
 *   out of us   min = max = min(spendable, the peer's limit on amounts in flight)
 *   into us     min = max = min(receivable, our limit on amounts in flight)
 * A channel needs a short channel id or a local alias. A direction needs a policy. It is enabled while the peer is
 * connected and the channel is in normal operation. A refresh causes no notification for unchanged channels.
 */
import type { NodeId } from '../model/node-id.ts';
import type { OwnChannel } from '../model/own-channel.ts';
import type { PolicyTerms, PolicyUpdate } from '../model/policy.ts';
import { directionFrom, type ShortChannelId } from '../model/short-channel-id.ts';
import { exactly, IDENTITY_FOLD } from './bounds-fold.ts';
import type { ChannelCell, LayerCells, LayerSubscriber, PerDirection } from './cell.ts';

/** Weight units of one more HTLC output in a commitment transaction (BOLT 3, "Fee Calculation"). */
const HTLC_OUTPUT_WEIGHT = 172n;

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function policyUpdate(policy: PolicyTerms | undefined, enabled: boolean): PolicyUpdate | undefined {
  if (policy === undefined) return undefined;
  const { htlcMinimumMsat, htlcMaximumMsat, feeBaseMsat, feeProportionalMillionths, cltvExpiryDelta } =
    policy;
  return {
    enabled,
    htlcMinimumMsat,
    htlcMaximumMsat,
    feeBaseMsat,
    feeProportionalMillionths,
    cltvExpiryDelta,
  };
}

/** Computes the cell of one of our channels. */
export function localChannelCell(ourId: NodeId, channel: OwnChannel): ChannelCell {
  const outgoing = directionFrom(ourId, channel.peerId);
  const byDirection = <T>(out: T, into: T): PerDirection<T> => (outgoing === 0 ? [out, into] : [into, out]);
  const [node1, node2] = byDirection(ourId, channel.peerId);
  const incoming =
    channel.remotePolicy === undefined
      ? IDENTITY_FOLD
      : exactly(smaller(channel.receivableMsat, channel.ourMaxInFlightMsat));
  const htlcCostSat = channel.openedByUs ? (BigInt(channel.feeratePerKw) * HTLC_OUTPUT_WEIGHT) / 1000n : 0n;
  return {
    created: { node1, node2, capacityMsat: channel.capacityMsat },
    updates: byDirection(
      policyUpdate(channel.localPolicy, channel.usable),
      policyUpdate(channel.remotePolicy, channel.usable),
    ),
    bias: [0, 0],
    bounds: byDirection(exactly(smaller(channel.spendableMsat, channel.theirMaxInFlightMsat)), incoming),
    reservedMsat: [0n, 0n],
    ...(htlcCostSat === 0n ? {} : { extraHtlcCostMsat: byDirection(htlcCostSat * 1000n, 0n) }),
  };
}

/** The layer of our own channels, updated from the network's reports. */
export class LocalChannelsLayer implements LayerCells {
  readonly id: number;
  readonly #subscriber: LayerSubscriber;
  #known = new Map<ShortChannelId, Known>();

  constructor(id: number, subscriber: LayerSubscriber) {
    this.id = id;
    this.#subscriber = subscriber;
  }

  /** Replaces the current channels. If two have the same id, the last one is used. O(number of channels). */
  refresh(ourId: NodeId, channels: Iterable<OwnChannel>): void {
    const before = this.#known;
    const now = new Map<ShortChannelId, Known>();
    for (const channel of channels) {
      if (channel.shortChannelId === undefined) continue;
      const known = before.get(channel.shortChannelId);
      const isSame = known !== undefined && sameMembers(known.channel, channel);
      now.set(
        channel.shortChannelId,
        isSame ? known : { channel, cell: localChannelCell(channel.ownNodeId ?? ourId, channel) },
      );
    }
    this.#known = now;
    for (const shortChannelId of new Set([...now.keys(), ...before.keys()])) {
      if (now.get(shortChannelId) === before.get(shortChannelId)) continue;
      this.#subscriber.channelChanged(this.id, shortChannelId);
    }
  }

  channelCell(shortChannelId: ShortChannelId): ChannelCell | undefined {
    return this.#known.get(shortChannelId)?.cell;
  }
  nodeCell(): undefined {
    return undefined;
  }
  channelIds(): Iterable<ShortChannelId> {
    return this.#known.keys();
  }
  nodeIds(): Iterable<NodeId> {
    return [];
  }
}

interface Known {
  readonly channel: OwnChannel;
  readonly cell: ChannelCell;
}

/** Whether two reports of a channel, or two policies in them, have equal members. */
function sameMembers<T extends object>(a: T, b: T): boolean {
  const names = Object.keys(a) as (keyof T)[];
  return names.length === Object.keys(b).length && names.every((name) => sameValue(a[name], b[name]));
}

function sameValue(a: unknown, b: unknown): boolean {
  const areObjects = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  return areObjects ? sameMembers(a, b) : a === b;
}
