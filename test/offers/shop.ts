/** An issuer of one offer, and its payer. */
import { randomBytes } from 'node:crypto';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import type { InvoiceRequestFields, OfferFields } from '../../src/bolt/invoice/bolt12-fields.ts';
import {
  checkInvoice,
  checkInvoiceSignature,
  decodeInvoice,
  decodeInvoiceError,
} from '../../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../src/bolt/invoice/bolt12-invoice-request.ts';
import { offerId, signStream } from '../../src/bolt/invoice/bolt12-merkle.ts';
import { CHAIN_HASHES, decodeOffer, encodeOffer } from '../../src/bolt/invoice/bolt12-offer.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../../src/bolt/tlv.ts';
import { nodeIdFromBytes } from '../../src/model/node-id.ts';
import { Issuer, type IssuerOptions } from '../../src/offers/issuer.ts';
import { type IssuedOffer, OfferBook } from '../../src/offers/offer-book.ts';
import { pathToSelf } from './path-to-self.ts';

export const SECRET = new Uint8Array(32).fill(5);
export const NODE_ID = curve.publicKey(SECRET);
export const PAYER = new Uint8Array(32).fill(6);
export const PATH_ID = new Uint8Array(32).fill(7);
export const NOW = 1_700_000_000n;
export const DAY = 86_400n;

export class Shop {
  readonly book = new OfferBook();
  readonly issuer: Issuer;
  readonly offer: Uint8Array;
  nowSeconds = NOW;

  constructor(
    terms: OfferFields = {},
    issued: Partial<IssuedOffer> = {},
    options: Partial<IssuerOptions> = {},
  ) {
    const fields = { offerDescription: 'x', offerAmount: 1000n, offerIssuerId: NODE_ID, ...terms };
    const offer = decodeOffer(encodeOffer(fields));
    this.offer = offer.bytes;
    const standing = { label: undefined, singleUse: false, active: true, used: false, pathIds: [] };
    this.book.putOffer({ ...standing, offer, offerId: offerId(offer.bytes), ...issued });
    this.issuer = new Issuer({
      nodeSecretKey: SECRET,
      nodeId: nodeIdFromBytes(NODE_ID),
      chainHash: CHAIN_HASHES.bitcoin,
      book: this.book,
      receive: () => {
        const preimage = new Uint8Array(randomBytes(32));
        return { preimage, paths: [pathToSelf(NODE_ID, SECRET, sha256(preimage))] };
      },
      convert: (currency, units) => (currency === 'USD' ? units * 10n : undefined),
      requiresPayment: false,
      ...options,
    });
  }

  request(own: InvoiceRequestFields = {}, change?: (records: TlvRecord[]) => TlvRecord[]): Uint8Array {
    const bytes = createInvoiceRequest(this.offer, { invreqMetadata: new Uint8Array(16), ...own }, PAYER);
    if (change === undefined) return bytes;
    const unsigned = change(decodeTlvStream(bytes).filter(({ type }) => type !== 240n));
    return signStream('invoice_request', encodeTlvStream(unsigned), PAYER);
  }

  answer(bytes: Uint8Array, pathId?: Uint8Array) {
    return this.issuer.answer({ bytes, pathId, nowSeconds: this.nowSeconds });
  }

  /** The fields of the invoice for a request that must succeed. */
  invoice(own?: InvoiceRequestFields, pathId?: Uint8Array) {
    const reply = this.answer(this.request(own), pathId);
    if (reply === undefined || 'invoiceError' in reply) throw new Error(textOf(reply));
    const invoice = decodeInvoice(reply.invoice);
    checkInvoice(invoice);
    checkInvoiceSignature(invoice, NODE_ID);
    return { ...invoice.fields, bytes: reply.invoice, label: reply.issued.label };
  }

  error(own?: InvoiceRequestFields): string {
    return textOf(this.answer(this.request(own)));
  }
}

export type Reply = ReturnType<Issuer['answer']>;

/** `field: text` of an error. */
export function textOf(reply: Reply): string {
  if (reply === undefined) return 'silence';
  if ('invoice' in reply) return 'an invoice';
  const { erroneousField, error } = decodeInvoiceError(reply.invoiceError);
  return `${erroneousField ?? 'no field'}: ${error}`;
}

export const recurring: OfferFields = { offerRecurrenceCompulsory: { timeUnit: 1, period: 1 } };
export const based: OfferFields = {
  ...recurring,
  offerRecurrenceBase: { isProportional: false, basetime: NOW },
};
export const counter = (
  invreqRecurrenceCounter: number,
  invreqRecurrenceStart?: number,
): InvoiceRequestFields => ({
  invreqRecurrenceCounter,
  invreqRecurrenceStart,
});
export const COUNTER = 2_000_000_092n;
