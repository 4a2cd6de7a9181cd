/**
 * Stores in memory, ten times simpler than a database, which serve as references. They show that the suites need
 * only the interface. They answer late, as a database on a different machine does, and write everything at the end
 * of a turn.
 */
import type { LayerMutation } from '../../../src/layers/entries.ts';
import type { Layer } from '../../../src/layers/layer.ts';
import { type Deferred, deferred } from '../../../src/model/deferred.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import type { LayerRepository } from '../../../src/store/layer-repository.ts';
import type { OfferRepository } from '../../../src/store/offer-repository.ts';
import { inPlaces, recordedPlace } from '../../../src/store/outlines.ts';
import type { AttemptRow, PaymentRecord, PaymentRow } from '../../../src/store/payment-record.ts';
import type { PaymentFilter, PaymentRepository, SpentKey } from '../../../src/store/payment-repository.ts';
import type {
  BlacklistRange,
  OutgoRow,
  RuneRepository,
  RuneRow,
} from '../../../src/store/rune-repository.ts';
import { OffersInMemory } from '../offer-actions.ts';
import type { Implementation } from './under-test.ts';

const late = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failure = (reason: string) => new FulguriteError('storeFailed', reason, { reason });

/** Queued changes to the state that survives the process. */
class Queue {
  isRefusing = false;
  #changes: { readonly owner: object | undefined; readonly make: () => void }[] = [];
  #next: Deferred | undefined;
  #callbacks: (() => void)[] = [];
  readonly #refused = new WeakSet<object>();

  /** Queues a change. A change that throws is refused permanently, and its owner is notified. */
  add(make: () => void, owner?: object): void {
    this.#changes.push({ owner, make });
    setImmediate(() => this.flush());
  }

