/**
 * The shapes of results that are lists or objects, down to their leaves. Commands describe members of plain types
 * themselves. A test checks every answer against this table, and checks that every command is in it.
 *
 * Where Core Lightning has the same member, its type is Core Lightning's (test/vectors/result-members.txt).
 */
import type { Shape } from '../rpc/result-shape.ts';

const POLICY: Shape = {
  htlc_minimum_msat: 'msat',
  htlc_maximum_msat: 'msat',
  cltv_expiry_delta: 'u32',
  fee_base_msat: 'msat',
  fee_proportional_millionths: 'u32',
};

const CREATED_CHANNEL = {
  source: 'pubkey',
  destination: 'pubkey',
  short_channel_id: 'short_channel_id',
  capacity_msat: 'msat',
} as const satisfies Shape;

const CHANNEL_UPDATE = {
  short_channel_id_dir: 'short_channel_id_dir',
  'enabled?': 'boolean',
  'htlc_minimum_msat?': 'msat',
  'htlc_maximum_msat?': 'msat',
  'fee_base_msat?': 'msat',
  'fee_proportional_millionths?': 'u32',
  'cltv_expiry_delta?': 'u16',
} as const satisfies Shape;

const CONSTRAINT = {
  short_channel_id_dir: 'short_channel_id_dir',
  'timestamp?': 'u64',
  'maximum_msat?': 'msat',
  'minimum_msat?': 'msat',
} as const satisfies Shape;

const IMPRESSION = {
  short_channel_id_dir: 'short_channel_id_dir',
  timestamp: 'u64',
  amount_msat: 'msat',
} as const satisfies Shape;

const BIAS = {
  short_channel_id_dir: 'short_channel_id_dir',
  bias: 'integer',
  'description?': 'string',
  timestamp: 'u64',
} as const satisfies Shape;

const NODE_BIAS = {
  node: 'pubkey',
  in_bias: 'integer',
  out_bias: 'integer',
  'description?': 'string',
  timestamp: 'u64',
} as const satisfies Shape;

const LAYER: Shape = {
  layer: 'string',
  persistent: 'boolean',
  disabled_nodes: ['pubkey'],
  'disabled_channels?': ['short_channel_id_dir'],
  created_channels: [CREATED_CHANNEL],
  channel_updates: [CHANNEL_UPDATE],
  constraints: [CONSTRAINT],
  'impressions?': [IMPRESSION],
  biases: [BIAS],
  node_biases: [NODE_BIAS],
};

const ROUTE: Shape = {
  probability_ppm: 'ppm',
  amount_msat: 'msat',
  final_cltv: 'u32',
  path: [
    {
      short_channel_id_dir: 'short_channel_id_dir',
      'next_node_id?': 'pubkey',
      'amount_msat?': 'msat',
      'delay?': 'u32',
      amount_in_msat: 'msat',
      amount_out_msat: 'msat',
      node_id_in: 'pubkey',
      node_id_out: 'pubkey',
      cltv_in: 'u32',
      cltv_out: 'u32',
    },
  ],
};

const UNFINISHED = { cost_msat: 'msat', least_cost_msat: 'msat' } as const satisfies Shape;

const ANSWER: Shape = { probability_ppm: 'ppm', routes: [ROUTE], 'unfinished?': UNFINISHED };

/** A hop as `askrene-score` shows it. */
const SCORED_HOP: Shape = {
  short_channel_id_dir: 'short_channel_id_dir',
  node_id_in: 'pubkey',
  node_id_out: 'pubkey',
  amount_in_msat: 'msat',
  amount_out_msat: 'msat',
  cltv_in: 'u32',
  cltv_out: 'u32',
  probability_ppm: 'ppm',
  enabled: 'boolean',
  capacity_msat: 'msat',
  minimum_msat: 'msat',
  maximum_msat: 'msat',
  htlc_minimum_msat: 'msat',
  htlc_maximum_msat: 'msat',
  fee_base_msat: 'msat',
  fee_proportional_millionths: 'u32',
  cltv_expiry_delta: 'u32',
  bias: 'integer',
};

