/**
 * The network port: everything that the engine asks of what is behind it: a simulated network,
 * the real wire, or another node. Payments, offers and commands know this interface and nothing else. A class
 * that implements it is called an adapter.
 *
 * An adapter promises:
 *   1. `send` resolves when the network has taken the HTLC. The outcome of the HTLC is reported later, by `onOutcome`.
 *   2. The adapter chooses who builds the onion: we do, from the path and the session key, or its node does, from
 *      the path alone.
 *   3. "It never left" is a proof. An adapter says `neverLeft` only when the HTLC can never leave any more. Until
 *      then it says `unknown`, and nothing that was reserved for the HTLC is given back.
 *   4. A report of our channels carries a revision that grows. So everyone can tell whether a report was taken
 *      before or after an HTLC was added.
 *
 * Amounts are msat, expiries absolute block heights, times UNIX milliseconds. A method rejects with a
 * `FulguriteError` when the network refuses or is gone. It never throws synchronously. Every wait inside an
 * adapter is bounded, except the life of an HTLC.
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

/** Who we are on this network. */
export interface NetworkIdentity {
  readonly nodeId: NodeId;
  /** BOLT 9 feature bits, most significant byte first as on the wire. */
  readonly features: Uint8Array;
  /** Hash of the chain's genesis block in the byte order of BOLT 7's `chain_hash`. */
  readonly chainHash: Uint8Array;
}

/**
 * What is behind us: a network in a box, whose money is not real; peers on the real wire, reached with our own key;
 * nothing; a Core Lightning or LND node, whose money is real; or several such nodes.
 */
export type NetworkKind = 'simulated' | 'peer' | 'none' | 'cln' | 'lnd' | 'several';

/** What a network can do. A command asks this before it asks the network. */
export interface NetworkCapabilities {
  /** Whether its channels may carry HTLCs of ours. */
  readonly pays: boolean;
  /**
   * Whether `send` may be repeated, even after a restart, and by another process. Then, for an attempt that the network
   * knows, it sends nothing and reports the outcome again. So a daemon can take a payment over at once, by sending its
   * open attempts again. Without it, a takeover waits until the network knows how each of them ended, or until
   * they have expired. The simulated network has it. `cln` has not.
   */
  readonly repeatsSends: boolean;
  readonly onionMessages: boolean;
  /** Whether it sends onions that others made. */
  readonly sendsOnions?: boolean;
  /** Whether `connect` reaches nodes, and `disconnect` ends what `connect` began. */
  readonly connects: boolean;
  readonly disconnects: boolean;
  /** Number of ended HTLCs that the network remembers. Absent where it remembers all. */
  readonly rememberedHtlcs?: number;
  /** What its node cannot put into an HTLC. Absent where everything that BOLT 4 allows can be sent. */
  readonly limits?: HtlcLimits;
}

/** What a node that builds the onions itself cannot send. */
export interface HtlcLimits {
  /** Lowest TLV type that the payer may add to the recipient's payload. */
  readonly leastCustomType: bigint;
  /** Whether it can send the payment metadata that an invoice asks for. */
  readonly paymentMetadata: boolean;
  /** Maximum parts of a payment over blinded paths. */
  readonly blindedParts: number;
}

/** The state of a channel: being opened, in normal operation, or closed and settled on the chain. */
export type ChannelPhase = 'opening' | 'normal' | 'onchain';

/** One of our channels, for listings. Payments need only an `OwnChannel`. */
export interface OwnChannelRecord extends OwnChannel {
  readonly phase: ChannelPhase;
  /** Id of the funding transaction as people write it: hex, with the last byte of the hash first. */
  readonly fundingTxid: string;
  readonly fundingOutputIndex: number;
  /** Our side of the channel, including HTLCs of ours in flight. */
  readonly toUsMsat: Msat;
  /** Its row of `listpeerchannels`, as the network shows it. */
  readonly asShown: Readonly<Record<string, unknown>>;
}

/** Our channels at one moment. */
export interface OwnChannelReport {
  /** Grows with every change of any channel. It restarts with each start of the adapter. */
  readonly revision: number;
  readonly channels: readonly OwnChannel[];
}

