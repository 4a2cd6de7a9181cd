/**
 * What a peer may make us hold, wait for or do, and what we allow ourselves towards peers. Each figure has
 * its reason here. Tests shorten the times.
 */

/** How long we wait for a peer, in milliseconds. */
export interface PeerTiming {
  /** From TCP connection to `init`. Two round trips are needed; this is generous. */
  readonly handshakeMs: number;
  /** For a TCP connection to one address. */
  readonly dialMs: number;
  /** Silence after which we ping. All peers of today ping before they drop an idle connection. */
  readonly pingAfterMs: number;
  /** Longest wait for the answer to a ping. After it we take the peer to be gone. */
  readonly pongWithinMs: number;
  /** First pause before a lost peer is tried again. Pauses double up to the last. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** A connection that lasted this long was good. So the next pause is the first one again. */
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

/** Maximum number of connections that we made. Each, like each peer, takes a file descriptor and up to 200 kB. */
export const MAX_OUTGOING = 64;
/**
 * Maximum number of connections that others made, by the room of doorway.ts, in all and from one public address.
 * Connections without a finished handshake hold little, so there is room for many. In a storm of a thousand
 * connections a second, each still has four tenths of a second to send its first message. An address may be
 * the gateway of several nodes.
 */
export const INBOUND_ROOMS = {
  silent: { most: 384, mostPerAddress: 64 },
  spoken: { most: 192, mostPerAddress: 32 },
  peers: { most: 192, mostPerAddress: 8 },
} as const;

/** Maximum bytes of ours that a peer has not read. Beyond it the connection is closed. Two gossip replies fit. */
export const MAX_UNSENT_BYTES = 1024 * 1024;

/**
 * Maximum number of onion messages sent to one peer at once. Core Lightning is the strictest of the common nodes: it takes
 * 4 at once and then one every 250 ms. It counts whole milliseconds, rounded down, and drops the rest without
 * a word. So we stay one message below its burst, and a little below its rate: one message every 256 ms.
 */
export const ONION_SEND_BURST = 3;

/** Onion messages that we send to one peer per second, after the first burst. */
export const ONION_SEND_PER_SECOND = 1000 / 256;
/** Maximum number of messages of ours queued for one peer. Sending all of them takes 16 seconds. */
export const MAX_WAITING_ONION_MESSAGES = 64;
/**
 * Maximum number of unread messages from one peer. Also the maximum number of messages to another peer that wait because this
 * peer caused them. A burst of one peer has as many.
 */
export const MAX_WAITING_PER_SENDER = 4;

/** Maximum number of onion messages that we read from one peer at once. Each costs three point multiplications. */
export const ONION_RECEIVE_BURST = 20;

/** Onion messages that we read from one peer per second, after the first burst. */
export const ONION_RECEIVE_PER_SECOND = 10;

/** Maximum burst of onion messages that we read from all peers together. */
export const ONION_RECEIVE_ALL_BURST = 200;

/** Onion messages that we read from all peers together per second, after the first burst. */
export const ONION_RECEIVE_ALL_PER_SECOND = 100;

/**
 * Maximum number of gossip messages waiting for the check of their signatures. A peer that sends more is not read
 * meanwhile.
 */
export const MAX_WAITING_GOSSIP = 4096;
/** Gossip messages that are checked together. With the time of a batch this makes at most 5,000 a second. */
export const GOSSIP_BATCH = 250;

/** The least time that one batch takes, in milliseconds. */
export const GOSSIP_BATCH_MS = 50;
/**
 * Maximum bytes of a gossip message, some three times the largest one of today's network. Otherwise a channel or
 * a node could claim 64 kB of everyone's memory.
 */
export const MAX_GOSSIP_MESSAGE_BYTES = 2048;
/** Maximum number of channels learned from peers: five times today's network. */
export const MAX_GOSSIP_CHANNELS = 250_000;
/**
 * Maximum assumed capacity of an unchecked channel: 16,777,215 sat, the largest channel that BOLT 2 allows
 * without a special agreement (`option_support_large_channel`). So an invented channel cannot attract larger
 * payments.
 */
export const MAX_ASSUMED_CAPACITY_MSAT = 16_777_215_000n;
/**
 * How many peers in different networks must announce the same channel, where no chain is asked and no peer is
 * trusted.
 */
export const AGREEING_PEERS = 3;
/** Maximum number of peers whose votes are kept. The votes of one peer take at most 8 MB. */
export const MAX_VOTERS = 8;

/** Maximum number of votes kept of one peer: twice the channels of today's network. */
export const MAX_VOTES_PER_PEER = 100_000;
/** Maximum number of channels of one peer waiting for their check against the chain. We ask for fewer at a time. */
export const MAX_PENDING_CHANNELS_PER_PEER = 300;
/** Ids in one query for channels that will be checked. */
export const CHECKED_IDS_PER_QUERY = 250;
/**
 * Maximum number of messages held back for a channel that is being checked: two updates, two nodes, and a newer one of
 * each.
 */
export const MAX_HELD_MESSAGES = 8;
/** How many channels that the chain does not have a peer may announce, before it loses its connection. */
export const MAX_FORGED_CHANNELS = 20;
/**
 * How many channels without an unspent output a peer may announce beyond as many as it announced with one. An honest
 * peer passes a closed channel on now and then.
 */
export const MAX_GONE_CHANNELS = 100;
/** Announcements that the chain does not support, which are remembered and not looked up again. */
export const MAX_UNFUNDED_REMEMBERED = 50_000;
/**
 * Milliseconds for which they are remembered. Our chain may be behind that of the peer, so they may become true.
 */
export const UNFUNDED_REMEMBERED_MS = 600_000;
/** Milliseconds between two looks at the chain's height. */
export const CHAIN_POLL_MS = 30_000;

/** Pause before a chain source that did not answer is asked again, in milliseconds. */
export const CHAIN_RETRY_MS = 5_000;
/** Maximum number of ids that the answer to one range query may list. */
export const MAX_RANGE_IDS = 1_000_000;

/** Maximum number of messages that the answer to one range query may be cut into. */
export const MAX_RANGE_REPLIES = 10_000;
/** Maximum number of queries of a peer that we answer at once. Each answer is short. */
export const QUERY_BURST = 20;

/** Queries of one peer that we answer per second, after the first burst. */
export const QUERIES_PER_SECOND = 2;
/**
 * Maximum bytes that a ping may ask for without being counted. Larger ones are limited, since each may ask for
 * 64 kB; the limit is sixty times what BOLT 1 allows. Small ones are not limited: some nodes send one after
 * every thirty gossip messages, to see that we keep up.
 */
export const SMALL_PONG_BYTES = 256;

/** Pings for long answers that one peer may send at once. */
export const PING_BURST = 60;

/** Pings for long answers that one peer may send per second, after the first burst. */
export const PINGS_PER_SECOND = 2;
/** Maximum number of ids in one query for channels. The peer must answer for all of them before the next query. */
export const IDS_PER_QUERY = 1000;
/**
 * Milliseconds until users of the graph hear of a change. They take over the graph as a whole, so changes are
 * gathered.
 */
export const GRAPH_CHANGES_MS = 2_000;
/** Seconds within which gossip reaches all nodes. */
export const GOSSIP_DELAY_S = 3600;
/**
 * Seconds by which the clocks of nodes may differ. An update from further in the future is wrong (BOLT 7 lets
 * us ignore it). If we took it, it would keep out what the same node says until that time.
 */
export const MAX_FUTURE_S = 600;
/** Seconds without an update after which a channel is forgotten (BOLT 7, "Pruning the Network View"). */
export const STALE_AFTER_S = 14 * 24 * 3600;
