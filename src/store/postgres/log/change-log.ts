/**
 * The numbered log of changes in PostgreSQL: writes our changes, and follows those of all daemons in numerical order.
 *
 * A commit takes its numbers from `log_head` in the same statement that inserts its chunks. The lock on that row makes
 * the order of numbers the order of commits, without gaps. Records appended during a commit go into the next.
 *
 * If the answer to a commit is lost, the same chunks are sent again under the same batch numbers. If the first attempt
 * succeeded after all, the unique index refuses them, and they are found in the log.
 *
 * Chunks arrive in three ways: from our own commits, from daemons that send us copies of theirs (`receive`), and by
 * querying the rows after our position. Queries are made when a notification arrives (log-notifier.ts), and
 * periodically, more often while no notifications can be received. Chunks are applied in the order of their numbers:
 * duplicates are skipped, and missing ones are queried. Rows are removed once two snapshots contain them. Readers that
 * are further behind restart from a snapshot.
 *
 * A failover may lose the newest rows, whose numbers are then reused. So every reader restarts from a snapshot when the
 * database is on a different timeline, and each copy includes the timeline on which its chunk was committed.
 */
import { type Deferred, deferred } from '../../../model/deferred.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { arrayText } from '../arrays.ts';
import type { PgRow, PostgresLine } from '../line.ts';
import { PostgresRefusal } from '../refusal.ts';
import { type ChangeRecord, type LogChunk, packRecords, unpackRecords } from './log-chunk.ts';
import type { LogNotifier } from './log-notifier.ts';

/** A chunk of the log, as copied between machines. */
export interface LogEntry {
  readonly seq: number;
  /** Random id of the process that wrote the chunk. */
  readonly writer: string;
  readonly batch: number;
  readonly chunk: Uint8Array;
  /** The timeline of the database. Undefined if an older release sent the entry. */
  readonly timeline?: number | undefined;
}

/** The records of one chunk. */
export interface LogBatch {
  /** Whether this process appended the records with `append`. */
  readonly isOwn: boolean;
  readonly records: readonly ChangeRecord[];
}

/** Receives the contents of the log. */
export interface LogFollower {
  /** The next records, in order. */
  apply(batches: readonly LogBatch[]): void;
  /** Replaces everything received so far with the records of a snapshot. */
  restart(records: Iterable<ChangeRecord>): void;
}

/** Options of the log. All have defaults. */
export interface ChangeLogOptions {
  /**
   * Milliseconds between polls while no notifications can be received. Otherwise, the interval is four times as long.
   * Default 250.
   */
  readonly pollMs?: number;
  /** Whether to receive and send notifications (log-notifier.ts). Default true. */
  readonly listens?: boolean;
  /** Maximum number of unwritten records. Default 100,000. */
  readonly maxQueued?: number;
  /** Milliseconds for which lessons are collected before they are written. Default 1000. */
  readonly gatherMs?: number;
  /** Milliseconds from a failed write to the next attempt. Default 1000. */
  readonly retryMs?: number;
  /** Called before each commit; it may throw. For fault injection. */
  readonly onCommit?: () => void;
  /** Called for inconsistencies, such as a gap in the log, or a last number lower than before. */
  readonly onFault?: (message: string) => void;
}

const POLL_MS = 250;
/**
 * Milliseconds for which lessons are collected. Every commit causes work in all other processes, so the lessons of
 * several payments share one commit.
 */
const GATHER_MS = 1000;
/** While notifications can be received, only one in this many periodic polls is made. */
const POLLS_PER_READ = 4;
const MAX_QUEUED = 100_000;
const RETRY_MS = 1000;
/** Number of chunks read at a time. */
const READ_AT_ONCE = 100;

const APPEND = `
  WITH head AS (
    UPDATE log_head SET seq = seq + cardinality($3::bytea[]),
      changes = changes + (SELECT sum(n) FROM unnest($4::bigint[]) AS n)
    RETURNING seq - cardinality($3::bytea[]) AS before
  )
  INSERT INTO change_log (seq, at, writer, batch, changes, chunk)
  SELECT head.before + c.number, clock_timestamp(), $1, $2::bigint + c.number - 1, c.changes, c.chunk
  FROM head, unnest($3::bytea[], $4::bigint[]) WITH ORDINALITY AS c(chunk, changes, number)
  RETURNING seq`;

