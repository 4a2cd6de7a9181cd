/** Results of commands for offers, invoices and fetches. */
import type { Shape } from '../../rpc/result-shape.ts';
import { ERROR, type ResultShapes, row } from './shared.ts';

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

const NEXT_PERIOD: Shape = {
  counter: 'u64',
  starttime: 'u64',
  endtime: 'u64',
  paywindow_start: 'u64',
  paywindow_end: 'u64',
};

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
  'failure?': ERROR,
} as const satisfies Shape;

/** For each command, the shapes of those members of its result that are lists or objects. */
export const OFFERS_RESULTS: ResultShapes = {
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
  listfetches: { fetches: [row(FETCH)] },
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
  listoffers: { offers: [row(OFFER)] },
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
};
