/** The journal: our payments, written to the store and read from it (payment-rows.ts). */
import { FulguriteError } from '../../model/errors.ts';
import { placeOf, recordedPlace } from '../../store/outlines.ts';
import type { AttemptRow, PaymentOutlineRow, PaymentRecord } from '../../store/payment-record.ts';
import type {
  ListOrder,
  OutlineFilter,
  PaymentFilter,
  PaymentRepository,
  SpentKey,
  StoredAttemptRow,
  StoredOutlineRow,
} from '../../store/payment-repository.ts';
import type {
  Attempt,
  AttemptOutline,
  AttemptStatus,
  Payment,
  PaymentOutline,
  PaymentStatus,
} from '../payment.ts';
import {
  attemptAsAsked,
  attemptOf,
  attemptRow,
  outlineOf,
  paymentRow,
  storedPayment,
} from './payment-rows.ts';

/**
 * Number of payments, or of places in a list of attempts, read at a time. This bounds the memory of a list and the time
 * for which it delays other work, regardless of the length of the history: one page takes 1 to 2 ms of processor time.
 */
const PAGE = 50;

/**
 * Number of outlines read at a time. Outlines are much smaller than payments, and are unpacked one by one as they are
 * shown. A larger page would block the event loop for longer. A smaller page would need more messages to the database
 * thread.
 */
const OUTLINES = 100;
/** Number of places in a list of attempts examined per query if a filter may drop most attempts. */
const OUTLINE_SPAN = 1000;

/**
 * Number of places in a list of attempts that one query examines. The database has an index of the attempts in
 * progress, so one query may search for them among all attempts.
 */
function spanOf({ paymentStatus, attemptStatus }: OutlineFilter, all: number): number {
  if (paymentStatus === 'pending' || attemptStatus === 'sent') return Math.max(all, 1);
  return paymentStatus === undefined && attemptStatus === undefined ? OUTLINES : OUTLINE_SPAN;
}

/** An attempt in the journal, and its payment. */
export interface StoredAttempt {
  readonly payment: Payment;
  readonly attempt: Attempt;
}

/** Which attempts a list shows, and in which order. */
export interface AttemptList {
  readonly by: 'created' | 'updated';
  /** First place to list: a creation index, or, in a list by latest change, the number of a change. */
  readonly start?: number;
  /** Lists only attempts of payments in this state. */
  readonly paymentStatus?: PaymentStatus | undefined;
}

/** An attempt in the journal and its payment, reduced to what lists show. */
export interface StoredOutline {
  readonly payment: PaymentOutline;
  readonly attempt: AttemptOutline;
}

/** Which outlines a list shows, and in which order. */
export interface OutlineList {
  readonly by: 'created' | 'updated';
  /** First place to list: a creation index, or, in a list by latest change, the number of a change. */
  readonly start?: number;
  /** Lists only attempts of payments in this state. */
  readonly paymentStatus?: PaymentStatus | undefined;
  /** Lists only attempts in this state. */
  readonly attemptStatus?: AttemptStatus | undefined;
}

/** Yields to other work between two pages. A page can be empty, so waiting for elements would not yield. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets the store read a page while the previous one is shown. Otherwise a list would wait for the database thread at
 * each page, which on a busy machine takes longer than the work itself. An error is reported when the page is awaited;
 * a list that ends earlier ignores it.
 */
function ahead<T>(page: Promise<T> | undefined): Promise<T> | undefined {
  page?.catch(() => undefined);
  return page;
}

/** Earlier payments for one invoice or one of our invoice requests. */
export interface EarlierPayments {
  /** The payment that is complete or in progress, if any. */
  readonly standing: Payment | undefined;
  /** Highest part number of all these payments; 0 if there are none. */
  readonly lastPartId: number;
}

/** Reads and writes payments. Writes are queued in order; `durable` resolves once they are safely on disk. */
export class Journal {
  readonly #repository: PaymentRepository;
  #lastPayment = 0;
  #lastAttempt = 0;
  #lastUpdate = 0;
  /** The last place given to a payment in the order of recording. Only used if the store does not assign places. */
  #lastRecorded = 0;
  /** Payments that are not fully on disk yet, by id. The size of the write queue limits their number. */
  readonly #unwritten = new Map<string, Payment>();

  constructor(repository: PaymentRepository) {
    this.#repository = repository;
  }