/** Identifies one HTLC of ours to every kind of node. */
export interface HtlcKey {
  /** 128 random bits as 32 hex digits, unique over all machines that share a store. */
  readonly attemptId: string;
  readonly paymentHash: Uint8Array;
  /** The node of ours that sends it. Only where several may. */
  readonly fromNode?: NodeId | undefined;
  /** Ties the parts of one payment together. */
  readonly groupId: bigint;
  /**
   * From 1, because nodes read 0 as "not in parts". Never used twice for one payment hash, in any group.
   */
  readonly partId: number;
  /**
   * Its channels, amounts and expiries, by which a node that keeps no numbers of ours finds it again. Absent when only
   * the network's own memory knows of the HTLC.
   */
  readonly path?: readonly HtlcHop[] | undefined;
  /** The preimage, when the payer knows it before it is paid for, as for a keysend. */
  readonly preimage?: Uint8Array | undefined;
}

/** An HTLC of ours that is in progress or was settled, as the network remembers it. */
export interface SentHtlc extends Pick<HtlcKey, 'attemptId' | 'paymentHash' | 'groupId' | 'partId'> {
  /** Amount that entered our channel. */
  readonly amountMsat: Msat;
}

/** One channel of a path and the HTLC that crosses it. */
export interface HtlcHop {
  /** The node at the far end of the channel. It receives the HTLC. */
  readonly nodeId: NodeId;
  readonly shortChannelId: ShortChannelId;
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** What the recipient's payload says in addition to amount and expiry (BOLT 4, "Payload Format"). */
export type FinalPayload = Omit<HopPayload, 'amtToForwardMsat' | 'outgoingCltvValue' | 'shortChannelId'>;

/** How an HTLC continues beyond the nodes that its sender knows (BOLT 4, "Route Blinding"). */
export interface BlindedEnd {
  /** Path key for the introduction node, which is the last node of the path. */
  readonly firstPathKey: Uint8Array;
  /** The introduction node comes first, the recipient last. */
  readonly hops: readonly BlindedHop[];
  /** The amount that arrives at its end, and the expiry in the recipient's payload. */
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** One HTLC to send: enough to build the same onion again, byte for byte. */
export interface OutgoingHtlc extends HtlcKey {
  /** From our own channel to the recipient, or to the introduction node of its blinded path; at least one hop. */
  readonly path: readonly HtlcHop[];
  readonly blindedEnd?: BlindedEnd | undefined;
  readonly finalPayload: FinalPayload;
  /** Whether other parts of the same payment are in progress, planned, or were sent before. */
  readonly isPartOfSeveral?: boolean | undefined;
  /**
   * Text of the invoice that it pays, if any. A node in another process shows it, and asks its signer about
   * it.
   */
  readonly invoice?: string | undefined;
  /** The payer's label. A node in another process shows it where it can. */
  readonly label?: string | undefined;
  /** Id of the request of the node behind us that the payment answers to. The node watches over its use. */
  readonly localRequestId?: Uint8Array | undefined;
  /** Session key of the onion. The secrets that decrypt failures follow from it, even after a restart. */
  readonly sessionKey: Uint8Array;
  /** The packet itself, where the caller made it. `path` is then only its first hop. Needs `sendsOnions`. */
  readonly onion?: Uint8Array | undefined;
}

/** The network has taken an HTLC. Or it has refused the HTLC and has told so by `onOutcome`. */
export interface TakenHtlc {
  /** Reports of this revision and later ones were taken after the HTLC was added to its channel. */
  readonly channelsRevision: number;
}

/**
 * Why our own node, or our channel, refused an HTLC, as far as its words say.
 * - `balance`: the channel cannot pass the amount now.
 * - `inFlightLimit`: too much is in flight over the channel.
 * - `htlcSlots`: the peer takes no more HTLCs at once.
 * - `dust`: too many HTLCs are too small for the chain.
 * - `tooSmall`, `expiry`: the amount or the expiry is beyond what the channel takes.
 * - `peerAway`: the peer is not connected.
 * - `nodeAway`: our node could not be asked.
 * - `declined`: our node does not make this payment over any channel.
 * - `paidElsewhere`: the node has paid this hash already, for another caller such as its own `xpay`.
 * - `underWayElsewhere`: the node is paying this hash for another caller.
 * - `neverLeft`: our node was stopped before it added the HTLC to a channel.
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
 * - `settled`: the recipient gave the preimage.
 * - `failed`: `packet` is the encrypted failure of BOLT 4, as our first peer returned it.
 * - `decoded`: our node has read the failure itself. `sourceIndex` counts nodes: 0 is ourselves, 1 the first
 *   peer.
 * - `refused`: our own node or its first peer failed the HTLC without encryption. `reason` is in its words.
 *
 * `attribution` is the attribution data that came with it, if every hop returned some.
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
      /** Only with `paidElsewhere`, where the node shows it. */
      readonly preimage?: Uint8Array;
    };

/**
 * What is known of an HTLC.
 * - `pending`: it is on its way. Its outcome will come by `onOutcome`.
 * - `unknown`: there is no trace of it, and no promise that it will not still leave.
 * - `neverLeft`: there is no trace of it, and it can never leave any more.
 */
export type HtlcState =
  | HtlcOutcome
  | { readonly status: 'pending' }
  | { readonly status: 'unknown' }
  | { readonly status: 'neverLeft' };

/** Called with the outcome of an attempt. */
export type OutcomeListener = (attemptId: string, outcome: HtlcOutcome) => void;

/** An onion message that we send. */
export interface OutgoingOnionMessage {
  /**
   * Node ids from the first peer to the recipient. If there is a `path`, to the first node of the path
   * instead. Empty when that is our own node.
   */
  readonly route: readonly NodeId[];
  readonly path: BlindedPath | undefined;
  readonly content: MessageContent;
  /**
   * The peer whose message made us send this one. Such messages wait behind our own, and these peers take
   * turns.
   */
  readonly askedBy?: NodeId | undefined;
}

/** An onion message to us, decrypted. */
export interface IncomingOnionMessage {
  readonly content: MessageContent;
  /**
   * What we wrote into the last hop of the path that the message came over. Undefined when it came over no
   * path of ours.
   */
  readonly pathId: Uint8Array | undefined;
  /**
   * The encrypted data of the path's last hop, as the maker of the path wrote them. Only from a node that keeps its key
   * and does not decrypt them for us. The maker of the path recognises them.
   */
  readonly recipientData?: Uint8Array | undefined;
  /** The peer that handed it to us. Undefined when the node does not report it, or when we sent it to ourselves. */
  readonly from: NodeId | undefined;
}

/** A node that we are, or were, connected to. */
export interface Peer {
  readonly nodeId: NodeId;
  readonly features: Uint8Array;
  readonly connected: boolean;
  /**
   * Which side connected, and the address of the peer's end as `host:port`. Present only where there is a
   * wire.
   */
  readonly direction?: 'in' | 'out';
  readonly address?: string;
}

/** How we know that the channels of the graph exist. */
export interface GraphCheck {
  /** The kind of chain source that is asked. `unchecked` when none is. */
  readonly source: 'unchecked' | 'bitcoind' | 'esplora';
  /** Why the source cannot be asked at the moment. */
  readonly problem?: string;
}

/** A node in a process of its own, whose channels and money this network is. */
export interface NodeBehind {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** Six hex digits. */
  readonly color: string;
  /** Version of its software, as it reports it. */
  readonly version: string;
  /** Why nothing can be paid over it at the moment, for people. Absent when something can. */
  readonly problem?: string;
  /** What `getinfo` shows of this kind of node, beside id and version. Members may be undefined. Never rejects. */
  details(): Promise<Readonly<Record<string, unknown>>>;
  /** What it earned by forwarding. Undefined when it cannot be asked. Absent where nodes do not report it. Never rejects. */
  feesCollected?(): Promise<Msat | undefined>;
}

/** What carries onion messages. Every network does. */
export interface MessagePort
  extends Pick<
    NetworkPort,
    'kind' | 'identity' | 'capabilities' | 'peers' | 'connect' | 'sendOnionMessage' | 'onOnionMessage'
  > {
  /**
   * Our id for messages that are sent by way of this peer: replies must end there. Absent where it is always that of
   * `identity`.
   */
  readonly messageEnd?: (firstPeer: NodeId) => NodeId;
}

/** The memory of the payments that a node made on its own. */
export interface PairMemory {
  /** @throws FulguriteError nodeAway, notSupported, unspecified */
  read(): Promise<readonly PairBelief[]>;
  /** Adds to it. @throws FulguriteError as `read` */
  write(beliefs: readonly PairBelief[]): Promise<void>;
}

/**
 * What every network provides. Callers look at `capabilities` before they use something that not every
 * network has.
 */
export interface NetworkPort {
  readonly kind: NetworkKind;
  readonly identity: NetworkIdentity;
  readonly capabilities: NetworkCapabilities;

