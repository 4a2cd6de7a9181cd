/**
 * The part of LND's gRPC interface used here, in the input form of `@grpc/proto-loader`: messages with their field
 * numbers, and methods. Protobuf readers skip fields missing in the schema, so omitting fields makes lists cheaper to
 * read.
 *
 * Source: lnrpc/lightning.proto, lnrpc/stateservice.proto, lnrpc/routerrpc/router.proto,
 * lnrpc/invoicesrpc/invoices.proto and lnrpc/chainrpc/chainnotifier.proto of LND 0.21. Field numbers do not change
 * between releases. Package names are part of the path of each call.
 */

/**
 * A field: its number, then its type. The type of a list is prefixed with `repeated`, the type of a map with `map KEY`.
 */
type FieldText = `${number} ${string}`;
type Messages = Readonly<Record<string, Readonly<Record<string, FieldText>>>>;

const STATE_SERVICE: Messages = {
  SubscribeStateRequest: {},
  SubscribeStateResponse: { state: '1 uint32' },
};

const LIGHTNING: Messages = {
  GetInfoRequest: {},
  GetInfoResponse: {
    identity_pubkey: '1 string',
    alias: '2 string',
    block_height: '6 uint32',
    synced_to_chain: '9 bool',
    uris: '12 repeated string',
    version: '14 string',
    chains: '16 repeated Chain',
    color: '17 string',
    synced_to_graph: '18 bool',
    features: '19 map uint32 Feature',
    graph_cache_status: '24 uint32',
  },
  Invoice: {
    memo: '1 string',
    r_preimage: '3 bytes',
    r_hash: '4 bytes',
    creation_date: '7 int64',
    settle_date: '8 int64',
    description_hash: '10 bytes',
    expiry: '11 int64',
    fallback_addr: '12 string',
    cltv_expiry: '13 uint64',
    private: '15 bool',
    settle_index: '17 uint64',
    amt_paid_msat: '20 int64',
    state: '21 int32',
    value_msat: '23 int64',
  },
  PaymentHash: { r_hash: '2 bytes' },
  AddInvoiceResponse: { payment_request: '2 string', payment_addr: '17 bytes' },
  InvoiceSubscription: { settle_index: '2 uint64' },
  ForwardingHistoryRequest: {
    start_time: '1 uint64',
    end_time: '2 uint64',
    index_offset: '3 uint32',
    num_max_events: '4 uint32',
  },
  ForwardingEvent: {
    chan_id_in: '2 uint64',
    chan_id_out: '4 uint64',
    amt_in_msat: '9 uint64',
    amt_out_msat: '10 uint64',
    timestamp_ns: '11 uint64',
  },
  ForwardingHistoryResponse: {
    forwarding_events: '1 repeated ForwardingEvent',
    last_offset_index: '2 uint32',
  },
  Chain: { network: '2 string' },
  Feature: { is_known: '4 bool' },

  ChannelGraphRequest: { include_unannounced: '1 bool' },
  GraphTopologySubscription: {},
  GraphTopologyUpdate: {
    node_updates: '1 repeated NodeUpdate',
    channel_updates: '2 repeated ChannelEdgeUpdate',
    closed_chans: '3 repeated ClosedChannelUpdate',
  },
  NodeUpdate: {
    identity_key: '2 string',
    alias: '4 string',
    color: '5 string',
    features: '6 map uint32 Feature',
    node_addresses: '7 repeated NodeAddress',
  },
  NodeAddress: { network: '1 string', addr: '2 string' },
  ChannelEdgeUpdate: {
    chan_id: '1 uint64',
    capacity: '3 int64',
    routing_policy: '4 RoutingPolicy',
    advertising_node: '5 string',
    connecting_node: '6 string',
  },
  ClosedChannelUpdate: { chan_id: '1 uint64' },
  RoutingPolicy: {
    time_lock_delta: '1 uint32',
    min_htlc: '2 int64',
    fee_base_msat: '3 int64',
    fee_rate_milli_msat: '4 int64',
    disabled: '5 bool',
    max_htlc_msat: '6 uint64',
    last_update: '7 uint32',
    inbound_fee_base_msat: '9 int32',
    inbound_fee_rate_milli_msat: '10 int32',
  },
  ChanInfoRequest: { chan_id: '1 uint64' },
  ChannelEdge: {
    channel_id: '1 uint64',
    node1_pub: '4 string',
    node2_pub: '5 string',
    capacity: '6 int64',
    node1_policy: '7 RoutingPolicy',
    node2_policy: '8 RoutingPolicy',
  },

  ListChannelsRequest: {},
  ListChannelsResponse: { channels: '11 repeated Channel' },
  Channel: {
    active: '1 bool',
    remote_pubkey: '2 string',
    channel_point: '3 string',
    chan_id: '4 uint64',
    capacity: '5 int64',
    local_balance: '6 int64',
    remote_balance: '7 int64',
    commit_fee: '8 int64',
    commit_weight: '9 int64',
    fee_per_kw: '10 int64',
    pending_htlcs: '15 repeated HTLC',
    private: '17 bool',
    initiator: '18 bool',
    chan_status_flags: '19 string',
    local_constraints: '29 ChannelConstraints',
    remote_constraints: '30 ChannelConstraints',
    alias_scids: '31 repeated uint64',
    zero_conf: '32 bool',
    peer_scid_alias: '35 uint64',
    custom_channel_data: '37 bytes',
  },
  HTLC: {
    incoming: '1 bool',
    amount: '2 int64',
    hash_lock: '3 bytes',
    expiration_height: '4 uint32',
    htlc_index: '5 uint64',
  },
  ChannelConstraints: {
    csv_delay: '1 uint32',
    chan_reserve_sat: '2 uint64',
    dust_limit_sat: '3 uint64',
    max_pending_amt_msat: '4 uint64',
    min_htlc_msat: '5 uint64',
    max_accepted_htlcs: '6 uint32',
  },
  ChannelEventSubscription: {},
  ChannelEventUpdate: { type: '5 uint32' },

  ListPeersRequest: {},
  ListPeersResponse: { peers: '1 repeated Peer' },
  Peer: {
    pub_key: '1 string',
    address: '3 string',
    inbound: '8 bool',
    features: '11 map uint32 Feature',
  },
  PeerEventSubscription: {},
  PeerEvent: { pub_key: '1 string', type: '2 uint32' },
  ConnectPeerRequest: { addr: '1 LightningAddress', perm: '2 bool', timeout: '3 uint64' },
  LightningAddress: { pubkey: '1 string', host: '2 string' },
  ConnectPeerResponse: {},
  DisconnectPeerRequest: { pub_key: '1 string' },
  DisconnectPeerResponse: {},
  NodeInfoRequest: { pub_key: '1 string' },
  NodeInfo: { node: '1 LightningNode' },
  LightningNode: { addresses: '4 repeated NodeAddress' },

  SendOnionMessageRequest: { peer: '1 bytes', path_key: '2 bytes', onion: '3 bytes' },
  SendOnionMessageResponse: { status: '1 string' },
  SubscribeOnionMessagesRequest: {},
  OnionMessageUpdate: {
    peer: '1 bytes',
    encrypted_recipient_data: '5 bytes',
    custom_records: '6 map uint64 bytes',
  },

  Route: {
    total_time_lock: '1 uint32',
    hops: '4 repeated Hop',
    total_fees_msat: '5 int64',
    total_amt_msat: '6 int64',
  },
  Hop: {
    chan_id: '1 uint64',
    expiry: '5 uint32',
    amt_to_forward_msat: '6 int64',
    fee_msat: '7 int64',
    pub_key: '8 string',
    mpp_record: '10 MPPRecord',
    custom_records: '11 map uint64 bytes',
    blinding_point: '14 bytes',
    encrypted_data: '15 bytes',
    total_amt_msat: '16 uint64',
  },
  MPPRecord: { total_amt_msat: '10 int64', payment_addr: '11 bytes' },
  HTLCAttempt: {
    status: '1 uint32',
    route: '2 Route',
    attempt_time_ns: '3 int64',
    failure: '5 Failure',
    preimage: '6 bytes',
    attempt_id: '7 uint64',
  },
  Failure: {
    code: '1 uint32',
    channel_update: '3 ChannelUpdate',
    htlc_msat: '4 uint64',
    onion_sha_256: '5 bytes',
    cltv_expiry: '6 uint32',
    flags: '7 uint32',
    failure_source_index: '8 uint32',
    height: '9 uint32',
  },
  ChannelUpdate: {
    signature: '1 bytes',
    chain_hash: '2 bytes',
    chan_id: '3 uint64',
    timestamp: '4 uint32',
    channel_flags: '5 uint32',
    time_lock_delta: '6 uint32',
    htlc_minimum_msat: '7 uint64',
    base_fee: '8 uint32',
    fee_rate: '9 uint32',
    message_flags: '10 uint32',
    htlc_maximum_msat: '11 uint64',
    extra_opaque_data: '12 bytes',
  },
  Payment: {
    payment_hash: '1 string',
    payment_preimage: '6 string',
    value_msat: '8 int64',
    status: '10 uint32',
    creation_time_ns: '13 int64',
    htlcs: '14 repeated HTLCAttempt',
    payment_index: '15 uint64',
    failure_reason: '16 uint32',
  },
};

