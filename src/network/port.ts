/**
 * The network port: everything that the engine needs from its network, which may be simulated, real peers, or another
 * node. Payments, offers and commands use only this interface. A class that implements it is called an adapter.
 *
 * An adapter promises:
 *   1. `send` resolves once the network has accepted the HTLC. Its outcome is reported later, by `onOutcome`.
 *   2. The adapter chooses who builds the onion: we do, from the path and the session key, or its node does, from
 *      the path alone.
 *   3. `neverLeft` is a proof. An adapter reports it only if the HTLC can no longer leave. Until
 *      then it reports `unknown`, and what was reserved for the HTLC stays reserved.
 *   4. Reports of our channels have increasing revisions, which show whether a report was made before or after an
 *      HTLC was added.
 *
 * Amounts are msat, expiries absolute block heights, times UNIX milliseconds. A method rejects with a `FulguriteError`
 * when the network refuses or is unreachable, and never throws synchronously. Every wait inside an adapter is bounded,
 * except for an HTLC's lifetime.
 */
import type { BlindedHop, BlindedPath } from '../bolt/onion/blinded-path.ts';
import type { Failure } from '../bolt/onion/failure.ts';
import type { MessageContent } from '../bolt/onion/onion-message.ts';
import type { HopPayload } from '../bolt/onion/payload.ts';
import type { Msat } from '../model/msat.ts';
import type { NodeHistory } from '../model/node-history.ts';
import type { NodeId } from '../model/node-id.ts';
import type { OwnChannel } from '../model/own-channel.ts';
import type { PairBelief } from '../model/pair-belief.ts';
import type { ShortChannelId } from '../model/short-channel-id.ts';

/** Our identity on this network. */
export interface NetworkIdentity {
  readonly nodeId: NodeId;
  /** BOLT 9 feature bits in wire format: most significant byte first. */
  readonly features: Uint8Array;
  /** Hash of the chain's genesis block in the byte order of BOLT 7's `chain_hash`. */
  readonly chainHash: Uint8Array;
}

/**
 * The kinds of networks: a simulated network, whose funds are not real; real peers, reached with our own key; no
 * network; a Core Lightning or LND node, whose funds are real; or several such nodes.
 */
export type NetworkKind = 'simulated' | 'peer' | 'none' | 'cln' | 'lnd' | 'several';

/** What a network can do. Commands check this before they use the network. */
export interface NetworkCapabilities {
  /** Whether the network's channels can carry our HTLCs. */
  readonly pays: boolean;
  /**
   * Whether `send` may be repeated, even after a restart, and by another process. If so, a repeated `send` of an
   * attempt that the network knows sends nothing, and reports the outcome again. So a daemon can take over a payment
   * immediately, by sending its open attempts again. If not, a takeover waits until the network knows how each attempt
   * ended, or until the attempts have expired. The simulated network supports this; `cln` and `lnd` do not.
   */
  readonly repeatsSends: boolean;
  readonly onionMessages: boolean;
  /** Whether `send` accepts a packet that the caller built (`OutgoingHtlc.onion`). */
  readonly sendsOnions?: boolean;
  /** Whether `connect` can connect to nodes, and `disconnect` can disconnect them. */
  readonly connects: boolean;
  readonly disconnects: boolean;
  /** Number of finished HTLCs that the network remembers. Absent if it remembers all. */
  readonly rememberedHtlcs?: number;
  /** Limits on what the network's node can put into an HTLC. Absent if it can send everything that BOLT 4 allows. */
  readonly limits?: HtlcLimits;
}

/** The limits of a node that builds the onions itself. */
export interface HtlcLimits {
  /** Minimum TLV type that the payer may add to the recipient's payload. */
  readonly leastCustomType: bigint;
  /** Whether the node can send the payment metadata that an invoice requires. */
  readonly paymentMetadata: boolean;
  /** Maximum number of parts of a payment over blinded paths. */
  readonly blindedParts: number;
}