  /**
   * The text of the offer that a human-readable name stands for (BIP 353), as the node behind us has proven it by
   * DNSSEC. Absent where no node can.
   * @throws FulguriteError notSupported, nodeAway, unspecified
   */
  readonly offerOfName?: (name: string) => Promise<string>;

  /** What the node behind us learned from its own payments. Absent where nodes do not report it. */
  readonly pairMemory?: PairMemory;

  /**
   * What the node's own payments and forwards showed since a time, UNIX seconds. Absent where nodes do not report it.
   * @throws FulguriteError nodeAway, unspecified
   */
  readonly nodeHistory?: (sinceS: number) => Promise<NodeHistory>;

  /** Height of the chain's tip as this network knows it. 0 while it is unknown. */
  blockHeight(): number;

  /** How we know that the channels of the graph exist. Undefined if the graph is trusted. */
  graphCheck(): GraphCheck | undefined;

  /** The node whose channels these are. Undefined when it is this process itself. */
  nodeBehind(): NodeBehind | undefined;

  /** Calls back with each new height. Returns a function that ends the subscription. */
  onBlock(listener: (height: number) => void): () => void;

  /**
   * Resolves when our channels are what they will be for a while. After a restart of the node behind us its peers come
   * back one by one, and a payment waits for them a bounded time. Absent where channels are always settled.
   */
  readonly settled?: () => Promise<void>;

