/** Invoices of our own node, where that is not a Core Lightning node. */
export { type InvoiceStatus, invoiceStatus, type OwnInvoice } from './own-invoice.ts';
export { OwnInvoices } from './own-invoices.ts';