const ROUTER: Messages = {
  SendToRouteRequest: {
    payment_hash: '1 bytes',
    route: '2 lnrpc.Route',
    skip_temp_err: '3 bool',
  },
  TrackPaymentRequest: { payment_hash: '1 bytes', no_inflight_updates: '2 bool' },
  QueryMissionControlRequest: {},
  QueryMissionControlResponse: { pairs: '2 repeated PairHistory' },
  PairHistory: { node_from: '1 bytes', node_to: '2 bytes', history: '7 PairData' },
  PairData: {
    fail_time: '1 int64',
    fail_amt_sat: '2 int64',
    fail_amt_msat: '4 int64',
    success_time: '5 int64',
    success_amt_sat: '6 int64',
    success_amt_msat: '7 int64',
  },
  XImportMissionControlRequest: { pairs: '1 repeated PairHistory', force: '2 bool' },
  XImportMissionControlResponse: {},
};

const CHAIN: Messages = {
  BlockEpoch: { hash: '1 bytes', height: '2 uint32' },
};

const INVOICES: Messages = {
  CancelInvoiceMsg: { payment_hash: '1 bytes' },
  CancelInvoiceResp: {},
};

/** A method: its request type, its answer type, and whether it streams answers. */
type MethodTypes = readonly [request: string, response: string, isStream?: boolean];

