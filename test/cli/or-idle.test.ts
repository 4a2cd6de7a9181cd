/** A wait that can never end is reported as a fault, and the process exits with the fault's code. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { orIdle } from '../../src/cli/or-idle.ts';

const MODULE = new URL('../../build/src/cli/or-idle.js', import.meta.url).href;

/** Runs a program that only waits for this promise. */
const waiting = (promise: string) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { orIdle } from '${MODULE}';
       process.exitCode = await orIdle(${promise}).then(() => 0, ({ message }) => (console.error(message), 1));`,
    ],
    { encoding: 'utf8' },
  );

test('a process with a wait that nothing can end reports it and fails', () => {
  const { status, stderr } = waiting('new Promise(() => undefined)');
  expect([status, stderr.trim()]).toEqual([
    1,
    'cannot shut down cleanly: a pending operation will never finish',
  ]);
});

test('a wait that ends is not disturbed, and leaves nothing behind', async () => {
  const before = process.listenerCount('beforeExit');
  expect(await orIdle(Promise.resolve('well'))).toBe('well');
  await expect(orIdle(Promise.reject(new Error('badly')))).rejects.toThrow('badly');
  await new Promise((resolve) => setImmediate(resolve));
  expect(process.listenerCount('beforeExit')).toBe(before);
});
