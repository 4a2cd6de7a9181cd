/**
 * A worker of the pool: a kernel that answers one request at a time (responder.ts). If the kernel traps, the thread
 * dies, and the pool starts another.
 */
import { workerData } from 'node:worker_threads';
import { keepHeapSmall } from '../../model/threads/quiet-heap.ts';
import type { SharedKernel } from '../solver/kernel-memory.ts';
import { Responder } from '../solver/responder.ts';
import { type SolverRings, serve } from './serve.ts';

interface WorkerData {
  readonly shared: SharedKernel;
  readonly workerIndex: number;
}

const { shared, workerIndex } = workerData as WorkerData;
const responder = new Responder(shared, workerIndex);
keepHeapSmall();

/** The packed reply to a packed request. @throws WebAssembly.RuntimeError when the kernel has trapped */
export const answer = (request: Uint8Array): Uint8Array => responder.answer(request);

/** The task that the pool runs. */
export default (rings: SolverRings): unknown => serve(rings, answer);
