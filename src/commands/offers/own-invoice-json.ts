/** Invoices of our own node as commands show them, with Core Lightning's members. */
import { toHex } from '../../bolt/bytes.ts';
import {
  invoiceStatus,
  type OwnInvoice,
  type OwnInvoiceStatus,
  type OwnInvoices,
} from '../../invoices/index.ts';
import { realClock, secondsOf } from '../../model/clock.ts';
import { FulguriteError } from '../../model/errors.ts';
import { field, optionalField } from '../../rpc/command.ts';
import type { NodeContext } from '../context.ts';

/** The members of an invoice in the results of `waitinvoice` and similar commands. */
export const INVOICE_RESULT = {
  label: field('string', 'The label.'),
  bolt11: field('string', 'The invoice.'),
  payment_hash: field('hash', 'SHA-256 of the preimage.'),
  amount_msat: optionalField('msat', 'The requested amount. Absent when the payer chooses.'),
  status: field('string', '`unpaid`, `paid` or `expired`.'),
  pay_index: optionalField('u64', 'Number of the invoice in the order of payment.'),
  amount_received_msat: optionalField('msat', 'The amount received.'),
  paid_at: optionalField('u64', 'UNIX time of the payment.'),
  payment_preimage: optionalField('secret', 'Proof of the payment.'),
  description: optionalField('string', 'What the invoice is for.'),
  expires_at: field('u64', 'UNIX time.'),
  created_index: field('u64', 'Number of the invoice in the order of creation.'),
};

/** An invoice with the members of `INVOICE_RESULT`. */
export function ownInvoiceJson(invoice: OwnInvoice) {
  const { label, bolt11, paymentHash, amountMsat, paid, description, expiresAt, createdIndex } = invoice;
  return {
    ...{
      label,
      bolt11,
      payment_hash: toHex(paymentHash),
      amount_msat: amountMsat,
      status: statusNow(invoice),
    },
    ...(paid !== undefined && {
      pay_index: paid.payIndex,
      amount_received_msat: paid.receivedMsat,
      paid_at: paid.paidAt,
      payment_preimage: toHex(invoice.preimage),
    }),
    ...{ description, expires_at: expiresAt, created_index: createdIndex },
  };
}

/** Whether an invoice is paid, unpaid or expired. */
export function statusNow(invoice: OwnInvoice): OwnInvoiceStatus {
  return invoiceStatus(invoice, Number(secondsOf(realClock)));
}

/** @throws FulguriteError notSupported if the network cannot issue invoices */
export function requireInvoices({ invoices, networkPort }: NodeContext): OwnInvoices {
  if (invoices !== undefined) return invoices;
  const message = `The ${networkPort.kind} network makes no invoices: start with --network cln, lnd or simulated`;
  throw new FulguriteError('notSupported', message, { network_kind: networkPort.kind });
}
