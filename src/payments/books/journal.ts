/**
 * The journal: turns payments and attempts into rows of the store, and rows into payments. Values that are only
 * read as a whole are packed with msgpack, which keeps bigint and bytes as they are.
 */
import { Packr } from 'msgpackr/pack';
import type { RouteHop } from '../../engine/question/route.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { Msat } from '../../model/msat.ts';
import { placeOf, recordedPlace } from '../../store/outlines.ts';
import type { AttemptRow, PaymentOutlineRow, PaymentRecord, PaymentRow } from '../../store/payment-record.ts';
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
  AttemptFailure,
  AttemptOutline,
  AttemptStatus,
  Payment,
  PaymentFailure,
  PaymentOutline,
  PaymentRequest,
  PaymentStatus,
} from '../payment.ts';
import { singleUseRequest } from '../plan/invoice-terms.ts';

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

const pack = (value: unknown): Uint8Array => Uint8Array.from(packr.pack(value));
const packOptional = (value: unknown): Uint8Array | undefined =>
  value === undefined ? undefined : pack(value);
const unpack = <T>(bytes: Uint8Array): T => packr.unpack(bytes) as T;
const unpackOptional = <T>(bytes: Uint8Array | undefined): T | undefined =>
  bytes === undefined ? undefined : unpack<T>(bytes);

/**
 * Payments, or indexes of attempts, that are read at a time. This bounds the memory of a list, however long the
 * history is, and the time for which it keeps others waiting: one page takes 1 to 2 ms of processor time.
 */
const PAGE = 50;

/**
 * Outlines that are read at a time. They are a fraction of the bytes, and unpacked one by one while they are shown. With
 * more of them the longest turn grows, and with fewer the messages to the thread of the database cost more.
 */
const OUTLINES = 100;
/** Indexes of attempts that one question looks at when a filter may drop most of them. */
const OUTLINE_SPAN = 1000;

/** What is in progress is found by an index of its own, so one question may look for it among all attempts. */
function spanOf({ paymentStatus, attemptStatus }: OutlineFilter, all: number): number {
  if (paymentStatus === 'pending' || attemptStatus === 'sent') return Math.max(all, 1);
  return paymentStatus === undefined && attemptStatus === undefined ? OUTLINES : OUTLINE_SPAN;
}

/** An attempt in the journal, and the payment that it belongs to. */
export interface StoredAttempt {
  readonly payment: Payment;
  readonly attempt: Attempt;
}

/** Which attempts a list shows, and in which order. */
export interface AttemptList {
  readonly by: 'created' | 'updated';
  /** The first index, or number of the last change. */
  readonly start?: number;
  /** Only attempts of payments in this state. */
  readonly paymentStatus?: PaymentStatus | undefined;
}

/** An attempt in the journal and its payment, with only what lists show. */
export interface StoredOutline {
  readonly payment: PaymentOutline;
  readonly attempt: AttemptOutline;
}

/** Which outlines a list shows, and in which order. */
export interface OutlineList {
  readonly by: 'created' | 'updated';
  /** The first index, or number of the last change. */
  readonly start?: number;
  /** Only attempts of payments in this state. */
  readonly paymentStatus?: PaymentStatus | undefined;
  /** Only attempts in this state. */
  readonly attemptStatus?: AttemptStatus | undefined;
}

/** Lets everything else have its turn between two pages. A page can be empty, so this does not wait for elements. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A page that the store reads while the one before is shown. Without this a list waits for another thread at
 * each page, which on a busy machine takes longer than the work. Its failure is reported when the page is
 * awaited; a list that ends earlier does not wait for it.
 */
function ahead<T>(page: Promise<T> | undefined): Promise<T> | undefined {
  page?.catch(() => undefined);
  return page;
}

/** Earlier payments of one invoice, or of one request for invoices. */
export interface EarlierPayments {
  /** The one that is complete or in progress. */
  readonly standing: Payment | undefined;
  /** 0 without any. */
  readonly lastPartId: number;
}

