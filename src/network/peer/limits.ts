/** Limits on what peers may make us store, wait for or do, and on what we do to peers. Tests shorten the times. */

/** Timeouts and pauses in dealing with a peer, in milliseconds. */
export interface PeerTiming {
  /** Maximum time from the TCP connection to `init`. Only two round trips are needed, so this is generous. */
  readonly handshakeMs: number;
  /** Timeout for a TCP connection to one address. */
  readonly dialMs: number;
  /** Mean silence after which we send a ping. The actual time is random, at most a quarter shorter or longer. */
  readonly pingAfterMs: number;
  /** Maximum wait for a pong. After this time, the peer counts as gone. */
  readonly pongWithinMs: number;
  /** First pause before reconnecting to a lost peer. Later pauses double, up to `lastRetryMs`. */
  readonly firstRetryMs: number;
  readonly lastRetryMs: number;
  /** Duration after which a connection counts as good, so that the next pause is the shortest again. */
  readonly stableAfterMs: number;
  /** Maximum wait for a peer's next answer to a gossip query. */
  readonly queryAnswerMs: number;
}

/** The daemon's times. */
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

/**
 * Maximum number of outgoing connections. Each connection takes a file descriptor, and up to 200 kB of memory while the
 * peer reads what we send.
 */
export const MAX_OUTGOING = 64;
/**
 * Maximum number of inbound connections, per stage of inbound-connections.ts, in total and per public address.
 * Connections without a finished handshake take little memory, so many are allowed. In a storm of a thousand
 * connections per second, each still has 0.4 s to send its first message. An address may be the gateway of several
 * nodes.
 */
export const INBOUND_LIMITS = {
  silent: { most: 384, mostPerAddress: 64 },
  spoken: { most: 192, mostPerAddress: 32 },
  peers: { most: 192, mostPerAddress: 8 },
} as const;

/**
 * Maximum number of our bytes that a peer has not read. If there are more, the connection is closed. The limit is about
 * 16 times the size of the largest message.
 */
export const MAX_UNSENT_BYTES = 1024 * 1024;

/**
 * Maximum burst of onion messages that we send to one peer. Core Lightning is the strictest of the common nodes: it
 * accepts 4 at once and then one every 250 ms. It silently drops messages beyond that, and counts only whole
 * milliseconds. So we stay one message below its burst, and slightly below its rate: one message every 256 ms.
 */
export const ONION_SEND_BURST = 3;

/** Maximum number of onion messages per second that we send to one peer, after the first burst. */
export const ONION_SEND_PER_SECOND = 1000 / 256;
/**
 * Maximum number of our own messages queued for one peer, and of queued answers to that peer. Sending 64 messages takes
 * 16 seconds.
 */
export const MAX_WAITING_ONION_MESSAGES = 64;
/**
 * Maximum number of unread messages from one peer, and of messages caused by that peer that are queued for one other
 * peer. Core Lightning accepts a burst of the same size.
 */
export const MAX_WAITING_PER_SENDER = 4;

/**
 * Maximum burst of onion messages that we read from one peer. Each costs two point multiplications, or four if it is
 * not for us.
 */
export const ONION_RECEIVE_BURST = 20;

/** Maximum number of onion messages per second that we read from one peer, after the first burst. */
export const ONION_RECEIVE_PER_SECOND = 10;

/** Maximum burst of onion messages that we read from all peers together. */
export const ONION_RECEIVE_ALL_BURST = 200;

/** Maximum number of onion messages per second that we read from all peers together, after the first burst. */
export const ONION_RECEIVE_ALL_PER_SECOND = 100;

/**
 * Maximum number of gossip messages waiting for signature verification. While the queue is full, we do not read from
 * peers that send more.
 */
export const MAX_WAITING_GOSSIP = 4096;
/** Gossip messages per verification batch. With the time per batch, this allows at most 5,000 per second. */
export const GOSSIP_BATCH = 250;

/** Minimum duration of a batch, in milliseconds. */
export const GOSSIP_BATCH_MS = 50;
/**
 * Maximum size of a gossip message in bytes, about three times the largest on today's network. Without this limit, a
 * channel or a node could take 64 kB of our memory.
 */