/** A limit that a scored route breaks. */
const FAULT: Shape = {
  fault: '=disabled|below_htlc_minimum|above_htlc_maximum|too_little_liquidity|fee|delay|hops|loop',
  'hop?': 'u32',
  'short_channel_id_dir?': 'short_channel_id_dir',
  'limit_msat?': 'msat',
  'limit?': 'u32',
};

/** What `askrene-difflayers` answers for one of its two lists: routes, or an error. */
const COMPARED: Shape = {
  layers: ['string'],
  'probability_ppm?': 'ppm',
  'fee_msat?': 'msat',
  'routes?': [ROUTE],
  'error?': { code: 'integer', message: 'string', 'data?': 'any' },
};

const OFFER = {
  offer_id: 'hash',
  active: 'boolean',
  single_use: 'boolean',
  bolt12: 'string',
  force_paths: 'boolean',
  used: 'boolean',
  'label?': 'string',
  'description?': 'string',
} as const satisfies Shape;

const PAID_FOR = {
  'bolt11?': 'string',
  'bolt12?': 'string',
  'description?': 'string',
  'invreq_payer_note?': 'string',
  'invreq_id?': 'hash',
} as const satisfies Shape;

const SENDPAY = {
  created_index: 'u64',
  id: 'u64',
  payment_hash: 'hash',
  groupid: 'u64',
  'updated_index?': 'u64',
  'partid?': 'u64',
  'node?': 'string',
  'destination?': 'pubkey',
  'amount_msat?': 'msat',
  amount_sent_msat: 'msat',
  created_at: 'u64',
  'completed_at?': 'u64',
  status: '=pending|complete|failed',
  'payment_preimage?': 'secret',
  'label?': 'string',
  ...PAID_FOR,
} as const satisfies Shape;

const HOP: Shape = {
  short_channel_id_dir: 'short_channel_id_dir',
  id: 'pubkey',
  amount_msat: 'msat',
  delay: 'u32',
};

const ROUTING_FAILURE = {
  'erring_index?': 'u32',
  'failcode?': 'u32',
  'failcodename?': 'string',
  'erring_node?': 'pubkey',
  'erring_channel?': 'short_channel_id',
  'erring_direction?': 'u32',
  'raw_message?': 'hex',
} as const satisfies Shape;

const PAYSTATUS = {
  'label?': 'string',
  ...PAID_FOR,
  amount_msat: 'msat',
  'destination?': 'pubkey',
  payment_hash: 'hash',
  status: '=pending|complete|failed',
  seed: 'u64',
  'failure?': { code: 'integer', message: 'string' },
  attempts: [
    {
      strategy: 'string',
      start_time: 'string',
      age_in_seconds: 'u64',
      'end_time?': 'string',
      state: '=pending|completed',
      'success?': { id: 'u64', payment_preimage: 'secret' },
      'failure?': { message: 'string', code: 'integer', data: { id: 'u64', ...ROUTING_FAILURE } },
      partid: 'u64',
      'node?': 'string',
      amount_msat: 'msat',
      amount_sent_msat: 'msat',
      probability_ppm: 'ppm',
      route: [HOP],
      'learned?': ['string'],
    },
  ],
} as const satisfies Shape;

const MOVE = {
  out: 'short_channel_id',
  in: 'short_channel_id',
  amount_msat: 'msat',
  fee_msat: 'msat',
} satisfies Shape;

const QUOTE = {
  quote_id: 'string',
  command: '=xpay|xkeysend',
  invstring: 'string',
  amount_msat: 'msat',
  fee_msat: 'msat',
  maxfee_msat: 'msat',
  confidence_ppm: 'ppm',
  probability_ppm: 'ppm',
  parts: 'u32',
  held_msat: 'msat',
  created_at: 'u64',
  expires_at: 'u64',
} satisfies Shape;

