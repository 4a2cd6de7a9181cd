/**
 * The invoices of our own node: created by a receiver (LND, or the simulated network), stored by label as in Core
 * Lightning, and awaited.
 *
 * An invoice is stored before its caller receives it. A payment is stored before it is reported. The receiver starts
 * after the index of the last stored payment, so it reports payments that arrived while this process was down.
 *
 * The listener (`onEvent`) is called in the same turn of the event loop in which the payment or expiry of an invoice is
 * stored, so its own writes are part of the same commit. A payment may be reported after the expiry of its invoice, if
 * the node accepted it in time.
 */
import { randomBytes } from 'node:crypto';
import { toHex } from '../bolt/bytes.ts';
import { sha256 } from '../bolt/crypto/hashes.ts';
import type { Clock } from '../model/clock.ts';
import { FulguriteError } from '../model/errors.ts';
import { EventQueue } from '../model/event-queue.ts';
import type { InvoiceReceiver, PaidNotice, ReceiverTerms } from '../network/receiver.ts';
import type { RecordRepository } from '../store/record-repository.ts';
import {
  invoiceStatus,
  type OwnInvoice,
  type OwnInvoiceEvent,
  readInvoice,
  writeInvoice,
} from './own-invoice.ts';

/** A caller's request for an invoice. */
export interface InvoiceWish extends Omit<ReceiverTerms, 'preimage'> {
  readonly label: string;
  readonly preimage?: Uint8Array | undefined;
}

/** What `OwnInvoices` needs from other parts of the program. */
export interface OwnInvoicesOptions {
  readonly receiver: InvoiceReceiver;
  readonly repository: RecordRepository;
  readonly clock: Clock;
  /** Called for invoices that were paid or have expired. Must not throw. */
  readonly onEvent?: (event: OwnInvoiceEvent) => void;
}

const PREIMAGE_BYTES = 32;
const PAGE = 1000;
/** Maximum number of invoices, because all of them are in memory. */
const MAX_INVOICES = 1_000_000;
/** Maximum number of expiries reported in one turn. */
const EXPIRIES_AT_ONCE = 500;
/** Maximum milliseconds of a timer: a day. Timers of Node.js overflow after 24.8 days. */
const LONGEST_TIMER_MS = 86_400_000;
/**
 * The queue of expiries is rebuilt when it has over this many more entries than there are invoices, because invoices
 * were paid or deleted.
 */
const STALE_EXPIRIES = 10_000;
/** Milliseconds until expiries that could not be stored are noted again. */
const EXPIRY_PAUSE_MS = 60_000;

/** Creates, stores, lists and awaits invoices. */
export class OwnInvoices {
  readonly #options: OwnInvoicesOptions;
  readonly #byLabel = new Map<string, OwnInvoice>();
  readonly #labelOfHash = new Map<string, string>();
  /** Labels of invoices that are being created. */
  readonly #making = new Set<string>();
  readonly #watchers = new Set<() => void>();
  /** Paid invoices in order of their `payIndex`. */
  #paid: OwnInvoice[] = [];
  #created = 0;
  /** Expiries, in UNIX seconds, of invoices that may expire unpaid. */
  #expiries = new EventQueue();
  #cancelExpiry: (() => void) | undefined;
  #isClosed = false;
  #end: (() => void) | undefined;

  private constructor(options: OwnInvoicesOptions) {
    this.#options = options;
  }

