/**
 * Follows which invoices LND settles, over successive connections.
 *
 * The subscription starts after the last recorded index, and LND first reports all invoices settled since. But if that
 * index is 0, LND reports only invoices that settle from then on. So our unpaid invoices are then looked up, too.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../rpc/log.ts';
import type { PaidListener } from '../receiver.ts';
import { keepStream } from './client/kept-stream.ts';
import { lookUpInvoice } from './invoice.ts';
import type { LndConnection, LndLink } from './node-link.ts';

/** The members of an invoice (lnrpc.Invoice) that are used here. */
interface SettledRow {
  readonly r_hash: Uint8Array;
  readonly settle_index: string;
  readonly settle_date: string;
  readonly amt_paid_msat: string;
}

const indexOf = ({ settle_index }: SettledRow): bigint => BigInt(settle_index || '0');

/** Reports the paid invoices of an LND node, one at a time. */
export class SettledInvoices {
  readonly #link: LndLink;
  readonly #log: Log;
  readonly #listener: PaidListener;
  /** The index of the last recorded invoice that the subscription reported. */
  #last: bigint;
  #turn = Promise.resolve();
  #isOver = false;
  #endStream: (() => void) | undefined;
  readonly #unsubscribe: () => void;

  constructor(link: LndLink, log: Log, afterIndex: bigint, listener: PaidListener) {
    this.#link = link;
    this.#log = log;
    this.#last = afterIndex;
    this.#listener = listener;
    this.#unsubscribe = link.onUp((connection) => this.#follow(connection));
  }

  /** Ends the subscription. */
  close(): void {
    this.#isOver = true;
    this.#unsubscribe();
    this.#endStream?.();
  }

  #follow(connection: LndConnection): void {
    this.#endStream?.();
    this.#endStream = keepStream<SettledRow>(this.#link, connection, 'SubscribeInvoices', {
      request: () => ({ settle_index: String(this.#last) }),
      onMessage: (row) => this.#queue(() => this.#take(row)),
      onGap: () => this.#queue(() => this.#catchUp(connection)),
      onRefused: ({ message }) => {
        this.#log.unusual(`cannot follow invoices: ${message}; the macaroon must permit invoices:read`);
      },
    });
    this.#queue(() => this.#catchUp(connection));
  }

  #queue(step: () => Promise<void>): void {
    this.#turn = this.#turn.then(step);
  }

  async #take(row: SettledRow): Promise<void> {
    if (indexOf(row) <= this.#last) return;
    await this.#record(row);
    this.#last = indexOf(row);
  }

  /**
   * Records an invoice, if necessary with several attempts. Later invoices wait, because LND repeats only those after
   * the last recorded one.
   */
  async #record(row: SettledRow): Promise<void> {
    const { r_hash, settle_date, amt_paid_msat } = row;
    const paid = { receivedMsat: BigInt(amt_paid_msat), paidAt: Number(settle_date), index: indexOf(row) };
    for (let tries = 1; !this.#isOver; tries++) {
      try {
        return await this.#listener.paid({ paymentHash: Uint8Array.from(r_hash), ...paid });
      } catch (error) {
        if (tries === 1) this.#log.unusual(`a paid invoice is not recorded yet: ${(error as Error).message}`);
        await sleep(this.#link.timing.lastRetryMs, undefined, { ref: false });
      }
    }
  }

  /** Looks up our unpaid invoices, if LND does not report those that settled before the subscription started. */
  async #catchUp(connection: LndConnection): Promise<void> {
    if (this.#last > 0n) return;
    const settled: SettledRow[] = [];
    try {
      for (const hash of this.#listener.unpaid()) {
        if (this.#isOver || !connection.isOpen) return;
        const row = await lookUpInvoice<SettledRow>(this.#link, hash);
        if (row !== undefined && indexOf(row) > 0n) settled.push(row);
      }
    } catch (error) {
      if (connection.isOpen) this.#log.unusual(`cannot look up unpaid invoices: ${(error as Error).message}`);
    }
    settled.sort((a, b) => (indexOf(a) < indexOf(b) ? -1 : 1));
    // `#last` stays 0: an invoice that settled meanwhile may have a smaller index, and is reported by the subscription.
    for (const row of settled) await this.#record(row);
  }
}
