/**
 * Reports the memory of each thread of a process: V8's heap, and the array buffers that live outside it. Loaded into a
 * daemon and its worker threads with `--import` in `NODE_OPTIONS`. Every few seconds each thread writes its figures to a
 * file of its own in the directory named by `MEMORY_METER_DIRECTORY`.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const EVERY_MS = 2_000;
const BYTES_PER_MB = 1024 * 1024;

const directory = process.env.MEMORY_METER_DIRECTORY;
if (directory !== undefined) {
  mkdirSync(directory, { recursive: true });
  setInterval(() => {
    const { heapTotal, heapUsed, arrayBuffers } = process.memoryUsage();
    const path = join(directory, `${threadId}.json`);
    writeFileSync(`${path}.new`, JSON.stringify({ heapTotal, heapUsed, arrayBuffers }));
    renameSync(`${path}.new`, path);
  }, EVERY_MS).unref();
}

/** The memory of all threads of a process, in MB of 1,048,576 bytes as of `residentMb`. */
export interface ThreadMemory {
  /** Memory that V8 holds for the heaps. */
  readonly heapsMb: number;
  /** Of it, live objects and those not collected yet. */
  readonly usedMb: number;
  readonly arraysMb: number;
}

/** Adds up what the threads wrote last. */
export function readMemory(from: string): ThreadMemory {
  let [heaps, used, arrays] = [0, 0, 0];
  for (const name of readdirSync(from)) {
    if (!name.endsWith('.json')) continue;
    const thread = JSON.parse(readFileSync(join(from, name), 'utf8')) as NodeJS.MemoryUsage;
    heaps += thread.heapTotal;
    used += thread.heapUsed;
    arrays += thread.arrayBuffers;
  }
  return {
    heapsMb: heaps / BYTES_PER_MB,
    usedMb: used / BYTES_PER_MB,
    arraysMb: arrays / BYTES_PER_MB,
  };
}