/** Reads and writes payments. Writes are queued in order; `durable` resolves when they are safe on disk. */
export class Journal {
  readonly #repository: PaymentRepository;
  #lastPayment = 0;
  #lastAttempt = 0;
  #lastUpdate = 0;
  /** The last place of a payment. Only where the store does not give the places. */
  #lastRecorded = 0;
  /** Requests as they are packed. A payment is written several times, and its request never changes. */
  readonly #packed = new WeakMap<PaymentRequest, Uint8Array>();
  /** Payments that are not wholly on disk yet, by id. Bounded, because the queue of writes is. */
  readonly #unwritten = new Map<string, Payment>();

  constructor(repository: PaymentRepository) {
    this.#repository = repository;
  }

  /**
   * Reads what earlier processes left in the store. Call it once, before anything is put.
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
   * Notes the places of a payment's attempts in lists, where a shared store gave them. Elsewhere they have them from the
   * beginning.
   */
  async readPlaces(payment: Payment): Promise<void> {
    if (this.#repository.completeUpTo === undefined) return;
    await this.written();
    const [record] = await this.#repository.payments({ afterIndex: payment.createdIndex - 1, limit: 1 });
    if (record?.payment.id === payment.id) takePlaces(payment, record.attempts);
  }

  /** A payment that was not read by the journal, such as one claimed from another daemon. */
  take(record: PaymentRecord): Payment {
    return this.#paymentOf(record);
  }

  /** The payment of this index as the store has it now. */
  async paymentAt(index: number): Promise<Payment | undefined> {
    const [record] = await this.#repository.payments({ afterIndex: index - 1, limit: 1 });
    return record?.payment.createdIndex === index ? this.#paymentOf(record) : undefined;
  }

  /** The index for the next payment. Nothing that may be on disk has it. Valid after `open`. */
  nextPaymentIndex(): number {
    this.#lastPayment = this.#repository.numbers?.next('payment') ?? this.#lastPayment + 1;
    return this.#lastPayment;
  }
  /** The index of the last attempt so far. 0 without any. Valid after `open`. */
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

  /** Queues the payment and those of its attempts that changed. They are written in one transaction. */
  put(payment: Payment, changed: readonly Attempt[]): void {
    if (this.#repository.lastPlace !== undefined) payment.createdOrder ??= ++this.#lastRecorded;
    const rows = changed.map((attempt) => attemptRow(payment, attempt));
    this.#repository.put(payment, paymentRow(payment, this.#requestOf(payment)), rows);
    this.#noteUnwritten(payment);
  }

  /** Queues attempts without their payment's row. */
  putAttempts(payment: Payment, changed: readonly Attempt[]): void {
    const rows = changed.map((attempt) => attemptRow(payment, attempt));
    this.#repository.put(payment, undefined, rows);
    this.#noteUnwritten(payment);
  }

  #requestOf({ request }: Payment): Uint8Array {
    const known = this.#packed.get(request);
    if (known !== undefined) return known;
    const packed = pack(request);
    this.#packed.set(request, packed);
    return packed;
  }

  #noteUnwritten(payment: Payment): void {
    const isFirst = this.#unwritten.size === 0;
    this.#unwritten.set(payment.id, payment);
    if (isFirst) this.#repository.whenWritten(() => this.#unwritten.clear());
  }

