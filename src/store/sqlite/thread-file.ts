/**
 * The database file in a separate thread (store-thread.ts), so that this thread never waits for the disk. Batches and
 * queries are sent there as messages, and processed in order.
 *
 * When a node starts or stops, or the queue of writes is full, this thread must wait for the database's thread. It then
 * sleeps until the number of answers increases.
 */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { BatchOutcome, Write } from '../batch.ts';
import type { Upgrade } from '../database.ts';
import type { SqlColumns, SqlRow, SqlValue } from '../sql-values.ts';
import { StoreError } from '../store-error.ts';
import { closedError, type StoreFile } from '../store-file.ts';
import type { Belonging } from './database-file.ts';
import { FileThread } from './file-thread.ts';
import {
  type Called,
  type FromThread,
  type PackedGroup,
  type PackedWrite,
  packed,
  type Thrown,
  type ToThread,
  unpacked,
} from './thread-messages.ts';

/** Maximum time in milliseconds that this thread waits for one answer. A slower disk counts as failed. */
const MAX_MS = 60_000;

const GONE: Thrown = { message: 'the thread of the database ended' };

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;
type Settle = (answer: FromThread) => void;

/** The open files of this process. */
const openFiles = new Set<ThreadFile>();

/**
 * Closes all open files when the process exits, also because of an uncaught error. Otherwise Node.js would close the
 * database while it ends the thread. SQLite then copies its log into the main file without our checksums, and the next
 * start reports damage.
 */
function closeAll(): void {
  for (const file of openFiles) {
    try {
      file.close();
    } catch {
      // The thread does not answer. The process exits anyway.
    }
  }
}

/** The database file, opened in a separate thread. */
export class ThreadFile implements StoreFile {
  readonly path: string;
  readonly upgrade: Upgrade | undefined;
  readonly lost: Promise<Error>;
  #noteLost: (error: Error) => void = () => undefined;
  #isLost = false;
  readonly #port: MessagePort;
  readonly #answers: Int32Array<SharedArrayBuffer>;
  /** Callbacks for answers, by request number. */
  readonly #waiting = new Map<number, Settle>();
  /** Batches whose callback has not been called yet. */
  readonly #batches = new Set<number>();
  readonly #statements = new Map<string, number>();
  #lastId = 0;
  #isClosed = false;