const PLANNED: Shape = {
  'node?': 'string',
  'odds?': { balances_ppm: 'ppm', nodes_ppm: 'ppm', searched_ppm: 'ppm', unknown_hops: 'u32' },
  'privacy?': { recipients: 'u32', senders: 'u32' },
  amount_msat: 'msat',
  amount_sent_msat: 'msat',
  probability_ppm: 'ppm',
  route: [HOP],
  'simulated?': 'boolean',
};

const PLAN = {
  parts: [PLANNED],
  disregarded_layers: ['string'],
  from_each_node: [
    {
      node: 'string',
      'fee_msat?': 'msat',
      'parts?': 'u32',
      'probability_ppm?': 'ppm',
      'error?': { code: 'integer', message: 'string' },
    },
  ],
} as const satisfies Record<string, Shape>;

const HTLC_SUMS: Shape = { settled: 'u32', failed: 'u32', amount_msat: 'msat', fee_msat: 'msat' };

const OUR_NODE: Shape = {
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
  'balances?': [{ time: 'u64', spendable_msat: 'msat', receivable_msat: 'msat' }],
};

const ADDRESS: Shape = {
  type: '=dns|ipv4|ipv6|torv2|torv3|local socket',
  'address?': 'string',
  'socket?': 'string',
  'port?': 'u16',
};

const CONFIG = {
  'value_int?': 'u64',
  'value_str?': 'string',
  'values_str?': ['string'],
  'set?': 'boolean',
  'source?': 'string',
  'sources?': ['string'],
  'dynamic?': 'boolean',
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
  'lost_state?': 'boolean',
  'feerate?': { perkw: 'u32', perkb: 'u32' },
  'owner?': 'string',
  'short_channel_id?': 'short_channel_id',
  'direction?': 'u32',
  'channel_id?': 'hash',
  'funding_txid?': 'txid',
  'funding_outnum?': 'u32',
  'close_to?': 'hex',
  'private?': 'boolean',
  opener: '=local|remote',
  'closer?': '=local|remote',
  'alias?': { 'local?': 'short_channel_id', 'remote?': 'short_channel_id' },
  'funding?': {
    local_funds_msat: 'msat',
    remote_funds_msat: 'msat',
    'pushed_msat?': 'msat',
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
      state: 'string',
    },
  ],
} as const satisfies Shape;

const NEXT_PERIOD: Shape = {
  counter: 'u64',
  starttime: 'u64',
  endtime: 'u64',
  paywindow_start: 'u64',
  paywindow_end: 'u64',
};

const BLACKLIST: Shape = [{ start: 'u64', end: 'u64' }];

const KNOWN_BOUNDS = { minimum_msat: 'msat', maximum_msat: 'msat' } as const satisfies Shape;

const TOLD_ERROR = { code: 'integer', message: 'string', 'data?': 'any' } as const satisfies Shape;

/** A payment with its attempts, as `getpayment` shows it. */
const WHOLE_PAYMENT = {
  id: 'hex',
  created_index: 'u64',
  command: '=keysend|xkeysend|xpay|pay|sendpay',
  payment_hash: 'hash',
  destination: 'pubkey',
  amount_msat: 'msat',
  'label?': 'string',
  status: '=pending|complete|failed',
  created_at: 'number',
  'completed_at?': 'number',
  maxfee_msat: 'msat',
  maxdelay: 'u32',
  retry_for: 'u32',
  layers: ['string'],
  seed: 'u64',
  'failure?': TOLD_ERROR,
  attempts: [
    {
      id: 'u64',
      status: '=pending|complete|failed',
      'failreason?': 'string',
      partid: 'u64',
      amount_msat: 'msat',
      amount_sent_msat: 'msat',
      probability_ppm: 'ppm',
      created_at: 'number',
      'completed_at?': 'number',
      route: [HOP],
      'failure?': ROUTING_FAILURE,
      expiry_height: 'u32',
      learned: [
        {
          kind: '=delivered|carried|blocked|refused|policy|minimum|suspect_channel|avoid_channel|avoid_node|other',
          text: 'string',
          'node?': 'pubkey',
          'short_channel_id_dir?': 'short_channel_id_dir',
          'capacity_msat?': 'msat',
          'amount_msat?': 'msat',
          'before?': KNOWN_BOUNDS,
          'after?': KNOWN_BOUNDS,
        },
      ],
    },
  ],
} as const satisfies Shape;

