/** Threads that start before their data is known. */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { prepareThread, startThread } from '../../../src/model/threads/early-thread.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

const ECHO = `
const { appendFileSync } = require('node:fs');
const { parentPort, threadId } = require('node:worker_threads');
appendFileSync(__filename + '.started', threadId + ' ');
parentPort.once('message', (data) => { parentPort.postMessage([threadId, data]); parentPort.close(); });`;

function fileOf(name: string, code: string): URL {
  const path = join(directory.path, name);
  writeFileSync(path, code);
  return pathToFileURL(path);
}

it('gives the data to the prepared thread, and to a new one if there is none', async () => {
  const file = fileOf('echo.cjs', ECHO);
  prepareThread(file);
  await expect.poll(() => startedIn(file)).toHaveLength(1);
  for (const data of ['first', 'second']) {
    const [[threadId, received]] = await once(startThread(file, data), 'message');
    expect(received).toBe(data);
    expect(startedIn(file).at(-1)).toBe(threadId);
  }
  expect(startedIn(file)).toHaveLength(2);
});

it('starts a thread again that failed before its data was known, and reports why', async () => {
  const file = fileOf('broken.cjs', "throw new Error('no code')");
  prepareThread(file);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const worker = startThread(file, 'data');
  const error = await new Promise<Error>((resolve) => worker.once('error', resolve));
  expect(error.message).toBe('no code');
});

function startedIn(file: URL): number[] {
  try {
    return readFileSync(`${file.pathname}.started`, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}
