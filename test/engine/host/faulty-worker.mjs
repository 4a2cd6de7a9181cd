/**
 * The real worker, except that some amounts trigger a fault:
 *   665 msat   the thread exits after it has written the reply, before it wakes the reader
 *   666 msat   the thread exits
 *   667 msat   the thread never answers again
 *   668 msat   the kernel traps: the notice board (kernel-memory.ts) contains an address outside its memory
 *   669 msat   the thread is busy for 300 ms first
 *   2,999,000,000 msat   the search begins only once it has been asked to stop, regardless of time
 */
import { workerData } from 'piscina';
import { serve } from '../../../build/src/engine/host/serve.js';
import { answer } from '../../../build/src/engine/host/worker.js';
import { decodeRequest } from '../../../build/src/engine/question/messages.js';
import { cancelAddress } from '../../../build/src/engine/solver/kernel-memory.js';

/** Waits until the thread is asked to stop, and only then searches, as if the deadline had not passed. */
function answerWhenTold(bytes, task) {
  const { shared, workerIndex } = workerData;
  const word = new Int32Array(shared.memory.buffer, cancelAddress(workerIndex), 1);
  while (Atomics.load(word, 0) !== task) Atomics.wait(pause, 0, 0, 1);
  const { now } = Date;
  Date.now = () => 0;
  try {
    return answer(bytes);
  } finally {
    Date.now = now;
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function poisonable(bytes) {
  const { task, query } = decodeRequest(bytes);
  const { amountMsat } = query;
  if (amountMsat === 665n) Atomics.notify = () => process.exit(3);
  if (amountMsat === 666n) process.exit(3);
  if (amountMsat === 667n) for (;;) Atomics.wait(pause, 0, 0, 1000);
  if (amountMsat === 668n) {
    const board = new Int32Array(workerData.shared.memory.buffer, 0, 2);
    board[0] = -64;
    board[1]++;
  }
  if (amountMsat === 2_999_000_000n) return answerWhenTold(bytes, task);
  if (amountMsat === 669n) Atomics.wait(pause, 0, 0, 300);
  return answer(bytes);
}

export default (rings) => serve(rings, poisonable);