const FETCH_TERMS = {
  'description?': 'string',
  'vendor?': 'string',
  'amount_msat?': 'msat',
} as const satisfies Shape;

const FETCH = {
  number: 'u64',
  status: '=pending|complete|failed',
  created_at: 'number',
  took_ms: 'number',
  timeout: 'number',
  offer_id: 'hash',
  offer: 'string',
  offered: FETCH_TERMS,
  steps: [
    {
      target: 'string',
      'offer_path?': 'u32',
      outcome: '=connecting|sending|unreachable|sent|answered',
      started_ms: 'number',
      took_ms: 'number',
      'connected?': 'boolean',
      'route?': ['string'],
      'reason?': 'string',
    },
  ],
  'invoice?': 'string',
  'invoiced?': { ...FETCH_TERMS, 'created_at?': 'u64', 'expires_at?': 'u64' },
  'changes?': {
    'description_appended?': 'string',
    'description?': 'string',
    'vendor_removed?': 'string',
    'vendor?': 'string',
    'amount_msat?': 'msat',
  },
  'failure?': TOLD_ERROR,
} as const satisfies Shape;

/** Money of a simulated network is marked in rows too (simulated.ts). */
const row = (shape: { readonly [name: string]: Shape }): Shape => ({ ...shape, 'simulated?': 'boolean' });

const PAYMENT_SUMS = { count: 'u64', amount_msat: 'msat', amount_sent_msat: 'msat' } as const;

