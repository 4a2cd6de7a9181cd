/** Results of commands for layers and routes. */
import type { Shape } from '../../rpc/result-shape.ts';
import { ERROR, KNOWN_BOUNDS, type ResultShapes } from './shared.ts';

const CREATED_CHANNEL = {
  source: 'pubkey',
  destination: 'pubkey',
  short_channel_id: 'short_channel_id',
  capacity_msat: 'msat',
} as const satisfies Shape;

const UPDATED_TERMS = {
  'enabled?': 'boolean',
  'htlc_minimum_msat?': 'msat',
  'htlc_maximum_msat?': 'msat',
  'fee_base_msat?': 'msat',
  'fee_proportional_millionths?': 'u32',
  'cltv_expiry_delta?': 'u16',
} as const satisfies Shape;

const CHANNEL_UPDATE = {
  short_channel_id_dir: 'short_channel_id_dir',
  ...UPDATED_TERMS,
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

/** A limit that a scored route violates. */
const FAULT: Shape = {
  fault: '=disabled|below_htlc_minimum|above_htlc_maximum|too_little_liquidity|fee|delay|hops|loop',
  'hop?': 'u32',
  'short_channel_id_dir?': 'short_channel_id_dir',
  'limit_msat?': 'msat',
  'limit?': 'u32',
};

/** The result of `askrene-difflayers` for one of its two lists: routes, or an error. */
const COMPARED: Shape = {
  layers: ['string'],
  'probability_ppm?': 'ppm',
  'fee_msat?': 'msat',
  'routes?': [ROUTE],
  'error?': ERROR,
};

/** For each command, the shapes of those members of its result that are lists or objects. */
export const LAYERS_RESULTS: ResultShapes = {
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
        ...UPDATED_TERMS,
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
  getroutes: { routes: [ROUTE], unfinished: UNFINISHED, front: [{ fee_msat: 'msat', ...ANSWER }] },
  'getroutes-batch': {
    answers: [
      {
        destination: 'pubkey',
        amount_msat: 'msat',
        'probability_ppm?': 'ppm',
        'routes?': [ROUTE],
        'unfinished?': UNFINISHED,
        'error?': ERROR,
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
};