  /**
   * Reads what earlier processes left in the store. Call it once, before the first `put`.
   * @returns payments without an outcome, and those with an HTLC in flight.
   */
  async open(): Promise<Payment[]> {
    const [last, lastRecorded, unfinished] = await Promise.all([
      this.#repository.lastIndexes(),
      this.#repository.lastPlace?.(),
      this.#repository.unfinished(),
    ]);
    this.#lastPayment = last.payment;
    this.#lastAttempt = last.attempt;
    this.#lastUpdate = last.updated;
    this.#lastRecorded = lastRecorded ?? 0;
    return unfinished.map((record) => this.#paymentOf(record));
  }

  /**
   * Fills in the list places of a payment's attempts if a shared store assigned them. With any other store, attempts
   * have their places from the start.
   */
  async readPlaces(payment: Payment): Promise<void> {
    if (this.#repository.completeUpTo === undefined) return;
    await this.written();
    const [record] = await this.#repository.payments({ afterIndex: payment.createdIndex - 1, limit: 1 });
    if (record?.payment.id === payment.id) takePlaces(payment, record.attempts);
  }

  /** The payment in a record that the journal did not read itself, such as one claimed from another daemon. */
  take(record: PaymentRecord): Payment {
    return this.#paymentOf(record);
  }

  /** The payment with this index, in its current state. */
  async paymentAt(index: number): Promise<Payment | undefined> {
    const [record] = await this.#repository.payments({ afterIndex: index - 1, limit: 1 });
    return record?.payment.createdIndex === index ? this.#paymentOf(record) : undefined;
  }

  /** Returns an unused index for a new payment. Valid after `open`. */
  nextPaymentIndex(): number {
    this.#lastPayment = this.#repository.numbers?.next('payment') ?? this.#lastPayment + 1;
    return this.#lastPayment;
  }
  /** The index of the latest attempt that `open` found or this process made. 0 if there is none. Valid after `open`. */
  get lastAttemptIndex(): number {
    return this.#lastAttempt;
  }
  nextAttemptIndex(): number {
    this.#lastAttempt = this.#repository.numbers?.next('attempt') ?? this.#lastAttempt + 1;
    return this.#lastAttempt;
  }
  nextUpdate(): number {
    this.#lastUpdate = this.#repository.numbers?.next('updated') ?? this.#lastUpdate + 1;
    return this.#lastUpdate;
  }

  /** Queues the payment and its changed attempts. They are written in one transaction. */
  put(payment: Payment, changed: readonly Attempt[]): void {
    if (this.#repository.lastPlace !== undefined) payment.createdOrder ??= ++this.#lastRecorded;
    const rows = changed.map((attempt) => attemptRow(payment, attempt));
    this.#repository.put(payment, paymentRow(payment), rows);
    this.#noteUnwritten(payment);
  }

  /** Queues attempts, but not the row of their payment. */
  putAttempts(payment: Payment, changed: readonly Attempt[]): void {
    const rows = changed.map((attempt) => attemptRow(payment, attempt));
    this.#repository.put(payment, undefined, rows);
    this.#noteUnwritten(payment);
  }

  #noteUnwritten(payment: Payment): void {
    const isFirst = this.#unwritten.size === 0;
    this.#unwritten.set(payment.id, payment);
    if (isFirst) this.#repository.whenWritten(() => this.#unwritten.clear());
  }

  /** Queues the removal of some attempts, or of the payment with all its attempts. */
  remove(payment: Payment, attempts: readonly Attempt[] | undefined): void {
    this.#repository.remove(
      payment.createdIndex,
      attempts?.map(({ createdIndex }) => createdIndex),
    );
  }

  /**
   * Resolves when everything put so far is on disk.
   * @throws FulguriteError storeFailed when the disk fails, or when the database refused a write of this payment
   */
  durable(payment?: Payment): Promise<void> {
    return this.#repository.durable(payment);
  }

  /**
   * Resolves once everything put so far is on disk, or was refused. Lists use this, so that they show the latest stored
   * state even when the disk is full.
   */
  async written(): Promise<void> {
    await this.durable().catch((error: unknown) => {
      if (!(error instanceof FulguriteError && error.name === 'storeFailed')) throw error;
    });
  }

  /** Calls back once everything put so far is on disk, or was refused by the database. */
  whenWritten(callback: () => void): void {
    this.#repository.whenWritten(callback);
  }

  /** Payments with all their attempts, by index, read page by page. Await `written()` first to see the latest ones. */
  async *payments(
    filter: Omit<PaymentFilter, 'afterIndex' | 'limit'> = {},
    afterIndex = 0,
  ): AsyncGenerator<Payment, void> {
    for await (const page of this.paymentPages(filter, afterIndex)) yield* page;
  }

  /**
   * Yields whole pages of payments instead of single ones. For long lists, where awaiting each payment would cost more
   * than building it.
   */
  async *paymentPages(
    filter: Omit<PaymentFilter, 'afterIndex' | 'limit'> = {},
    afterIndex = 0,
  ): AsyncGenerator<Iterable<Payment>, void> {
    const pageAfter = (index: number): Promise<readonly PaymentRecord[]> =>
      this.#repository.payments({ ...filter, afterIndex: index, limit: PAGE });
    let next: Promise<readonly PaymentRecord[]> | undefined = pageAfter(afterIndex);
    while (next !== undefined) {
      const page: readonly PaymentRecord[] = await next;
      next = page.length < PAGE ? undefined : ahead(pageAfter(page.at(-1)!.payment.createdIndex));
      yield this.#paymentsOf(page);
      if (next !== undefined) await nextTurn();
    }
  }

  /**
   * Payments in the order in which they were recorded, page by page. A payment is recorded with its first attempt, or
   * with its outcome if it made none. The payment of a static invoice is recorded before its recipient is asked to
   * release it. A reader that continues after the last place it has seen misses no payment, whichever daemon recorded
   * it.
   * @param from the first place to read, or how many of the last payments to read
   */
  async *recorded(
    from: { readonly start: number } | { readonly last: number },
  ): AsyncGenerator<Iterable<Payment>, void> {
    const repository = this.#repository;
    const to = await this.#lastPlace('recorded');
    const start = 'start' in from ? from.start : await repository.recordedBefore(to, from.last);
    let next: Promise<readonly PaymentRecord[]> | undefined = repository.recorded(start, to, PAGE);
    while (next !== undefined) {
      const page: readonly PaymentRecord[] = await next;
      next =
        page.length < PAGE
          ? undefined
          : ahead(repository.recorded(recordedPlace(page.at(-1)!.payment) + 1, to, PAGE));
      yield this.#paymentsOf(page);
      if (next !== undefined) await nextTurn();
    }
  }

  *#paymentsOf(page: readonly PaymentRecord[]): Generator<Payment, void> {
    for (const record of page) yield this.#paymentOf(record);
  }

