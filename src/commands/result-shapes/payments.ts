/** Results of commands that plan, quote, send and learn from payments. */
import type { Shape } from '../../rpc/result-shape.ts';
import { ATTEMPT_FACTS, HOP, type ResultShapes, row } from './shared.ts';

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

const ROUTE = {
  amount_msat: 'msat',
  amount_sent_msat: 'msat',
  probability_ppm: 'ppm',
  route: [HOP],
} as const satisfies Shape;

const PLANNED = row({
  'node?': 'string',
  'odds?': { balances_ppm: 'ppm', nodes_ppm: 'ppm', searched_ppm: 'ppm', unknown_hops: 'u32' },
  'privacy?': { recipients: 'u32', senders: 'u32' },
  ...ROUTE,
});

const PLAN = {
  parts: [PLANNED],
  disregarded_layers: ['string'],
  from_each_node: [
    row({
      node: 'string',
      'fee_msat?': 'msat',
      'parts?': 'u32',
      'probability_ppm?': 'ppm',
      'error?': { code: 'integer', message: 'string' },
    }),
  ],
} as const satisfies Record<string, Shape>;

/** For each command, the shapes of those members of its result that are lists or objects. */
export const PAYMENTS_RESULTS: ResultShapes = {
  createonion: { shared_secrets: ['secret'] },
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
    slow_nodes: [row({ node_id: 'pubkey', slower_by_ms: 'u32', source: 'string' })],
    trial: {
      verdict: '=open|worse|better|alike',
      usual_payments: 'u32',
      usual_complete: 'u32',
      trial_payments: 'u32',
      trial_complete: 'u32',
    },
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
        ...ATTEMPT_FACTS,
        'learned?': ['string'],
      }),
    ],
  },
  exportlearned: {
    state: {
      version: 'u32',
      observed: 'u64',
      weights: [['number']],
      ownShares: ['number'],
      correction: { slope: 'number', offset: 'number', precision: ['number'] },
      'historyUntilS?': 'number',
      nodes: [['any']],
      persistence: ['number'],
      times: { mean: 'number', count: 'number', nodes: [['any']] },
      terms: 'any',
    },
  },
  planrebalance: {
    parts: [row({ ...MOVE, route: [HOP] })],
    channels: [
      row({
        short_channel_id: 'short_channel_id',
        peer_id: 'pubkey',
        percent: 'number',
        percent_after: 'number',
        'earned_msat?': 'msat',
        'forwarded_out_msat?': 'msat',
        'forwarded_in_msat?': 'msat',
        'earned_ppm?': 'u64',
      }),
    ],
    obstacle: { code: 'integer', message: 'string' },
  },
  rebalance: {
    parts: [
      row({
        ...MOVE,
        status: '=complete|failed|pending',
        'error?': { code: 'integer', message: 'string' },
      }),
    ],
    obstacle: { code: 'integer', message: 'string' },
  },
  listquotes: {
    quotes: [row({ ...QUOTE, status: '=open|used|expired', 'used_at?': 'u64' })],
  },
  plankeysend: PLAN,
  plantransfer: PLAN,
  planxpay: PLAN,
  quote: { routes: [row(ROUTE)] },
};