/** By command, the shapes of those members of its result that are lists or objects. */
export const RESULT_SHAPES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  'askrene-bias-channel': { biases: [{ layer: 'string', ...BIAS }] },
  'askrene-bias-node': { node_biases: [{ layer: 'string', ...NODE_BIAS }] },
  'askrene-create-layer': { layers: [LAYER] },
  'askrene-difflayers': {
    before: COMPARED,
    after: COMPARED,
    entries: [
      {
        layer: 'string',
        kind: 'string',
        'node?': 'pubkey',
        'command_id?': 'string',
        'short_channel_id_dir?': 'short_channel_id_dir',
        'short_channel_id?': 'short_channel_id',
        'source?': 'pubkey',
        'destination?': 'pubkey',
        'capacity_msat?': 'msat',
        'amount_msat?': 'msat',
        'timestamp?': 'u64',
        'maximum_msat?': 'msat',
        'minimum_msat?': 'msat',
        'bias?': 'integer',
        'in_bias?': 'integer',
        'out_bias?': 'integer',
        'description?': 'string',
        'enabled?': 'boolean',
        'htlc_minimum_msat?': 'msat',
        'htlc_maximum_msat?': 'msat',
        'fee_base_msat?': 'msat',
        'fee_proportional_millionths?': 'u32',
        'cltv_expiry_delta?': 'u16',
      },
    ],
  },
  'askrene-inform-channel': {
    constraints: [{ ...CONSTRAINT, layer: 'string' }],
    impressions: [{ ...IMPRESSION, layer: 'string' }],
  },
  'askrene-listlayers': { layers: [LAYER] },
  'askrene-listreservations': {
    reservations: [
      {
        short_channel_id_dir: 'short_channel_id_dir',
        amount_msat: 'msat',
        age_in_seconds: 'u64',
        command_id: 'string',
      },
    ],
  },
  'askrene-score': {
    odds: { balances_ppm: 'ppm', nodes_ppm: 'ppm', searched_ppm: 'ppm', unknown_hops: 'u32' },
    faults: [FAULT],
    path: [SCORED_HOP],
  },
  blacklistrune: { blacklist: BLACKLIST },
  connect: { address: ADDRESS },
  createonion: { shared_secrets: ['secret'] },
  createproof: {
    proofs: [
      row({
        'bolt12?': 'string',
        'offer_fields_included?': ['any'],
        'invreq_fields_included?': ['any'],
        'invoice_fields_included?': ['any'],
        'bolt11?': 'string',
        'payment_preimage?': 'secret',
      }),
    ],
  },
  delpay: { payments: [row(SENDPAY)] },
  destroyrune: { blacklist: BLACKLIST },
  fetchbip353: {
    instructions: [
      {
        'description?': 'string',
        'offer?': 'string',
        'offchain_amount_msat?': 'msat',
        'onchain?': 'string',
        'onchain_amount_sat?': 'u64',
      },
    ],
  },
  fetchinvoice: {
    changes: {
      'description_appended?': 'string',
      'description?': 'string',
      'vendor_removed?': 'string',
      'vendor?': 'string',
      'amount_msat?': 'msat',
      'next_period?': NEXT_PERIOD,
    },
    next_period: NEXT_PERIOD,
  },
  getinfo: {
    address: [ADDRESS],
    binding: [ADDRESS],
    node_behind: { kind: 'string', id: 'pubkey', version: 'string' },
    our_nodes: ['string'],
    our_features: { init: 'hex', node: 'hex', channel: 'hex', invoice: 'hex' },
  },
  getlog: {
    log: [
      {
        type: '=SKIPPED|BROKEN|UNUSUAL|INFO|DEBUG|TRACE',
        'num_skipped?': 'u32',
        'time?': 'string',
        'source?': 'string',
        'log?': 'string',
        'fields?': { '*': 'any' },
      },
    ],
  },
  getpayment: { payments: [row(WHOLE_PAYMENT)] },
  listpayments: {
    payments: [
      row({
        id: 'hex',
        created_index: 'u64',
        number: 'u64',
        command: '=keysend|xkeysend|xpay|pay|sendpay',
        payment_hash: 'hash',
        destination: 'pubkey',
        amount_msat: 'msat',
        'amount_sent_msat?': 'msat',
        'label?': 'string',
        status: '=pending|complete|failed',
        created_at: 'number',
        'completed_at?': 'number',
        attempts: 'u32',
        'failure?': { code: 'integer', message: 'string' },
      }),
    ],
  },
  getroute: {
    route: [
      row({
        id: 'pubkey',
        channel: 'short_channel_id',
        direction: 'u32',
        amount_msat: 'msat',
        delay: 'u32',
        style: '=tlv',
      }),
    ],
  },
  getroutes: { routes: [ROUTE], unfinished: UNFINISHED, front: [{ fee_msat: 'msat', ...ANSWER }] },
  'getroutes-batch': {
    answers: [
      {
        destination: 'pubkey',
        amount_msat: 'msat',
        'probability_ppm?': 'ppm',
        'routes?': [ROUTE],
        'unfinished?': UNFINISHED,
        'error?': { code: 'integer', message: 'string', 'data?': 'any' },
      },
    ],
  },
  help: { help: [{ command: 'string', 'forwarded?': 'boolean' }] },
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
  listbeliefs: {
    beliefs: [
      {
        short_channel_id_dir: 'short_channel_id_dir',
        'source?': 'pubkey',
        'destination?': 'pubkey',
        'capacity_msat?': 'msat',
        ...KNOWN_BOUNDS,
        records: 'u64',
        timestamp: 'u64',
      },
    ],
    history: [
      {
        short_channel_id_dir: 'short_channel_id_dir',
        kind: '=minimum|maximum|impression',
        amount_msat: 'msat',
        timestamp: 'u64',
      },
    ],
  },
  listconfigs: { configs: { '*': CONFIG } },
  listfetches: { fetches: [row(FETCH)] },
  listfunds: {
    outputs: ['any'],
    channels: [
      row({
        peer_id: 'pubkey',
        connected: 'boolean',
        state: 'string',
        channel_id: 'hash',
        'short_channel_id?': 'short_channel_id',
        our_amount_msat: 'msat',
        amount_msat: 'msat',
        funding_txid: 'txid',
        funding_output: 'u32',
      }),
    ],
  },
  listinvoicerequests: {
    invoicerequests: [
      row({
        invreq_id: 'hash',
        active: 'boolean',
        single_use: 'boolean',
        bolt12: 'string',
        used: 'boolean',
        'label?': 'string',
      }),
    ],
  },
  listinvoices: {
    invoices: [
      row({
        label: 'string',
        'bolt11?': 'string',
        'bolt12?': 'string',
        payment_hash: 'hash',
        'amount_msat?': 'msat',
        status: '=unpaid|paid|expired',
        'description?': 'string',
        expires_at: 'u64',
        created_index: 'u64',
        'local_offer_id?': 'hash',
        'invreq_payer_note?': 'string',
        'payment_preimage?': 'secret',
        'pay_index?': 'u64',
        'amount_received_msat?': 'msat',
        'paid_at?': 'u64',
      }),
    ],
  },
  listlayers: {
    layers: [
      {
        layer: 'string',
        persistent: 'boolean',
        disabled_nodes: 'u32',
        created_channels: 'u32',
        channel_updates: 'u32',
        constraints: 'u32',
        impressions: 'u32',
        biases: 'u32',
        node_biases: 'u32',
        'newest_record?': 'u64',
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
        'addresses?': [ADDRESS],
      },
    ],
  },
  listlearned: {
    drift: {
      attempts: 'u32',
      'stated_ppm?': 'ppm',
      'arrived_ppm?': 'ppm',
      'log_loss_before?': 'number',
      'log_loss_after?': 'number',
      deviation: 'number',
      drifted: 'boolean',
    },
    correction: { slope: 'number', offset: 'number' },
    priors: [
      row({
        prior: '=uniform|bimodal|onesided',
        'scale_ppm?': 'ppm',
        'share_ppm?': 'ppm',
        'stale_ppm?': 'ppm',
        'half_life?': 'u32',
        weight_ppm: 'ppm',
      }),
    ],
    nodes: [row({ node_id: 'pubkey', away_ppm: 'ppm', seen_at: 'u64' })],
    trial: {
      verdict: '=open|worse|better|alike',
      usual_payments: 'u32',
      usual_complete: 'u32',
      trial_payments: 'u32',
      trial_complete: 'u32',
    },
  },
  ledger: {
    movements: [
      row({
        'index?': 'u64',
        time: 'number',
        kind: '=payment|refund|in_flight',
        payment_id: 'string',
        payment_hash: 'hash',
        partid: 'u64',
        destination: 'pubkey',
        'idempotency_key?': 'string',
        'label?': 'string',
        'bolt11?': 'string',
        'bolt12?': 'string',
        'description?': 'string',
        'invreq_payer_note?': 'string',
        'invreq_id?': 'hash',
        amount_msat: 'msat',
        fee_msat: 'msat',
        entries: [row({ account: 'string', 'debit_msat?': 'msat', 'credit_msat?': 'msat' })],
      }),
    ],
    lines: ['string'],
  },
  reconcile: {
    complete: row(PAYMENT_SUMS),
    failed: row(PAYMENT_SUMS),
    pending: row(PAYMENT_SUMS),
    differences: [
      row({
        kind: '=missing_at_node|missing_in_journal|failed_in_journal|amount_differs|missing_payment|not_paid|still_pending|listed_amount_differs|missing_in_list',
        'payment_id?': 'string',
        'payment_hash?': 'hash',
        'partid?': 'u64',
        'key?': 'string',
        'journal_msat?': 'msat',
        'node_msat?': 'msat',
        'list_msat?': 'msat',
      }),
    ],
    open: [
      row({
        payment_id: 'string',
        payment_hash: 'hash',
        'idempotency_key?': 'string',
        parts: 'u32',
        in_flight_msat: 'msat',
        reason: 'string',
        'certain_at_height?': 'u32',
      }),
    ],
  },
  listodds: {
    odds: [
      row({
        id: 'u64',
        created_at: 'number',
        amount_msat: 'msat',
        probability_ppm: 'ppm',
        'uncorrected_ppm?': 'ppm',
        hops: 'u32',
        arrived: 'boolean',
      }),
    ],
  },
  listprobes: {
    probes: [
      row({
        id: 'u64',
        payment_hash: 'hash',
        destination: 'pubkey',
        'arrived?': 'boolean',
        status: '=pending|success|failed',
        'failreason?': 'string',
        partid: 'u64',
        'node?': 'string',
        amount_msat: 'msat',
        amount_sent_msat: 'msat',
        probability_ppm: 'ppm',
        created_at: 'number',
        'completed_at?': 'number',
        route: [HOP],
        'failure?': ROUTING_FAILURE,
        'learned?': ['string'],
      }),
    ],
  },
  listoffers: { offers: [row(OFFER)] },
  exportlearned: {
    state: {
      version: 'u32',
      observed: 'u64',
      weights: [['number']],
      seen: ['u64'],
      correction: { slope: 'number', offset: 'number', precision: ['number'] },
      nodes: [['any']],
    },
  },
  planrebalance: {
    parts: [{ ...MOVE, route: [HOP] }],
    channels: [
      { short_channel_id: 'short_channel_id', peer_id: 'pubkey', percent: 'number', percent_after: 'number' },
    ],
    obstacle: { code: 'integer', message: 'string' },
  },
  rebalance: {
    parts: [
      { ...MOVE, status: '=complete|failed|pending', 'error?': { code: 'integer', message: 'string' } },
    ],
    obstacle: { code: 'integer', message: 'string' },
  },
  addwebhook: { events: ['string'] },
  delwebhook: { events: ['string'] },
  listwebhooks: {
    webhooks: [
      {
        webhook_id: 'string',
        url: 'string',
        events: ['string'],
        created_at: 'u64',
        waiting: 'u64',
        delivered: 'u64',
        failures: 'u64',
        dropped: 'u64',
        'last_delivered_at?': 'u64',
        'last_problem?': 'string',
        'next_attempt_at?': 'u64',
      },
    ],
  },
  listquotes: {
    quotes: [row({ ...QUOTE, status: '=open|used|expired', 'used_at?': 'u64' })],
  },
  listpays: {
    pays: [
      row({
        'destination?': 'pubkey',
        payment_hash: 'hash',
        status: '=pending|complete|failed',
        created_at: 'u64',
        'completed_at?': 'u64',
        'label?': 'string',
        ...PAID_FOR,
        'preimage?': 'secret',
        'amount_msat?': 'msat',
        'amount_sent_msat?': 'msat',
        'nodes?': [{ node: 'string', amount_msat: 'msat', amount_sent_msat: 'msat' }],
        'number_of_parts?': 'u64',
        'created_index?': 'u64',
        'updated_index?': 'u64',
      }),
    ],
  },
  listournodes: { nodes: [OUR_NODE] },
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
  listsendpays: { payments: [row(SENDPAY)] },
  listsimulatedoffers: {
    offers: [
      row({
        offer_id: 'hash',
        bolt12: 'string',
        'description?': 'string',
        node_id: 'pubkey',
        kind: 'string',
      }),
    ],
  },
  paystatus: { pay: [row(PAYSTATUS)] },
  plankeysend: PLAN,
  plantransfer: PLAN,
  planxpay: PLAN,
  quote: { routes: PLAN.parts },
  'rpc.discover': {
    info: { title: 'string', version: 'string' },
    methods: [{ '*': 'any' }],
  },
  setournode: { node: OUR_NODE },
  setconfig: { config: { config: 'string', ...CONFIG } },
  showrunes: {
    runes: [
      {
        rune: 'string',
        'unique_id?': 'string',
        restrictions: [
          {
            alternatives: [{ fieldname: 'string', value: 'string', condition: 'string', english: 'string' }],
            english: 'string',
          },
        ],
        restrictions_as_english: 'string',
        'last_used?': 'number',
        'blacklisted?': 'boolean',
        'stored?': 'boolean',
        'our_rune?': 'boolean',
      },
    ],
  },
};
