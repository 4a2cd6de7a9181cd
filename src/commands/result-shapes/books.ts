/** Results of commands that list and reconcile payments. */
import type { Shape } from '../../rpc/result-shape.ts';
import { LESSON_KINDS } from '../payments/books/lesson-json.ts';
import {
  ATTEMPT_FACTS,
  ERROR,
  HOP,
  KNOWN_BOUNDS,
  type ResultShapes,
  ROUTING_FAILURE,
  row,
} from './shared.ts';

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

/** A payment with its attempts, as `getpayment` shows it. */
const WHOLE_PAYMENT = {
  id: 'hex',
  created_index: 'u64',
  command: '=keysend|xkeysend|xpay|pay|sendpay|probe',
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
  'failure?': ERROR,
  attempts: [
    {
      id: 'u64',
      status: '=pending|complete|failed',
      ...ATTEMPT_FACTS,
      expiry_height: 'u32',
      learned: [
        {
          kind: `=${[...Object.values(LESSON_KINDS), 'other'].join('|')}`,
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

const PAYMENT_SUMS = { count: 'u64', amount_msat: 'msat', amount_sent_msat: 'msat' } as const;

/** For each command, the shapes of those members of its result that are lists or objects. */
export const BOOKS_RESULTS: ResultShapes = {
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
  ledger: {
    movements: [
      row({
        'index?': 'u64',
        time: 'number',
        kind: '=payment|transfer|refund|in_flight',
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
        'pending_reason?': 'string',
      }),
    ],
  },
  listsendpays: { payments: [row(SENDPAY)] },
  paystatus: { pay: [row(PAYSTATUS)] },
};
