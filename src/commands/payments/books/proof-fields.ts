/** The fields of a BOLT 12 invoice under Core Lightning's names, as `createproof` accepts and shows them. */
import { mayBeShown } from '../../../bolt/invoice/payer-proof.ts';
import { BadToken, type ParamType, u64 } from '../../../rpc/param-types.ts';

const FIELDS: readonly (readonly [name: string, type: bigint])[] = [
  ['offer_chains', 2n],
  ['offer_metadata', 4n],
  ['offer_currency', 6n],
  ['offer_amount', 8n],
  ['offer_description', 10n],
  ['offer_features', 12n],
  ['offer_absolute_expiry', 14n],
  ['offer_paths', 16n],
  ['offer_issuer', 18n],
  ['offer_quantity_max', 20n],
  ['offer_issuer_id', 22n],
  ['invreq_chain', 80n],
  ['invreq_amount', 82n],
  ['invreq_features', 84n],
  ['invreq_quantity', 86n],
  ['invreq_payer_id', 88n],
  ['invreq_payer_note', 89n],
  ['invreq_paths', 90n],
  ['invreq_bip_353_name', 91n],
  ['invoice_paths', 160n],
  ['invoice_blindedpay', 162n],
  ['invoice_created_at', 164n],
  ['invoice_relative_expiry', 166n],
  ['invoice_payment_hash', 168n],
  ['invoice_amount', 170n],
  ['invoice_fallbacks', 172n],
  ['invoice_features', 174n],
  ['invoice_node_id', 176n],
  ['signature', 240n],
];
const TYPES = new Map(FIELDS);
const NAMES = new Map(FIELDS.map(([name, type]) => [type, name]));

/** A field of an invoice: its name, or its type as a number, which also selects fields without a name. */
export const proofField: ParamType<bigint> = {
  name: 'field name or number',
  schema: { oneOf: [{ type: 'string' }, { type: 'integer', minimum: 0 }] },
  parse(token, context) {
    if (token.kind === 'string') {
      const type = TYPES.get(token.text);
      if (type === undefined) throw new BadToken('Unknown field name', token);
      return type;
    }
    if (token.kind !== 'number') throw new BadToken('Expected name or number', token);
    const type = u64.parse(token, context);
    if (!mayBeShown(type) && !NAMES.has(type))
      throw new BadToken('is not a field that a proof can include', token);
    return type;
  },
};

/**
 * The ranges of field types of an invoice, by the BOLT 12 message that they come from: the first and last type of each
 * range.
 */
const RANGES: Readonly<Record<'offer' | 'invreq' | 'invoice', readonly (readonly [bigint, bigint])[]>> = {
  offer: [
    [1n, 79n],
    [1_000_000_000n, 1_999_999_999n],
  ],
  invreq: [
    [80n, 159n],
    [2_000_000_000n, 2_999_999_999n],
  ],
  invoice: [
    [160n, 240n],
    [3_000_000_000n, 3_999_999_999n],
  ],
};

/** The fields in a proof, by the message they come from. Fields without a name appear as numbers. */
export function includedFields(shown: readonly bigint[]) {
  const within = (from: keyof typeof RANGES): (string | bigint)[] =>
    shown
      .filter((type) => RANGES[from].some(([first, last]) => type >= first && type <= last))
      .map((type) => NAMES.get(type) ?? type);
  return {
    offer_fields_included: within('offer'),
    invreq_fields_included: within('invreq'),
    invoice_fields_included: within('invoice'),
  };
}
