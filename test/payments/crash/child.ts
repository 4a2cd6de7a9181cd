/**
 * A life as a process: `node child.js DIRECTORY PAYMENTS KILL_AT`. KILL_AT counts the store's write steps; 0 is never.
 * What it tells is printed.
 */
import { writeSync } from 'node:fs';
import { Life } from './life.ts';

const [directory = '', count = '0', killAt = '0'] = process.argv.slice(2);

let taken = 0;
const life = await Life.begin({
  directory,
  payments: Number(count),
  onStep() {
    if (++taken === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
  say: (line) => void writeSync(1, `${line}\n`),
});
await life.run();
await life.close();
process.exit(0);
