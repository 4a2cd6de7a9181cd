/**
 * One of our nodes: its port, its owner's settings, and what it may spend now.
 *
 *   may spend = sum of what its usable channels can send − floor, and 0 while it takes no new parts
 */
import type { NodeId } from '../../model/node-id.ts';
import type { OwnChannel } from '../../model/own-channel.ts';
import type { PurseChannel } from '../../model/purse.ts';
import { formatShortChannelId } from '../../model/short-channel-id.ts';
import type { HtlcLimits, NetworkPort } from '../port.ts';
import { RecentHtlcs } from './recent-htlcs.ts';

/**
 * What a node does with new payments:
 * - `on`: it pays.
 * - `drain`: until it is empty, searches prefer it as if its price were 20,000 ppm lower.
 * - `rest`: it sends no new parts; parts already sent end as usual.
 * - `off`: like `rest`, and the node is expected not to respond.
 */
export type NodeState = (typeof NODE_STATES)[number];

/** All states. */
export const NODE_STATES = ['on', 'drain', 'rest', 'off'] as const;

/** The lowest price, in parts per million. */
export const LOWEST_PRICE_PPM = -100_000;
/** The highest price, in parts per million. */
export const HIGHEST_PRICE_PPM = 100_000;
/** Discount for a draining node in searches, in parts per million of the amount. */
const DRAIN_PPM = 20_000;

/** The settings of a node's owner. They survive restarts. */
export interface OwnNodeSettings {
  readonly state: NodeState;
  /** The amount that must stay spendable, in msat. */
  readonly floorMsat: bigint;
  /**
   * Cost of spending from this node, in parts per million of the amount. It is never paid, and only expresses a
   * preference among nodes.
   */
  readonly pricePpm: number;
  /** Maximum size of a part, in msat. If undefined, only the channels limit it. */
  readonly largestPartMsat: bigint | undefined;
  /** Maximum number of our HTLCs in flight. If undefined, only the channels limit it. */
  readonly maxHtlcs: number | undefined;
}

/** The default settings of a node. */
export const DEFAULT_NODE_SETTINGS: OwnNodeSettings = {
  state: 'on',
  floorMsat: 0n,
  pricePpm: 0,
  largestPartMsat: undefined,
  maxHtlcs: undefined,
};

/**
 * Why a node takes no new parts: its owner stopped it; it does not respond, or is not ready (`away`); its chain height
 * differs from the others'; it reports an impossible channel balance; it has its maximum number of HTLCs; its floor is
 * at least its spendable amount; or it has nothing to spend.
 */
export type WhyResting =
  | { readonly kind: 'state'; readonly state: 'rest' | 'off' }
  | { readonly kind: 'away'; readonly problem: string }
  | { readonly kind: 'height'; readonly height: number; readonly others: number }
  | { readonly kind: 'report'; readonly channel: string }
  | { readonly kind: 'htlcs'; readonly limit: number }
  | { readonly kind: 'floor' }
  | { readonly kind: 'empty' };

/** Maximum difference between a node's height and the height that most nodes agree on, in blocks. */
const HEIGHT_TOLERANCE = 3;

/** The amount that a channel can send, in one or several HTLCs. */
const sendableMsat = ({ usable, spendableMsat, theirMaxInFlightMsat }: OwnChannel): bigint => {
  if (!usable) return 0n;
  return spendableMsat < theirMaxInFlightMsat ? spendableMsat : theirMaxInFlightMsat;
};

/** Whether a channel's balance is impossible: negative, or above the capacity. */
const isImpossible = ({ spendableMsat, receivableMsat, capacityMsat }: OwnChannel): boolean =>
  [spendableMsat, receivableMsat].some((msat) => msat < 0n || msat > capacityMsat);

/**
 * The amount that an HTLC in flight takes from our channel, and its fee. Both are 0 if an earlier process sent the
 * HTLC.
 */
export interface HtlcInFlight {
  readonly amountMsat: bigint;
  readonly feeMsat: bigint;
}

/** Issues an invoice at a node, as text. Rejects with a `FulguriteError` if the node refuses. */
export type MakeInvoice = (amountMsat: bigint, description: string) => Promise<string>;

