/**
 * A journal of payments that several daemons share, in memory and in virtual time: a short model of the store
 * in PostgreSQL, with leases and fences. The test controls whether the store can be reached.
 */
import type { Clock } from '../../src/model/clock.ts';
import { type Deferred, deferred } from '../../src/model/deferred.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import { KeyTaken, LeaseLost, type PaymentLeases } from '../../src/store/payment-leases.ts';
import type { AttemptRow, PaymentRecord, PaymentRow } from '../../src/store/payment-record.ts';
import type { PaymentFilter, PaymentIndexes, PaymentRepository } from '../../src/store/payment-repository.ts';

export const LEASE_MS = 10_000;

interface Lease {
  owner: string;
  fence: number;
  untilMs: number;
}

interface Change {
  readonly owner: object | undefined;
  readonly make: () => void;
}

/** The state that all daemons share. */
export class SharedJournal {
  readonly payments = new Map<number, PaymentRow>();
  readonly attempts = new Map<number, AttemptRow>();
  readonly leases = new Map<number, Lease>();
  /** Number of the current run of each daemon. */
  readonly runs = new Map<string, number>();
  /** Which run of which daemon recorded each attempt. */
  readonly recorders = new Map<number, { readonly daemon: string; readonly run: number }>();
  readonly numbers: Record<keyof PaymentIndexes, number> = { payment: 0, attempt: 0, updated: 0 };
  readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  record(index: number): PaymentRecord {
    const attempts = [...this.attempts.values()].filter(({ paymentIndex }) => paymentIndex === index);
    return { payment: this.payments.get(index)!, attempts };
  }

  isUnfinished(index: number): boolean {
    const { payment, attempts } = this.record(index);
    return payment.status === 'pending' || attempts.some(({ status }) => status === 'sent');
  }

  /** Ends the last run of a daemon, as the operator does for a daemon that is lost. */
  retire(daemon: string): void {
    this.runs.set(daemon, this.runs.get(daemon)! + 1);
  }

  /** The journal as one daemon sees it. Called again for the same daemon, it begins the daemon's next run. */
  of(daemon: string): JournalOfDaemon {
    this.runs.set(daemon, (this.runs.get(daemon) ?? 0) + 1);
    return new JournalOfDaemon(this, daemon);
  }
}

/** One daemon's connection to the shared journal. */
export class JournalOfDaemon implements PaymentRepository, PaymentLeases {
  readonly leases: PaymentLeases = this;
  readonly leaseMs = LEASE_MS;
  readonly daemon: string;
  readonly #journal: SharedJournal;
  readonly #run: number;
  readonly #held = new Map<number, number>();
  readonly #listeners = new Set<(paymentIndex: number) => void>();
  readonly #refused = new WeakMap<object, Error>();
  #changes: Change[] = [];
  #waiting: Deferred | undefined;
  #callbacks: (() => void)[] = [];
  #confirmedAtMs: number;
  /** Whether the store can be reached. Set by the test. */
  isReachable = true;
  /** Whether the daemon is paused: it neither renews nor claims leases. */
  isPaused = false;

  constructor(journal: SharedJournal, daemon: string) {
    this.#journal = journal;
    this.daemon = daemon;
    this.#run = journal.runs.get(daemon)!;
    this.#confirmedAtMs = journal.clock.nowMs();
    this.#renewLater();
  }