const NEXT = `
  SELECT head.seq AS head, l.seq, l.writer, l.batch, l.chunk
  FROM log_head AS head LEFT JOIN LATERAL (
    SELECT seq, writer, batch, chunk FROM change_log WHERE seq > $1 ORDER BY seq LIMIT ${READ_AT_ONCE}) AS l ON true
  ORDER BY l.seq`;

/** Chunks being sent, with the batch number of the first chunk. */
interface SentChunks {
  readonly firstBatch: number;
  readonly chunks: readonly LogChunk[];
  readonly done: Deferred;
}

/** Writes and follows the log. */
export class ChangeLog {
  readonly #line: PostgresLine;
  readonly #follower: LogFollower;
  readonly #snapshot: () => Promise<{ readonly seq: number; readonly records: Iterable<ChangeRecord> }>;
  readonly #options: ChangeLogOptions;
  readonly #writer: string;
  readonly #listen: ((onGrown: (seq: number) => void) => LogNotifier) | undefined;
  #waiting: ChangeRecord[] = [];
  /** Resolves once everything queued so far is committed and applied. */
  #next: Deferred | undefined;
  #sent: SentChunks | undefined;
  #nextBatch = 1;
  #position = 0;
  /** The database timeline on which everything up to the position was read. 0 before the first answer. */
  #timeline = 0;
  #isWriting = false;
  /** Whether to write the queue without delay. If it contains only lessons, writing may wait. */
  #mustWrite = false;
  #isReading = false;
  #mustReadAgain = false;
  #scheduled: NodeJS.Immediate | undefined;
  #retry: NodeJS.Timeout | undefined;
  #gather: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #polls = 0;
  #notifier: LogNotifier | undefined;
  #isClosed = false;
  readonly #arrivals = new Set<() => void>();
  readonly #listeners = new Set<(entry: LogEntry) => void>();
  /** Records of our own chunks by batch number, until the chunks return from the log. */
  readonly #own = new Map<number, readonly ChangeRecord[]>();

  /**
   * @param writer a random id that differs in each process
   * @param snapshot reads the latest snapshot
   * @param listen creates the notifier (log-notifier.ts)
   */
  constructor(
    line: PostgresLine,
    writer: string,
    follower: LogFollower,
    snapshot: () => Promise<{ readonly seq: number; readonly records: Iterable<ChangeRecord> }>,
    options: ChangeLogOptions = {},
    listen?: (onGrown: (seq: number) => void) => LogNotifier,
  ) {
    this.#listen = listen;
    this.#line = line;
    this.#writer = writer;
    this.#follower = follower;
    this.#snapshot = snapshot;
    this.#options = options;
  }

