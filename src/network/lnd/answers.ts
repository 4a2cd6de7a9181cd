/**
 * The shapes of LND's answers, as `@grpc/proto-loader` reads them: 64-bit numbers as decimal strings, bytes as arrays,
 * and absent scalars as 0, false or empty. Absent messages are null. Amounts whose names do not end in `msat` are sat,
 * except `min_htlc` and `base_fee`, which are msat. Field numbers are in `schema.ts`.
 */

/** A 64-bit number as a decimal string. */
type Long = string;

/** The node's identity, and how far it is synced. */
export interface GetInfo {
  readonly identity_pubkey: string;
  readonly alias: string;
  readonly color: string;
  readonly version: string;
  readonly block_height: number;
  readonly synced_to_chain: boolean;
  readonly synced_to_graph: boolean;
  readonly uris: readonly string[];
  readonly chains: readonly { readonly network: string }[];
  readonly features: Readonly<Record<string, unknown>>;
  readonly graph_cache_status: number;
}

/** A direction's policy. `fee_rate_milli_msat` is in parts per million, `min_htlc` in msat. */
export interface RoutingPolicy {
  readonly time_lock_delta: number;
  readonly min_htlc: Long;
  readonly fee_base_msat: Long;
  readonly fee_rate_milli_msat: Long;
  readonly disabled: boolean;
  readonly max_htlc_msat: Long;
  readonly last_update: number;
  readonly inbound_fee_base_msat: number;
  readonly inbound_fee_rate_milli_msat: number;
}

/** A channel of the public graph. A policy is null if that side never announced a policy. */
export interface ChannelEdge {
  readonly channel_id: Long;
  readonly node1_pub: string;
  readonly node2_pub: string;
  readonly capacity: Long;
  readonly node1_policy: RoutingPolicy | null;
  readonly node2_policy: RoutingPolicy | null;
}

/** An announced address. */
export interface AddressRow {
  readonly network: string;
  /** `HOST:PORT` */
  readonly addr: string;
}

/** What a node announces about itself. */
export interface NodeUpdate {
  readonly identity_key: string;
  readonly alias: string;
  readonly color: string;
  readonly features: Readonly<Record<string, unknown>>;
  readonly node_addresses: readonly AddressRow[];
}

/** Changes of the graph. */
export interface GraphTopologyUpdate {
  readonly node_updates: readonly NodeUpdate[];
  readonly channel_updates: readonly {
    readonly chan_id: Long;
    readonly capacity: Long;
    readonly routing_policy: RoutingPolicy | null;
    readonly advertising_node: string;
    readonly connecting_node: string;
  }[];
  readonly closed_chans: readonly { readonly chan_id: Long }[];
}

/** The limits of one side. "Local" limits restrict what the node itself may offer. */
export interface ChannelConstraints {
  readonly csv_delay: number;
  readonly chan_reserve_sat: Long;
  readonly dust_limit_sat: Long;
  readonly max_pending_amt_msat: Long;
  readonly min_htlc_msat: Long;
  readonly max_accepted_htlcs: number;
}

/** An HTLC on our commitment transaction. */
export interface PendingHtlc {
  readonly incoming: boolean;
  readonly amount: Long;
  readonly hash_lock: Uint8Array;
  readonly expiration_height: number;
  readonly htlc_index: Long;
}

/** A channel of the node. */
export interface Channel {
  readonly active: boolean;
  readonly remote_pubkey: string;
  readonly channel_point: string;
  readonly chan_id: Long;
  readonly capacity: Long;
  readonly local_balance: Long;
  readonly remote_balance: Long;
  readonly commit_fee: Long;
  readonly commit_weight: Long;
  readonly fee_per_kw: Long;
  readonly pending_htlcs: readonly PendingHtlc[];
  readonly private: boolean;
  readonly initiator: boolean;
  readonly chan_status_flags: string;
  readonly local_constraints: ChannelConstraints | null;
  readonly remote_constraints: ChannelConstraints | null;
  readonly alias_scids: readonly Long[];
  readonly zero_conf: boolean;
  readonly peer_scid_alias: Long;
  readonly custom_channel_data: Uint8Array;
}

/** A connected peer. */
export interface PeerRow {
  readonly pub_key: string;
  readonly address: string;
  readonly inbound: boolean;
  readonly features: Readonly<Record<string, unknown>>;
}

/** A hop of a route. */
export interface HopRow {
  readonly chan_id: Long;
  readonly amt_to_forward_msat: Long;
  readonly expiry: number;
}

/** The route of an attempt. */
export interface RouteRow {
  readonly total_time_lock: number;
  readonly total_amt_msat: Long;
  readonly hops: readonly HopRow[];
}

/** A `channel_update` in a failure. */
export interface WireUpdate {
  readonly signature: Uint8Array;
  readonly chain_hash: Uint8Array;
  readonly chan_id: Long;
  readonly timestamp: number;
  readonly message_flags: number;
  readonly channel_flags: number;
  readonly time_lock_delta: number;
  readonly htlc_minimum_msat: Long;
  readonly base_fee: number;
  readonly fee_rate: number;
  readonly htlc_maximum_msat: Long;
  readonly extra_opaque_data: Uint8Array;
}

/** Why an HTLC failed. `failure_source_index` counts nodes: 0 is LND itself. */
export interface FailureRow {
  readonly code: number;
  readonly channel_update: WireUpdate | null;
  readonly htlc_msat: Long;
  readonly onion_sha_256: Uint8Array;
  readonly cltv_expiry: number;
  readonly flags: number;
  readonly failure_source_index: number;
  readonly height: number;
}

/** `HTLCAttempt.status`. */
export const HTLC_STATUS = { inFlight: 0, succeeded: 1, failed: 2 } as const;

/** One HTLC of a payment. `status` is one of `HTLC_STATUS`. */
export interface HtlcAttempt {
  readonly attempt_id: Long;
  readonly status: number;
  readonly route: RouteRow | null;
  readonly attempt_time_ns: Long;
  readonly failure: FailureRow | null;
  readonly preimage: Uint8Array;
}

/** `Payment.status`. */
export const PAYMENT_STATUS = { inFlight: 1, succeeded: 2, failed: 3, initiated: 4 } as const;

/** All attempts for one hash. `status` is one of `PAYMENT_STATUS`. */
export interface LndPayment {
  readonly payment_hash: string;
  /** Hex. Empty, or 32 zero bytes, while it is unknown. */
  readonly payment_preimage: string;
  readonly status: number;
  readonly creation_time_ns: Long;
  readonly htlcs: readonly HtlcAttempt[];
}

/** `SubscribeStateResponse.state`. */
export const SERVER_STATE = {
  nonExisting: 0,
  locked: 1,
  unlocked: 2,
  rpcActive: 3,
  serverActive: 4,
  waitingToStart: 255,
} as const;

/**
 * An onion message received by LND. `custom_records` has its records of type 64 and above, as a map that
 * `entriesByNumber` reads.
 */
export interface OnionMessageUpdate {
  readonly peer: Uint8Array;
  readonly encrypted_recipient_data: Uint8Array;
  readonly custom_records: Readonly<Record<string, Uint8Array>>;
}

/** What mission control knows about a pair of nodes. Times are UNIX seconds; 0 means that there was no such result. */
export interface PairHistory {
  readonly node_from: Uint8Array;
  readonly node_to: Uint8Array;
  readonly history: {
    readonly fail_time: Long;
    readonly fail_amt_msat: Long;
    readonly success_time: Long;
    readonly success_amt_msat: Long;
  } | null;
}
