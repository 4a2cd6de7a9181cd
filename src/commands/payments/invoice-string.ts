/**
 * The target of a payment command: a BOLT 11 invoice, a BOLT 12 invoice, an offer, or a name that stands for an offer.
 * This file parses the text, and checks that it is valid and for our chain. invoice-request.ts checks whether it can be
 * paid now.
 */

import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { currencyOf } from '../../bolt/invoice/bolt11-amount.ts';
import { type Bolt11Invoice, parseBolt11 } from '../../bolt/invoice/bolt11-invoice.ts';
import type { Bip353Name } from '../../bolt/invoice/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  type Invoice,
  parseInvoice,
} from '../../bolt/invoice/bolt12-invoice.ts';
import {
  CHAIN_HASHES,
  checkOffer,
  isForChain,
  type Offer,
  parseOffer,
} from '../../bolt/invoice/bolt12-offer.ts';
import {
  checkStaticInvoice,
  decodeStaticInvoice,
  staticInvoiceBytes,
} from '../../bolt/invoice/bolt12-static-invoice.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { FulguriteError } from '../../model/errors.ts';
import { atMost, string } from '../../rpc/param-types.ts';
import { refusedParameter } from '../../rpc/params.ts';
import { asError } from '../client-error.ts';
import type { NodeContext } from '../context.ts';
import { parseBip353Name } from '../offers/offer-types.ts';
import { staticInvoiceInWords } from '../offers/static-invoice-words.ts';

/** The target of the payment, and the caller's text for it. */
export type Payable = { readonly text: string } & (
  | { readonly kind: 'bolt11'; readonly invoice: Bolt11Invoice }
  | { readonly kind: 'bolt12'; readonly invoice: Invoice }
  /** An offer, and the name from which it was resolved, if any. */
  | { readonly kind: 'offer'; readonly offer: Offer; readonly name?: Bip353Name | undefined }
  | { readonly kind: 'name'; readonly name: Bip353Name }
);

/** A target that is not a name, or whose name has been resolved. */
export type KnownPayable = Exclude<Payable, { kind: 'name' }>;

/**
 * Maximum number of characters, including `+` and white space. Without them, a BOLT 12 text that fits in an onion
 * message has at most about 52,000 characters.
 */
const MAX_CHARACTERS = 128 * 1024;

/**
 * The text of an invoice, an offer or a name. As in Core Lightning, it is parsed only after all parameters are known.
 */
export const invoiceString = atMost(string, MAX_CHARACTERS);

/** An offer that is to be paid. */
export type OfferPayable = Extract<Payable, { kind: 'offer' }>;

/** Parses an invoice, an offer or a name for our chain. @throws FulguriteError -32602, staticInvoice */
export function readPayable(invstring: string, context: NodeContext): Payable {
  const text = invstring.replace(/^lightning:/i, '');
  const prefix = text.slice(0, 4).toLowerCase();
  if (prefix === 'lno1') return readOffer(text, context);
  const staticInvoice = staticInvoiceBytes(text);
  if (staticInvoice !== undefined) throw unpayableStaticInvoice(staticInvoice, context);
  if (prefix === 'lni1') return readBolt12(text, context);
  if (text.includes('@')) return readName(text);
  return readBolt11(text, context);
}

function readOffer(text: string, { offers }: NodeContext): OfferPayable {
  return reading('Invalid bolt12 offer', () => {
    const offer = parseOffer(text);
    checkOffer(offer, offers.chainHash);
    return { kind: 'offer', text, offer };
  });
}

function readName(text: string): Payable {
  const name = parseBip353Name(text);
  if (typeof name === 'string') throw refused(`Invalid BIP353 name: ${name}`);
  return { kind: 'name', text, name };
}

/**
 * Resolves a name to its offer (BIP 353), with the configured resolver or else with our node.
 * @throws FulguriteError notSupported when there is neither; nameUnresolved; -32602 when the name has no offer for our
 *   chain
 */
export async function resolved(payable: Payable, context: NodeContext): Promise<KnownPayable> {
  if (payable.kind !== 'name') return payable;
  const { text, name } = payable;
  const offersOfName = resolverOf(payable, context);
  const offers = await offersOfName(name);
  return { ...firstForUs(offers, context), text, name };
}