  async durable(owner?: object): Promise<void> {
    if (this.#changes.length > 0) {
      this.#next ??= deferred();
      setImmediate(() => this.flush());
      await this.#next.promise;
    }
    if (owner !== undefined && this.#refused.has(owner)) throw failure('refused');
  }

  whenWritten(callback: () => void): void {
    if (this.#changes.length === 0) callback();
    else this.#callbacks.push(callback);
  }

  flush(): void {
    const waiting = this.#next;
    this.#next = undefined;
    if (this.isRefusing) {
      waiting?.reject(failure('the disk is full'));
      return;
    }
    for (const { owner, make } of this.#changes.splice(0)) {
      try {
        make();
      } catch {
        if (owner !== undefined) this.#refused.add(owner);
      }
    }
    for (const callback of this.#callbacks.splice(0)) callback();
    waiting?.resolve();
  }

  drop(): void {
    this.#changes = [];
  }
}

/**
 * Creates an implementation from a type of state. Each place is an instance of the state, on which stores are
 * opened.
 */
function inMemory<S, R>(newState: () => S, newRepository: (state: S, queue: Queue) => R): Implementation<R> {
  return {
    name: 'memory',
    newPlace() {
      const state = newState();
      return {
        async open() {
          const queue = new Queue();
          return {
            repository: newRepository(state, queue),
            refuse(isRefusing) {
              queue.isRefusing = isRefusing;
            },
            close: async () => queue.flush(),
            crash: async () => queue.drop(),
          };
        },
      };
    },
  };
}

/** The events of layers, in order, and imports under number 0. */
interface LayerFact {
  readonly layer: number;
  readonly imported?: { readonly name: string; readonly state: 'begun' | 'whole' };
  readonly created?: string;
  readonly mutation?: LayerMutation;
}

/** Layers are kept as the list of their events, which is replayed. */
export const layersInMemory = inMemory<LayerFact[], LayerRepository>(
  () => [],
  (facts, queue) => {
    const numbers = new Map<Layer, number>();
    let last = Math.max(0, ...facts.map(({ layer }) => layer));
    const add = (layer: Layer, fact: Omit<LayerFact, 'layer'>): void => {
      const number = numbers.get(layer)!;
      queue.add(() => void facts.push({ layer: number, ...fact }));
    };
    return {
      async attach(book) {
        const layers = new Map<number, Layer>();
        for (const { layer: number, created, mutation, imported } of facts) {
          await late();
          if (imported !== undefined) continue;
          const layer = layers.get(number)!;
          if (created !== undefined) layers.set(number, book.createLayer(created, true));
          else if (mutation !== undefined) book.replay(layer, mutation);
          else book.removeLayer(layer);
        }
        for (const [number, layer] of layers) numbers.set(layer, number);
        book.journalTo(this);
      },
      imported: (name) =>
        facts.findLast(({ imported }) => imported?.name === name)?.imported?.state ?? 'none',
      noteImport: (name, state) => queue.add(() => void facts.push({ layer: 0, imported: { name, state } })),
      durable: (layer) => queue.durable(layer),
      created(layer) {
        numbers.set(layer, ++last);
        add(layer, { created: layer.name });
      },
      mutated: (layer, mutation) => add(layer, { mutation }),
      removed: (layer) => add(layer, {}),
    };
  },
);

/** Rows by key. A series can be found before it is durable. */
export const offersInMemory = inMemory<OffersInMemory, OfferRepository>(
  () => new OffersInMemory(),
  (safe, queue) => {
    const unsafe = new OffersInMemory();
    const answer = async <T>(question: () => Promise<T>): Promise<T> => {
      await late();
      return question();
    };
    return {
      offers: () => answer(safe.offers),
      invoiceRequests: () => answer(safe.invoiceRequests),
      invoices: () => answer(safe.invoices),
      cancelledPeriods: () => answer(safe.cancelledPeriods),
      find: (id, label) => answer(async () => (await unsafe.find(id, label)) ?? (await safe.find(id, label))),
      putOffer: (row) => queue.add(() => safe.putOffer(row)),
      putInvoiceRequest: (row) => queue.add(() => safe.putInvoiceRequest(row)),
      putInvoice: (row) => queue.add(() => safe.putInvoice(row)),
      removeInvoice: (label) => queue.add(() => safe.removeInvoice(label)),
      putCancelledPeriod: (label) => queue.add(() => safe.putCancelledPeriod(label)),
      save(row) {
        unsafe.save(row);
        queue.add(() => safe.save(row));
      },
      durable: () => queue.durable(),
    };
  },
);

/** Payments and attempts by their indexes. */
class PaymentTables {
  readonly spentKeys = new Map<string, SpentKey>();
  readonly payments = new Map<number, PaymentRow>();
  readonly attempts = new Map<number, AttemptRow>();
  lastPlace = 0;

  put(payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void {
    for (const { paymentIndex } of attempts) {
      if (payment?.createdIndex !== paymentIndex && !this.payments.has(paymentIndex))
        throw new Error('whose?');
    }
    // An outcome is final.
    const known = payment && this.payments.get(payment.createdIndex)?.status;
    const isLate = known !== undefined && known !== 'pending' && payment!.status === 'pending';
    if (payment !== undefined && !isLate) this.payments.set(payment.createdIndex, payment);
    if (payment !== undefined) this.lastPlace = Math.max(this.lastPlace, recordedPlace(payment));
    for (const attempt of attempts) {
      const before = this.attempts.get(attempt.createdIndex)?.status ?? 'sent';
      if (before === 'sent' || attempt.status !== 'sent') this.attempts.set(attempt.createdIndex, attempt);
    }
  }

  remove(paymentIndex: number, attempts: readonly number[] | undefined): void {
    const isGone = ({ createdIndex, paymentIndex: of }: AttemptRow): boolean =>
      attempts === undefined ? of === paymentIndex : attempts.includes(createdIndex);
    for (const one of this.attempts.values()) if (isGone(one)) this.attempts.delete(one.createdIndex);
    if (attempts !== undefined) return;
    const { idempotencyKey, paymentHash, status } = this.payments.get(paymentIndex) ?? {};
    if (idempotencyKey !== undefined && !this.spentKeys.has(idempotencyKey))
      this.spentKeys.set(idempotencyKey, { idempotencyKey, paymentHash: paymentHash!, status: status! });
    this.payments.delete(paymentIndex);
  }

  freeKey(paymentIndex: number): void {
    const row = this.payments.get(paymentIndex);
    if (row?.status === 'failed') this.payments.set(paymentIndex, { ...row, idempotencyKey: undefined });
  }

  record(payment: PaymentRow): PaymentRecord {
    const isOfIt = ({ paymentIndex }: AttemptRow): boolean => paymentIndex === payment.createdIndex;
    return { payment, attempts: this.sorted('createdIndex').filter(isOfIt) };
  }

  /** Rows sorted by an index, without the rows that lack it. */
  sorted(by: 'createdIndex' | 'updatedIndex'): AttemptRow[] {
    const rows = [...this.attempts.values()].filter((row) => row[by] !== undefined);
    return rows.sort((a, b) => a[by]! - b[by]!);
  }

  records(isWanted: (payment: PaymentRow) => boolean): PaymentRecord[] {
    const rows = [...this.payments.values()].filter(isWanted);
    return rows.sort((a, b) => a.createdIndex - b.createdIndex).map((row) => this.record(row));
  }
}

const matches = (row: PaymentRow, filter: PaymentFilter): boolean =>
  (filter.paymentHash === undefined || Buffer.compare(row.paymentHash, filter.paymentHash) === 0) &&
  (filter.localRequestId === undefined ||
    (row.localRequestId !== undefined && Buffer.compare(row.localRequestId, filter.localRequestId) === 0)) &&
  (filter.idempotencyKey === undefined || row.idempotencyKey === filter.idempotencyKey) &&
  (filter.status === undefined || row.status === filter.status) &&
  row.createdIndex > (filter.afterIndex ?? 0);

export const paymentsInMemory = inMemory<PaymentTables, PaymentRepository>(
  () => new PaymentTables(),
  (tables, queue) => {
    const highest = (numbers: Iterable<number | undefined>): number =>
      Math.max(0, ...[...numbers].map((number) => number ?? 0));
    return {
      async lastIndexes() {
        await late();
        const attempts = [...tables.attempts.values()];
        return {
          payment: highest(tables.payments.keys()),
          attempt: highest(tables.attempts.keys()),
          updated: highest(attempts.map(({ updatedIndex }) => updatedIndex)),
        };
      },
      put: (owner, payment, attempts) => queue.add(() => tables.put(payment, attempts), owner),
      remove: (payment, attempts) => queue.add(() => tables.remove(payment, attempts)),
      freeKey: (payment) => queue.add(() => tables.freeKey(payment)),
      async spentKey(key) {
        await late();
        return tables.spentKeys.get(key);
      },
      durable: (owner) => queue.durable(owner),
      whenWritten: (callback) => queue.whenWritten(callback),
      async payments(filter = {}) {
        await late();
        return tables.records((row) => matches(row, filter)).slice(0, filter.limit);
      },
      async lastPlace() {
        await late();
        return tables.lastPlace;
      },
      async recorded(from, to, limit) {
        await late();
        const isAsked = (row: PaymentRow): boolean => recordedPlace(row) >= from && recordedPlace(row) <= to;
        return inPlaces(tables.records(isAsked)).slice(0, limit);
      },
      async recordedBefore(to, count) {
        await late();
        const places = tables
          .records((row) => recordedPlace(row) <= to)
          .map(({ payment }) => recordedPlace(payment));
        return (
          places
            .sort((a, b) => b - a)
            .slice(0, count)
            .at(-1) ?? 1
        );
      },
      async unfinished() {
        await late();
        const inFlight = new Set(
          tables
            .sorted('createdIndex')
            .filter(({ status }) => status === 'sent')
            .map(({ paymentIndex }) => paymentIndex),
        );
        return tables.records(
          ({ status, createdIndex }) => status === 'pending' || inFlight.has(createdIndex),
        );
      },
      async attempts(by, start, span, paymentStatus) {
        await late();
        const key = by === 'created' ? 'createdIndex' : 'updatedIndex';
        const isAsked = (row: AttemptRow) =>
          row[key]! >= start &&
          row[key]! < start + span &&
          (paymentStatus === undefined || tables.payments.get(row.paymentIndex)!.status === paymentStatus);
        const records = new Map<number, PaymentRecord>();
        return tables
          .sorted(key)
          .filter(isAsked)
          .map((attempt) => {
            const { paymentIndex } = attempt;
            const record = records.get(paymentIndex) ?? tables.record(tables.payments.get(paymentIndex)!);
            records.set(paymentIndex, record);
            return { attempt, record };
          });
      },
      async outlines(by, start, span, limit, { paymentStatus, attemptStatus } = {}) {
        const found = await this.attempts(by, start, span, paymentStatus);
        return found
          .filter(({ attempt }) => attemptStatus === undefined || attempt.status === attemptStatus)
          .slice(0, limit)
          .map(({ attempt, record }) => ({
            attempt,
            payment: { ...record.payment, attempts: record.attempts },
          }));
      },
    };
  },
);

/** Runes by id, the blacklist, and the next id. */
class RunesInMemory {
  readonly runes = new Map<bigint, RuneRow>();
  blacklist: readonly BlacklistRange[] = [];
  readonly outgo = new Map<string, OutgoRow>();
  nextUniqueId = 0n;

  put(row: RuneRow): void {
    if (this.runes.has(row.uniqueId)) throw new Error('a rune id is used twice');
    this.runes.set(row.uniqueId, row);
    if (row.uniqueId >= this.nextUniqueId) this.nextUniqueId = row.uniqueId + 1n;
  }

  use(uniqueId: bigint, lastUsedNs: bigint): void {
    const row = this.runes.get(uniqueId);
    if (row !== undefined) this.runes.set(uniqueId, { ...row, lastUsedNs });
  }
}

export const runesInMemory = inMemory<RunesInMemory, RuneRepository>(
  () => new RunesInMemory(),
  (safe, queue) => ({
    async runes() {
      await late();
      return [...safe.runes.values()].sort((a, b) => (a.uniqueId < b.uniqueId ? -1 : 1));
    },
    async blacklist() {
      await late();
      return safe.blacklist;
    },
    async nextUniqueId() {
      await late();
      return safe.nextUniqueId;
    },
    putRune: (row) => queue.add(() => safe.put(row)),
    putLastUsed: (uniqueId, lastUsedNs) => queue.add(() => safe.use(uniqueId, lastUsedNs)),
    putBlacklist: (ranges) =>
      queue.add(() => {
        safe.blacklist = ranges;
      }),
    async outgo() {
      await late();
      return [...safe.outgo.values()];
    },
    putOutgo: (row) =>
      queue.add(() => {
        const key = `${row.uniqueId} ${row.minute}`;
        if (row.msat === 0n) safe.outgo.delete(key);
        else safe.outgo.set(key, row);
      }),
    skipUniqueIds: (count) =>
      queue.add(() => {
        safe.nextUniqueId += count;
      }),
    durable: () => queue.durable(),
  }),
);