  /** Queues the removal of some attempts, or of the payment with all of them. */
  remove(payment: Payment, attempts: readonly Attempt[] | undefined): void {
    this.#repository.remove(
      payment.createdIndex,
      attempts?.map(({ createdIndex }) => createdIndex),
    );
  }

  /**
   * Resolves when everything put so far is on disk.
   * @throws FulguriteError storeFailed when the disk fails, or when the database refused something of this
   *   payment.
   */
  durable(payment?: Payment): Promise<void> {
    return this.#repository.durable(payment);
  }

  /**
   * Resolves when everything put so far is on disk, or when the disk has refused it. Lists use this: even
   * when the disk is full, they show the latest state that is on it.
   */
  async written(): Promise<void> {
    await this.durable().catch((error: unknown) => {
      if (!(error instanceof FulguriteError && error.name === 'storeFailed')) throw error;
    });
  }

  /** Calls back as soon as everything put so far is on disk, or was refused by the database. */
  whenWritten(callback: () => void): void {
    this.#repository.whenWritten(callback);
  }

  /**
   * Payments with all their attempts, by index, read page by page. Await `written()` first to see the latest
   * ones.
   */
  async *payments(
    filter: Omit<PaymentFilter, 'afterIndex' | 'limit'> = {},
    afterIndex = 0,
  ): AsyncGenerator<Payment, void> {
    for await (const page of this.paymentPages(filter, afterIndex)) yield* page;
  }

  /** The same a page at a time, for long lists: to wait for each payment costs more than to make it. */
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
   * Payments in the order in which they were recorded, page by page: each is there from its first attempt on, or from its
   * outcome if it made none. A reader that continues after the last place misses no payment, whatever daemon records it.
   * @param from the first place to read, or how many of the last payments
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

  /**
   * What was paid, or is being paid, for this payment hash; and the highest part number of all payments with
   * it.
   */
  paymentsOfHash(paymentHash: Uint8Array): Promise<EarlierPayments> {
    return this.#earlier({ paymentHash });
  }

  /** The same for the payments that answer one request of ours, with any hash. */
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

  /** Gives the idempotency key of a failed payment back. @throws FulguriteError storeFailed */
  freeKey({ createdIndex }: Payment): void {
    this.#repository.freeKey(createdIndex);
  }

  /** What is known of the deleted payment that was made with this idempotency key, if there is one. */
  spentKey(idempotencyKey: string): Promise<SpentKey | undefined> {
    return this.#repository.spentKey(idempotencyKey);
  }

  /** The payment that was made with this idempotency key, if there is one. */
  async paymentOfKey(idempotencyKey: string): Promise<Payment | undefined> {
    const [record] = await this.#repository.payments({ idempotencyKey, limit: 1 });
    return record && this.#paymentOf(record);
  }

  /**
   * Attempts in the order they were made or last changed, read page by page. A payment is returned in
   * its current state, which may be later than the requested one.
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
   * The same with only what lists show, a page at a time, and without probes. A question reads no more than one page, and looks at no more
   * than a thousand attempts, however few of them the list shows, unless an index finds them. Each page has to be read
   * before the next one.
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

  /** The last place that a list shows. */
  async #lastPlace(by: ListOrder): Promise<number> {
    const complete = await this.#repository.completeUpTo?.(by);
    if (complete !== undefined) return complete;
    if (by === 'recorded') return (await this.#repository.lastPlace?.()) ?? 0;
    const { attempt, updated } = await this.#repository.lastIndexes();
    return by === 'created' ? attempt : updated;
  }

  /**
   * Outlines as they are now. An attempt that has gone meanwhile is left out. Where the store gives the places, they are
   * shown as they are stored: what is not written has no place yet.
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

  /** The payment as it is now. The row on disk may be older. */
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
    return {
      id: row.id,
      createdIndex: row.createdIndex,
      createdOrder: recordedPlace(row),
      request: unpack<PaymentRequest>(row.request),
      paymentHash: plain(row.paymentHash),
      preimage: row.preimage && plain(row.preimage),
      groupId: row.groupId,
      paymentSecret: row.paymentSecret && plain(row.paymentSecret),
      totalMsat: row.totalMsat as Msat,
      createdAtMs: row.createdAtMs,
      attempts: attempts.map(toAttempt),
      status: row.status as PaymentStatus,
      completedAtMs: row.completedAtMs,
      failure: unpackOptional<PaymentFailure>(row.failure),
    };
  }
}

const paymentRow = (payment: Payment, request: Uint8Array): PaymentRow => ({
  id: payment.id,
  createdIndex: payment.createdIndex,
  paymentHash: payment.paymentHash,
  preimage: payment.preimage,
  groupId: payment.groupId,
  paymentSecret: payment.paymentSecret,
  totalMsat: payment.totalMsat,
  request,
  idempotencyKey: payment.request.idempotencyKey,
  localRequestId: payment.request.asked?.localRequest?.id,
  singleUseRequestId: singleUseRequest(payment.request.asked),
  status: payment.status,
  failure: packOptional(payment.failure),
  createdAtMs: payment.createdAtMs,
  completedAtMs: payment.completedAtMs,
  createdOrder: payment.createdOrder,
});

