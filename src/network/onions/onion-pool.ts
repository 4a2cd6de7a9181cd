/**
 * Builds onions in separate threads. This class has its own file, so that threads that build in place need not load the
 * thread pool library.
 */
import { Piscina } from 'piscina';
import { FulguriteError } from '../../model/errors.ts';
import { POOL_THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import type { OutgoingHtlc } from '../port.ts';
import { type OnionBuilder, orderOf } from './onion-builder.ts';
import type { BuiltPacket, OnionOrder } from './onion-worker.ts';

/** Number of batches per thread. While one batch is being transferred, the thread can work on the other. */
const DEPTH = 2;
/**
 * Maximum number of orders per batch. With the fastest curve engine, an onion takes a third of a millisecond, so no
 * order waits long for the rest of its batch.
 */
const MAX_BATCH = 16;
/** Maximum number of queued orders. Further orders are refused as `busy`. */
const MAX_QUEUE = 100_000;
/**
 * Milliseconds after which the threads start, unless an order needs them earlier. Until then the daemon itself starts,
 * and needs the processor for threads without which it cannot answer requests.
 */
const START_AFTER_MS = 1_000;

type OnionThreads = Piscina<readonly OnionOrder[], BuiltPacket[]>;

interface QueuedOrder {
  readonly order: OnionOrder;
  readonly resolve: (packet: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Builds onions in separate threads. Orders that arrive while the threads are busy are batched, because a pool task
 * costs as much processor time as building a quarter of an onion.
 */
export class OnionPool implements OnionBuilder {
  readonly #threads: number;
  readonly #queue: QueuedOrder[] = [];
  readonly #start = setTimeout(() => this.#started(), START_AFTER_MS).unref();
  #pool: OnionThreads | undefined;
  #running = 0;
  #isClosed = false;

  constructor(threads = 1) {
    this.#threads = threads;
  }

  /** The pool. Its threads start with the first call. */
  #started(): OnionThreads {
    clearTimeout(this.#start);
    this.#pool ??= new Piscina({
      filename: workerFile(),
      name: 'buildOnions',
      minThreads: this.#threads,
      maxThreads: this.#threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: DEPTH,
      ...POOL_THREAD_OPTIONS,
    });
    return this.#pool;
  }

  build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    if (this.#isClosed) return Promise.reject(closed());
    if (this.#queue.length >= MAX_QUEUE) {
      return Promise.reject(new FulguriteError('busy', `${MAX_QUEUE} onions are queued`));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ order: orderOf(htlc), resolve, reject });
      if (this.#queue.length === 1) queueMicrotask(() => this.#dispatch());
    });
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#running < this.#threads * DEPTH) {
      const batch = this.#queue.splice(0, MAX_BATCH);
      this.#running++;
      void this.#build(batch).finally(() => {
        this.#running--;
        this.#dispatch();
      });
    }
  }

  async #build(batch: readonly QueuedOrder[]): Promise<void> {
    try {
      const packets = await this.#started().run(batch.map(({ order }) => order));
      for (const [index, each] of batch.entries()) settle(each, packets[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error as Error);
    }
  }

  /** Ends the threads. Unfinished orders are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#start);
    for (const { reject } of this.#queue.splice(0)) reject(closed());
    await this.#pool?.destroy();
  }
}

const closed = (): FulguriteError => new FulguriteError('shuttingDown', 'the onion builder is closed');

function settle({ resolve, reject }: QueuedOrder, packet: BuiltPacket): void {
  if (packet instanceof Uint8Array) resolve(packet);
  else reject(packet);
}

/**
 * Threads run compiled code. A test runner runs this file from its source. The compiled code is then in `build`, next
 * to `src`.
 */
function workerFile(): string {
  const compiled = import.meta.url.endsWith('.js');
  const path = compiled ? './onion-worker.js' : '../../../build/program/network/onions/onion-worker.js';
  return new URL(path, import.meta.url).href;
}
