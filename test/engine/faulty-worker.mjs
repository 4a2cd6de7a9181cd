/**
 * The real worker, but some amounts are poison: what a thread can do wrong, on demand.
 *   666 msat   the thread exits
 *   667 msat   the thread never answers again
 *   668 msat   the kernel traps: the notice board (kernel-memory.ts) points it outside of its memory
 *   669 msat   the thread is busy for 300 ms first
 */
import { workerData } from 'piscina';
import { decodeRequest } from '../../build/src/engine/messages.js';
import answer from '../../build/src/engine/worker.js';

const pause = new Int32Array(new SharedArrayBuffer(4));

export default function poisonable(bytes) {
  const { amountMsat } = decodeRequest(bytes).query;
  if (amountMsat === 666n) process.exit(3);
  if (amountMsat === 667n) for (;;) Atomics.wait(pause, 0, 0, 1000);
  if (amountMsat === 668n) {
    const board = new Int32Array(workerData.shared.memory.buffer, 0, 2);
    board[0] = -64;
    board[1]++;
  }
  if (amountMsat === 669n) Atomics.wait(pause, 0, 0, 300);
  return answer(bytes);
}