/** One of our nodes. */
export class OwnNode {
  readonly name: string;
  /** The node's number (`nodeNumbers`), which determines the id of its artificial channel. */
  readonly number: number;
  readonly port: NetworkPort;
  settings: OwnNodeSettings;
  readonly makeInvoice: MakeInvoice;
  /** How the node's HTLCs of the last day ended, as far as this process knows. */
  readonly recent = new RecentHtlcs();
  /** The height that most of our nodes agree on. `OwnNodes` sets it. */
  agreedHeight: number | undefined;
  /** Unfinished HTLCs that were given to the node. */
  readonly inFlight = new Map<string, HtlcInFlight>();

  constructor(
    name: string,
    number: number,
    port: NetworkPort,
    settings: OwnNodeSettings,
    makeInvoice: MakeInvoice,
  ) {
    this.name = name;
    this.number = number;
    this.port = port;
    this.settings = settings;
    this.makeInvoice = makeInvoice;
  }

  get nodeId(): NodeId {
    return this.port.identity.nodeId;
  }

  get limits(): HtlcLimits | undefined {
    return this.port.capabilities.limits;
  }

  /** Why no payment is possible through the node at the moment, as text. Undefined when payments are possible. */
  get problem(): string | undefined {
    return this.port.nodeBehind()?.problem;
  }

  /** The amount that the node's channels could send, ignoring floor and state. */
  get spendableMsat(): bigint {
    return this.#sum(sendableMsat);
  }

  get receivableMsat(): bigint {
    return this.#sum(({ usable, receivableMsat }) => (usable ? receivableMsat : 0n));
  }

  /** The amount that a payment may spend from the node now. */
  get mayPayMsat(): bigint {
    const freeMsat = this.spendableMsat - this.settings.floorMsat;
    return this.whyResting === undefined && freeMsat > 0n ? freeMsat : 0n;
  }

  /** The node's price in searches. */
  get weighedPricePpm(): number {
    const { state, pricePpm } = this.settings;
    return state === 'drain' ? pricePpm - DRAIN_PPM : pricePpm;
  }

  /** Why the node accepts no new parts. Undefined when it accepts them. */
  get whyResting(): WhyResting | undefined {
    const { state, floorMsat, maxHtlcs } = this.settings;
    if (state === 'rest' || state === 'off') return { kind: 'state', state };
    const { problem } = this;
    if (problem !== undefined) return { kind: 'away', problem };
    const height = this.port.blockHeight();
    const others = this.agreedHeight ?? height;
    if (Math.abs(height - others) > HEIGHT_TOLERANCE) return { kind: 'height', height, others };
    const channel = this.#impossibleChannel();
    if (channel !== undefined) return { kind: 'report', channel };
    if (maxHtlcs !== undefined && this.inFlight.size >= maxHtlcs) return { kind: 'htlcs', limit: maxHtlcs };
    const { spendableMsat } = this;
    if (spendableMsat === 0n) return { kind: 'empty' };
    return spendableMsat <= floorMsat ? { kind: 'floor' } : undefined;
  }

  /** The node's channels, each with the node's id. */
  channels(): OwnChannel[] {
    const ownNodeId = this.nodeId;
    return this.port.ownChannels().channels.map((channel) => ({ ...channel, ownNodeId }));
  }

  /** The first channel with an impossible balance: its short channel id or, without one, its peer's id. */
  #impossibleChannel(): string | undefined {
    const channel = this.port.ownChannels().channels.find(isImpossible);
    if (channel === undefined) return undefined;
    return channel.shortChannelId === undefined
      ? channel.peerId
      : formatShortChannelId(channel.shortChannelId);
  }

  /** The node's channels that can be part of routes. */
  routable(): PurseChannel[] {
    const ownNodeId = this.nodeId;
    return this.port
      .ownChannels()
      .channels.flatMap(({ peerId, shortChannelId }) =>
        shortChannelId === undefined ? [] : [{ ownNodeId, peerId, shortChannelId }],
      );
  }

  #sum(of: (channel: OwnChannel) => bigint): bigint {
    return this.port.ownChannels().channels.reduce((sum, channel) => sum + of(channel), 0n);
  }
}
