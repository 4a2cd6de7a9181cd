/**
 * Measures how long single turns of a process's event loop take, in processor time of its main thread, so that other
 * work on the machine does not count. Loaded into a daemon with `--import`.
 *
 * On SIGUSR2 it writes the figures since the last signal to the file named by `TURN_METER_FILE`, and resets them.
 */
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';

/**
 * The first number in this file is the thread's processor time in nanoseconds (Linux,
 * Documentation/scheduler/sched-stats).
 */
const file = openSync('/proc/thread-self/schedstat', 'r');
const text = Buffer.alloc(64);
process.once('exit', () => closeSync(file));

function processorMs(): number {
  const length = readSync(file, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, text.indexOf(0x20)).slice(0, length)) / 1e6;
}

/** Turns longer than this are counted. */
const LONG_MS = 5;

let longestMs = 0;
let long = 0;
let beganMs = processorMs();

function turn(): void {
  const nowMs = processorMs();
  const ms = nowMs - beganMs;
  longestMs = Math.max(longestMs, ms);
  if (ms > LONG_MS) long++;
  beganMs = nowMs;
  setImmediate(turn).unref();
}
setImmediate(turn).unref();

process.on('SIGUSR2', () => {
  const path = process.env.TURN_METER_FILE!;
  writeFileSync(`${path}.new`, JSON.stringify({ longestMs, long, processorMs: processorMs() }));
  renameSync(`${path}.new`, path);
  longestMs = 0;
  long = 0;
  beganMs = processorMs();
});