/** The methods by service. A macaroon can permit a single method by the method's URI. */
const SERVICES = {
  'lnrpc.State': { SubscribeState: ['SubscribeStateRequest', 'SubscribeStateResponse', true] },
  'lnrpc.Lightning': {
    GetInfo: ['GetInfoRequest', 'GetInfoResponse'],
    DescribeGraph: ['ChannelGraphRequest', 'ListPeersRequest'],
    SubscribeChannelGraph: ['GraphTopologySubscription', 'GraphTopologyUpdate', true],
    GetChanInfo: ['ChanInfoRequest', 'ChannelEdge'],
    GetNodeInfo: ['NodeInfoRequest', 'NodeInfo'],
    ListChannels: ['ListChannelsRequest', 'ListChannelsResponse'],
    SubscribeChannelEvents: ['ChannelEventSubscription', 'ChannelEventUpdate', true],
    ListPeers: ['ListPeersRequest', 'ListPeersResponse'],
    SubscribePeerEvents: ['PeerEventSubscription', 'PeerEvent', true],
    ConnectPeer: ['ConnectPeerRequest', 'ConnectPeerResponse'],
    DisconnectPeer: ['DisconnectPeerRequest', 'DisconnectPeerResponse'],
    AddInvoice: ['Invoice', 'AddInvoiceResponse'],
    LookupInvoice: ['PaymentHash', 'Invoice'],
    SendOnionMessage: ['SendOnionMessageRequest', 'SendOnionMessageResponse'],
    SubscribeOnionMessages: ['SubscribeOnionMessagesRequest', 'OnionMessageUpdate', true],
    SubscribeInvoices: ['InvoiceSubscription', 'Invoice', true],
    ForwardingHistory: ['ForwardingHistoryRequest', 'ForwardingHistoryResponse'],
  },
  'routerrpc.Router': {
    SendToRouteV2: ['SendToRouteRequest', 'lnrpc.HTLCAttempt'],
    TrackPaymentV2: ['TrackPaymentRequest', 'lnrpc.Payment', true],
    QueryMissionControl: ['QueryMissionControlRequest', 'QueryMissionControlResponse'],
    XImportMissionControl: ['XImportMissionControlRequest', 'XImportMissionControlResponse'],
  },
  'invoicesrpc.Invoices': { CancelInvoice: ['CancelInvoiceMsg', 'CancelInvoiceResp'] },
  'chainrpc.ChainNotifier': {
    RegisterBlockEpochNtfn: ['BlockEpoch', 'BlockEpoch', true],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MethodTypes>>>>;

type ServiceTable = typeof SERVICES;
/** The name of a method, without its service. */
export type LndMethod = { [S in keyof ServiceTable]: keyof ServiceTable[S] }[keyof ServiceTable];

/** The path of each method: `/SERVICE/METHOD`. */
export const METHOD_PATHS: Readonly<Record<LndMethod, string>> = Object.fromEntries(
  Object.entries(SERVICES).flatMap(([service, methods]) =>
    Object.keys(methods).map((method) => [method, `/${service}/${method}`]),
  ),
) as Record<LndMethod, string>;

/** The schema in the form of protobufjs (`INamespace`). */
export function schemaJson(): { nested: Record<string, object> } {
  const lnrpc = namespaceOf({ ...STATE_SERVICE, ...LIGHTNING }, 'lnrpc');
  return {
    nested: {
      lnrpc,
      routerrpc: namespaceOf(ROUTER, 'routerrpc'),
      chainrpc: namespaceOf(CHAIN, 'chainrpc'),
      invoicesrpc: namespaceOf(INVOICES, 'invoicesrpc'),
    },
  };
}

function namespaceOf(messages: Messages, name: string): object {
  const types = Object.entries(messages).map(([type, fields]) => [
    type,
    { fields: Object.fromEntries(Object.entries(fields).map(([field, text]) => [field, fieldOf(text)])) },
  ]);
  const services = Object.entries(SERVICES)
    .filter(([service]) => service.startsWith(`${name}.`))
    .map(([service, methods]) => [
      service.slice(name.length + 1),
      { methods: Object.fromEntries(Object.entries(methods).map(([method, of]) => [method, methodOf(of)])) },
    ]);
  return { nested: Object.fromEntries([...types, ...services]) };
}

function fieldOf(text: FieldText): object {
  const [id, ...words] = text.split(' ');
  const type = words.at(-1)!;
  if (words[0] === 'repeated') return { rule: 'repeated', type, id: Number(id) };
  if (words[0] === 'map') return { keyType: words[1], type, id: Number(id) };
  return { type, id: Number(id) };
}

const methodOf = ([requestType, responseType, responseStream = false]: MethodTypes): object => ({
  requestType,
  responseType,
  responseStream,
});
