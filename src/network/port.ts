/**
 * The network port: everything the engine ever asks of what stands behind it, be it a simulated network, the
 * real wire, or another node. Payments, offers and commands know this interface and nothing else.
 *
 * Amounts are msat, delays and heights blocks, times UNIX milliseconds. A method rejects with a
 * `FulguriteError` when the network refuses or is gone; it never throws synchronously. Every wait inside an
 * adapter is bounded.
 */
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';

/** Who we are on this network. */
export interface NetworkIdentity {
  readonly nodeId: NodeId;
  /** BOLT 9 feature bits, most significant byte first as on the wire. */
  readonly features: Uint8Array;
  /** Hash of the chain's genesis block in the byte order of BOLT 7's `chain_hash`. */
  readonly chainHash: Uint8Array;
}

/** A direction's policy as the two ends of a channel told each other. */
export interface OwnPolicy {
  readonly htlcMinimumMsat: Msat;
  readonly htlcMaximumMsat: Msat;
  readonly feeBaseMsat: Msat;
  readonly feeProportionalMillionths: number;
  readonly cltvExpiryDelta: number;
}

/** One of our channels, as of now. */
export interface OwnChannel {
  readonly peerId: NodeId;
  /** The real id or, before there is one, our local alias; undefined when there is neither. */
  readonly shortChannelId: ShortChannelId | undefined;
  readonly capacityMsat: Msat;
  /** What we could send, or receive, in one more HTLC: reserve, fees and HTLCs in flight taken off. */
  readonly spendableMsat: Msat;
  readonly receivableMsat: Msat;
  /** Limits on the sum of HTLCs in flight: the peer's on ours, ours on the peer's. */
  readonly theirMaxInFlightMsat: Msat;
  readonly ourMaxInFlightMsat: Msat;
  /** Peer connected and the channel in normal operation (a splice under way counts). */
  readonly usable: boolean;
  /** Ours on what leaves us, and the peer's on what comes to us once it told us. */
  readonly localPolicy: OwnPolicy | undefined;
  readonly remotePolicy: OwnPolicy | undefined;
  /** The opener pays the commitment transaction's fee, at this rate in sat per 1000 weight. */
  readonly openedByUs: boolean;
  readonly feeratePerKw: number;
}

/** Where a channel stands: being opened, in normal operation, or closed and settled on the chain. */
export type ChannelPhase = 'opening' | 'normal' | 'onchain';

export interface ChannelPhaseChange {
  /** UNIX milliseconds. */
  readonly atMs: number;
  readonly from: ChannelPhase;
  readonly to: ChannelPhase;
  readonly cause: 'user' | 'local' | 'remote' | 'protocol' | 'onchain';
  /** One sentence for people. */
  readonly message: string;
}

/** How many HTLCs one direction of a channel was offered and settled in all its life, and what they carried. */
export interface HtlcTotals {
  readonly offeredCount: number;
  readonly offeredMsat: Msat;
  readonly fulfilledCount: number;
  readonly fulfilledMsat: Msat;
}

/** An HTLC on one of our channels that has not ended. */
export interface OwnHtlc {
  readonly direction: 'in' | 'out';
  /** Counts the HTLCs of its channel and direction, from 0 (BOLT 2, `id` of `update_add_htlc`). */
  readonly id: number;
  readonly amountMsat: Msat;
  /** Absolute block height. */
  readonly cltvExpiry: number;
  readonly paymentHash: Uint8Array;
}

/** Everything there is to know of one of our channels, for listings; payments need an `OwnChannel` only. */
export interface OwnChannelRecord extends OwnChannel {
  readonly phase: ChannelPhase;
  /** Oldest first. */
  readonly phaseChanges: readonly ChannelPhaseChange[];
  readonly closedBy: 'local' | 'remote' | undefined;
  /** What holds the connection to the peer; undefined while there is none. */
  readonly owner: string | undefined;
  /** When the connection had last stood for a minute, UNIX milliseconds; undefined before. */
  readonly lastStableConnectionMs: number | undefined;
  /** The funding transaction as people write its id: hex, the last byte of the hash first. */
  readonly fundingTxid: string;
  readonly fundingOutputIndex: number;
  /** The commitment transaction we would publish now, and its fee. */
  readonly commitmentTxid: string;
  readonly commitmentFeeMsat: Msat;
  /** Even feature bits of the channel's type (BOLT 2, `channel_type`), increasing. */
  readonly channelType: readonly number[];
  /** What each side paid in, and what the opener then gave the other. */
  readonly localFundsMsat: Msat;
  readonly remoteFundsMsat: Msat;
  readonly pushedMsat: Msat;
  /** Our side of it, HTLCs of ours that are in flight included; the least and the most it ever was. */
  readonly toUsMsat: Msat;
  readonly minToUsMsat: Msat;
  readonly maxToUsMsat: Msat;
  readonly dustLimitMsat: Msat;
  /** What each side must keep, and the blocks it waits for its own money after closing alone. */
  readonly ourReserveMsat: Msat;
  readonly theirReserveMsat: Msat;
  readonly ourToSelfDelay: number;
  readonly theirToSelfDelay: number;
  readonly maxAcceptedHtlcs: number;
  /** The script that our side is paid to when the channel is closed in agreement. */
  readonly shutdownScript: Uint8Array;
  /** The names under which each end takes HTLCs for this channel, beside its short channel id. */
  readonly localAlias: ShortChannelId | undefined;
  readonly remoteAlias: ShortChannelId | undefined;
  readonly incoming: HtlcTotals;
  readonly outgoing: HtlcTotals;
  readonly htlcs: readonly OwnHtlc[];
}

