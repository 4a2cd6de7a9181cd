/**
 * Builds onions where it costs the main thread least.
 *
 * Building takes two multiplications on the curve per hop: 0.3 to 0.5 ms for a usual route with the fastest
 * curve engine, 20 ms with the slowest. `OnionPool` builds in a thread of its own. `InlineOnions` builds in
 * the calling thread, for tests that want every step in one place.
 */
import { Piscina } from 'piscina';
import type { OutgoingHtlc } from '../port.ts';
import { onionHops } from './htlc-onion.ts';
import buildOnion, { type OnionOrder } from './onion-worker.ts';

/** Builds the onions of HTLCs that we offer. */
export interface OnionBuilder {
  /** @returns the 1366 bytes for the first peer. */
  build(htlc: OutgoingHtlc): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Builds onions in the calling thread. */
export class InlineOnions implements OnionBuilder {
  async build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    return buildOnion(orderOf(htlc));
  }
  async close(): Promise<void> {}
}

/** Orders that a thread holds at a time. While one is on its way to or from the thread, it can work on another. */
const DEPTH = 4;
/** Most orders that wait: as many as payments may be under way. */
const MAX_QUEUE = 100_000;

/** Builds onions in threads of its own. */
export class OnionPool implements OnionBuilder {
  readonly #pool: Piscina<OnionOrder, Uint8Array>;

  constructor(threads = 1) {
    this.#pool = new Piscina<OnionOrder, Uint8Array>({
      filename: workerFile(),
      minThreads: threads,
      maxThreads: threads,
      maxQueue: MAX_QUEUE,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: DEPTH,
    });
  }

  build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    return this.#pool.run(orderOf(htlc));
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function orderOf(htlc: OutgoingHtlc): OnionOrder {
  return { hops: onionHops(htlc), sessionKey: htlc.sessionKey, paymentHash: htlc.paymentHash };
}

/** Threads run compiled code. Under a test runner this file is a source, and the build lies beside `src`. */
function workerFile(): string {
  const compiled = import.meta.url.endsWith('.js');
  const path = compiled ? './onion-worker.js' : '../../../build/src/network/onions/onion-worker.js';
  return new URL(path, import.meta.url).href;
}
