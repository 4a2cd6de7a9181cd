/**
 * Loaded into the daemon before anything else: kills it at a step of its writes, counted from the first
 * payment's write. KILL_STORE counts the steps of the database in its thread (begin, each statement, commit,
 * and after the commit). KILL_NETWORK counts the writes of the simulated network's journal in its thread,
 * without its header, three per write: before, in the middle, and after. With 0 or no value, the daemon is
 * never killed. PART_PATIENCE_MS is the time that simulated recipients wait for the other parts of a payment.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const die = () => process.kill(process.pid, 'SIGKILL');

if (workerData?.answers !== undefined && Number(process.env.KILL_STORE) > 0) {
  const file = join(dirname(process.argv[1]), '../store/database.js');
  const { Database } = await import(pathToFileURL(file).href);
  let steps = 0;
  let isArmed = false;
  const step = () => {
    if (isArmed && ++steps === Number(process.env.KILL_STORE)) die();
  };
  const { run, transaction } = Database.prototype;
  Database.prototype.run = function (sql, ...parameters) {
    isArmed ||= /^\s*INSERT\s+INTO\s+payment/i.test(sql);
    step();
    run.call(this, sql, ...parameters);
  };
  Database.prototype.transaction = function (work) {
    step();
    transaction.call(this, () => {
      work();
      step();
    });
    step();
  };
}

if (parentPort !== null && workerData?.answers === undefined) {
  // A thread gets its data as its first message. That of the network has the module that acts for its nodes.
  const { once } = parentPort;
  parentPort.once = (event, listener) =>
    once.call(parentPort, event, (data) => {
      if (data?.handlerModule !== undefined) prepareNetwork(data);
      listener(data);
    });
}

/** Changes the options of the network, and kills the daemon at the step of its writes. */
function prepareNetwork({ options }) {
  if (Number(process.env.PART_PATIENCE_MS) > 0)
    options.multiPartTimeoutMs = Number(process.env.PART_PATIENCE_MS);
  if (!(Number(process.env.KILL_NETWORK) > 0)) return;
  // The header's write does not count.
  let steps = -3;
  const { openSync, writeSync } = fs;
  // The files with database checksums are not part of the journal.
  const sums = new Set();
  fs.openSync = (path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    if (/\.sums(\.new)?$/.test(String(path))) sums.add(descriptor);
    return descriptor;
  };
  fs.writeSync = (descriptor, bytes, ...rest) => {
    if (sums.has(descriptor)) return writeSync(descriptor, bytes, ...rest);
    const left = Number(process.env.KILL_NETWORK) - steps;
    steps += 3;
    if (left === 1) die();
    if (left === 2) writeSync(descriptor, bytes, rest[0] ?? 0, Math.floor(bytes.length / 2));
    if (left === 2) die();
    const written = writeSync(descriptor, bytes, ...rest);
    if (left === 3) die();
    return written;
  };
  syncBuiltinESMExports();
}
