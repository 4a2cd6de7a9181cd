/** A thread that verifies signatures of gossip, so that even a full synchronisation delays no request. */

import { Piscina } from 'piscina';
import { POOL_THREAD_OPTIONS } from '../../model/threads/thread-options.ts';
import { packGossip, type SignedGossip } from './gossip-check.ts';

/** Verifies signatures of gossip. `check` returns one byte per message, in order: 1 if its signatures are valid. */
export interface GossipChecker {
  check(batch: readonly SignedGossip[]): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Verifies signatures of gossip in a separate thread. */
export class GossipPool implements GossipChecker {
  private readonly pool = new Piscina<Uint8Array, Uint8Array>({
    filename: workerFile(),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    ...POOL_THREAD_OPTIONS,
  });

  check(batch: readonly SignedGossip[]): Promise<Uint8Array> {
    return this.pool.run(packGossip(batch));
  }

  close(): Promise<void> {
    return this.pool.destroy();
  }
}

function workerFile(): string {
  const compiled = import.meta.url.endsWith('.js');
  const path = compiled ? './gossip-worker.js' : '../../../build/program/network/peer/gossip-worker.js';
  return new URL(path, import.meta.url).href;
}
