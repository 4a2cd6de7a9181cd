/**
 * The error that refuses a static invoice. It says what such an invoice is, who issued it, and how its offer can be
 * paid.
 */
import { toHex } from '../../bolt/bytes.ts';
import { type StaticInvoice, staticInvoiceExpiry } from '../../bolt/invoice/bolt12-static-invoice.ts';
import type { Data } from '../client-error.ts';
import { staticInvoiceJson } from '../utility/bolt12-json.ts';

const MESSAGE =
  'The recipient is offline: its server answers with a static invoice (bolts#1149; LDK 0.2 and later issue them). ' +
  'A static invoice has no payment hash; it is paid once the recipient comes online. Nothing was paid. Retry while the ' +
  'recipient is online, or pay the offer with `xpay` on a service that was started with --pay-static-invoices';

/** Message and data of the error; `data.static_invoice` is what `decode` shows. */
export function staticInvoiceInWords(invoice: StaticInvoice): { message: string; data: Data } {
  return {
    message: MESSAGE,
    data: {
      expires_at: staticInvoiceExpiry(invoice.fields),
      static_invoice: { ...staticInvoiceJson(invoice), valid: true },
      static_invoice_hex: toHex(invoice.bytes),
    },
  };
}
