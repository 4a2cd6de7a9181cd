/** `decode`: what an offer, an invoice request or an invoice says. */
import { checkInvoice, checkInvoiceSignature, parseInvoice } from '../bolt/bolt12-invoice.ts';
import { checkInvoiceRequestSignature, parseInvoiceRequest } from '../bolt/bolt12-invoice-request.ts';
import { offerId } from '../bolt/bolt12-merkle.ts';
import { checkOffer, parseOffer } from '../bolt/bolt12-offer.ts';
import { toHex } from '../bolt/bytes.ts';
import { WireError } from '../bolt/wire-error.ts';
import { field, required } from '../rpc/command.ts';
import { BadToken, type ParamType } from '../rpc/param-types.ts';
import { bolt11Json } from './bolt11-json.ts';
import { invoiceJson, invoiceRequestJson, offerJson, unknownJson } from './bolt12-json.ts';
import { defineCommand } from './context.ts';

/** No invoice is longer; reading takes time that grows with the length. */
const MAX_LENGTH = 256 * 1024;
const MAX_BOLT11_LENGTH = 8 * 1024;

/** A text in one of the formats, already taken apart. */
const decodable: ParamType<object> = {
  name: 'string',
  schema: { type: 'string' },
  parse(token) {
    const text = token.text.replace(/^lightning:/i, '');
    try {
      const decoded = text.length <= MAX_LENGTH ? (decoded12(text) ?? decoded11(text)) : undefined;
      if (decoded !== undefined) return decoded;
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      throw new BadToken(error.message, token);
    }
    throw new BadToken('Unparsable string', token);
  },
};

function decoded12(text: string): object | undefined {
  const prefix = text.slice(0, 4).toLowerCase();
  if (prefix === 'lno1') return decodedOffer(text);
  if (prefix === 'lnr1') return decodedRequest(text);
  return prefix === 'lni1' ? decodedInvoice(text) : undefined;
}

function decoded11(text: string): object | undefined {
  return /^ln/i.test(text) && text.length <= MAX_BOLT11_LENGTH ? bolt11Json(text) : undefined;
}

function decodedOffer(text: string): object {
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

/** A request without a good signature is shown, and marked. */
function decodedRequest(text: string): object {
  const request = parseInvoiceRequest(text);
  const { fields, bytes, unknown } = request;
  const isSigned = isValid(() => checkInvoiceRequestSignature(request));
  const warning = fields.signature === undefined ? 'missing' : 'invalid';
  return {
    type: 'bolt12 invoice_request',
    offer_id: (fields.offerIssuerId ?? fields.offerPaths) ? toHex(offerId(bytes)) : undefined,
    ...offerJson(fields),
    ...invoiceRequestJson(fields),
    signature: fields.signature === undefined ? undefined : toHex(fields.signature),
    unknown_invoice_request_tlvs: unknownJson(unknown),
    ...(!isSigned && { [`warning_${warning}_invoice_request_signature`]: `${warning} signature` }),
    valid: isSigned,
  };
}

/** @throws WireError, also for an invoice that breaks a rule or is not signed by its node. */
function decodedInvoice(text: string): object {
  const invoice = parseInvoice(text);
  checkInvoice(invoice);
  checkInvoiceSignature(invoice, invoice.fields.invoiceNodeId as Uint8Array);
  const { fields, bytes, unknown } = invoice;
  return {
    type: 'bolt12 invoice',
    offer_id: (fields.offerIssuerId ?? fields.offerPaths) ? toHex(offerId(bytes)) : undefined,
    ...offerJson(fields),
    ...invoiceRequestJson(fields),
    ...invoiceJson(fields),
    unknown_invoice_tlvs: unknownJson(unknown),
    valid: true,
  };
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

export const decode = defineCommand({
  name: 'decode',
  summary: 'Decode an offer, an invoice request, or an invoice.',
  description:
    'Takes BOLT 12 offers (`lno1…`), invoice requests (`lnr1…`) and invoices (`lni1…`), and BOLT 11 invoices ' +
    '(`lnbc…`), with or without `lightning:` in front; whatever their chain, expired ones too. The result’s ' +
    '`type` says what it is, `valid` whether it could be used. Texts in it are claims of whoever made it.',
  category: 'utility',
  params: { string: required(decodable, 'What to decode.') },
  result: {
    type: field('string', '`bolt12 offer`, `bolt12 invoice_request`, `bolt12 invoice`, `bolt11 invoice`.'),
    valid: field('boolean', 'Whether nothing disqualifies it.'),
  },
  handler: ({ string: decoded }) => decoded,
});