/** The state of a channel: being opened, in normal operation, or closed and settled on the chain. */
export type ChannelPhase = 'opening' | 'normal' | 'onchain';

/** One of our channels, with all the details for `listpeerchannels`. Payments need only an `OwnChannel`. */
export interface OwnChannelRecord extends OwnChannel {
  readonly phase: ChannelPhase;
  /** Id of the funding transaction in the usual form: hex, with the last byte of the hash first. */
  readonly fundingTxid: string;
  readonly fundingOutputIndex: number;
  /** Our balance in the channel, including our HTLCs in flight. */
  readonly toUsMsat: Msat;
  /** The channel's row in `listpeerchannels`, as this network shows it. */
  readonly asShown: Readonly<Record<string, unknown>>;
}

/** Our channels at one moment. */
export interface OwnChannelReport {
  /** Increases with every change of any channel. Restarts with each start of the adapter. */
  readonly revision: number;
  readonly channels: readonly OwnChannel[];
}

/** Identifies one of our HTLCs to every kind of node. */
export interface HtlcKey {
  /** 128 random bits as 32 hex digits, unique across all machines that share a store. */
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  /** Our node that sends the HTLC. Present only if more than one of our nodes might send it. */
  readonly fromNode?: NodeId | undefined;
  /** The number that all parts of one payment share. */
  readonly groupId: bigint;
  /**
   * At least 1, because nodes interpret 0 as "not in parts". Never reused for the same payment hash, not even in
   * another group.
   */
  readonly partId: number;
  /**
   * The channels, amounts and expiries of the HTLC, which identify it at a node that does not store our ids. Absent if
   * our journal has no record of the HTLC.
   */
  readonly path?: readonly HtlcHop[] | undefined;
  /** The preimage, when the payer knows it in advance, as for a keysend. */
  readonly preimage?: Uint8Array | undefined;
}

/** One of our HTLCs that is in flight or settled, as recorded by the network. */
export interface SentHtlc extends Pick<HtlcKey, 'attemptId' | 'paymentHash' | 'groupId' | 'partId'> {
  /** Amount that entered our channel. */
  readonly amountMsat: Msat;
}

