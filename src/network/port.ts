/**
 * The network port: everything the engine ever asks of what stands behind it, be it a simulated network, the
 * real wire, or another node. Payments, offers and commands know this interface and nothing else.
 *
 * What an adapter promises:
 *   1. `send` resolves when the network has taken the HTLC. How the HTLC ended comes later, by `onOutcome`.
 *   2. Who builds the onion is the adapter's business: from the path and the session key with our own Sphinx, or
 *      by a node that wants the path alone.
 *   3. "It never left" is a proof. An adapter says `neverLeft` only when the HTLC can never leave any more;
 *      until then it says `unknown`, and nothing that was reserved for it is given back.
 *   4. A report of our channels carries a revision that grows, so that everybody can tell whether a report was
 *      taken before or after an HTLC was added.
 *
 * Amounts are msat, expiries absolute block heights, times UNIX milliseconds. A method rejects with a
 * `FulguriteError` when the network refuses or is gone; it never throws synchronously. Every wait inside an
 * adapter is bounded, except the life of an HTLC.
 */
import type { BlindedPath } from '../bolt/blinded-path.ts';
import type { Failure } from '../bolt/failure.ts';
import type { MessageContent } from '../bolt/onion-message.ts';
import type { HopPayload } from '../bolt/payload.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeId } from '../model/node-id.ts';
import type { OwnChannel } from '../model/own-channel.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';

/** Who we are on this network. */
export interface NetworkIdentity {
  readonly nodeId: NodeId;
  /** BOLT 9 feature bits, most significant byte first as on the wire. */
  readonly features: Uint8Array;
  /** Hash of the chain's genesis block in the byte order of BOLT 7's `chain_hash`. */
  readonly chainHash: Uint8Array;
}

/** What a network can do. A command asks this before it asks the network. */
export interface NetworkCapabilities {
  /** Its channels may carry HTLCs of ours. */
  readonly pays: boolean;
  /** `send` of an attempt that the network knows sends nothing and repeats its outcome, also after a restart. */
  readonly repeatsSends: boolean;
  readonly onionMessages: boolean;
  /** `connect` reaches nodes, and `disconnect` ends what `connect` began. */
  readonly connects: boolean;
  readonly disconnects: boolean;
  /** Its money is not real. */
  readonly isSimulated: boolean;
}

/** Where a channel stands: being opened, in normal operation, or closed and settled on the chain. */
export type ChannelPhase = 'opening' | 'normal' | 'onchain';

/** One change in the life of a channel of ours, for listings. */
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

/** Our channels at one moment. */
export interface OwnChannelReport {
  /** Grows with every change of any channel. Starts anew with each start of the adapter. */
  readonly revision: number;
  readonly channels: readonly OwnChannel[];
}

/** Names one HTLC of ours to every kind of node. */
export interface HtlcKey {
  /** 128 random bits as 32 hex digits: unique over all machines that share a store. */
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  /** Ties the parts of one payment together. */
  readonly groupId: bigint;
  /** From 1, because nodes read 0 as "not in parts"; never used twice for one payment hash, whatever the group. */
  readonly partId: number;
}