  /** Loads the stored invoices. If there are any, starts to listen for payments. */
  static async open(options: OwnInvoicesOptions): Promise<OwnInvoices> {
    const book = new OwnInvoices(options);
    for (let after: string | undefined; ; ) {
      const page = await options.repository.records('invoice', after, PAGE);
      for (const { body } of page) book.#add(readInvoice(body));
      after = page.at(-1)?.id;
      if (page.length < PAGE) break;
    }
    book.#paid.sort((a, b) => (payIndexOf(a) < payIndexOf(b) ? -1 : 1));
    // If there are no invoices, the node is not queried, because we may lack the permission.
    if (book.#byLabel.size > 0) book.#listen();
    book.#queueExpiries();
    return book;
  }

  close(): void {
    this.#end?.();
    this.#cancelExpiry?.();
    this.#isClosed = true;
    this.#changed();
  }

  /** All invoices in order of creation. */
  list(): OwnInvoice[] {
    return [...this.#byLabel.values()].sort((a, b) => a.createdIndex - b.createdIndex);
  }

  get(label: string): OwnInvoice | undefined {
    return this.#byLabel.get(label);
  }

  byHash(paymentHash: Uint8Array): OwnInvoice | undefined {
    const label = this.#labelOfHash.get(toHex(paymentHash));
    return label === undefined ? undefined : this.#byLabel.get(label);
  }

  /**
   * Creates an invoice. @throws FulguriteError invoiceLabelExists, invoicePreimageExists, busy, storeFailed; any error
   *   of the receiver
   */
  async make({ label, ...wish }: InvoiceWish): Promise<OwnInvoice> {
    if (this.#byLabel.has(label) || this.#making.has(label)) {
      throw new FulguriteError('invoiceLabelExists', `Duplicate label '${label}'`);
    }
    if (this.#byLabel.size + this.#making.size >= MAX_INVOICES) {
      throw new FulguriteError('busy', `There are ${MAX_INVOICES} invoices: delete some with delinvoice`);
    }
    const preimage = wish.preimage ?? new Uint8Array(randomBytes(PREIMAGE_BYTES));
    const paymentHash = sha256(preimage);
    if (this.#labelOfHash.has(toHex(paymentHash))) throw preimageUsed();
    this.#making.add(label);
    try {
      const { bolt11, paymentSecret } = await this.#options.receiver.make({ ...wish, preimage });
      const invoice: OwnInvoice = {
        ...{ label, bolt11, paymentHash, paymentSecret, preimage },
        amountMsat: wish.amountMsat,
        description: wish.description,
        expiresAt: this.#nowSeconds() + wish.expirySeconds,
        createdIndex: this.#created + 1,
        paid: undefined,
      };
      this.#keep(invoice);
      await this.#options.repository.durable();
      this.#listen();
      this.#queueExpiry(invoice);
      this.#armExpiry();
      return invoice;
    } finally {
      this.#making.delete(label);
    }
  }

  /**
   * Deletes an invoice, or only its description. Before an invoice that was not paid is deleted, it is cancelled at the
   * node.
   */
  async delete(invoice: OwnInvoice, isDescriptionOnly: boolean): Promise<OwnInvoice> {
    const { repository, receiver } = this.#options;
    if (isDescriptionOnly) {
      const less = { ...invoice, description: undefined };
      this.#keep(less);
      await repository.durable();
      return less;
    }
    if (this.#status(invoice) !== 'paid') await receiver.cancel(invoice.paymentHash);
    // If the invoice was paid in the meantime, it is not deleted.
    const now = this.#byLabel.get(invoice.label);
    if (now === undefined || this.#status(now) !== this.#status(invoice)) {
      throw new FulguriteError('invoiceStatusUnexpected', 'The invoice has changed; list it again');
    }
    repository.removeRecord('invoice', invoice.label);
    this.#byLabel.delete(invoice.label);
    this.#labelOfHash.delete(toHex(invoice.paymentHash));
    this.#paid = this.#paid.filter(({ label }) => label !== invoice.label);
    this.#changed();
    await repository.durable();
    return invoice;
  }

  /** Stores an amount that a simulated node is about to pay, so that it is known after a crash. */
  async noteArriving(invoice: OwnInvoice, arrivingMsat: bigint): Promise<void> {
    const kept = this.#byLabel.get(invoice.label);
    if (kept === undefined || kept.paid !== undefined) return;
    this.#keep({ ...kept, arrivingMsat });
    await this.#options.repository.durable();
  }

  /** Invoices that a simulated node was about to pay, and that are not known to be paid. */
  arriving(): (OwnInvoice & { readonly amountMsat: bigint })[] {
    return this.list().flatMap((invoice) => {
      const { arrivingMsat, paid } = invoice;
      return arrivingMsat === undefined || paid !== undefined
        ? []
        : [{ ...invoice, amountMsat: arrivingMsat }];
    });
  }

  /** The first paid invoice with a greater `payIndex`. Undefined if there is none yet. */
  paidAfter(index: bigint): OwnInvoice | undefined {
    return this.#paid.find((invoice) => payIndexOf(invoice) > index);
  }

  /**
   * Resolves to the result of `look` as soon as it is defined.
   * @param waitMs maximum wait in milliseconds; the result may then be undefined
   * @param isOver returns whether the caller is gone
   */
  async until<T>(look: () => T | undefined, waitMs: number, isOver: () => boolean): Promise<T | undefined> {
    const { clock } = this.#options;
    const endsAtMs = clock.monotonicMs() + waitMs;
    for (;;) {
      const found = look();
      const leftMs = endsAtMs - clock.monotonicMs();
      if (found !== undefined || leftMs <= 0 || this.#isClosed || isOver()) return found;
      await this.#change(Math.min(leftMs, WAIT_STEP_MS));
    }
  }

  #listen(): void {
    if (this.#end !== undefined || this.#isClosed) return;
    const last = this.#paid.at(-1);
    const after = last === undefined ? 0n : payIndexOf(last);
    this.#end = this.#options.receiver.onPaid(after, {
      paid: (notice) => this.#notePaid(notice),
      unpaid: () => this.list().flatMap(({ paid, paymentHash }) => (paid === undefined ? [paymentHash] : [])),
    });
  }

  #change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#watchers.delete(done);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, done);
      this.#watchers.add(done);
    });
  }