/** One channel of a path and the HTLC that crosses it. */
export interface HtlcHop {
  /** The node at the far end of the channel, which receives the HTLC. */
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** The contents of the recipient's payload besides amount and expiry (BOLT 4, "Payload Format"). */
export type FinalPayload = Omit<HopPayload, 'amtToForwardMsat' | 'outgoingCltvValue' | 'shortChannelId'>;

/** How an HTLC continues beyond the nodes known to its sender (BOLT 4, "Route Blinding"). */
export interface BlindedEnd {
  /** Path key for the introduction node, which is the last node of the path. */
  readonly firstPathKey: Uint8Array;
  /** The introduction node first, the recipient last. */
  readonly hops: readonly BlindedHop[];
  /** The amount that arrives at the end of the blinded path, and the expiry in the recipient's payload. */
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** An HTLC to send, with everything needed to rebuild the same onion, byte for byte. */
export interface OutgoingHtlc extends HtlcKey {
  /** From our own channel to the recipient, or to the introduction node of its blinded path; at least one hop. */
  readonly path: readonly HtlcHop[];
  readonly blindedEnd?: BlindedEnd | undefined;
  readonly finalPayload: FinalPayload;
  /** Whether the payment has other parts: in flight, planned, or sent earlier. */
  readonly isPartOfSeveral?: boolean | undefined;
  /** Text of the invoice being paid, if any. An external node shows it, and passes it to its signer. */
  readonly invoice?: string | undefined;
  /** The payer's label. An external node shows it where it can. */
  readonly label?: string | undefined;
  /**
   * Id of the attached node's own invoice request, if the payment is for an invoice that answers it. The node records
   * that the request was used.
   */
  readonly localRequestId?: Uint8Array | undefined;
  /** Session key of the onion, from which the secrets for decrypting failures are derived, even after a restart. */
  readonly sessionKey: Uint8Array;
  /** The packet itself, if the caller built it. `path` is then only its first hop. Requires `sendsOnions`. */
  readonly onion?: Uint8Array | undefined;
}

/** The result of `send`. The network has accepted the HTLC, or has refused it and reported that by `onOutcome`. */
export interface TakenHtlc {
  /** Reports with this revision or a later one were made after the HTLC was added to its channel. */
  readonly channelsRevision: number;
}

/**
 * Why our own node, or our channel, refused an HTLC, as far as the node's message reveals it.
 * - `balance`: the channel cannot pass the amount now.
 * - `inFlightLimit`: too much is in flight over the channel.
 * - `htlcSlots`: the peer accepts no more concurrent HTLCs.
 * - `dust`: too many HTLCs are too small for the chain.
 * - `tooSmall`, `expiry`: the amount or the expiry is outside the channel's limits.
 * - `peerAway`: the peer is not connected.
 * - `nodeAway`: our node was unreachable.
 * - `declined`: our node refuses this payment over any channel.
 * - `paidElsewhere`: the node has paid this hash already, for another caller such as its own `xpay`.
 * - `underWayElsewhere`: the node is paying this hash for another caller.
 * - `neverLeft`: our node lost the HTLC before adding it to a channel, or `send` was not allowed to hand it over.
 */
export type RefusalCause =
  | 'balance'
  | 'inFlightLimit'
  | 'htlcSlots'
  | 'dust'
  | 'tooSmall'
  | 'expiry'
  | 'peerAway'
  | 'nodeAway'
  | 'declined'
  | 'paidElsewhere'
  | 'underWayElsewhere'
  | 'neverLeft';

/**
 * How an HTLC ended.
 * - `settled`: the recipient released the preimage.
 * - `failed`: `packet` is the encrypted failure of BOLT 4, as our first peer returned it.
 * - `decoded`: our node has decrypted the failure itself. `sourceIndex` counts nodes: 0 is ourselves, 1 the first
 *   peer.
 * - `refused`: our own node or its first peer failed the HTLC without encryption. `reason` is its message.
 *
 * `attribution` is the attribution data (BOLT 4, "Returning Errors") that our first peer returned with the preimage or
 * the failure, if any. It has not been checked, and may contain hold times of only the first nodes.
 */
export type HtlcOutcome =
  | { readonly status: 'settled'; readonly preimage: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'failed'; readonly packet: Uint8Array; readonly attribution?: Uint8Array }
  | { readonly status: 'decoded'; readonly sourceIndex: number; readonly failure: Failure }
  | {
      readonly status: 'refused';
      readonly failureCode: number;
      readonly reason: string;
      readonly cause?: RefusalCause;
      /** Present only with `paidElsewhere`, if the node shows the preimage. */
      readonly preimage?: Uint8Array;
    };

/**
 * What is known about an HTLC.
 * - `pending`: it is in flight. Its outcome will be reported by `onOutcome`.
 * - `unknown`: its state cannot be determined yet. It may have left, or may still leave.
 * - `neverLeft`: it has never left our node, and can no longer leave.
 */
export type HtlcState =
  | HtlcOutcome
  | { readonly status: 'pending' }
  | { readonly status: 'unknown' }
  | { readonly status: 'neverLeft' };

/** Called with the outcome of an attempt. */
export type OutcomeListener = (attemptId: string, outcome: HtlcOutcome) => void;

/** An outgoing onion message. */
export interface OutgoingOnionMessage {
  /**
   * Node ids from the first peer to the recipient, or, with a `path`, to the first node of the path. Empty when this
   * last node is our own.
   */
  readonly route: readonly NodeId[];
  readonly path: BlindedPath | undefined;
  readonly content: MessageContent;
  /**
   * The peer whose message caused this message. Messages caused by peers queue behind our own messages, and these peers
   * take turns.
   */
  readonly askedBy?: NodeId | undefined;
}

/** An onion message to us, decrypted. */
export interface IncomingOnionMessage {
  readonly content: MessageContent;
  /**
   * The data that we wrote into the last hop of the path. Undefined when the message came over a path that is not ours,
   * or when our node did not decrypt the data (`recipientData`).
   */
  readonly pathId: Uint8Array | undefined;
  /**
   * The encrypted data of the path's last hop, as written by the maker of the path, who can recognise it. Present only
   * if the node keeps its key to itself and does not decrypt the data for us.
   */
  readonly recipientData?: Uint8Array | undefined;
  /**
   * The peer that sent the message to us, or our own id if we sent the message to ourselves. Undefined when the node
   * does not report it.
   */
  readonly from: NodeId | undefined;
}

/** A node that we are, were, or try to be connected to. */
export interface Peer {
  readonly nodeId: NodeId;
  readonly features: Uint8Array;
  readonly connected: boolean;
  /** Which side connected, and the peer's address as `host:port`. Only present with real connections. */
  readonly direction?: 'in' | 'out';
  readonly address?: string;
}

/** How the channels of the graph are verified. */
export interface GraphCheck {
  /** The kind of chain source, or `unchecked` if there is none. */
  readonly source: 'unchecked' | 'bitcoind' | 'esplora';
  /** Why the source is unavailable at the moment. */
  readonly problem?: string;
}

/** What `getinfo` shows about some kinds of nodes. */
export interface NodeDetails {
  /** Whether our plugin runs in the node. */
  readonly plugin?: boolean | undefined;
  /** Ids of other data directories that pay with the node. */
  readonly other_daemons?: readonly string[];
  /** Whether the node's graph is complete. */
  readonly synced_to_graph?: boolean;
}

/** A node in a separate process, whose channels and balances this network uses. */
export interface NodeBehind {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** Six hex digits. */
  readonly color: string;
  /** Version of the node's software, as reported by the node. */
  readonly version: string;
  /** Addresses that the node announces, `host:port`. Absent while they are not known. */
  readonly addresses?: readonly string[];
  /** Why no payment is possible through the node at the moment, as text. Absent when payments are possible. */
  readonly problem?: string;
  /** What `getinfo` shows about this kind of node, besides id and version. Never rejects. */
  details(): Promise<NodeDetails>;
  /**
   * The fees that the node has earned by forwarding. Undefined when the node is unreachable. Absent if this kind of
   * node does not report them. Never rejects.
   */
  feesCollected?(): Promise<Msat | undefined>;
}

/** The part of a network that carries onion messages. */
export interface MessagePort
  extends Pick<
    NetworkPort,
    'kind' | 'identity' | 'capabilities' | 'peers' | 'connect' | 'sendOnionMessage' | 'onOnionMessage'
  > {
  /**
   * The node id at which replies to messages sent through this peer must arrive. Absent if it is always that of
   * `identity`.
   */
  readonly messageEnd?: (firstPeer: NodeId) => NodeId;
  /**
   * One of our peers that is connected to the given node, even if no public channel joins the two. Absent if the
   * network cannot know such peers.
   */
  readonly peerBefore?: (nodeId: NodeId) => NodeId | undefined;
}

/** What a node has learned about pairs of nodes from its own payments. */
export interface PairMemory {
  /** @throws FulguriteError nodeAway, notSupported, unspecified */
  read(): Promise<readonly PairBelief[]>;
  /** Adds beliefs to what the node has learned. @throws FulguriteError as `read` */
  write(beliefs: readonly PairBelief[]): Promise<void>;
}

/** What every network provides. Callers check `capabilities` before they use something that not every network has. */
export interface NetworkPort {
  readonly kind: NetworkKind;
  readonly identity: NetworkIdentity;
  readonly capabilities: NetworkCapabilities;