export const MAX_GOSSIP_MESSAGE_BYTES = 2048;
/** Maximum number of channels learned from peers: five times today's network. */
export const MAX_GOSSIP_CHANNELS = 250_000;
/**
 * Maximum assumed capacity of an unchecked channel: 16,777,215 sat, the largest channel that BOLT 2 allows without a
 * special agreement (`option_support_large_channel`). So a fake channel cannot attract larger payments.
 */
export const MAX_ASSUMED_CAPACITY_MSAT = 16_777_215_000n;
/**
 * Number of peers in different networks that must announce a channel before it is accepted, if there is no chain source
 * and no trusted peer announces it.
 */
export const AGREEING_PEERS = 3;
/** Maximum number of peers with stored votes. The votes of one peer take at most 8 MB. */
export const MAX_VOTERS = 8;

/** Maximum number of stored votes per peer: twice the channels of today's network. */
export const MAX_VOTES_PER_PEER = 100_000;
/** Maximum number of channels per peer waiting for verification. We request fewer at a time. */
export const MAX_PENDING_CHANNELS_PER_PEER = 300;
/** Maximum number of ids per query if the channels will be verified on the chain. */
export const CHECKED_IDS_PER_QUERY = 250;
/**
 * Maximum number of messages held for a channel being verified: two channel updates, two node announcements, and a
 * newer version of each.
 */
export const MAX_HELD_MESSAGES = 8;
/** How many nonexistent channels a peer may announce before it is disconnected. */
export const MAX_FORGED_CHANNELS = 20;
/**
 * By how much the closed channels that a peer announces may outnumber its open channels. An honest peer occasionally
 * relays a closed channel.
 */
export const MAX_GONE_CHANNELS = 100;
/** Maximum number of failed announcements that are remembered and not looked up again. */
export const MAX_UNFUNDED_REMEMBERED = 50_000;
/**
 * Milliseconds for which failed announcements are remembered. Our chain may be behind the peer's, so they may become
 * valid later.
 */
export const UNFUNDED_REMEMBERED_MS = 600_000;
/** Milliseconds between two checks of the chain's height. */
export const CHAIN_POLL_MS = 30_000;

/** Pause before an unresponsive chain source is queried again, in milliseconds. */
export const CHAIN_RETRY_MS = 5_000;
/** Maximum number of ids in the answer to one range query. */
export const MAX_RANGE_IDS = 1_000_000;

/** Maximum number of messages in the answer to one range query. */
export const MAX_RANGE_REPLIES = 10_000;
/** Maximum burst of a peer's queries that we answer. Each answer is short. */
export const QUERY_BURST = 20;

/** Maximum number of queries per second that we answer for one peer, after the first burst. */
export const QUERIES_PER_SECOND = 2;
/**
 * Pings that request at most this many bytes are not limited: some nodes send such a ping after every thirty gossip
 * messages, to check that we keep up. Pings that request more are limited, since each may request 64 kB.
 */
export const SMALL_PONG_BYTES = 256;

/** Maximum burst of pings with long answers from one peer. */
export const PING_BURST = 60;

/**
 * Maximum number of pings with long answers per second from one peer, after the first burst. BOLT 1 allows one ping per
 * 30 seconds.
 */
export const PINGS_PER_SECOND = 2;
/**
 * Maximum number of ids per query for channels, without a chain source. The peer must answer for all of them before the
 * next query.
 */
export const IDS_PER_QUERY = 1000;
/**
 * Milliseconds until users of the graph are notified of a change. Each notification makes them copy the whole graph, so
 * changes are collected.
 */
export const GRAPH_CHANGES_MS = 2_000;
/** Assumed maximum time for gossip to reach all nodes, in seconds. */
export const GOSSIP_DELAY_S = 3600;
/**
 * Maximum clock difference between nodes, in seconds. An update from further in the future is invalid (BOLT 7 lets us
 * ignore it). If we accepted it, it would block the node's updates until that time.
 */
export const MAX_FUTURE_S = 600;
/** Seconds without an update after which a channel is removed (BOLT 7, "Pruning the Network View"). */
export const STALE_AFTER_S = 14 * 24 * 3600;
