/** Invoices of our own node, where that is not a Core Lightning node. */
export { invoiceStatus, type OwnInvoice, type OwnInvoiceStatus } from './own-invoice.ts';
export { OwnInvoices } from './own-invoices.ts';