  /**
   * The text of the offer for a human-readable name (BIP 353). Our node proves with DNSSEC that the offer belongs to
   * the name. Absent if no node can resolve names.
   * @throws FulguriteError notSupported, nodeAway, unspecified
   */
  readonly offerOfName?: (name: string) => Promise<string>;

  /** What our attached node learned from its own payments. Absent if this kind of node does not report it. */
  readonly pairMemory?: PairMemory;

  /**
   * What the node's own payments and forwards since `sinceS` (UNIX seconds) reveal. Absent if this kind of node does
   * not report it.
   * @throws FulguriteError nodeAway, unspecified
   */
  readonly nodeHistory?: (sinceS: number) => Promise<NodeHistory>;

  /** Height of the chain's tip in this network's view. 0 while unknown. */
  blockHeight(): number;

  /** How the channels of the graph are verified. Undefined if the graph is trusted. */
  graphCheck(): GraphCheck | undefined;

  /** The node that owns the channels. Undefined when it is this process itself. */
  nodeBehind(): NodeBehind | undefined;

  /** Calls back with each new height. Returns a function that unsubscribes. */
  onBlock(listener: (height: number) => void): () => void;

  /**
   * Resolves once our channels are stable. After a restart of our attached node its peers reconnect one by one, and
   * payments wait for them for a bounded time. Absent if channels are always stable.
   */
  readonly settled?: () => Promise<void>;

