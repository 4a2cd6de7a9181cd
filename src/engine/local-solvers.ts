/**
 * Solvers in threads of this process, over one graph in shared memory. Each link is a piscina pool of one
 * thread, which piscina replaces when it dies. One thread per pool lets the engine choose who is asked, so it
 * knows what every copy of the layers has seen.
 */
import { Piscina } from 'piscina';
import type { ChannelGraph } from '../model/channel-graph.ts';
import {
  createSharedKernel,
  GraphPublisher,
  type KernelBuild,
  NoticeBoard,
  type SharedKernel,
} from './kernel-memory.ts';
import type { SolverLink, Solvers } from './solver-link.ts';

/** How many threads, and what they run. */
export interface LocalSolversOptions {
  /** Worker threads; default 2. */
  readonly workers?: number;
  readonly build?: KernelBuild;
  /** What the threads run instead of worker.js. Tests use it to let workers fail. */
  readonly workerFile?: string;
}

/**
 * Requests that a thread has at hand: one runs, and the next is there when that one ends. With one request at a time
 * each hand-over would cost 75 µs. More than two gain nothing. Requests carry no abort signals, because with signals
 * piscina hands them over one at a time.
 */
const DEPTH = 2;

type Pool = Piscina<Uint8Array, Uint8Array>;

class ThreadLink implements SolverLink {
  readonly depth = DEPTH;
  readonly #board: NoticeBoard;
  readonly #workerIndex: number;
  readonly #start: () => Pool;
  #pool: Pool;

  constructor(shared: SharedKernel, workerIndex: number, filename: string) {
    this.#board = new NoticeBoard(shared);
    this.#workerIndex = workerIndex;
    this.#start = () =>
      new Piscina<Uint8Array, Uint8Array>({
        filename,
        minThreads: 1,
        maxThreads: 1,
        idleTimeout: Number.POSITIVE_INFINITY,
        concurrentTasksPerWorker: DEPTH,
        // With atomics, a thread takes all requests at hand at once. Then an answer waits until the requests behind
        // it are done.
        atomics: 'disabled',
        recordTiming: false,
        workerData: { shared, workerIndex },
      });
    this.#pool = this.#start();
  }

  send(_task: number, request: Uint8Array): Promise<Uint8Array> {
    const reply = this.#pool.run(request, { transferList: [request.buffer as ArrayBuffer] });
    return reply.catch((error) => {
      // A thread that died while it read the graph left its note. The note would keep that version of the
      // graph for ever.
      this.#board.leave(this.#workerIndex);
      throw error;
    });
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

/** Threads as solvers. `close` ends them. */
export class LocalSolvers implements Solvers {
  readonly links: readonly ThreadLink[];
  readonly #publisher: GraphPublisher;

  constructor({ workers = 2, build, workerFile = compiledWorker() }: LocalSolversOptions = {}) {
    const shared = createSharedKernel(build);
    this.#publisher = new GraphPublisher(shared);
    this.links = Array.from(
      { length: workers },
      (_, workerIndex) => new ThreadLink(shared, workerIndex, workerFile),
    );
  }

  get memoryBytes(): number {
    return this.#publisher.memoryBytes;
  }

  publish(graph: ChannelGraph): number {
    return this.#publisher.publish(graph);
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map((link) => link.close()));
  }
}

/** Threads run compiled code. Under a test runner this file is a source, and the build lies beside `src`. */
function compiledWorker(): string {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(compiled ? './worker.js' : '../../build/src/engine/worker.js', import.meta.url).href;
}