  /** The completed or ongoing payment with this hash, if any, and the highest part number used with this hash. */
  paymentsOfHash(paymentHash: Uint8Array): Promise<EarlierPayments> {
    return this.#earlier({ paymentHash });
  }

  /** Like `paymentsOfHash`, but for payments with any hash that answer this invoice request of ours. */
  paymentsOfRequest(localRequestId: Uint8Array): Promise<EarlierPayments> {
    return this.#earlier({ localRequestId });
  }

  async #earlier(filter: Pick<PaymentFilter, 'paymentHash' | 'localRequestId'>): Promise<EarlierPayments> {
    let standing: Payment | undefined;
    let lastPartId = 0;
    for await (const payment of this.payments(filter)) {
      if (payment.status !== 'failed') standing = payment;
      for (const { partId } of payment.attempts) lastPartId = Math.max(lastPartId, partId);
    }
    return { standing, lastPartId };
  }

  /** Frees the idempotency key of a failed payment. @throws FulguriteError storeFailed */
  freeKey({ createdIndex }: Payment): void {
    this.#repository.freeKey(createdIndex);
  }

  /** The record left by the deleted payment with this idempotency key, if there was one. */
  spentKey(idempotencyKey: string): Promise<SpentKey | undefined> {
    return this.#repository.spentKey(idempotencyKey);
  }

  async paymentOfKey(idempotencyKey: string): Promise<Payment | undefined> {
    const [record] = await this.#repository.payments({ idempotencyKey, limit: 1 });
    return record && this.#paymentOf(record);
  }

  /**
   * Attempts in order of creation or of latest change, read page by page. `paymentStatus` filters by stored state, but
   * a payment is returned in its current state, which may be later.
   */
  async *attempts({ by, start = 1, paymentStatus }: AttemptList): AsyncGenerator<StoredAttempt, void> {
    const last = await this.#lastPlace(by);
    const pageFrom = (from: number): Promise<readonly StoredAttemptRow[]> | undefined =>
      from > last
        ? undefined
        : this.#repository.attempts(by, from, Math.min(PAGE, last - from + 1), paymentStatus);
    let next = pageFrom(start);
    for (let from = start + PAGE; next !== undefined; from += PAGE) {
      const page: readonly StoredAttemptRow[] = await next;
      next = ahead(pageFrom(from));
      const payments = new Map<PaymentRecord, Payment>();
      for (const { attempt, record } of page) {
        const payment = payments.get(record) ?? this.#paymentOf(record, attemptAsAsked);
        payments.set(record, payment);
        yield { payment, attempt: payment.attempts.find(({ id }) => id === attempt.id)! };
      }
      await nextTurn();
    }
  }

  /**
   * Like `attempts`, but without probes, reduced to what lists show, and yielding whole pages. If few attempts pass the
   * filter, a page may be empty: a query examines at most `OUTLINE_SPAN` attempts, unless the database has an index for
   * the filter. Read each page to its end before requesting the next one.
   */
  async *outlines({
    by,
    start = 1,
    paymentStatus,
    attemptStatus,
  }: OutlineList): AsyncGenerator<Iterable<StoredOutline>, void> {
    const last = await this.#lastPlace(by);
    const filter: OutlineFilter = { paymentStatus, attemptStatus };
    const span = spanOf(filter, last - start + 1);
    const pageFrom = (from: number): Promise<readonly StoredOutlineRow[]> | undefined =>
      from > last
        ? undefined
        : this.#repository.outlines(by, from, Math.min(span, last - from + 1), OUTLINES, filter);
    let from = start;
    let next = pageFrom(from);
    while (next !== undefined) {
      const page: readonly StoredOutlineRow[] = await next;
      from = page.length < OUTLINES ? from + span : placeOf(page.at(-1)!.attempt, by)! + 1;
      next = ahead(pageFrom(from));
      yield this.#outlinesOf(page);
      await nextTurn();
    }
  }

  async #lastPlace(by: ListOrder): Promise<number> {
    const complete = await this.#repository.completeUpTo?.(by);
    if (complete !== undefined) return complete;
    if (by === 'recorded') return (await this.#repository.lastPlace?.()) ?? 0;
    const { attempt, updated } = await this.#repository.lastIndexes();
    return by === 'created' ? attempt : updated;
  }

  /**
   * Outlines in their current state, without attempts that no longer exist. If the store assigns places, outlines are
   * shown as stored, because unwritten ones have no place yet.
   */
  *#outlinesOf(page: readonly StoredOutlineRow[]): Generator<StoredOutline, void> {
    const payments = new Map<PaymentOutlineRow, PaymentOutline>();
    const unwritten = this.#repository.completeUpTo === undefined ? this.#unwritten : undefined;
    for (const { attempt: row, payment: paymentRow } of page) {
      const payment = payments.get(paymentRow) ?? unwritten?.get(paymentRow.id) ?? outlineOf(paymentRow);
      payments.set(paymentRow, payment);
      if (payment.request.kind === 'probe') continue;
      const attempt = payment.attempts.find(({ createdIndex }) => createdIndex === row.createdIndex);
      if (attempt !== undefined) yield { payment, attempt };
    }
  }

  /** The payment in its current state. The row on disk may be older. */
  #paymentOf(
    { payment: row, attempts }: PaymentRecord,
    toAttempt: (row: AttemptRow) => Attempt = attemptOf,
  ): Payment {
    const unwritten = this.#unwritten.get(row.id);
    if (unwritten !== undefined) {
      if (this.#repository.completeUpTo !== undefined) {
        unwritten.createdOrder = recordedPlace(row);
        takePlaces(unwritten, attempts);
      }
      return unwritten;
    }
    return storedPayment(row, attempts.map(toAttempt));
  }
}

/** Fills in the places that a shared store assigned to the attempts of a payment in progress here. */
function takePlaces({ attempts }: Payment, rows: readonly AttemptRow[]): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const attempt of attempts) {
    const { createdOrder, updatedIndex } = byId.get(attempt.id) ?? {};
    attempt.createdOrder = createdOrder;
    if (attempt.updatedIndex !== undefined && updatedIndex !== undefined) attempt.updatedIndex = updatedIndex;
  }
}
