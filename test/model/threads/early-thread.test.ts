/** Threads that start before their data is known. */
import { spawnSync } from 'node:child_process';
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

it('the data go to the prepared thread, or to a new one if there is none', async () => {
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

it('a thread that failed before its data were known is started again, and the reason is reported', async () => {
  const file = fileOf('broken.cjs', "throw new Error('no code')");
  prepareThread(file);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const worker = startThread(file, 'data');
  const error = await new Promise<Error>((resolve) => worker.once('error', resolve));
  expect(error.message).toBe('no code');
});

it('the process ends once the thread has loaded its modules, and not earlier', () => {
  const module = new URL('../../../build/src/model/threads/early-thread.js', import.meta.url);
  const slow = fileOf(
    'slow.mjs',
    `import { whenStarted } from '${module}';
     await new Promise((resolve) => setTimeout(resolve, 300));
     process.stdout.write('loaded');
     whenStarted(() => undefined);`,
  );
  const program = fileOf(
    'program.mjs',
    `import { prepareThread } from '${module}'; prepareThread(new URL('${slow}'));`,
  );
  const { stdout, status } = spawnSync(process.execPath, [program.pathname], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect([stdout, status]).toEqual(['loaded', 0]);
});

function startedIn(file: URL): number[] {
  try {
    return readFileSync(`${file.pathname}.started`, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
}
