/** Invoices of our own node, unless our node is a Core Lightning node. */
export {
  type InvoicePaid,
  invoiceStatus,
  type OwnInvoice,
  type OwnInvoiceEvent,
  type OwnInvoiceStatus,
} from './own-invoice.ts';
export { OwnInvoices, type OwnInvoicesOptions } from './own-invoices.ts';
