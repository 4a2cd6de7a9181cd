/** `createproof`: proves to a third party that we paid an invoice. */

import { equalBytes, toHex } from '../../../bolt/bytes.ts';
import { curve } from '../../../bolt/crypto/curve.ts';
import { type Invoice, parseInvoice } from '../../../bolt/invoice/bolt12-invoice.ts';
import { offerId } from '../../../bolt/invoice/bolt12-merkle.ts';
import { parseOffer } from '../../../bolt/invoice/bolt12-offer.ts';
import { createPayerProof, type ProofWishes } from '../../../bolt/invoice/payer-proof.ts';
import { WireError } from '../../../bolt/wire-error.ts';
import { FulguriteError } from '../../../model/errors.ts';
import type { Payment } from '../../../payments/payment.ts';
import { field, optional, required } from '../../../rpc/command.ts';
import { arrayOf } from '../../../rpc/param-types.ts';
import { defineCommand, type NodeContext } from '../../context.ts';
import { offerText, parseBip353Name } from '../../offers/offer-types.ts';
import { hashOfInvoice, invoiceString, refused } from '../invoice-string.ts';
import { includedFields, proofField } from './proof-fields.ts';

/** Maximum number of proofs per result. If there are more payments for an offer, only the first are proven. */
const MAX_PROOFS = 1_000;
const MAX_FIELDS = 1_000;

/**
 * For BOLT 12, returns a payer proof as Core Lightning's command does. BOLT 11 has no payer key, so for BOLT 11 the
 * proof is the invoice with its preimage. The command only reads the journal.
 */
export const createproof = defineCommand({
  name: 'createproof',
  summary: 'Prove that an invoice was paid.',
  description:
    'Creates a payer proof (`lnp1…`, draft specification) for a BOLT 12 invoice that this node requested ' +
    'and paid. The proof contains the preimage, the issuer’s signature, selected fields of the invoice, and ' +
    'the note if one is given, all signed with the payer key. For a BOLT 11 invoice, the proof is the invoice with its ' +
    'preimage, which only shows that the invoice was paid, not by whom. `checkproof` verifies both kinds ' +
    'offline. Errors: 1700 no payment of this invoice, offer or name is complete; -32602 the text is ' +
    'invalid, or another node requested the invoice.',
  category: 'payments',
  since: 'Core Lightning v26.06',
  readOnly: true,
  params: {
    invstring: required(
      invoiceString,
      'The BOLT 11 or BOLT 12 invoice, or the offer or name (BIP 353) from which it was fetched.',
    ),
    note: optional(offerText, 'A text to sign as well, for example one chosen by the verifier.'),
    include: optional(
      arrayOf(proofField, MAX_FIELDS),
      'Fields to include if present in the invoice, by name or number. Default: offer_description, ' +
        'offer_issuer_id, invoice_created_at and invoice_amount. Always included: invreq_payer_id, ' +
        'invoice_payment_hash, invoice_features, invoice_node_id and signature.',
    ),
  },
  result: {
    proofs: field(
      'array',
      'Objects with bolt12, offer_fields_included, invreq_fields_included and invoice_fields_included; or with bolt11 and ' +
        `payment_preimage. One for each complete payment, at most ${MAX_PROOFS}.`,
    ),
  },
  async handler({ invstring, ...wishes }, context) {
    const isWanted = wantedPayments(invstring);
    const { journal } = context.payments;
    await journal.written();
    const proofs: ReturnType<typeof proofOf>[] = [];
    for await (const payment of journal.payments({ ...isWanted.filter, status: 'complete' })) {
      if (!isWanted.by(payment)) continue;
      proofs.push(proofOf(payment, wishes, context));
      if (proofs.length >= MAX_PROOFS) break;
    }
    if (proofs.length > 0) return { proofs };
    throw new FulguriteError('nothingToProve', 'No successful payment found for that invstring');
  },
});

/** How to find payments: by hash for an invoice, by invoice fields for an offer or a name. */
function wantedPayments(text: string): {
  readonly filter: { readonly paymentHash?: Uint8Array };
  readonly by: (payment: Payment) => boolean;
} {
  const paymentHash = hashOfInvoice(text);
  if (paymentHash !== undefined) {
    return { filter: { paymentHash }, by: ({ request }) => request.invoice !== undefined };
  }
  const isWanted = isOfName(text) ?? isOfOffer(text);
  // A static invoice has no payment hash, so its preimage proves nothing.
  const by = ({ request: { invoice } }: Payment): boolean =>
    invoice?.format === 'bolt12' && invoice.held === undefined && isWanted(parseInvoice(invoice.text));
  return { filter: {}, by };
}

/** Returns a test for invoices that were requested for this name. Undefined when the text is not a name. */
function isOfName(text: string): ((invoice: Invoice) => boolean) | undefined {
  const name = parseBip353Name(text);
  if (typeof name === 'string') return undefined;
  return ({ fields: { invreqBip353Name: one } }) => one?.name === name.name && one.domain === name.domain;
}

function isOfOffer(text: string): (invoice: Invoice) => boolean {
  const wanted = offerIdOf(text);
  return ({ bytes }) => equalBytes(offerId(bytes), wanted);
}

function offerIdOf(text: string): Uint8Array {
  try {
    return offerId(parseOffer(text).bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw refused('Expected an invoice, an offer, or user@domain');
  }
}

function proofOf({ request, preimage }: Payment, wishes: ProofWishes, { offers }: NodeContext) {
  const { format, text } = request.invoice!;
  if (format === 'bolt11') return { bolt11: text, payment_preimage: toHex(preimage!) };
  const { fields, bytes } = parseInvoice(text);
  const payerKey = offers.payerKey(fields.invreqMetadata ?? new Uint8Array(0));
  if (!equalBytes(curve.publicKey(payerKey), fields.invreqPayerId ?? new Uint8Array(0))) {
    throw refused('Another node requested this invoice, and has the payer key');
  }
  const proof = createPayerProof(bytes, preimage!, payerKey, wishes);
  return { bolt12: proof.text, ...includedFields(proof.shown) };
}
