/**
 * The members of a result of `decode`, besides `type` and `valid`. The decoded text determines which are present. Names
 * and types are Core Lightning's; BOLT 11 and BOLT 12 define the fields of invoices and offers.
 */
import type { ResultField } from '../../rpc/command.ts';
import type { Shape } from '../../rpc/result-shape.ts';

type Shapes = Readonly<Record<string, Shape>>;

const HOPS: Shape = [{ blinded_node_id: 'pubkey', encrypted_recipient_data: 'hex' }];

const PATH: Shape = {
  'first_node_id?': 'pubkey',
  'first_scid?': 'short_channel_id',
  'first_scid_dir?': 'u32',
  first_path_key: 'pubkey',
  'payinfo?': {
    fee_base_msat: 'msat',
    fee_proportional_millionths: 'u32',
    cltv_expiry_delta: 'u32',
    htlc_minimum_msat: 'msat',
    htlc_maximum_msat: 'msat',
    features: 'hex',
  },
  path: HOPS,
};

const UNKNOWN: Shape = [{ type: 'u64', length: 'u64', value: 'hex' }];

const OFFER: Shapes = {
  offer_id: 'hash',
  offer_chains: ['hash'],
  offer_metadata: 'hex',
  offer_currency: 'string',
  currency_minor_unit: 'u32',
  offer_amount: 'u64',
  offer_amount_msat: 'msat',
  offer_description: 'string',
  offer_issuer: 'string',
  offer_features: 'hex',
  offer_absolute_expiry: 'u64',
  offer_paths: [PATH],
  offer_quantity_max: 'u64',
  offer_recurrence: {
    'compulsory_field?': 'boolean',
    time_unit: 'u32',
    time_unit_name: '=seconds|days|months',
    period: 'u32',
    'basetime?': 'u64',
    'proportional_amount?': 'boolean',
    'limit?': 'u32',
    'paywindow?': { seconds_before: 'u32', seconds_after: 'u32' },
  },
  offer_issuer_id: 'pubkey',
  unknown_offer_tlvs: UNKNOWN,
};

const REQUEST: Shapes = {
  invreq_metadata: 'hex',
  invreq_payer_id: 'hex',
  invreq_chain: 'hex',
  invreq_amount_msat: 'msat',
  invreq_features: 'hex',
  invreq_quantity: 'u64',
  invreq_payer_note: 'string',
  invreq_paths: [PATH],
  invreq_bip_353_name: { 'name?': 'string', 'domain?': 'string' },
  invreq_recurrence_counter: 'u32',
  invreq_recurrence_start: 'u32',
  invreq_recurrence_cancel: 'boolean',
  unknown_invoice_request_tlvs: UNKNOWN,
};

const INVOICE: Shapes = {
  invoice_paths: [PATH],
  invoice_created_at: 'u64',
  invoice_relative_expiry: 'u32',
  invoice_payment_hash: 'hash',
  invoice_amount_msat: 'msat',
  invoice_fallbacks: [
    {
      version: 'u8',
      hex: 'hex',
      'address?': 'string',
      'warning_invalid_invoice_fallbacks_version?': 'string',
      'warning_invalid_invoice_fallbacks_address?': 'string',
    },
  ],
  invoice_features: 'hex',
  invoice_node_id: 'pubkey',
  invoice_recurrence_basetime: 'u64',
  signature: 'hex',
  invoice_message_paths: [PATH],
  unknown_invoice_tlvs: UNKNOWN,
};

const BOLT11: Shapes = {
  currency: 'string',
  created_at: 'u64',
  expiry: 'u64',
  payee: 'pubkey',
  amount_msat: 'msat',
  description: 'string',
  description_hash: 'hash',
  min_final_cltv_expiry: 'u32',
  payment_secret: 'secret',
  features: 'hex',
  payment_metadata: 'hex',
  fallbacks: [{ 'type?': 'string', 'addr?': 'string', hex: 'hex' }],
  routes: [
    [
      {
        pubkey: 'pubkey',
        short_channel_id: 'short_channel_id',
        fee_base_msat: 'msat',
        fee_proportional_millionths: 'u32',
        cltv_expiry_delta: 'u32',
      },
    ],
  ],
  extra: [{ tag: 'string', data: 'string' }],
  payment_hash: 'hash',
};

const RUNE: Shapes = {
  unique_id: 'string',
  version: 'string',
  string: 'string',
  restrictions: [{ alternatives: ['string'], summary: 'string' }],
};

/** Endings of the names of warnings. */
const WARNINGS = [
  'unknown_offer_currency',
  'missing_offer_description',
  'missing_invreq_metadata',
  'missing_invreq_payer_id',
  'missing_invoice_request_signature',
  'invalid_invoice_request_signature',
  'missing_invoice_recurrence_basetime',
  'empty_blinded_path',
  'invreq_bip_353_name_name_invalid',
  'invreq_bip_353_name_domain_invalid',
  'invreq_recurrence_cancel_without_counter',
  'invreq_recurrence_cancel_with_zero_counter',
] as const;

/** A member of a result that says why the text cannot be used. */
export type Warning = `warning_${(typeof WARNINGS)[number]}`;

const typeOf = (shape: Shape): string =>
  typeof shape === 'string' ? shape : Array.isArray(shape) ? 'array' : 'object';

const described = (shapes: Shapes, description: string): [string, ResultField][] =>
  Object.entries(shapes).map(([name, shape]) => [
    name,
    { type: typeOf(shape), shape, description, optional: true },
  ]);

/** The members of a result of `decodepay`. */
export const BOLT11_RESULT: Readonly<Record<string, ResultField>> = Object.fromEntries(
  described({ ...BOLT11, signature: 'hex' }, 'Field of the invoice.'),
);

/** All members whose presence depends on the decoded text. */
export const DECODED: Readonly<Record<string, ResultField>> = Object.fromEntries([
  ...described(OFFER, 'Field of the offer; also in invoice requests and invoices (BOLT 12).'),
  ...described(REQUEST, 'Field of the invoice request; also in the invoice (BOLT 12).'),
  ...described(
    INVOICE,
    'Field of the invoice (BOLT 12). Invoice requests and BOLT 11 invoices also have a signature.',
  ),
  ...described(BOLT11, 'Field of a BOLT 11 invoice.'),
  ...described(RUNE, 'Field of a rune. `string` contains the authcode in hex and the restrictions.'),
  ...described(
    Object.fromEntries(WARNINGS.map((name) => [`warning_${name}`, 'string'] as const)),
    'Why the text cannot be used, or what is unusual about it.',
  ),
]);
