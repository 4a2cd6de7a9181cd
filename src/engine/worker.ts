/**
 * A worker of the pool: one kernel that answers one request after the other (responder.ts). When the kernel trapped,
 * the thread dies, and the pool starts another.
 */
import { move, workerData } from 'piscina';
import type { SharedKernel } from './kernel-memory.ts';
import { Responder } from './responder.ts';

interface WorkerData {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
}

const { shared, workerIndex } = workerData as WorkerData;
const responder = new Responder(shared, workerIndex);

let isDying = false;

/** The task that the pool runs. */
export default function answer(bytes: Uint8Array): unknown {
  if (isDying) return new Promise(() => undefined);
  try {
    return move(responder.answer(bytes) as Uint8Array<ArrayBuffer>);
  } catch (error) {
    isDying = true;
    // Nobody catches this error. So it ends the thread and tells the pool why, before the next request is
    // looked at.
    queueMicrotask(() => {
      throw error;
    });
    return new Promise(() => undefined);
  }
}
