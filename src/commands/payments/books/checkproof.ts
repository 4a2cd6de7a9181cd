/** `checkproof`: checks someone's proof that an invoice was paid. */

import { equalBytes, fromHex, toHex } from '../../../bolt/bytes.ts';
import { sha256 } from '../../../bolt/crypto/hashes.ts';
import { parseBolt11 } from '../../../bolt/invoice/bolt11-invoice.ts';
import { checkPayerProof } from '../../../bolt/invoice/payer-proof.ts';
import { WireError } from '../../../bolt/wire-error.ts';
import { field, optional, optionalField, required } from '../../../rpc/command.ts';
import { atMost, hash, string } from '../../../rpc/param-types.ts';
import { defineCommand } from '../../context.ts';

const MAX_PROOF_BYTES = 128 * 1024;

/** Not in Core Lightning. The command needs only the proof: no network, clock or stored data. */
export const checkproof = defineCommand({
  name: 'checkproof',
  summary: 'Verify a proof that an invoice was paid.',
  description:
    'Checks a payer proof (`lnp1…`), made by `createproof` on any node, or a BOLT 11 invoice with its ' +
    'preimage. `valid` says whether all signatures and hashes are correct. If not, `reason` says ' +
    'why. Only `payer_id` identifies the payer. To make sure that a proof is not a copy, ask for ' +
    'one with a note of your choice.',
  category: 'payments',
  readOnly: true,
  params: {
    proof: required(atMost(string, MAX_PROOF_BYTES), 'The payer proof, or the BOLT 11 invoice.'),
    payment_preimage: optional(hash, 'The preimage that belongs to a BOLT 11 invoice.'),
  },
  result: {
    valid: field('boolean', 'Whether the proof is valid, so that the invoice was paid.'),
    reason: optionalField('string', 'Why the proof is invalid.'),
    type: optionalField('string', '`bolt12 payer proof` or `bolt11 invoice`.'),
    payment_hash: optionalField('hash', 'The payment hash that the node signed.'),
    payment_preimage: optionalField('secret', 'The preimage of the payment hash.'),
    node_id: optionalField('pubkey', 'The node that signed the invoice.'),
    payer_id: optionalField('pubkey', 'The key of the payer, which signed the proof.'),
    amount_msat: optionalField('msat', 'The amount that the invoice asked for.'),
    description: optionalField('string', 'The description in the invoice.'),
    created_at: optionalField('u64', 'UNIX time of the invoice.'),
    note: optionalField('string', 'The note that the payer signed.'),
  },
  handler({ proof, payment_preimage }) {
    try {
      return proof.toLowerCase().startsWith('lnp1')
        ? ofPayer(proof)
        : ofBolt11(proof.replace(/^lightning:/i, ''), payment_preimage);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return { valid: false, reason: error.message };
    }
  },
});

function ofPayer(proof: string) {
  const { fields, preimage, note } = checkPayerProof(proof);
  return {
    valid: true,
    type: 'bolt12 payer proof',
    payment_hash: fields.invoicePaymentHash && toHex(fields.invoicePaymentHash),
    payment_preimage: toHex(preimage),
    node_id: fields.invoiceNodeId && toHex(fields.invoiceNodeId),
    payer_id: fields.invreqPayerId && toHex(fields.invreqPayerId),
    amount_msat: fields.invoiceAmountMsat,
    description: fields.offerDescription,
    created_at: fields.invoiceCreatedAt,
    note,
  };
}

function ofBolt11(text: string, preimage: string | undefined) {
  const { payee, amountMsat, timestamp, fields } = parseBolt11(text);
  if (preimage === undefined) return { valid: false, reason: 'Missing payment_preimage' };
  if (!equalBytes(sha256(fromHex(preimage)), fields.paymentHash)) {
    return { valid: false, reason: 'Incorrect preimage' };
  }
  return {
    valid: true,
    type: 'bolt11 invoice',
    payment_hash: toHex(fields.paymentHash),
    payment_preimage: preimage,
    node_id: toHex(payee),
    amount_msat: amountMsat,
    description: fields.description,
    created_at: timestamp,
  };
}
