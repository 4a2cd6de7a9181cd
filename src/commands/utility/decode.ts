/** `decode`: shows the contents of an offer, an invoice request, an invoice or a rune. */

import { toHex } from '../../bolt/bytes.ts';
import { checkInvoice, checkInvoiceSignature, parseInvoice } from '../../bolt/invoice/bolt12-invoice.ts';
import {
  checkInvoiceRequestSignature,
  checkRequestForm,
  type InvoiceRequest,
  parseInvoiceRequest,
} from '../../bolt/invoice/bolt12-invoice-request.ts';
import { offerId } from '../../bolt/invoice/bolt12-merkle.ts';
import { checkOffer, parseOffer } from '../../bolt/invoice/bolt12-offer.ts';
import {
  checkStaticInvoice,
  decodeStaticInvoice,
  staticInvoiceBytes,
} from '../../bolt/invoice/bolt12-static-invoice.ts';
import { MAX_CHARACTERS } from '../../bolt/invoice/bolt12-string.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { field, required } from '../../rpc/command.ts';
import { BadToken, type ParamType } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { bolt11Json } from './bolt11-json.ts';
import { invoiceJson, invoiceRequestJson, offerJson, staticInvoiceJson, unknownJson } from './bolt12-json.ts';
import { invoiceWarnings, ownRequestWarnings, requestWarnings, type Warnings } from './bolt12-warnings.ts';
import { DECODED } from './decode-members.ts';
import { runeJson } from './rune-json.ts';

/** A text that can only be intended as a BOLT 11 invoice: a known currency, an optional amount, and data. */
const BOLT11_FORM = /^ln(?:bcrt|bc|tbs|tb)\d*[munp]?1[^1]*$/i;

/** A text in one of the formats; the handler receives the decoded object. */
const decodable: ParamType<NonNullable<ReturnType<typeof describe>>> = {
  name: 'string',
  schema: { type: 'string' },
  parse(token) {
    const text = token.text.replace(/^lightning:/i, '');
    if (text.length > MAX_CHARACTERS)
      throw new BadToken(`should have at most ${MAX_CHARACTERS} characters`, token);
    try {
      const decoded = describe(text);
      if (decoded !== undefined) return decoded;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new BadToken(error.message, token);
    }
    throw new BadToken('Unparsable string', token);
  },
};

function describe(text: string) {
  const prefix = text.slice(0, 4).toLowerCase();
  if (prefix === 'lno1') return decodedOffer(text);
  if (prefix === 'lnr1') return decodedRequest(text);
  const staticInvoice = staticInvoiceBytes(text);
  if (staticInvoice !== undefined) return decodedStaticInvoice(staticInvoice);
  if (prefix === 'lni1') return decodedInvoice(text);
  return BOLT11_FORM.test(text) ? bolt11Json(text) : runeJson(text);
}

function decodedOffer(text: string) {
  const offer = parseOffer(text);
  checkOffer(offer);
  return {
    type: 'bolt12 offer',
    offer_id: toHex(offerId(offer.bytes)),
    ...offerJson(offer.fields),
    unknown_offer_tlvs: unknownJson(offer.unknown),
    valid: true,
  };
}

/** Decodes an invoice request, even if it is incomplete or unsigned. Warnings then say so. */
function decodedRequest(text: string) {
  const request = parseInvoiceRequest(text);
  checkRequestForm(request);
  const { fields, bytes, unknown } = request;
  const warnings = {
    ...requestWarnings(fields),
    ...ownRequestWarnings(fields),
    ...signatureWarnings(request),
  };
  return {
    type: 'bolt12 invoice_request',
    offer_id: (fields.offerIssuerId ?? fields.offerPaths) ? toHex(offerId(bytes)) : undefined,
    ...offerJson(fields),
    ...invoiceRequestJson(fields),
    signature: fields.signature && toHex(fields.signature),
    unknown_invoice_request_tlvs: unknownJson(unknown),
    ...warnings,
    valid: isEmpty(warnings),
  };
}

function signatureWarnings(request: InvoiceRequest): Warnings {
  const { signature, invreqPayerId } = request.fields;
  if (signature === undefined) return { warning_missing_invoice_request_signature: 'Missing signature' };
  // Without a payer id, the signature cannot be checked. The missing payer id has its own warning.
  if (invreqPayerId === undefined) return {};
  const isSigned = isValid(() => checkInvoiceRequestSignature(request));
  return isSigned ? {} : { warning_invalid_invoice_request_signature: 'Bad signature' };
}

/** @throws WireError when the invoice cannot be parsed, breaks a rule of BOLT 12, or is not signed by its node. */
function decodedInvoice(text: string) {
  const invoice = parseInvoice(text);
  checkInvoice(invoice);
  checkInvoiceSignature(invoice, invoice.fields.invoiceNodeId as Uint8Array);
  const { fields, bytes, unknown } = invoice;
  const warnings = invoiceWarnings(fields);
  return {
    type: 'bolt12 invoice',
    offer_id: (fields.offerIssuerId ?? fields.offerPaths) ? toHex(offerId(bytes)) : undefined,
    ...offerJson(fields),
    ...invoiceRequestJson(fields),
    ...invoiceJson(fields),
    unknown_invoice_tlvs: unknownJson(unknown),
    ...warnings,
    valid: isEmpty(warnings),
  };
}

/** @throws WireError when the invoice breaks a rule of static invoices */
function decodedStaticInvoice(bytes: Uint8Array) {
  const invoice = decodeStaticInvoice(bytes);
  checkStaticInvoice(invoice);
  return { ...staticInvoiceJson(invoice), valid: true };
}

function isEmpty(warnings: Warnings): boolean {
  return Object.keys(warnings).length === 0;
}

function isValid(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return false;
  }
}

/** Matches Core Lightning's command, for BOLT 11 and BOLT 12 texts and for runes. */
export const decode = defineCommand({
  name: 'decode',
  summary: 'Decode an offer, an invoice request, an invoice, or a rune.',
  description:
    'Takes BOLT 12 offers (`lno1…`), invoice requests (`lnr1…`) and invoices (`lni1…`), static invoices ' +
    '(bolts#1149; `lni1…` or hex), and BOLT 11 invoices (`lnbc…`), with or without the prefix `lightning:`, for any chain, expired or not; and runes, of any node. `type` is ' +
    'the kind of the text. `valid` says whether it can be used; if not, members `warning_…` say why. A ' +
    'malformed text, or an invoice with an invalid signature, is refused with the reason. Descriptions and notes ' +
    'in the text are unverified claims of its author.',
  category: 'utility',
  readOnly: true,
  params: { string: required(decodable, 'The text to decode.') },
  result: {
    type: field(
      'string',
      '`bolt12 offer`, `bolt12 invoice_request`, `bolt12 invoice`, `bolt12 static invoice`, `bolt11 invoice`, `rune`.',
    ),
    valid: field('boolean', 'Whether the text can be used.'),
    ...DECODED,
  },
  handler: ({ string: decoded }) => decoded,
});
