/** `createproof`: shows a third party that an invoice was paid by us. */
import { parseInvoice } from '../../bolt/bolt12-invoice.ts';
import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { curve } from '../../bolt/curve.ts';
import { createPayerProof } from '../../bolt/payer-proof.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Payment } from '../../payments/payment.ts';
import { field, optional, required } from '../../rpc/command.ts';
import { string } from '../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../context.ts';
import { offerText } from '../offers/offer-types.ts';
import { hashOfInvoice, refused } from './invoice-string.ts';

/**
 * A payer proof as Core Lightning's command makes it, for BOLT 12; for BOLT 11, which knows no payer's key, the preimage
 * beside the invoice. Only reads the journal.
 */
export const createproof = defineCommand({
  name: 'createproof',
  summary: 'Prove that an invoice was paid.',
  description:
    'Of a BOLT 12 invoice that this node asked for and paid, makes a payer proof (`lnp1…`, a draft of the ' +
    'specification): the preimage, the issuer’s signature, some fields of the invoice, and a signature by the key ' +
    'of the payer over all that and a note. Of a BOLT 11 invoice, the proof is the invoice with its preimage: it ' +
    'shows that somebody paid. `checkproof` checks both without a network. Errors: 208 no payment of this invoice ' +
    'is complete; -32602 the text is no invoice, or another node asked for it.',
  category: 'payments',
  since: 'v26.06',
  readOnly: true,
  params: {
    invstring: required(string, 'The invoice, BOLT 11 or BOLT 12.'),
    note: optional(offerText, 'Text to sign along, such as one that the verifier chose.'),
  },
  result: {
    proofs: field(
      'array',
      'Objects of bolt12, or of bolt11 and payment_preimage. One for each complete payment.',
    ),
  },
  async handler({ invstring, note }, context) {
    const paymentHash = hashOfInvoice(invstring);
    if (paymentHash === undefined) throw refused('Neither a bolt11 nor a bolt12 invoice');
    const { journal } = context.payments;
    await journal.written();
    const proofs: object[] = [];
    for await (const payment of journal.payments({ paymentHash, status: 'complete' })) {
      if (payment.request.invoice !== undefined) proofs.push(proofOf(payment, note, context));
    }
    if (proofs.length > 0) return { proofs };
    const message = 'No payment of this invoice is complete';
    throw new FulguriteError('noSuchPayment', message, { payment_hash: toHex(paymentHash) });
  },
});

function proofOf({ request, preimage }: Payment, note: string | undefined, { offers }: NodeContext): object {
  const { format, text } = request.invoice!;
  if (format === 'bolt11') return { bolt11: text, payment_preimage: toHex(preimage!) };
  const { fields, bytes } = parseInvoice(text);
  const payerKey = offers.payerKey(fields.invreqMetadata ?? new Uint8Array(0));
  if (!equalBytes(curve.publicKey(payerKey), fields.invreqPayerId ?? new Uint8Array(0))) {
    throw refused('Another node asked for this invoice, and has the key of its payer');
  }
  return { bolt12: createPayerProof(bytes, preimage!, payerKey, note) };
}
