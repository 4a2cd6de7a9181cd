/** The fields of an invoice that a rune can test: its amount, its description, and the recipient's node. */

import { toHex } from '../bolt/bytes.ts';
import { parseBolt11 } from '../bolt/invoice/bolt11-invoice.ts';
import { checkInvoice, parseInvoice } from '../bolt/invoice/bolt12-invoice.ts';
import { WireError } from '../bolt/wire-error.ts';
import type { FieldValue, Unreadable } from './field-value.ts';

/** The last part of a field name `pinvN_…`. */
export type InvoiceField = 'amount' | 'description' | 'node';

/** Maximum length of an invoice in characters. The time to read an invoice grows with its length. */
const MAX_CHARACTERS = 256 * 1024;

/** The facts of one invoice. A fact that is missing in the invoice is undefined. */
interface InvoiceFacts {
  readonly amountMsat: bigint | undefined;
  readonly description: string | undefined;
  readonly node: string | undefined;
}

/** One field of an invoice: BOLT 11, or BOLT 12 (`lni1…`). Undefined if the invoice does not contain it. */
export function invoiceField(invoice: string, field: InvoiceField): FieldValue | Unreadable | undefined {
  let facts: InvoiceFacts;
  try {
    facts = factsOf(invoice.replace(/^lightning:/i, ''));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { kind: 'unreadable', complaint: `Invalid invoice: ${error.message}` };
  }
  const { amountMsat, description, node } = facts;
  if (field === 'amount') {
    return amountMsat === undefined ? undefined : { kind: 'integer', integer: amountMsat };
  }
  const text = field === 'description' ? description : node;
  return text === undefined ? undefined : { kind: 'text', text };
}

/** @throws WireError */
function factsOf(text: string): InvoiceFacts {
  if (text.length > MAX_CHARACTERS) throw new WireError('tooLong', 'too long');
  return /^lni1/i.test(text) ? bolt12Facts(text) : bolt11Facts(text);
}

function bolt12Facts(text: string): InvoiceFacts {
  const invoice = parseInvoice(text);
  // This check proves that the issuer signed the invoice, and so that the issuer is the recipient.
  checkInvoice(invoice);
  const { invoiceAmountMsat, offerDescription, offerIssuerId } = invoice.fields;
  return {
    amountMsat: invoiceAmountMsat,
    description: offerDescription,
    node: offerIssuerId && toHex(offerIssuerId),
  };
}

function bolt11Facts(text: string): InvoiceFacts {
  const { amountMsat, payee, fields } = parseBolt11(text);
  return { amountMsat, description: fields.description, node: toHex(payee) };
}