  /** Reads everything in the log, and follows it from then on. @throws FulguriteError storeFailed */
  async open(): Promise<void> {
    await this.#restart();
    await this.#readAll();
    if (this.#options.listens !== false) this.#notifier = this.#listen?.((seq) => this.#hear(seq));
    this.#poll = setInterval(() => this.#readPeriodically(), this.#options.pollMs ?? POLL_MS).unref();
  }

  #hear(seq: number): void {
    if (seq > this.#position) void this.#read();
  }

  #readPeriodically(): void {
    this.#polls++;
    if (this.#notifier?.isListening !== true || this.#polls % POLLS_PER_READ === 0) void this.#read();
  }

  /** Whether notifications about changes of the log can be received, so that frequent polling is unnecessary. */
  get isNotified(): boolean {
    return this.#notifier?.isListening === true;
  }

  /** Number of the last applied chunk. */
  get position(): number {
    return this.#position;
  }

  /** Number of records that are not in the log yet. */
  get queued(): number {
    const sent = this.#sent?.chunks.reduce((sum, { changes }) => sum + changes, 0) ?? 0;
    return this.#waiting.length + sent;
  }

  /**
   * Appends a record. Lessons about liquidity are written a moment later, together with later records, unless a caller
   * awaits them (`durable`). @throws FulguriteError storeFailed when the queue is full; then the record is not appended
   */
  append(record: ChangeRecord): void {
    const most = this.#options.maxQueued ?? MAX_QUEUED;
    if (this.queued >= most) {
      const reason = `${most} changes wait for the database`;
      throw new FulguriteError('storeFailed', `The change cannot be queued: ${reason}`, { reason });
    }
    this.#waiting.push(record);
    if (isLesson(record)) {
      this.#gather ??= setTimeout(() => this.#schedule(), this.#options.gatherMs ?? GATHER_MS).unref();
    } else this.#schedule();
  }

  /** Resolves once everything appended so far is in the log. @throws FulguriteError storeFailed */
  async durable(): Promise<void> {
    if (this.#waiting.length > 0) {
      this.#next ??= quietly(deferred());
      this.#schedule();
      await this.#next.promise;
    } else if (this.#sent !== undefined) {
      this.#schedule();
      await this.#sent.done.promise;
    }
  }

  /** Waits at most `waitMs` until the position is reached. @returns whether the position was reached */
  async reach(position: number, waitMs: number): Promise<boolean> {
    if (this.#position >= position) return true;
    void this.#read();
    return new Promise((resolve) => {
      const done = (isThere: boolean): void => {
        clearTimeout(timer);
        this.#arrivals.delete(arrived);
        resolve(isThere);
      };
      const arrived = (): void => {
        if (this.#position >= position) done(true);
      };
      const timer = setTimeout(() => done(false), waitMs);
      this.#arrivals.add(arrived);
    });
  }

  /**
   * Calls back with each of our chunks once it is in the log, so that the chunk can be copied to other processes.
   * @returns a function that unsubscribes
   */
  onCommitted(listener: (entry: LogEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Receives a copy of a chunk. Copies may be lost, duplicated, or out of order. A malformed copy is not applied; its
   * chunk is read from the database instead.
   * @returns false if the copy was found malformed. Only the copy of the next chunk is examined
   */
  receive(entry: LogEntry): boolean {
    const { timeline = this.#timeline, seq, writer } = entry;
    // Our own chunks are applied when they are committed, so a copy of one is unnecessary, or forged.
    if (writer === this.#writer) return true;
    const isNext = timeline === this.#timeline && seq === this.#position + 1;
    const records = isNext ? recordsIn(entry) : undefined;
    if (records !== undefined && !this.#isReading) this.#applyBatches([{ isOwn: false, records }], seq);
    else if (timeline !== this.#timeline || seq > this.#position) void this.#read();
    return !isNext || records !== undefined;
  }

  /** Stops. Records that are not in the log yet are lost. */
  close(): void {
    this.#isClosed = true;
    clearImmediate(this.#scheduled);
    clearTimeout(this.#retry);
    clearTimeout(this.#gather);
    clearInterval(this.#poll);
    this.#notifier?.close();
  }

  // ---------------------------------------------------------------- writing

  #schedule(): void {
    this.#mustWrite = true;
    if (this.#isClosed || this.#isWriting) return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      clearTimeout(this.#retry);
      void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      while (!this.#isClosed && (this.#sent !== undefined || (this.#mustWrite && this.#waiting.length > 0))) {
        this.#sent ??= this.#pack();
        await this.#write(this.#sent);
      }
    } catch (error) {
      this.#refuse(error as Error);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Rejects the promises that callers await. The chunks stay queued, and are sent again. */
  #refuse(error: Error): void {
    const waiting = this.#next;
    this.#next = undefined;
    waiting?.reject(error);
    if (this.#sent !== undefined) {
      this.#sent.done.reject(error);
      this.#sent = { ...this.#sent, done: quietly(deferred()) };
    }
    this.#retry = setTimeout(() => this.#schedule(), this.#options.retryMs ?? RETRY_MS).unref();
  }

  #pack(): SentChunks {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    this.#mustWrite = false;
    const records = this.#waiting;
    this.#waiting = [];
    const chunks = packRecords(records);
    const firstBatch = this.#nextBatch;
    this.#nextBatch += chunks.length;
    let from = 0;
    chunks.forEach(({ changes }, index) => {
      this.#own.set(firstBatch + index, records.slice(from, from + changes));
      from += changes;
    });
    const done = this.#next ?? quietly(deferred());
    this.#next = undefined;
    return { firstBatch, chunks, done };
  }

  async #write({ firstBatch, chunks, done }: SentChunks): Promise<void> {
    this.#options.onCommit?.();
    const parameters = [
      this.#writer,
      firstBatch,
      arrayText(chunks.map(({ bytes }) => bytes)),
      arrayText(chunks.map(({ changes }) => changes)),
    ];
    let last: number;
    try {
      const rows = await this.#line.ask(APPEND, parameters);
      last = Math.max(...rows.map(({ seq }) => Number(seq)));
    } catch (error) {
      if (!(error instanceof PostgresRefusal && error.state === UNIQUE_VIOLATION)) throw asFailure(error);
      const seq = await this.#seqOf(firstBatch + chunks.length - 1);
      // The batch is missing only if a snapshot contains it and its row was removed.
      if (seq === undefined) await this.#readAll();
      last = seq ?? this.#position;
    }
    const entries = entriesOf(last, this.#writer, firstBatch, chunks);
    await this.#takeIn(entries);
    this.#sent = undefined;
    done.resolve();
    this.#tell(entries);
  }

  async #takeIn(entries: readonly LogEntry[]): Promise<void> {
    if (this.#line.timeline !== this.#timeline) await this.#readAll();
    if (entries[0]!.seq === this.#position + 1 && !this.#isReading) this.#apply(entries);
    else await this.#readTo(entries.at(-1)!.seq);
  }

  #tell(entries: readonly LogEntry[]): void {
    this.#notifier?.notify(entries.at(-1)!.seq);
    const timeline = this.#timeline;
    for (const entry of entries) for (const listener of this.#listeners) listener({ ...entry, timeline });
  }

  /**
   * Applies chunks that this process committed without this class (`GraphLog`), and reports them like other chunks of
   * its own.
   * @throws FulguriteError storeFailed
   */
  async committed(entries: readonly LogEntry[]): Promise<void> {
    await this.#takeIn(entries);
    this.#tell(entries);
  }

  /** Reads up to a number in the log. @throws FulguriteError storeFailed, also when the log ends before it */
  async catchUp(seq: number): Promise<void> {
    if (this.#position < seq) await this.#readAll();
    if (this.#position >= seq) return;
    const message = `The log of changes ends at ${this.#position}, but ${seq} was expected`;
    throw new FulguriteError('storeFailed', message, { seq });
  }

  /** The number of our batch in the log, if an earlier attempt succeeded and only its answer was lost. */
  async #seqOf(batch: number): Promise<number | undefined> {
    const sql = 'SELECT seq FROM change_log WHERE writer = $1 AND batch = $2';
    const [row] = await this.#line.ask(sql, [this.#writer, batch]);
    return row === undefined ? undefined : Number(row.seq);
  }

  async #readTo(seq: number): Promise<void> {
    while (this.#position < seq) await this.#readAll();
  }

  // ---------------------------------------------------------------- reading

  /** Reads new chunks. After a failure, the next poll tries again. */
  async #read(): Promise<void> {
    if (this.#isClosed) return;
    await this.#readAll().catch(() => undefined);
  }

  /** The reading in progress. One further round of reading serves all requests made during the current round. */
  #reading: Promise<void> | undefined;

  #readAll(): Promise<void> {
    this.#mustReadAgain = true;
    this.#reading ??= this.#readRounds().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readRounds(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#mustReadAgain && !this.#isClosed) {
        this.#mustReadAgain = false;
        while (await this.#readSome());
      }
    } finally {
      this.#isReading = false;
    }
  }

  /** Reads and applies the next chunks. @returns whether there may be more */
  async #readSome(): Promise<boolean> {
    const rows = await this.#line.ask(NEXT, [this.#position]);
    const head = Number(rows[0]!.head);
    const { timeline } = this.#line;
    if (this.#timeline !== 0 && timeline !== this.#timeline) {
      this.#options.onFault?.(
        `the database changed from timeline ${this.#timeline} to ${timeline}: rereading its log of changes`,
      );
      await this.#restart();
      this.#timeline = timeline;
      return true;
    }
    this.#timeline = timeline;
    const entries = rows.filter(({ seq }) => seq !== null).map(entryOf);
    if (head < this.#position) {
      this.#options.onFault?.(
        `the log of changes in the database went back from ${this.#position} to ${head}, as after a failover: reading it again`,
      );
      await this.#restart();
      return true;
    }
    const isMissing = entries.length > 0 ? entries[0]!.seq !== this.#position + 1 : head > this.#position;
    if (isMissing) {
      // The rows after our position were removed, because snapshots contain them.
      await this.#restart();
      return true;
    }
    this.#apply(entries);
    return this.#position < head;
  }

  async #restart(): Promise<void> {
    const { seq, records } = await this.#snapshot();
    this.#position = seq;
    this.#follower.restart(records);
  }

  #apply(entries: readonly LogEntry[]): void {
    if (entries.length === 0) return;
    entries.forEach(({ seq }, index) => {
      if (seq === this.#position + 1 + index) return;
      const message = `The log of changes has a gap before ${seq}`;
      this.#options.onFault?.(message);
      throw new FulguriteError('storeFailed', message, { seq });
    });
    this.#applyBatches(
      entries.map((entry) => this.#batchOf(entry)),
      entries.at(-1)!.seq,
    );
  }

  #applyBatches(batches: readonly LogBatch[], position: number): void {
    this.#position = position;
    this.#follower.apply(batches);
    for (const arrived of [...this.#arrivals]) arrived();
  }

  /** Converts an entry. Every reader skips malformed entries; otherwise no reader could continue after one. */
  #batchOf(entry: LogEntry): LogBatch {
    const own = entry.writer === this.#writer ? this.#own.get(entry.batch) : undefined;
    if (own !== undefined) {
      this.#own.delete(entry.batch);
      return { isOwn: true, records: own };
    }
    const records = recordsIn(entry);
    if (records === undefined) {
      this.#options.onFault?.(`chunk ${entry.seq} of the log of changes is malformed and was skipped`);
    }
    return { isOwn: false, records: records ?? [] };
  }
}

/** The records of a chunk. Undefined when it is malformed. */
function recordsIn({ chunk }: LogEntry): readonly ChangeRecord[] | undefined {
  try {
    return unpackRecords(chunk);
  } catch {
    return undefined;
  }
}

const isLesson = (record: ChangeRecord): boolean => record[0] === 'change' && record[2].type === 'inform';

/** SQLSTATE of a duplicate row. */
const UNIQUE_VIOLATION = '23505';

function entryOf(row: PgRow): LogEntry {
  const { seq, writer, batch, chunk } = row;
  return { seq: Number(seq), writer: writer as string, batch: Number(batch), chunk: chunk as Uint8Array };
}

function asFailure(error: unknown): Error {
  if (error instanceof FulguriteError) return error;
  const reason = (error as Error).message;
  return new FulguriteError('storeFailed', `The database refuses the change: ${reason}`, { reason });
}

/** Chunks of one writer as entries of the log. @param last number of the last chunk in the log */
export function entriesOf(
  last: number,
  writer: string,
  firstBatch: number,
  chunks: readonly LogChunk[],
): LogEntry[] {
  const first = last - chunks.length + 1;
  return chunks.map(({ bytes }, index) => ({
    seq: first + index,
    writer,
    batch: firstBatch + index,
    chunk: bytes,
  }));
}

/** Marks a promise so that its rejection need not be handled. @returns its argument */
function quietly(one: Deferred): Deferred {
  one.promise.catch(() => undefined);
  return one;
}