const attemptRow = (payment: Payment, attempt: Attempt): AttemptRow => ({
  id: attempt.id,
  createdIndex: attempt.createdIndex,
  paymentIndex: payment.createdIndex,
  partId: attempt.partId,
  amountMsat: attempt.amountMsat,
  amountSentMsat: attempt.amountSentMsat,
  probabilityPpm: attempt.probabilityPpm,
  uncorrectedPpm: attempt.uncorrectedPpm,
  height: attempt.height,
  partOfSeveral: attempt.partOfSeveral,
  sessionKey: attempt.sessionKey,
  path: pack(attempt.path),
  status: attempt.status,
  failure: packOptional(attempt.failure),
  learned: attempt.learned.length === 0 ? undefined : pack(attempt.learned),
  createdAtMs: attempt.createdAtMs,
  completedAtMs: attempt.completedAtMs,
  updatedIndex: attempt.updatedIndex,
  ownNode: attempt.ownNode,
});

const attemptOf = (row: AttemptRow): Attempt => ({
  id: row.id,
  createdIndex: row.createdIndex,
  ...(row.createdOrder !== undefined && { createdOrder: row.createdOrder }),
  partId: row.partId,
  path: pathOf(row),
  amountMsat: row.amountMsat as Msat,
  amountSentMsat: row.amountSentMsat as Msat,
  probabilityPpm: row.probabilityPpm,
  uncorrectedPpm: row.uncorrectedPpm,
  height: row.height,
  partOfSeveral: row.partOfSeveral,
  sessionKey: plain(row.sessionKey),
  createdAtMs: row.createdAtMs,
  status: row.status as AttemptStatus,
  completedAtMs: row.completedAtMs,
  updatedIndex: row.updatedIndex,
  ownNode: row.ownNode,
  failure: failureOf(row),
  learned: learnedOf(row),
});

const pathOf = (row: AttemptRow): RouteHop[] => unpack<RouteHop[]>(row.path);
const failureOf = (row: AttemptRow): Attempt['failure'] => unpackOptional<AttemptFailure>(row.failure);
const learnedOf = (row: AttemptRow): Attempt['learned'] =>
  unpackOptional<Attempt['learned']>(row.learned) ?? [];

/**
 * An attempt whose way, failure and lessons are unpacked when they are requested. Most lists of attempts show none of
 * them, and to unpack them takes as long as everything else.
 */
const attemptAsAsked = (row: AttemptRow): Attempt => ({
  id: row.id,
  createdIndex: row.createdIndex,
  createdOrder: row.createdOrder,
  partId: row.partId,
  get path() {
    return pathOf(row);
  },
  amountMsat: row.amountMsat as Msat,
  amountSentMsat: row.amountSentMsat as Msat,
  probabilityPpm: row.probabilityPpm,
  uncorrectedPpm: row.uncorrectedPpm,
  height: row.height,
  partOfSeveral: row.partOfSeveral,
  sessionKey: row.sessionKey,
  createdAtMs: row.createdAtMs,
  status: row.status as AttemptStatus,
  completedAtMs: row.completedAtMs,
  updatedIndex: row.updatedIndex,
  ownNode: row.ownNode,
  get failure() {
    return failureOf(row);
  },
  get learned() {
    return learnedOf(row);
  },
});

/** A payment in a list. Its bytes are views of the page. */
const outlineOf = (row: PaymentOutlineRow): PaymentOutline => ({
  id: row.id,
  createdIndex: row.createdIndex,
  request: unpack<PaymentRequest>(row.request),
  paymentHash: row.paymentHash,
  preimage: row.preimage,
  groupId: row.groupId,
  createdAtMs: row.createdAtMs,
  attempts: row.attempts as readonly AttemptOutline[],
  status: row.status as PaymentStatus,
});

/** Notes the places that a shared store gave to attempts of a payment that is still under way here. */
function takePlaces({ attempts }: Payment, rows: readonly AttemptRow[]): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const attempt of attempts) {
    const { createdOrder, updatedIndex } = byId.get(attempt.id) ?? {};
    attempt.createdOrder = createdOrder;
    if (attempt.updatedIndex !== undefined && updatedIndex !== undefined) attempt.updatedIndex = updatedIndex;
  }
}

/** A copy of the bytes as a plain array, because the database may hand out views or its own types. */
const plain = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
