/**
 * Receives payments through LND, with `AddInvoice` and `SubscribeInvoices`. The subscription starts after the last
 * known settled invoice, and LND reports all invoices settled since. So no payment is missed while LND or this process
 * is down.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fromHex, toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import type { InvoiceReceiver, MadeInvoice, PaidNotice, ReceiverTerms } from '../receiver.ts';
import { LndError } from './client/calls.ts';
import { keepStream } from './client/kept-stream.ts';
import type { LndConnection, LndLink } from './node-link.ts';

/** The members of a `SubscribeInvoices` row that are used here. */
interface SettledRow {
  readonly r_hash: Uint8Array;
  readonly settle_index: string;
  readonly settle_date: string;
  readonly amt_paid_msat: string;
}

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

  onPaid(afterIndex: bigint, listener: (notice: PaidNotice) => Promise<void>): () => void {
    let last = afterIndex;
    let isOver = false;
    let end: (() => void) | undefined;
    // Notices are delivered one at a time, so that indexes stay in order.
    let turn = Promise.resolve();
    const take = async (row: SettledRow): Promise<void> => {
      const index = BigInt(row.settle_index || '0');
      if (index <= last) return;
      const [receivedMsat, paidAt] = [BigInt(row.amt_paid_msat), Number(row.settle_date)];
      await listener({ paymentHash: fromHex(toHex(row.r_hash)), receivedMsat, paidAt, index });
      last = index;
    };
    // A notice that cannot be recorded is repeated. Later ones wait, since only those after `last` come again.
    const record = async (row: SettledRow): Promise<void> => {
      for (let tries = 1; !isOver; tries++) {
        try {
          return await take(row);
        } catch (error) {
          if (tries === 1)
            this.#log.unusual(`a paid invoice is not recorded yet: ${(error as Error).message}`);
          await sleep(this.#link.timing.lastRetryMs, undefined, { ref: false });
        }
      }
    };
    const follow = (connection: LndConnection): void => {
      end?.();
      end = keepStream<SettledRow>(this.#link, connection, 'SubscribeInvoices', {
        request: () => ({ settle_index: String(last) }),
        onMessage: (row) => {
          turn = turn.then(() => record(row));
        },
        onRefused: ({ message }) => {
          this.#log.unusual(`cannot follow invoices: ${message}; the macaroon must permit invoices:read`);
        },
      });
    };
    const unsubscribe = this.#link.onUp(follow);
    return () => {
      isOver = true;
      unsubscribe();
      end?.();
    };
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
