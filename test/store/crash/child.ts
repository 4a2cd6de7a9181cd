/**
 * The victim: works on persistent layers until it is killed, and reports how many mutations it may have
 * acknowledged: `node child.js PATH SEED STEPS KILL_AT`. KILL_AT counts the store's write steps; 0 is never.
 */
import { writeSync } from 'node:fs';
import type { WriteStep } from '../../../src/store/database.ts';
import { Store } from '../../../src/store/store.ts';
import { act, clockedBook, randomFrom } from '../layer-actions.ts';

const [path = '', seed = 1, steps = 0, killAt = 0] = process.argv
  .slice(2)
  .map((text, index) => (index === 0 ? text : Number(text))) as [string, number, number, number];

let taken = 0;
function onStep(_step: WriteStep): void {
  taken += 1;
  if (taken === killAt) process.kill(process.pid, 'SIGKILL');
}

const store = new Store(path, { onStep });
const { book, at } = clockedBook();
store.layers.attach(book);
const random = randomFrom(seed);
for (let step = 0; step < steps; step++) {
  act(book, at, step, random);
  // Answers of one to three mutations wait together, as those of pipelined requests do.
  if (step % 3 === 2 || step % 5 === 0) {
    await store.committer.durable();
    writeSync(1, `${step + 1}\n`);
  }
}
store.close();
writeSync(1, 'end\n');