  /**
   * Opens or creates the database file, and waits until it is open.
   * @param isInspected see `DatabaseOptions`
   * @param meanwhile called once the thread has been told to open the file
   * @throws StoreError as `LocalFile`
   */
  constructor(path: string, isInspected: boolean, meanwhile?: () => void) {
    this.path = path;
    this.lost = new Promise((resolve) => {
      this.#noteLost = resolve;
    });
    const { worker, port, answers, isGone } = FileThread.take();
    this.#port = port;
    this.#answers = answers;
    worker.once('error', (error) => this.#lose(error.message));
    worker.once('exit', () => this.#lose(GONE.message));
    // The port closes when the thread ends. If nothing else keeps the process alive, the `exit` event may come too
    // late.
    port.once('close', () => this.#lose(GONE.message));
    port.on('message', (answer: FromThread) => this.#take(answer));
    port.unref();
    if (isGone) this.#lose(GONE.message);
    const opening = this.#post({ kind: 'open', path, isInspected });
    meanwhile?.();
    this.upgrade = this.#result(this.#await(opening)) as Upgrade | undefined;
    if (openFiles.size === 0) process.once('exit', closeAll);
    openFiles.add(this);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  write(groups: readonly (readonly Write[])[], done: (outcome: BatchOutcome) => void): void {
    const fresh: [number, string][] = [];
    const batch: PackedGroup[] = [];
    for (const writes of groups) {
      const group: PackedWrite[] = [];
      for (const { sql, parameters } of writes) group.push([this.#numberOf(sql, fresh), ...parameters]);
      batch.push(group);
    }
    const bytes = packed(batch);
    const id = this.#post({ kind: 'write', statements: fresh, batch: bytes }, [bytes.buffer]);
    this.#batches.add(id);
    this.#port.ref();
    this.#waiting.set(id, (answer) => {
      this.#batches.delete(id);
      if ('result' in answer) done(answer.result as BatchOutcome);
      else done({ kind: 'failed', reason: 'thrown' in answer ? answer.thrown.message : 'no answer' });
    });
  }

  #numberOf(sql: string, fresh: [number, string][]): number {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const number = this.#statements.size;
    this.#statements.set(sql, number);
    fresh.push([number, sql]);
    return number;
  }

  settle(): void {
    const [last] = [...this.#batches].slice(-1);
    if (last !== undefined) this.#sleepUntil(() => !this.#waiting.has(last));
  }

  async rows(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlColumns[]> {
    return unpackedOf(await this.#ask({ kind: 'rows', sql, parameters }), this.path);
  }

  async records(sql: string, ...parameters: SqlValue[]): Promise<readonly SqlRow[]> {
    return unpackedOf(await this.#ask({ kind: 'records', sql, parameters }), this.path);
  }

  recordsNow(sql: string, ...parameters: SqlValue[]): readonly SqlRow[] {
    return unpackedOf(this.#await(this.#post({ kind: 'records', sql, parameters })), this.path);
  }

  settleIn(belonging: Belonging, markPath: string, hasSimulatedJournal: boolean): void {
    this.#call('settleIn', belonging, markPath, hasSimulatedJournal);
  }

  noteSimulatedJournal(): void {
    this.#call('noteSimulatedJournal');
  }

  async backup(path: string): Promise<void> {
    this.#result(await this.#ask({ kind: 'call', method: 'backup', parameters: [path] }));
  }

  async check(): Promise<string | undefined> {
    const answer = await this.#ask({ kind: 'call', method: 'check', parameters: [] });
    return this.#result(answer) as string | undefined;
  }

  close(): void {
    openFiles.delete(this);
    if (openFiles.size === 0) process.off('exit', closeAll);
    // If the thread is gone, its database connection is closed already.
    if (!this.#isLost) this.#call('close');
    this.#isClosed = true;
    this.#port.close();
  }

  /** Calls a method and waits for its result. @throws StoreError */
  #call(method: Called, ...parameters: unknown[]): unknown {
    return this.#result(this.#await(this.#post({ kind: 'call', method, parameters })));
  }

  #result(answer: FromThread): unknown {
    if ('thrown' in answer) throw errorOf(answer.thrown, this.path);
    return 'result' in answer ? answer.result : undefined;
  }

  #post(message: Unnumbered<ToThread>, moved: ArrayBuffer[] = []): number {
    const id = ++this.#lastId;
    if (this.#isLost) setImmediate(() => this.#take({ id, thrown: GONE }));
    this.#port.postMessage({ id, ...message }, moved);
    return id;
  }

  /** Sends a message. Resolves with its answer, and keeps the process alive until then. */
  async #ask(message: Unnumbered<ToThread>): Promise<FromThread> {
    if (this.#isClosed) throw closedError();
    const id = this.#post(message);
    this.#port.ref();
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  /** The answer with this number. This thread sleeps until it arrives. */
  #await(id: number): FromThread {
    if (this.#isClosed) throw closedError();
    let found: FromThread | undefined;
    this.#waiting.set(id, (answer) => {
      found = answer;
    });
    this.#sleepUntil(() => found !== undefined);
    return found!;
  }

  /** Processes answers until `isDone`, sleeping in between. @throws StoreError after a minute */
  #sleepUntil(isDone: () => boolean): void {
    if (this.#isLost) for (const id of [...this.#waiting.keys()]) this.#take({ id, thrown: GONE });
    const endMs = performance.now() + MAX_MS;
    for (;;) {
      const seen = Atomics.load(this.#answers, 0);
      for (let next = receiveMessageOnPort(this.#port); next !== undefined; ) {
        this.#take(next.message as FromThread);
        next = receiveMessageOnPort(this.#port);
      }
      if (isDone()) return;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw new StoreError('unavailable', this.path, 'its thread does not answer');
      Atomics.wait(this.#answers, 0, seen, leftMs);
    }
  }

  #take(answer: FromThread): void {
    const settle = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    settle?.(answer);
    if (this.#waiting.size === 0) this.#port.unref();
  }

  /** Handles the end of the thread. Everything that waits for the thread fails. */
  #lose(message: string): void {
    if (this.#isLost || this.#isClosed) return;
    this.#isLost = true;
    for (const id of [...this.#waiting.keys()]) this.#take({ id, thrown: GONE });
    this.#noteLost(new StoreError('unavailable', this.path, message));
  }
}

function unpackedOf<T>(answer: FromThread, path: string): T {
  if ('packed' in answer) return unpacked<T>(answer.packed);
  throw errorOf('thrown' in answer ? answer.thrown : { message: 'no answer' }, path);
}

function errorOf({ problem, message }: Thrown, path: string): Error {
  return problem === undefined ? new Error(message) : new StoreError(problem, path, message);
}