/** One channel of a path and the HTLC that crosses it. */
export interface HtlcHop {
  /** The node at the channel's far end, which takes the HTLC. */
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** What the recipient's payload says beyond amount and expiry (BOLT 4, "payload format"). */
export type FinalPayload = Omit<HopPayload, 'amtToForwardMsat' | 'outgoingCltvValue' | 'shortChannelId'>;

/** One HTLC to send: enough to build the same onion again, byte for byte. */
export interface OutgoingHtlc extends HtlcKey {
  /** From our own channel to the recipient; at least one hop. */
  readonly path: readonly HtlcHop[];
  readonly finalPayload: FinalPayload;
  /** The onion's; from it come the secrets that decrypt failures, also after a restart. */
  readonly sessionKey: Uint8Array;
}

/** The network has taken an HTLC, or has refused it and told so by `onOutcome`. */
export interface TakenHtlc {
  /** Reports with this revision, or a later one, were taken after the HTLC was added to its channel. */
  readonly channelsRevision: number;
}

/**
 * How an HTLC ended.
 * - `settled`: the recipient gave the preimage.
 * - `failed`: `packet` is BOLT 4's encrypted failure, as our first peer returned it.
 * - `decoded`: our node has read the failure itself. `sourceIndex` counts nodes: 0 we, 1 the first peer, …
 * - `refused`: our own node or its first peer failed it raw, for the reason in its words.
 * `attribution` is the attribution data that came along, where every hop returns it.
 */
export type HtlcOutcome =
  | { readonly status: 'settled'; readonly preimage: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'failed'; readonly packet: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'decoded'; readonly sourceIndex: number; readonly failure: Failure }
  | { readonly status: 'refused'; readonly failureCode: number; readonly reason: string };

/**
 * What is known of an HTLC. `pending`: on its way, its outcome will come by `onOutcome`. `unknown`: no trace of it,
 * and no promise that it will not leave yet. `neverLeft`: no trace of it, and it can never leave any more.
 */
export type HtlcState =
  | HtlcOutcome
  | { readonly status: 'pending' }
  | { readonly status: 'unknown' }
  | { readonly status: 'neverLeft' };

/** Is told how an attempt ended. */
export type OutcomeListener = (attemptId: string, outcome: HtlcOutcome) => void;

/** An onion message of ours. */
export interface OutgoingOnionMessage {
  /**
   * Node ids from the first peer to the recipient or, where there is a `path`, to the path's first node. Empty when
   * that is our own node.
   */
  readonly route: readonly NodeId[];
  readonly path: BlindedPath | undefined;
  readonly content: MessageContent;
  /** The peer whose message made us send this one: such messages wait behind our own, and take turns by that peer. */
  readonly askedBy?: NodeId | undefined;
}

/** An onion message to us, opened. */
export interface IncomingOnionMessage {
  readonly content: MessageContent;
  /** What we wrote into the last hop of the path that it came over; undefined when it came over none of ours. */
  readonly pathId: Uint8Array | undefined;
  /** The peer that handed it to us; undefined where the node does not tell, or where we sent it to ourselves. */
  readonly from: NodeId | undefined;
}

/** A node that we are, or were, connected to. */
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

/** What every network provides. A caller asks `capabilities` before it uses what not every network has. */
export interface NetworkPort {
  readonly identity: NetworkIdentity;
  readonly capabilities: NetworkCapabilities;

  /** Height of the chain's tip as this network knows it; 0 while nobody has told. */
  blockHeight(): number;

  /** How it is known that the graph's channels exist; undefined where nobody could lie about the graph. */
  graphCheck(): GraphCheck | undefined;

  /** Called with each new height; returns a function that ends the subscription. */
  onBlock(listener: (height: number) => void): () => void;

  /** The latest report of our channels. */
  ownChannels(): OwnChannelReport;

  /** Called with each new report; returns a function that ends the subscription. */
  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void;

  /** Our channels with everything there is to know of each, as of now. */
  ownChannelRecords(): Promise<readonly OwnChannelRecord[]>;

  /**
   * Hands one HTLC to the network and resolves when the network has taken it. A refusal is an outcome: it resolves
   * then, too. It rejects when nobody knows whether the HTLC has left.
   */
  send(htlc: OutgoingHtlc): Promise<TakenHtlc>;

  /** Called for each HTLC that ends, at least once; returns a function that ends the subscription. */
  onOutcome(listener: OutcomeListener): () => void;

  /**
   * What became of HTLCs of ours, also across a restart; by `attemptId`, one entry for each key. Asking makes sure
   * that the outcomes of those pending will be told.
   */
  outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>>;

  /** Resolves once the message is handed to the first peer; delivery is not acknowledged. */
  sendOnionMessage(message: OutgoingOnionMessage): Promise<void>;

  /** Called for each onion message that reaches us; returns a function that ends the subscription. */
  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void;

  /** Connects, at the given addresses or the gossiped ones; resolves when the peer is ready. */
  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer>;

  /** Ends the connection to a peer and stops reconnecting to it; false when there was neither. */
  disconnect(nodeId: NodeId): Promise<boolean>;

  peers(): readonly Peer[];

  /** Addresses on which peers can reach us, `host:port`; empty where there is no wire. */
  bindings(): readonly string[];

  /** Addresses that the node announced, `host:port`; empty when unknown. */
  addresses(nodeId: NodeId): readonly string[];

  /** Ends all connections and subscriptions; HTLCs in flight stay with their channels. */
  close(): Promise<void>;
}