  readonly numbers = { next: (kind: keyof PaymentIndexes): number => ++this.#journal.numbers[kind] };

  async lastIndexes(): Promise<PaymentIndexes> {
    return { ...this.#journal.numbers };
  }

  put(owner: object, payment: PaymentRow | undefined, attempts: readonly AttemptRow[]): void {
    const index = payment?.createdIndex ?? attempts[0]!.paymentIndex;
    const fence = this.#held.get(index) ?? 1;
    this.#held.set(index, fence);
    this.#add(owner, () => this.#write(index, fence, payment, attempts));
  }

  #write(
    index: number,
    fence: number,
    payment: PaymentRow | undefined,
    attempts: readonly AttemptRow[],
  ): void {
    const { payments, leases, clock } = this.#journal;
    const lease = leases.get(index);
    const isOthers = lease !== undefined && (lease.owner !== this.daemon || lease.fence !== fence);
    if (isOthers || !this.#isLastRun) {
      this.#held.delete(index);
      throw new LeaseLost(index);
    }
    const key = payment?.idempotencyKey;
    const isTaken = (row: PaymentRow): boolean => row.idempotencyKey === key && row.createdIndex !== index;
    if (key !== undefined && [...payments.values()].some(isTaken)) throw new KeyTaken(key);
    if (payment !== undefined) payments.set(index, payment);
    const { recorders } = this.#journal;
    for (const attempt of attempts) {
      const { createdIndex } = attempt;
      this.#journal.attempts.set(createdIndex, attempt);
      if (!recorders.has(createdIndex)) recorders.set(createdIndex, { daemon: this.daemon, run: this.#run });
    }
    if (lease === undefined)
      leases.set(index, { owner: this.daemon, fence, untilMs: clock.nowMs() + LEASE_MS });
  }

  freeKey(): void {}

  async spentKey(): Promise<undefined> {}

  remove(paymentIndex: number): void {
    this.#add(undefined, () => void this.#journal.payments.delete(paymentIndex));
  }

  #add(owner: object | undefined, make: () => void): void {
    this.#changes.push({ owner, make });
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!this.isReachable) {
      waiting?.reject(new FulguriteError('storeFailed', 'the store is away'));
      return;
    }
    for (const { owner, make } of this.#changes.splice(0)) {
      try {
        make();
      } catch (error) {
        if (owner !== undefined) this.#refused.set(owner, error as Error);
        if (error instanceof LeaseLost) for (const told of this.#listeners) told(error.paymentIndex);
      }
    }
    for (const callback of this.#callbacks.splice(0)) callback();
    waiting?.resolve();
  }

  async durable(owner?: object): Promise<void> {
    if (this.#changes.length > 0) {
      this.#waiting ??= deferred();
      setImmediate(() => this.#flush());
      await this.#waiting.promise;
    }
    const refused = owner && this.#refused.get(owner);
    if (refused !== undefined) throw refused;
  }

  whenWritten(callback: () => void): void {
    if (this.#changes.length === 0) callback();
    else this.#callbacks.push(callback);
  }

  async payments({ idempotencyKey, afterIndex = 0, limit }: PaymentFilter = {}): Promise<PaymentRecord[]> {
    return [...this.#journal.payments.values()]
      .filter((row) => row.createdIndex > afterIndex)
      .filter((row) => idempotencyKey === undefined || row.idempotencyKey === idempotencyKey)
      .sort((a, b) => a.createdIndex - b.createdIndex)
      .slice(0, limit)
      .map(({ createdIndex }) => this.#journal.record(createdIndex));
  }

  async unfinished(): Promise<PaymentRecord[]> {
    return [];
  }

  async attempts(): Promise<never[]> {
    return [];
  }

  async recorded(): Promise<never[]> {
    return [];
  }

  async recordedBefore(): Promise<number> {
    return 1;
  }

  async outlines(): Promise<never[]> {
    return [];
  }

  // ---------------------------------------------------------------- leases

  async claim(limit: number) {
    if (!this.isReachable || this.isPaused) throw new FulguriteError('storeFailed', 'the store is away');
    if (!this.#isLastRun) return [];
    const { leases, clock } = this.#journal;
    const due = [...leases].filter(
      ([index, lease]) =>
        lease.untilMs < clock.nowMs() &&
        this.#journal.isUnfinished(index) &&
        !(lease.owner === this.daemon && this.#held.has(index)),
    );
    return due.slice(0, limit).map(([index, lease]) => {
      const before = lease.owner;
      Object.assign(lease, { owner: this.daemon, fence: lease.fence + 1, untilMs: clock.nowMs() + LEASE_MS });
      this.#held.set(index, lease.fence);
      return { record: this.#journal.record(index), fence: lease.fence, before };
    });
  }

  owns(paymentIndex: number): boolean {
    return this.#held.has(paymentIndex);
  }

  get confirmedMsAgo(): number {
    return this.#journal.clock.nowMs() - this.#confirmedAtMs;
  }

  async hasRecorderEnded(attemptIndex: number): Promise<boolean> {
    const { daemon, run } = this.#journal.recorders.get(attemptIndex)!;
    return this.#journal.runs.get(daemon)! > run;
  }

  onLost(listener: (paymentIndex: number) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get #isLastRun(): boolean {
    return this.#journal.runs.get(this.daemon) === this.#run;
  }

  #renewLater(): void {
    this.#journal.clock.after(LEASE_MS / 4, () => {
      this.#renew();
      this.#renewLater();
    });
  }

  #renew(): void {
    if (!this.isReachable || this.isPaused) return;
    const { leases, clock } = this.#journal;
    if (this.#isLastRun) this.#confirmedAtMs = clock.nowMs();
    for (const [index, fence] of this.#held) {
      const lease = leases.get(index);
      if (lease?.owner === this.daemon && lease.fence === fence) {
        if (this.#isLastRun) lease.untilMs = clock.nowMs() + LEASE_MS;
      } else if (lease !== undefined) {
        this.#held.delete(index);
        for (const told of this.#listeners) told(index);
      }
    }
  }
}