  /**
   * Resolves once the latest report shows our channels as they are now, or were a moment ago. Does not wait for a slow
   * network. Absent if a report follows every change.
   */
  readonly refreshed?: () => Promise<void>;

  /** The latest report of our channels. See `OwnChannelReport.revision`. */
  ownChannels(): OwnChannelReport;

  /** Calls back with each new report. Returns a function that unsubscribes. */
  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void;

  /** All our channels as they are now, with all the details for `listpeerchannels`. */
  ownChannelRecords(): Promise<readonly OwnChannelRecord[]>;

  /**
   * Hands one HTLC to the network. Resolves once the network has accepted it. A refusal is an outcome, so `send`
   * resolves after a refusal too. Rejects if it is unknown whether the HTLC was sent.
   * @param mayLeave a network that waits before it hands over the HTLC, and does not recognise repeated sends, calls
   *   this function just before. If it returns false, the HTLC never leaves, and is refused with `neverLeft`.
   */
  send(htlc: OutgoingHtlc, mayLeave?: () => boolean): Promise<TakenHtlc>;

  /** Calls back for each finished HTLC, at least once. Returns a function that unsubscribes. */
  onOutcome(listener: OutcomeListener): () => void;

  /**
   * Reports the state of our HTLCs, even after a restart: by `attemptId`, one entry per key. The query also ensures
   * that the outcomes of pending HTLCs will be reported.
   */
  outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>>;

  /**
   * Our HTLCs that are in flight, and our settled HTLCs that were sent since a time (UNIX milliseconds). Used to
   * recover after losing the newest rows of the journal. A network may return more than requested. Absent if the
   * network cannot list them. `outcomes` of this network accepts each of the `attemptId`s.
   */
  readonly sentHtlcs?: (sinceMs: number) => Promise<readonly SentHtlc[]>;

  /** Resolves once the message is passed to the first peer. Its delivery is not acknowledged. */
  sendOnionMessage(message: OutgoingOnionMessage): Promise<void>;

  /** Calls back for each onion message for us. Returns a function that unsubscribes. */
  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void;

  /** Connects to a node, at the given addresses or at its announced addresses. Resolves once the peer is ready. */
  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer>;

  /** Disconnects a peer and stops reconnecting to it. False if we were neither connected nor reconnecting. */
  disconnect(nodeId: NodeId): Promise<boolean>;

  /** Our peers. A returned list does not change later. */
  peers(): readonly Peer[];

  /** Addresses at which peers can reach us, `host:port`. Empty without real connections. */
  bindings(): readonly string[];

  /** Addresses announced by the node, `host:port`. Empty when unknown. */
  addresses(nodeId: NodeId): readonly string[];

  /** Closes all connections and subscriptions. HTLCs in flight stay on their channels. */
  close(): Promise<void>;
}
