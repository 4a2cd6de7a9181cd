import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { expect, test } from 'vitest';
import { POOL_THREAD_OPTIONS, THREAD_OPTIONS } from '../../../src/model/threads/thread-options.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const root = join(import.meta.dirname, '../../..');

test('threads load their module by import, even where Node could use require', async () => {
  const directory = temporaryDirectory();
  const filename = join(directory.path, 'features.mjs');
  writeFileSync(filename, 'export default () => process.features.require_module;');
  const pool = new Piscina({ filename, maxThreads: 1, ...POOL_THREAD_OPTIONS });
  expect(await pool.run(undefined)).not.toBe(true);
  await pool.destroy();
  directory.remove();
});

test('the young generation of a thread stays small', async () => {
  const directory = temporaryDirectory();
  const filename = join(directory.path, 'survivors.mjs');
  // The objects of a round stay alive until it ends, so many survive each collection, and V8 enlarges the semi-spaces.
  writeFileSync(
    filename,
    `import { getHeapSpaceStatistics } from 'node:v8';
    export default () => {
      let most = 0;
      for (let round = 0; round < 50; round++) {
        const kept = [];
        for (let item = 0; item < 100_000; item++) kept.push({ item });
        const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
        most = Math.max(most, young.space_size);
      }
      return most;
    };`,
  );
  const pool = new Piscina({ filename, maxThreads: 1, ...POOL_THREAD_OPTIONS });
  const [semiSpaces, parts] = [2, 3];
  const most = (THREAD_OPTIONS.resourceLimits.maxYoungGenerationSizeMb / parts) * semiSpaces * 1024 * 1024;
  expect(await pool.run(undefined)).toBeLessThanOrEqual(most);
  await pool.destroy();
  directory.remove();
});

test.each([
  ['Piscina', '...POOL_THREAD_OPTIONS'],
  ['Worker', '...THREAD_OPTIONS'],
])('every %s starts with these options', (kind, options) => {
  const made = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .flatMap((text) => text.split(`new ${kind}`).slice(1))
    .filter((text) => /^(<[^>]*>)?\(/.test(text));
  expect(made.length).toBeGreaterThan(3);
  for (const text of made) expect(text.slice(0, text.indexOf(');'))).toContain(options);
});
