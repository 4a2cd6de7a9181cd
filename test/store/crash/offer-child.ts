/**
 * The victim: changes what the store keeps of offers until it is killed, and reports how many changes it may have
 * acknowledged: `node offer-child.js PATH SEED STEPS KILL_AT`. KILL_AT counts the store's write steps.
 */
import { writeSync } from 'node:fs';
import { Store } from '../../../src/store/store.ts';
import { randomFrom } from '../layer-actions.ts';
import { act } from '../offer-actions.ts';

const [path = '', ...numbers] = process.argv.slice(2);
const [seed = 1, steps = 0, killAt = 0] = numbers.map(Number);

let taken = 0;
const store = new Store(path, {
  onStep() {
    if (++taken === killAt) process.kill(process.pid, 'SIGKILL');
  },
});
const random = randomFrom(seed);
for (let step = 0; step < steps; step++) {
  act(store.offers, step, random);
  // Answers of one to three requests wait together.
  if (step % 3 === 2 || step % 5 === 0) {
    await store.offers.durable();
    writeSync(1, `${step + 1}\n`);
  }
}
store.close();
writeSync(1, 'end\n');
