/**
 * What a payment command is asked to pay: a BOLT 11 invoice, a BOLT 12 invoice, or an offer. It is read here,
 * and checked by itself and for our chain. Whether it can be paid now is checked at the payment
 * (invoice-request.ts).
 */
import { BOLT11_CURRENCIES, type Bolt11Currency } from '../../bolt/bolt11-amount.ts';
import { type Bolt11Invoice, parseBolt11 } from '../../bolt/bolt11-invoice.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  type Invoice,
  parseInvoice,
} from '../../bolt/bolt12-invoice.ts';
import { CHAIN_HASHES, checkOffer, type Offer, parseOffer } from '../../bolt/bolt12-offer.ts';
import { equalBytes } from '../../bolt/bytes.ts';
import { WireError } from '../../bolt/wire-error.ts';
import { FulguriteError } from '../../model/errors.ts';
import { atMost, string } from '../../rpc/param-types.ts';
import type { NodeContext } from '../context.ts';

/** What is to be paid, and the text that said so. */
export type Payable = { readonly text: string } & (
  | { readonly kind: 'bolt11'; readonly invoice: Bolt11Invoice }
  | { readonly kind: 'bolt12'; readonly invoice: Invoice }
  | { readonly kind: 'offer'; readonly offer: Offer }
);

const CURRENCIES: Readonly<Record<string, Bolt11Currency>> = {
  bitcoin: 'bc',
  testnet: 'tb',
  testnet4: 'tb',
  signet: 'tbs',
  regtest: 'bcrt',
};

/** The prefix of BOLT 11 invoices on a chain. */
export function currencyOf(chain: string): Bolt11Currency {
  return CURRENCIES[chain] ?? BOLT11_CURRENCIES[0];
}

/**
 * Most characters. No onion message brings a longer invoice or offer, even without `+` and white space in
 * between.
 */
const MAX_CHARACTERS = 128 * 1024;

/** The text of an invoice or an offer. As on Core Lightning, it is read once all parameters are known. */
export const invoiceString = atMost(string, MAX_CHARACTERS);

/** Reads an invoice or an offer for our chain. @throws FulguriteError -32602 */
export function readPayable(invstring: string, context: NodeContext): Payable {
  const text = invstring.replace(/^lightning:/i, '');
  const prefix = text.slice(0, 4).toLowerCase();
  if (prefix === 'lno1') return readOffer(text, context);
  if (prefix === 'lni1') return readBolt12(text, context);
  return readBolt11(text, context);
}

function readOffer(text: string, { offers }: NodeContext): Payable {
  return reading('Invalid bolt12 offer', () => {
    const offer = parseOffer(text);
    checkOffer(offer, offers.chainHash);
    return { kind: 'offer', text, offer };
  });
}

function readBolt12(text: string, { offers }: NodeContext): Payable {
  return reading('Invalid bolt12 invoice', () => {
    const invoice = parseInvoice(text);
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, invoice.fields.invoiceNodeId as Uint8Array);
    if (!equalBytes(invoice.fields.invreqChain ?? CHAIN_HASHES.bitcoin, offers.chainHash))
      throw new WireError('fields', 'wrong chain');
    if (invoice.fields.invoiceAmountMsat === 0n) throw new WireError('fields', 'with zero amount');
    return { kind: 'bolt12', text, invoice };
  });
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

/** The payment hash of an invoice, whatever its chain and its age. Undefined when the text is no invoice. */
export function hashOfInvoice(text: string): Uint8Array | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    const plain = text.replace(/^lightning:/i, '');
    const isBolt12 = plain.slice(0, 4).toLowerCase() === 'lni1';
    return isBolt12 ? parseInvoice(plain).fields.invoicePaymentHash : parseBolt11(plain).fields.paymentHash;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

function reading(what: string, read: () => Payable): Payable {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw refused(`${what}: ${error.message}`);
  }
}

/** An error about what is to be paid. */
export function refused(message: string, parameter = 'invstring'): FulguriteError {
  return new FulguriteError('invalidParams', message, { parameter, reason: message });
}
