/**
 * One life (see life.ts) as a process: `node child.js DIRECTORY PAYMENTS KILL_AT [thread]`. KILL_AT counts
 * the write steps of the store; with 0, the life is never killed. With `thread`, the database has its own
 * thread. The life prints its reports.
 */
import { writeSync } from 'node:fs';
import { Life } from './life.ts';

const [directory = '', count = '0', killAt = '0', place] = process.argv.slice(2);

let taken = 0;
const life = await Life.begin({
  directory,
  payments: Number(count),
  hasThread: place === 'thread',
  onStep() {
    if (++taken === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  },
  say: (line) => void writeSync(1, `${line}\n`),
});
await life.run();
await life.close();
process.exit(0);
