/** `invoice`: creates a BOLT 11 invoice of our own node. */
import { toHex } from '../../bolt/bytes.ts';
import type { Msat } from '../../model/msat.ts';
import { field, optional, required, withDefault } from '../../rpc/command.ts';
import {
  arrayOf,
  atMost,
  bool,
  hash,
  integer,
  type ParamType,
  positiveMsat,
  string,
  stringOrNumber,
} from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { requireInvoices } from './own-invoice-json.ts';

const WEEK_SECONDS = 7 * 24 * 3600;
const MAX_EXPIRY_SECONDS = 10 * 365 * 24 * 3600;
/** Maximum bytes of a BOLT 11 field. A longer description needs `deschashonly`. */
const MAX_FIELD_BYTES = 639;
const MAX_DESCRIPTION_BYTES = 4096;
const MAX_LABEL_BYTES = 1024;
const MAX_CLTV = 2016;

const amountOrAny: ParamType<Msat | 'any'> = {
  name: 'msat|any',
  schema: positiveMsat.schema,
  parse: (token, context) =>
    token.kind === 'string' && token.text === 'any' ? 'any' : positiveMsat.parse(token, context),
};

/** Matches Core Lightning's command. With an attached Core Lightning node, the node's own command is used instead. */
export const invoice = defineCommand({
  name: 'invoice',
  summary: 'Create an invoice to receive a payment.',
  description:
    'Creates a BOLT 11 invoice under a label of your choice. On `lnd` the node creates it (AddInvoice); on the simulated ' +
    'network `simulatepayer` lets a node pay it. Wait for the payment with `waitinvoice` or `waitanyinvoice`.',
  category: 'offers',
  params: {
    amount_msat: required(amountOrAny, 'The amount to receive, or `any`: the payer chooses.'),
    label: required(
      atMost(stringOrNumber, MAX_LABEL_BYTES),
      'A label that no other invoice has. It is not shown to payers.',
    ),
    description: required(atMost(string, MAX_DESCRIPTION_BYTES), 'What the payment is for. Payers see it.'),
    expiry: withDefault(
      integer(1, MAX_EXPIRY_SECONDS),
      WEEK_SECONDS,
      'Number of seconds until the invoice expires.',
    ),
    fallbacks: optional(
      arrayOf(string, 1),
      'An on-chain address for payers who cannot pay otherwise. Only on `lnd`.',
    ),
    preimage: optional(hash, 'The preimage, 64 hex digits. Default: random. Never reuse one.'),
    exposeprivatechannels: optional(
      bool,
      'Whether to include unannounced channels as route hints. Default: true.',
    ),
    cltv: optional(integer(1, MAX_CLTV), 'Minimum final CLTV expiry delta in blocks.'),
    deschashonly: withDefault(
      bool,
      false,
      'Whether the invoice contains only the SHA-256 of the description.',
    ),
  },
  result: {
    bolt11: field('string', 'The invoice.'),
    payment_hash: field('hash', 'SHA-256 of the preimage.'),
    payment_secret: field('secret', 'The secret that the payer must include.'),
    expires_at: field('u64', 'UNIX time.'),
    created_index: field('u64', 'Number of the invoice in the order of creation.'),
  },
  async handler(params, context) {
    const { amount_msat, label, description, expiry, fallbacks, preimage, cltv, deschashonly } = params;
    const book = requireInvoices(context);
    if (!deschashonly && Buffer.byteLength(description) > MAX_FIELD_BYTES) {
      throw badParameter(
        'description',
        `should be at most ${MAX_FIELD_BYTES} bytes, or use deschashonly`,
        description,
      );
    }
    if (fallbacks !== undefined && context.networkPort.kind !== 'lnd') {
      throw badParameter('fallbacks', 'this network has no on-chain addresses', fallbacks.join());
    }
    const made = await book.make({
      amountMsat: amount_msat === 'any' ? undefined : amount_msat,
      ...{ label: String(label), description, expirySeconds: expiry, isHashOnly: deschashonly },
      preimage: preimage === undefined ? undefined : new Uint8Array(Buffer.from(preimage, 'hex')),
      ...{ minFinalCltvExpiryDelta: cltv, fallback: fallbacks?.[0] },
      hasPrivateHints: params.exposeprivatechannels ?? true,
    });
    return {
      bolt11: made.bolt11,
      payment_hash: toHex(made.paymentHash),
      payment_secret: toHex(made.paymentSecret),
      expires_at: made.expiresAt,
      created_index: made.createdIndex,
    };
  },
});
