/**
 * The link to a solver in a thread of this process. A piscina pool of one thread starts, monitors and replaces it.
 * Requests and replies go through two rings in shared memory (ring.ts), and the thread serves them in sessions
 * (serve.ts). A message as a pool task takes 120 µs of processor time, and a ring record takes a tenth of that.
 *
 * A thread with short requests holds several of them, and announces its replies together (serve.ts). Otherwise the two
 * threads would wake each other for every request, which takes as much processor time as the rest of its way, and on a
 * busy machine the solver would often wait for its next request.
 *
 * A solver answers in order of arrival, so the next reply belongs to the first unanswered request.
 *
 * When the thread dies, replies already written are still delivered. All other requests are rejected, and the next
 * thread gets new rings, because the old ones may hold incomplete messages.
 */
import { Piscina } from 'piscina';
import { POOL_THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import { NoticeBoard, type SharedKernel } from '../solver/kernel-memory.ts';
import { RingReader, RingWriter, ringMemory } from './ring.ts';
import { PACE, type SolverRings } from './serve.ts';
import { type SolverLink, SolverLost } from './solver-link.ts';

/** Minimum number of requests per thread: one runs, and the next is ready when that one ends. */
const MIN_DEPTH = 2;
/** Microseconds of work that a thread should hold. */
const HELD_US = 4_000;
/** Milliseconds after which the engine looks for unannounced replies, because a later request may take long. */
const LOOK_MS = 3;

/** The module and options of one thread. */
export interface ThreadLinkOptions {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
  /** URL of the module whose default export is the task of the pool. */
  readonly filename: string;
  /** Bytes of each ring. Tests use small ones. */
  readonly ringBytes?: number | undefined;
}

interface Unanswered {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  /** Where the request ends in the ring. Undefined until it is completely written. */
  endsAt: number | undefined;
}

/** The rings of one thread, and its requests. All are discarded when the thread dies. */
class RingPair {
  readonly rings: SolverRings;
  readonly #pace: Int32Array;
  readonly requests: RingWriter;
  readonly replies: RingReader;
  /** Requests without a reply, in order. */
  readonly waiting: Unanswered[] = [];
  /** Requests for which the ring had no room yet, in order: the last ones of `waiting`. */
  readonly unsent: Uint8Array[] = [];
  /** Whether the thread is in a session. */
  isServed = false;
  /** Whether a wait for the next reply is in progress. */
  isHeard = false;
  isOver = false;
  #look: NodeJS.Timeout | undefined;

  constructor(ringBytes: number | undefined) {
    const pace = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
    this.rings = { requests: ringMemory(ringBytes), replies: ringMemory(ringBytes), pace };
    this.#pace = new Int32Array(pace);
    this.#pace[PACE.averageUs] = HELD_US;
    this.requests = new RingWriter(this.rings.requests);
    this.replies = new RingReader(this.rings.replies);
  }

  /** Number of requests that the thread should hold. */
  get depth(): number {
    const averageUs = Math.max(1, Atomics.load(this.#pace, PACE.averageUs));
    return Math.max(MIN_DEPTH, Math.floor(HELD_US / averageUs));
  }

  /** Writes unsent requests. False when the ring gets full first. */
  write(): boolean {
    for (;;) {
      const request = this.unsent[0];
      if (request === undefined) return true;
      if (!this.requests.write(request)) return false;
      Atomics.add(this.#pace, PACE.requests, 1);
      this.waiting[this.waiting.length - this.unsent.length]!.endsAt = this.requests.written;
      this.unsent.shift();
    }
  }

  /** Whether the thread has started the request, which is one of `waiting`. */
  hasBegun({ endsAt }: Unanswered): boolean {
    return endsAt !== undefined && ((this.requests.taken - endsAt) | 0) >= 0;
  }

  /** Delivers the available replies, announced or not. */
  drain(): void {
    this.#look?.refresh();
    for (let reply = this.replies.read(); reply !== undefined; reply = this.replies.read()) {
      this.waiting.shift()!.resolve(reply);
    }
  }

  /** Delivers replies from time to time, for as long as some may be unannounced. */
  lookLater(): void {
    if (this.#look !== undefined || this.waiting.length <= MIN_DEPTH) return;
    this.#look = setTimeout(() => {
      this.#look = undefined;
      this.drain();
      this.lookLater();
    }, LOOK_MS);
  }
}

type Pool = Piscina<SolverRings, undefined>;

/** A solver in a thread. */
export class ThreadLink implements SolverLink {
  readonly #board: NoticeBoard;
  readonly #workerIndex: number;
  readonly #ringBytes: number | undefined;
  readonly #start: () => Pool;
  #pool: Pool;
  #line: RingPair;

  constructor({ shared, workerIndex, filename, ringBytes }: ThreadLinkOptions) {
    this.#board = new NoticeBoard(shared);
    this.#workerIndex = workerIndex;
    this.#ringBytes = ringBytes;
    this.#start = () =>
      new Piscina({
        filename,
        minThreads: 1,
        maxThreads: 1,
        idleTimeout: Number.POSITIVE_INFINITY,
        atomics: 'disabled',
        recordTiming: false,
        ...POOL_THREAD_OPTIONS,
        workerData: { shared, workerIndex },
      });
    this.#pool = this.#start();
    this.#line = new RingPair(ringBytes);
  }

  get depth(): number {
    return this.#line.depth;
  }

  send(_task: number, request: Uint8Array): Promise<Uint8Array> {
    const line = this.#line;
    // Replies may have arrived during this turn of the event loop. Checking now costs less than a wake-up for them
    // later.
    line.drain();
    return new Promise((resolve, reject) => {
      line.waiting.push({ resolve, reject, endsAt: undefined });
      line.unsent.push(request);
      if (line.unsent.length === 1 && !line.write()) void this.#writeLater(line);
      if (!line.isServed) this.#serve(line);
      if (!line.isHeard) void this.#hear(line);
      line.lookLater();
    });
  }

  async #writeLater(line: RingPair): Promise<void> {
    do await line.requests.room();
    while (!line.isOver && !line.write());
  }

  async #hear(line: RingPair): Promise<void> {
    line.isHeard = true;
    while (line.waiting.length > 0) {
      await line.replies.record();
      line.drain();
      // The engine now sends the next requests.
      await undefined;
    }
    line.isHeard = false;
  }

  /** Starts a session. Another follows if requests arrived just as it ended. */
  #serve(line: RingPair): void {
    line.isServed = true;
    this.#pool.run(line.rings).then(
      () => {
        line.isServed = false;
        line.drain();
        if (line.waiting.length > 0) this.#serve(line);
      },
      (error: Error) => this.#lose(line, error),
    );
  }

  /** Handles the end of the thread. Either the pool starts a new thread, or the pool is gone too. */
  #lose(line: RingPair, error: Error): void {
    line.drain();
    line.isOver = true;
    if (this.#line === line) this.#line = new RingPair(this.#ringBytes);
    // If the thread died while reading the graph, its note is still on the board, and would keep that version forever.
    this.#board.leave(this.#workerIndex);
    for (const each of line.waiting) each.reject(new SolverLost(error, line.hasBegun(each)));
    line.waiting.length = 0;
    line.requests.wake();
    line.replies.wake();
  }

  cancel(task: number): void {
    this.#board.cancel(this.#workerIndex, task);
  }

  reset(): void {
    const pool = this.#pool;
    this.#pool = this.#start();
    void pool.destroy();
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
