import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Piscina } from 'piscina';
import { expect, test } from 'vitest';
import { WORKER_ARGUMENTS } from '../../../src/model/threads/worker-arguments.ts';
import { temporaryDirectory } from '../../rpc/support.ts';

const root = join(import.meta.dirname, '../../..');

test('threads load their module by import, even where Node could use require', async () => {
  const directory = temporaryDirectory();
  const filename = join(directory.path, 'features.mjs');
  writeFileSync(filename, 'export default () => process.features.require_module;');
  const pool = new Piscina({ filename, maxThreads: 1, execArgv: WORKER_ARGUMENTS });
  expect(await pool.run(undefined)).not.toBe(true);
  await pool.destroy();
  directory.remove();
});

test('every thread pool starts with these arguments', () => {
  const pools = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
    .flatMap((text) => text.split('new Piscina').slice(1));
  expect(pools.length).toBeGreaterThan(3);
  for (const pool of pools) expect(pool.slice(0, pool.indexOf('})'))).toContain('execArgv: WORKER_ARGUMENTS');
});