/** One HTLC to offer on one of our channels. */
export interface HtlcOffer {
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: Msat;
  /** Absolute block height. */
  readonly cltvExpiry: number;
  readonly paymentHash: Uint8Array;
  /** 1366 bytes (BOLT 4). */
  readonly onion: Uint8Array;
  /** Ours; unique among all HTLCs ever sent, kept by the network, and asked for after a crash. */
  readonly attemptId: string;
}

/**
 * How an HTLC ended. `packet` is the encrypted failure of BOLT 4; `refused` means that our own node or its peer
 * failed it raw. `attribution` is the attribution data that came along, where every hop returns it.
 */
export type HtlcOutcome =
  | { readonly status: 'settled'; readonly preimage: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'failed'; readonly packet: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'refused'; readonly failureCode: number; readonly reason: string };

/** What became of an HTLC sent earlier; `unknown` means that it never left. */
export type HtlcLookup = HtlcOutcome | { readonly status: 'pending' } | { readonly status: 'unknown' };

/** An onion message as it crosses one connection (BOLT 4, onion messages). */
export interface OnionMessage {
  readonly pathKey: Uint8Array;
  readonly onion: Uint8Array;
}

export interface Peer {
  readonly nodeId: NodeId;
  readonly features: Uint8Array;
  readonly connected: boolean;
  /** Which side connected, and the peer's end of the connection as `host:port`; where there is a wire. */
  readonly direction?: 'in' | 'out';
  readonly address?: string;
}

/** How it is known that the graph's channels exist. */
export interface GraphCheck {
  /** The kind of chain source that is asked, or that none is. */
  readonly source: 'unchecked' | 'bitcoind' | 'esplora';
  /** Why it cannot be asked at the moment. */
  readonly problem?: string;
}

export interface NetworkPort {
  readonly identity: NetworkIdentity;

  /** Height of the chain's tip as this network knows it; 0 while nobody has told. */
  blockHeight(): number;

  /** Absent where nobody could lie about the graph. */
  graphCheck?(): GraphCheck;

  /** Our channels with live balances; a snapshot. */
  ownChannels(): readonly OwnChannel[];

  /** Our channels with everything there is to know of each, as of now. */
  ownChannelRecords(): Promise<readonly OwnChannelRecord[]>;

  /** Called after any change of `ownChannels`; returns a function that ends the subscription. */
  onOwnChannelsChanged(listener: () => void): () => void;

  /**
   * Offers one HTLC and resolves when it is settled or failed, which may take until its expiry. Sending the
   * same `attemptId` again sends nothing and resolves with the outcome of the first.
   */
  sendHtlc(offer: HtlcOffer): Promise<HtlcOutcome>;

  /** What became of an HTLC, also across a restart of ours. */
  lookUpHtlc(attemptId: string): Promise<HtlcLookup>;

  /**
   * Resolves once the message is handed to the connection; delivery is not acknowledged. `askedBy` is the peer
   * whose message made us send this one: such messages wait behind our own and take turns by that peer.
   */
  sendOnionMessage(to: NodeId, message: OnionMessage, askedBy?: NodeId): Promise<void>;

  /** Called for each onion message that reaches us; returns a function that ends the subscription. */
  onOnionMessage(listener: (from: NodeId, message: OnionMessage) => void): () => void;

  /** Connects, at the given addresses or the gossiped ones; resolves when the peer is ready. */
  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer>;

  /**
   * Ends the connection to a peer and stops reconnecting to it; false when there was neither. Networks whose
   * connections cannot be ended do not have it.
   */
  disconnect?(nodeId: NodeId): Promise<boolean>;

  peers(): readonly Peer[];

  /** Addresses on which peers can reach us, `host:port`; absent where there is no wire. */
  bindings?(): readonly string[];

  /** Addresses that the node announced, `host:port`; empty when unknown. */
  addresses(nodeId: NodeId): readonly string[];

  /** Ends all connections and subscriptions; HTLCs in flight stay with their channels. */
  close(): Promise<void>;
}
