/**
 * What a peer may make us hold, wait for or do, and what we allow ourselves towards peers. Each figure stands
 * here with its reason; tests shorten the times.
 */

/** How long we wait for a peer, in milliseconds. */
export interface PeerTiming {
  /** From TCP connection to `init`: two round trips, generously. */
  readonly handshakeMs: number;
  /** TCP connection to one address. */
  readonly dialMs: number;
  /** Silence after which we ping; every peer of today pings more often than it drops idle connections. */
  readonly pingAfterMs: number;
  /** A ping unanswered so long means that nobody is there. */
  readonly pongWithinMs: number;
  /** First pause before a lost peer is tried again; doubles up to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** A connection that lived so long ended the trouble: the next pause is the first again. */
  readonly stableAfterMs: number;
  /** Longest wait for a peer's next answer to a gossip query. */
  readonly queryAnswerMs: number;
}

/** The times that the daemon uses. */
export const DEFAULT_TIMING: PeerTiming = {
  handshakeMs: 30_000,
  dialMs: 10_000,
  pingAfterMs: 30_000,
  pongWithinMs: 20_000,
  firstRetryMs: 1_000,
  lastRetryMs: 300_000,
  stableAfterMs: 60_000,
  queryAnswerMs: 30_000,
};

/** Connections that we made, at once; a file descriptor and up to 200 kB each, as every peer. */
export const MAX_OUTGOING = 64;
/**
 * Connections that others made, by how far they have come (doorway.ts), of all and of one public address. Those
 * without a finished handshake hold little, so there is room for many: a storm of a thousand connections a
 * second leaves each four tenths of a second to say its first word. An address may be the gateway of several nodes.
 */
export const INBOUND_ROOMS = {
  silent: { most: 384, mostPerAddress: 64 },
  spoken: { most: 192, mostPerAddress: 32 },
  peers: { most: 192, mostPerAddress: 8 },
} as const;

/** Bytes of ours that a peer has not read: beyond it the connection is closed. Two gossip replies fit. */
export const MAX_UNSENT_BYTES = 1024 * 1024;

/**
 * Onion messages to one peer. The strictest of the common nodes, Core Lightning, serves 4 at once and one every
 * 250 ms, counts time in whole milliseconds rounded down, and drops what is above without a word. So we stay
 * one message below its burst, and a little below its rate: one message every 256 ms.
 */
export const ONION_SEND_BURST = 3;

/** Onion messages that we send to one peer per second, after the first burst. */
export const ONION_SEND_PER_SECOND = 1000 / 256;
/** Messages of ours that wait for their turn: 16 seconds of them. */
export const MAX_WAITING_ONION_MESSAGES = 64;
/** Messages from one peer that wait to be read, and answers that one peer made us send to another: a burst. */
export const MAX_WAITING_PER_SENDER = 4;

/** Onion messages from one peer, and from all of them: each costs three point multiplications. */
export const ONION_RECEIVE_BURST = 20;

/** Onion messages that we read from one peer per second, after the first burst. */
export const ONION_RECEIVE_PER_SECOND = 10;

/** Onion messages that we read from all peers together at once. */
export const ONION_RECEIVE_ALL_BURST = 200;

/** Onion messages that we read from all peers together per second, after the first burst. */
export const ONION_RECEIVE_ALL_PER_SECOND = 100;

/** Gossip messages waiting for their signatures to be checked; a peer that sends more is not read meanwhile. */
export const MAX_WAITING_GOSSIP = 4096;
/** Gossip messages checked together, and the least time one such batch takes: at most 5,000 a second. */
export const GOSSIP_BATCH = 250;

/** The least time that one batch takes, in milliseconds. */
export const GOSSIP_BATCH_MS = 50;
/**
 * The largest gossip message that is looked at, some three times the largest of today's network: a channel or a
 * node must not be able to claim 64 kB of everybody's memory.
 */
export const MAX_GOSSIP_MESSAGE_BYTES = 2048;
/** Channels learned from peers, five times today's network. */
export const MAX_GOSSIP_CHANNELS = 250_000;
/**
 * What we assume at most of a channel whose capacity nobody has checked: 16,777,215 sat, the largest channel that
 * BOLT 2 allows without a special agreement (`option_support_large_channel`). Whoever makes up a channel draws no
 * larger payments than that.
 */
export const MAX_ASSUMED_CAPACITY_MSAT = 16_777_215_000n;
/** Peers in different networks that must tell the same channel where no chain is asked and none is trusted. */
export const AGREEING_PEERS = 3;
/** Peers whose votes are kept, and votes of each, twice today's network: 8 MB for each peer. */
export const MAX_VOTERS = 8;

/** Votes that are kept of one peer. */
export const MAX_VOTES_PER_PEER = 100_000;
/** Channels of one peer that wait to be checked against the chain; we ask for fewer at a time. */
export const MAX_PENDING_CHANNELS_PER_PEER = 300;
/** Ids in one query for channels that will be checked. */
export const CHECKED_IDS_PER_QUERY = 250;
/** Messages held back for a channel that is being checked: two updates, two nodes, and a newer one of each. */
export const MAX_HELD_MESSAGES = 8;
/** Channels that the chain does not have which a peer may tell, before it loses its connection. */
export const MAX_FORGED_CHANNELS = 20;
/** Between two looks at the chain's height, and after a chain source did not answer. */
export const CHAIN_POLL_MS = 30_000;

/** Pause before a chain source that did not answer is asked again, in milliseconds. */
export const CHAIN_RETRY_MS = 5_000;
/** Ids that one answer to a range query may list, and the messages it may be cut into. */
export const MAX_RANGE_IDS = 1_000_000;

/** Messages that the answer to one range query may be cut into. */
export const MAX_RANGE_REPLIES = 10_000;
/** Queries of a peer that we answer: each answer is short. */
export const QUERY_BURST = 20;

/** Queries of one peer that we answer per second, after the first burst. */
export const QUERIES_PER_SECOND = 2;
/**
 * Pings of one peer that ask for more than this: sixty times what BOLT 1 allows, since each may want 64 kB. Small
 * ones are not counted: some nodes send one with every thirty gossip messages, to see that we keep up.
 */
export const SMALL_PONG_BYTES = 256;

/** Pings for long answers that one peer may send at once. */
export const PING_BURST = 60;

/** Pings for long answers that one peer may send per second, after the first burst. */
export const PINGS_PER_SECOND = 2;
/** Ids in one query for channels: the answer to them is what a peer must send before the next. */
export const IDS_PER_QUERY = 1000;
/** Who uses the graph hears of changes after this time: it is taken over whole. */
export const GRAPH_CHANGES_MS = 2_000;
/** Gossip reaches all nodes within this time. */
export const GOSSIP_DELAY_S = 3600;
/**
 * An update from further in the future than clocks differ is wrong (BOLT 7: may be ignored). Taken, it would keep
 * out what the same node says until that time has come.
 */
export const MAX_FUTURE_S = 600;
/** A channel without an update for so long is forgotten (BOLT 7, "Pruning the Network View"). */
export const STALE_AFTER_S = 14 * 24 * 3600;