  /**
   * Resolves when the latest report shows our channels as they are now, or were a moment ago. A network that does not
   * answer at once is not waited for. Absent where reports follow every change.
   */
  readonly refreshed?: () => Promise<void>;

  /** The latest report of our channels. See `OwnChannelReport.revision`. */
  ownChannels(): OwnChannelReport;

  /** Calls back with each new report. Returns a function that ends the subscription. */
  onOwnChannels(listener: (report: OwnChannelReport) => void): () => void;

  /** Everything that is known of our channels now. */
  ownChannelRecords(): Promise<readonly OwnChannelRecord[]>;

  /**
   * Hands one HTLC to the network. Resolves when the network has taken it. A refusal is an outcome, so it
   * resolves then too. Rejects if it is unknown whether the HTLC was sent.
   */
  send(htlc: OutgoingHtlc): Promise<TakenHtlc>;

  /** Calls back for each HTLC that ends, at least once. Returns a function that ends the subscription. */
  onOutcome(listener: OutcomeListener): () => void;

  /**
   * Reports the state of our HTLCs, even after a restart: by `attemptId`, one entry for each key. For HTLCs
   * that are pending, the query ensures that their outcomes will be reported.
   */
  outcomes(keys: readonly HtlcKey[]): Promise<ReadonlyMap<string, HtlcState>>;

  /**
   * HTLCs of ours that are in progress, and those sent since a time (UNIX milliseconds) that were settled. Anyone who lost
   * the newest rows of its journal finds by them what it does not know any more. A network may name more than it was
   * asked for. Absent where it cannot tell. `attemptId` is what this network's `outcomes` needs.
   */
  readonly sentHtlcs?: (sinceMs: number) => Promise<readonly SentHtlc[]>;

  /** Resolves when the message is handed to the first peer. Its delivery is not acknowledged. */
  sendOnionMessage(message: OutgoingOnionMessage): Promise<void>;

  /** Calls back for each onion message that reaches us. Returns a function that ends the subscription. */
  onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void;

  /** Connects to a node, at the given addresses or the announced ones. Resolves when the peer is ready. */
  connect(nodeId: NodeId, addresses?: readonly string[]): Promise<Peer>;

  /** Ends the connection to a peer and stops connecting to it again. False when there was neither. */
  disconnect(nodeId: NodeId): Promise<boolean>;

  peers(): readonly Peer[];

  /** Addresses on which peers can reach us, `host:port`. Empty where there is no wire. */
  bindings(): readonly string[];

  /** Addresses that the node announced, `host:port`. Empty when unknown. */
  addresses(nodeId: NodeId): readonly string[];

  /** Ends all connections and subscriptions. HTLCs in flight stay on their channels. */
  close(): Promise<void>;
}
