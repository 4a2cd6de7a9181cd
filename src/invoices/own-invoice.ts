/** One invoice of our own node, as stored. */
import { fromHex, toHex } from '../bolt/bytes.ts';
import type { PaidNotice } from '../network/receiver.ts';

/** The payment of an invoice. */
export interface InvoicePaid extends Pick<PaidNotice, 'receivedMsat' | 'paidAt'> {
  /** Index of the payment, which increases with each paid invoice. Used by `waitanyinvoice`. */
  readonly payIndex: bigint;
}

/** An invoice. Times are UNIX seconds. */
export interface OwnInvoice {
  readonly label: string;
  readonly bolt11: string;
  readonly paymentHash: Uint8Array;
  readonly paymentSecret: Uint8Array;
  readonly preimage: Uint8Array;
  readonly amountMsat: bigint | undefined;
  readonly description: string | undefined;
  readonly expiresAt: number;
  readonly createdIndex: number;
  readonly paid: InvoicePaid | undefined;
  /** Whether the expiry of the invoice has been reported. */
  readonly isExpiryReported?: boolean | undefined;
  /** The amount that a simulated node is about to pay. */
  readonly arrivingMsat?: bigint | undefined;
}

/** Event: an invoice was paid, or can no longer be paid. */
export interface OwnInvoiceEvent {
  readonly kind: 'paid' | 'expired';
  readonly invoice: OwnInvoice;
}

/** Whether an invoice can be paid, was paid, or can no longer be paid. */
export type OwnInvoiceStatus = 'unpaid' | 'paid' | 'expired';

/** The status of an invoice at a time in UNIX seconds. */
export function invoiceStatus({ paid, expiresAt }: OwnInvoice, nowSeconds: number): OwnInvoiceStatus {
  if (paid !== undefined) return 'paid';
  return nowSeconds >= expiresAt ? 'expired' : 'unpaid';
}

/** The JSON text in which an invoice is stored. */
export function writeInvoice(invoice: OwnInvoice): string {
  const { paymentHash, paymentSecret, preimage, amountMsat, paid, arrivingMsat, ...plain } = invoice;
  return JSON.stringify({
    ...plain,
    ...{ hash: toHex(paymentHash), secret: toHex(paymentSecret), preimage: toHex(preimage) },
    amount: amountMsat?.toString(),
    arriving: arrivingMsat?.toString(),
    paid: paid && { received: `${paid.receivedMsat}`, at: paid.paidAt, index: `${paid.payIndex}` },
  });
}

/** Reads the text from {@link writeInvoice}. */
export function readInvoice(text: string): OwnInvoice {
  const { hash, secret, preimage, amount, arriving, paid, ...plain } = JSON.parse(text);
  return {
    ...plain,
    ...{ paymentHash: fromHex(hash), paymentSecret: fromHex(secret), preimage: fromHex(preimage) },
    description: plain.description,
    amountMsat: amount === undefined ? undefined : BigInt(amount),
    ...(arriving !== undefined && { arrivingMsat: BigInt(arriving) }),
    paid: paid && { receivedMsat: BigInt(paid.received), paidAt: paid.at, payIndex: BigInt(paid.index) },
  };
}
