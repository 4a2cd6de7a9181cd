/** Results of commands for our own nodes, peers, channels and the graph. */
import type { Shape } from '../../rpc/result-shape.ts';
import { type ResultShapes, row } from './shared.ts';

const POLICY: Shape = {
  htlc_minimum_msat: 'msat',
  htlc_maximum_msat: 'msat',
  cltv_expiry_delta: 'u32',
  fee_base_msat: 'msat',
  fee_proportional_millionths: 'u32',
};

const HTLC_SUMS: Shape = { settled: 'u32', failed: 'u32', amount_msat: 'msat', fee_msat: 'msat' };

const OUR_NODE = {
  name: 'string',
  id: 'pubkey',
  kind: 'string',
  'version?': 'string',
  state: '=on|drain|rest|off',
  height: 'u32',
  channels: 'u32',
  spendable_msat: 'msat',
  may_spend_msat: 'msat',
  receivable_msat: 'msat',
  htlcs: 'u32',
  in_flight_msat: 'msat',
  floor_msat: 'msat',
  price_ppm: 'integer',
  'largest_part_msat?': 'msat',
  'max_htlcs?': 'u32',
  last_hour: HTLC_SUMS,
  last_day: HTLC_SUMS,
  'resting?': 'string',
} as const satisfies Shape;

const ADDRESS = { type: '=dns|ipv4|ipv6|torv3', address: 'string', port: 'u16' } as const satisfies Shape;

const ANNOUNCED_ADDRESS = {
  type: '=dns|ipv4|ipv6|torv2|torv3',
  address: 'string',
  port: 'u16',
} as const satisfies Shape;

const PEER_CHANNEL = {
  peer_id: 'pubkey',
  peer_connected: 'boolean',
  'reestablished?': 'boolean',
  'channel_type?': { bits: ['u32'], names: ['string'] },
  'updates?': { 'local?': POLICY, 'remote?': POLICY },
  'last_stable_connection?': 'u64',
  'features?': ['string'],
  state: 'string',
  'scratch_txid?': 'txid',
  'last_tx_fee_msat?': 'msat',
  'ignore_fee_limits?': 'boolean',
  'lost_state?': 'boolean',
  'feerate?': { perkw: 'u32', perkb: 'u32' },
  'owner?': 'string',
  'short_channel_id?': 'short_channel_id',
  'direction?': 'u32',
  'channel_id?': 'hash',
  'funding_txid?': 'txid',
  'funding_outnum?': 'u32',
  'initial_feerate?': 'string',
  'last_feerate?': 'string',
  'next_feerate?': 'string',
  'next_fee_step?': 'u32',
  'inflight?': [
    {
      funding_txid: 'txid',
      funding_outnum: 'u32',
      feerate: 'string',
      total_funding_msat: 'msat',
      splice_amount: 'integer',
      our_funding_msat: 'msat',
      'scratch_txid?': 'txid',
    },
  ],
  'close_to?': 'hex',
  'close_to_addr?': 'string',
  'private?': 'boolean',
  opener: '=local|remote',
  'closer?': '=local|remote',
  'alias?': { 'local?': 'short_channel_id', 'remote?': 'short_channel_id' },
  'funding?': {
    local_funds_msat: 'msat',
    remote_funds_msat: 'msat',
    'pushed_msat?': 'msat',
    'fee_paid_msat?': 'msat',
    'fee_rcvd_msat?': 'msat',
    'psbt?': 'string',
    'withheld?': 'boolean',
  },
  'to_us_msat?': 'msat',
  'min_to_us_msat?': 'msat',
  'max_to_us_msat?': 'msat',
  'total_msat?': 'msat',
  'spendable_msat?': 'msat',
  'receivable_msat?': 'msat',
  'fee_base_msat?': 'msat',
  'fee_proportional_millionths?': 'u32',
  'dust_limit_msat?': 'msat',
  'their_max_htlc_value_in_flight_msat?': 'msat',
  'our_max_htlc_value_in_flight_msat?': 'msat',
  'their_reserve_msat?': 'msat',
  'our_reserve_msat?': 'msat',
  'minimum_htlc_in_msat?': 'msat',
  'minimum_htlc_out_msat?': 'msat',
  'maximum_htlc_out_msat?': 'msat',
  'their_to_self_delay?': 'u32',
  'our_to_self_delay?': 'u32',
  'max_accepted_htlcs?': 'u32',
  'state_changes?': [
    { timestamp: 'string', old_state: 'string', new_state: 'string', cause: 'string', message: 'string' },
  ],
  'status?': ['string'],
  'in_payments_offered?': 'u64',
  'in_offered_msat?': 'msat',
  'in_payments_fulfilled?': 'u64',
  'in_fulfilled_msat?': 'msat',
  'out_payments_offered?': 'u64',
  'out_offered_msat?': 'msat',
  'out_payments_fulfilled?': 'u64',
  'out_fulfilled_msat?': 'msat',
  'htlcs?': [
    {
      direction: '=in|out',
      id: 'u64',
      amount_msat: 'msat',
      expiry: 'u32',
      payment_hash: 'hash',
      'local_trimmed?': 'boolean',
      'status?': 'string',
      state: 'string',
    },
  ],
} as const satisfies Shape;

/** For each command, the shapes of those members of its result that are lists or objects. */
export const NETWORK_RESULTS: ResultShapes = {
  connect: { address: ADDRESS },
  getinfo: {
    address: [row(ADDRESS)],
    binding: [row(ADDRESS)],
    node_behind: {
      kind: 'string',
      id: 'pubkey',
      version: 'string',
      'plugin?': 'boolean',
      'other_daemons?': ['string'],
      'synced_to_graph?': 'boolean',
    },
    our_nodes: ['string'],
    our_features: { init: 'hex', node: 'hex', channel: 'hex', invoice: 'hex' },
  },
  listchannels: {
    channels: [
      {
        source: 'pubkey',
        destination: 'pubkey',
        short_channel_id: 'short_channel_id',
        direction: 'u32',
        public: 'boolean',
        amount_msat: 'msat',
        message_flags: 'u8',
        channel_flags: 'u8',
        active: 'boolean',
        last_update: 'u32',
        base_fee_millisatoshi: 'u32',
        fee_per_millionth: 'u32',
        delay: 'u32',
        htlc_minimum_msat: 'msat',
        'htlc_maximum_msat?': 'msat',
        features: 'hex',
      },
    ],
  },
  listnodes: {
    nodes: [
      {
        nodeid: 'pubkey',
        'alias?': 'string',
        'last_timestamp?': 'u32',
        'color?': 'hex',
        'features?': 'hex',
        'addresses?': [ANNOUNCED_ADDRESS],
      },
    ],
  },
  listournodes: {
    nodes: [
      {
        ...OUR_NODE,
        'balances?': [{ time: 'u64', spendable_msat: 'msat', receivable_msat: 'msat' }],
      },
    ],
  },
  listpeerchannels: { channels: [row(PEER_CHANNEL)] },
  listpeers: {
    peers: [
      {
        id: 'pubkey',
        connected: 'boolean',
        num_channels: 'u32',
        'netaddr?': ['string'],
        'features?': 'hex',
      },
    ],
  },
  listforwards: {
    forwards: [
      row({
        created_index: 'u64',
        in_channel: 'short_channel_id',
        in_msat: 'msat',
        status: '=settled',
        received_time: 'number',
        out_channel: 'short_channel_id',
        updated_index: 'u64',
        fee_msat: 'msat',
        out_msat: 'msat',
        resolved_time: 'number',
      }),
    ],
  },
  setournode: { node: OUR_NODE },
};