  async #notePaid({ paymentHash, receivedMsat, paidAt, index }: PaidNotice): Promise<void> {
    const invoice = this.byHash(paymentHash);
    if (invoice === undefined || invoice.paid !== undefined) return;
    const paid = { ...invoice, paid: { receivedMsat, paidAt, payIndex: index } };
    this.#keep(paid);
    this.#options.onEvent?.({ kind: 'paid', invoice: paid });
    await this.#options.repository.durable();
    this.#changed();
  }

  #queueExpiries(leastMs = 0): void {
    this.#expiries = new EventQueue();
    for (const invoice of this.#byLabel.values()) this.#queueExpiry(invoice);
    this.#armExpiry(leastMs);
  }

  #queueExpiry({ label, createdIndex, expiresAt, paid, isExpiryReported }: OwnInvoice): void {
    if (paid !== undefined || isExpiryReported === true) return;
    this.#expiries.schedule(expiresAt, createdIndex, () => this.#noteExpiry(label, createdIndex));
  }

  /** Sets the timer for the next expiry. @param leastMs minimum time until then, in milliseconds */
  #armExpiry(leastMs = 0): void {
    this.#cancelExpiry?.();
    this.#cancelExpiry = undefined;
    if (this.#expiries.length > this.#byLabel.size + STALE_EXPIRIES) {
      this.#queueExpiries(leastMs);
      return;
    }
    const at = this.#expiries.nextAt;
    if (at === undefined || this.#isClosed) return;
    const waitMs = Math.max(leastMs, at * 1000 - this.#options.clock.nowMs());
    this.#cancelExpiry = this.#options.clock.after(Math.min(waitMs, LONGEST_TIMER_MS), () => {
      try {
        this.#noteExpiries();
        this.#armExpiry();
      } catch (error) {
        if (!(error instanceof FulguriteError)) throw error;
        // The store refuses changes, so the expiries are noted later.
        this.#queueExpiries(EXPIRY_PAUSE_MS);
      }
      this.#changed();
    });
  }

  /** @throws FulguriteError storeFailed */
  #noteExpiries(): void {
    for (let noted = 0; noted < EXPIRIES_AT_ONCE; noted++) {
      const next = this.#expiries.nextAt;
      if (next === undefined || next > this.#nowSeconds()) return;
      this.#expiries.take()?.run();
    }
  }

  #noteExpiry(label: string, createdIndex: number): void {
    const invoice = this.#byLabel.get(label);
    if (invoice?.createdIndex !== createdIndex || this.#status(invoice) !== 'expired') return;
    const expired = { ...invoice, isExpiryReported: true };
    this.#keep(expired);
    this.#options.onEvent?.({ kind: 'expired', invoice: expired });
  }

  #keep(invoice: OwnInvoice): void {
    this.#options.repository.putRecord('invoice', { id: invoice.label, body: writeInvoice(invoice) });
    this.#add(invoice);
  }

  #add(invoice: OwnInvoice): void {
    const before = this.#byLabel.get(invoice.label);
    this.#byLabel.set(invoice.label, invoice);
    this.#labelOfHash.set(toHex(invoice.paymentHash), invoice.label);
    this.#created = Math.max(this.#created, invoice.createdIndex);
    if (invoice.paid === undefined) return;
    if (before?.paid === undefined) this.#paid.push(invoice);
    else this.#paid[this.#paid.indexOf(before)] = invoice;
  }

  #status(invoice: OwnInvoice) {
    return invoiceStatus(invoice, this.#nowSeconds());
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.clock.nowMs() / 1000);
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

/**
 * Milliseconds between two checks of a wait: whether its caller is still there, and whether the invoice has expired.
 */
const WAIT_STEP_MS = 1000;

function payIndexOf({ paid }: OwnInvoice): bigint {
  return paid?.payIndex ?? 0n;
}

/** The error for a preimage that another invoice already uses. */
export function preimageUsed(): FulguriteError {
  return new FulguriteError('invoicePreimageExists', 'preimage already used');
}
