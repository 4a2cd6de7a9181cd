/**
 * The link to a solver in a thread of this process. A piscina pool of one thread starts it, watches it, and replaces
 * it when it dies. Requests and replies go through two rings in shared memory (ring.ts), and the thread serves them
 * in sessions (serve.ts). A message through a task of the pool takes 120 µs of processor time, a record of a ring a
 * tenth of it.
 *
 * A solver answers in order of arrival, so the first request without a reply is the one that the next reply is for.
 *
 * When the thread dies, replies that it had written count. Then all requests without a reply reject, and new rings
 * wait for the next thread: the old ones may hold half of something.
 */
import { Piscina } from 'piscina';
import { WORKER_ARGUMENTS } from '../../model/worker-arguments.ts';
import { NoticeBoard, type SharedKernel } from '../solver/kernel-memory.ts';
import { RingReader, RingWriter, ringMemory } from './ring.ts';
import type { SolverRings } from './serve.ts';
import { type SolverLink, SolverLost } from './solver-link.ts';

/** Requests that a thread has at hand: one runs, and the next is there when that one ends. */
const DEPTH = 2;

/** What one thread runs, and where. */
export interface ThreadLinkOptions {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
  /** URL of the module whose default export is the task of the pool. */
  readonly filename: string;
  /** Bytes of each ring. Tests make it small. */
  readonly ringBytes?: number | undefined;
}

interface Unanswered {
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (error: Error) => void;
  /** Where the request ends in the ring. Undefined while not all of it is written. */
  endsAt: number | undefined;
}

/** The rings of one thread, and the requests that it has. They are given up together when it dies. */
class RingPair {
  readonly rings: SolverRings;
  readonly requests: RingWriter;
  readonly replies: RingReader;
  /** Requests without a reply, in order. */
  readonly waiting: Unanswered[] = [];
  /** Requests for which the ring had no room yet, in order. The last of `waiting` are theirs. */
  readonly unsent: Uint8Array[] = [];
  /** Whether the thread is in a session. */
  isServed = false;
  /** Whether someone waits for the next reply already. */
  isHeard = false;
  isOver = false;

  constructor(ringBytes: number | undefined) {
    this.rings = { requests: ringMemory(ringBytes), replies: ringMemory(ringBytes) };
    this.requests = new RingWriter(this.rings.requests);
    this.replies = new RingReader(this.rings.replies);
  }

  /** Writes what is unsent. False when the ring is full before the end. */
  write(): boolean {
    for (;;) {
      const request = this.unsent[0];
      if (request === undefined) return true;
      if (!this.requests.write(request)) return false;
      this.waiting[this.waiting.length - this.unsent.length]!.endsAt = this.requests.written;
      this.unsent.shift();
    }
  }

  /** Whether the thread has taken the request in hand, which is among `waiting`. */
  hasBegun({ endsAt }: Unanswered): boolean {
    return endsAt !== undefined && ((this.requests.taken - endsAt) | 0) >= 0;
  }

  /** Hands over the replies that are there. */
  drain(): void {
    for (let reply = this.replies.read(); reply !== undefined; reply = this.replies.read()) {
      this.waiting.shift()!.resolve(reply);
    }
  }
}

type Pool = Piscina<SolverRings, undefined>;

/** A solver in a thread. */
export class ThreadLink implements SolverLink {
  readonly depth = DEPTH;
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
        execArgv: WORKER_ARGUMENTS,
        workerData: { shared, workerIndex },
      });
    this.#pool = this.#start();
    this.#line = new RingPair(ringBytes);
  }

  send(_task: number, request: Uint8Array): Promise<Uint8Array> {
    const line = this.#line;
    // Replies may have arrived since the event loop turned. To look costs less than to be woken for them later.
    line.drain();
    return new Promise((resolve, reject) => {
      line.waiting.push({ resolve, reject, endsAt: undefined });
      line.unsent.push(request);
      if (line.unsent.length === 1 && !line.write()) void this.#writeLater(line);
      if (!line.isServed) this.#serve(line);
      if (!line.isHeard) void this.#hear(line);
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
    }
    line.isHeard = false;
  }

  /** Begins a session. Another follows when it ends while requests wait, because these came at its end. */
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

  /** The thread is gone. The pool starts another, or is gone too. */
  #lose(line: RingPair, error: Error): void {
    line.drain();
    line.isOver = true;
    if (this.#line === line) this.#line = new RingPair(this.#ringBytes);
    // A thread that died while it read the graph left its note. The note would keep that version for ever.
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
