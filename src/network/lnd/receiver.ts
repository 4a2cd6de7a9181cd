/** Issues invoices at LND with `AddInvoice`, and reports their payments. */
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import type { InvoiceReceiver, MadeInvoice, PaidListener, ReceiverTerms } from '../receiver.ts';
import { LndError } from './client/calls.ts';
import type { LndLink } from './node-link.ts';
import { SettledInvoices } from './settled-invoices.ts';

/** Part of LND's message about a payment hash that already has an invoice. */
const EXISTS = /invoice with payment hash already exists/;

/** Issues invoices at the node, and tracks them. */
export class LndReceiver implements InvoiceReceiver {
  readonly #link: LndLink;
  readonly #log: Log;

  constructor(link: LndLink, log: Log) {
    this.#link = link;
    this.#log = log;
  }

  async make(terms: ReceiverTerms): Promise<MadeInvoice> {
    const { amountMsat, description, isHashOnly, minFinalCltvExpiryDelta, fallback } = terms;
    const request = {
      r_preimage: terms.preimage,
      ...(amountMsat !== undefined && { value_msat: String(amountMsat) }),
      ...(isHashOnly ? { description_hash: sha256(Buffer.from(description)) } : { memo: description }),
      expiry: String(terms.expirySeconds),
      ...(minFinalCltvExpiryDelta !== undefined && { cltv_expiry: String(minFinalCltvExpiryDelta) }),
      ...(fallback !== undefined && { fallback_addr: fallback }),
      private: terms.hasPrivateHints,
    };
    try {
      const made = await this.#link.call<{ payment_request: string; payment_addr: Uint8Array }>(
        'AddInvoice',
        request,
      );
      return { bolt11: made.payment_request, paymentSecret: made.payment_addr };
    } catch (error) {
      if (!(error instanceof LndError)) throw error;
      if (EXISTS.test(error.message))
        throw new FulguriteError('invoicePreimageExists', 'preimage already used');
      throw new FulguriteError('unspecified', `LND did not make the invoice: ${error.message}`);
    }
  }

  onPaid(afterIndex: bigint, listener: PaidListener): () => void {
    const settled = new SettledInvoices(this.#link, this.#log, afterIndex, listener);
    return () => settled.close();
  }

  async cancel(paymentHash: Uint8Array): Promise<void> {
    try {
      await this.#link.call('CancelInvoice', { payment_hash: paymentHash });
    } catch (error) {
      if (!(error instanceof LndError)) throw error;
      // The invoice was cancelled earlier, or LND no longer has it.
      if (/unable to locate invoice|already canceled/.test(error.message)) return;
      throw new FulguriteError('unspecified', `LND did not cancel the invoice: ${error.message}`);
    }
  }
}