/** The function that resolves names to offers. @throws FulguriteError notSupported, which says what to do instead */
export function resolverOf(
  { text }: Payable,
  { networkPort, names }: NodeContext,
): (name: Bip353Name) => Promise<readonly string[]> {
  if (names !== undefined) return (name) => offersIn(names, name);
  if (networkPort.offerOfName !== undefined) {
    return async ({ name, domain }) => [await networkPort.offerOfName!(`${name}@${domain}`)];
  }
  const message =
    `${text} is a BIP 353 name, and this node has no DNSSEC resolver. Start with --name-resolver, or resolve it with ` +
    '`fetchbip353` of a Core Lightning node, or with a wallet, and pay the offer (lno1…) instead';
  throw new FulguriteError('notSupported', message, {
    parameter: 'invstring',
    network_kind: networkPort.kind,
  });
}

async function offersIn(
  names: NonNullable<NodeContext['names']>,
  { name, domain }: Bip353Name,
): Promise<readonly string[]> {
  const { offers } = await names.resolve(name, domain);
  if (offers.length > 0) return offers;
  const message = `BIP353: ${name}@${domain} has no offer`;
  throw new FulguriteError('nameUnresolved', message, { reason: 'instructions' });
}

/**
 * The first offer for our chain: a name may have an offer for each chain. @throws FulguriteError -32602 about the first
 * offer, if none is for our chain
 */
function firstForUs(offers: readonly string[], context: NodeContext): OfferPayable {
  let refusal: unknown;
  for (const offer of offers) {
    try {
      return readOffer(offer, context);
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

function readBolt12(text: string, { offers }: NodeContext): Payable {
  return reading('Invalid bolt12 invoice', () => {
    const invoice = parseInvoice(text);
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, invoice.fields.invoiceNodeId as Uint8Array);
    if (!equalBytes(invoice.fields.invreqChain ?? CHAIN_HASHES.bitcoin, offers.chainHash))
      throw new WireError('fields', 'wrong chain');
    if (invoice.fields.invoiceAmountMsat === 0n) throw refused('Invalid bolt12 invoice with zero amount');
    return { kind: 'bolt12', text, invoice };
  });
}

/** The error that says why a static invoice given as text is not paid: it is invalid, or only its offer can be paid. */
function unpayableStaticInvoice(bytes: Uint8Array, { offers }: NodeContext): FulguriteError {
  try {
    const invoice = decodeStaticInvoice(bytes);
    checkStaticInvoice(invoice);
    if (!isForChain(invoice.fields, offers.chainHash)) throw new WireError('fields', 'wrong chain');
    return asError({ error: 'staticInvoice', ...staticInvoiceInWords(invoice) });
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return refused(`Invalid bolt12 static invoice: ${error.message}`);
  }
}

function readBolt11(text: string, { chain }: NodeContext): Payable {
  return reading('Invalid bolt11 invoice', () => {
    const invoice = parseBolt11(text);
    const ours = currencyOf(chain);
    if (invoice.currency !== ours) {
      throw new WireError('invalid', `it is for another chain: ln${invoice.currency}, not ln${ours}`);
    }
    return { kind: 'bolt11', text, invoice };
  });
}

/**
 * The payment hash of an invoice. The invoice may be for any chain, and may have expired. Undefined when the text is
 * not an invoice.
 */
export function hashOfInvoice(text: string): Uint8Array | undefined {
  try {
    return parsedHash(text);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/**
 * The payment hash, as hex digits, of the invoice by which a list is filtered. Undefined without a filter.
 * @throws FulguriteError -32602, with Core Lightning's text, if the text is not an invoice
 */
export function filteredHash(text: string | undefined, parameter: string): string | undefined {
  if (text === undefined) return undefined;
  try {
    return toHex(parsedHash(text));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw refused(`Invalid invstring: ${error.message}`, parameter);
  }
}

/** @throws WireError when the text is not an invoice */
function parsedHash(text: string): Uint8Array {
  if (text.length > MAX_CHARACTERS)
    throw new WireError('invalid', `longer than ${MAX_CHARACTERS} characters`);
  const plain = text.replace(/^lightning:/i, '');
  if (plain.slice(0, 4).toLowerCase() !== 'lni1') return parseBolt11(plain).fields.paymentHash;
  const { invoicePaymentHash } = parseInvoice(plain).fields;
  if (invoicePaymentHash === undefined) throw new WireError('fields', 'missing invoice_payment_hash');
  return invoicePaymentHash;
}

function reading<P extends Payable>(what: string, read: () => P): P {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw refused(`${what}: ${error.message}`);
  }
}

/** An error about the target of the payment. */
export function refused(message: string, parameter = 'invstring'): FulguriteError {
  return refusedParameter(parameter, message);
}
