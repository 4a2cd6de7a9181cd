/**
 * The victim as a process (see victim.ts): `node child.js WORK PATH SEED STEPS KILL_AT [thread]`. It works on
 * a store until it is killed, and reports the number of changes that it may have acknowledged. KILL_AT counts
 * the write steps of the store; with 0, the process is never killed. With `thread`, the database has its own
 * thread.
 */
import { writeSync } from 'node:fs';
import { Store } from '../../../src/store/store.ts';
import { WORK } from './work.ts';

const [work = '', path = '', ...numbers] = process.argv.slice(2);
const hasThread = numbers.at(-1) === 'thread';
const [seed = 1, steps = 0, killAt = 0] = numbers.map(Number);

let taken = 0;
const store = new Store(path, {
  hasThread,
  onStep() {
    if (++taken === killAt) process.kill(process.pid, 'SIGKILL');
  },
});
await WORK[work as keyof typeof WORK](store, seed, steps, (done) => void writeSync(1, `${done}\n`));
store.close();
writeSync(1, 'end\n');
