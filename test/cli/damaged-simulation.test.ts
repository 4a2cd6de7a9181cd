/** A damaged file of the simulated network: only the operator can help, so a service manager must not try again. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const EXECUTABLE = fileURLToPath(new URL('../../bin/fulgurite.mjs', import.meta.url));
const GRAPH = ['--graph', 'synthetic:50', '--seed', '7'];

let directory: ReturnType<typeof temporaryDirectory>;
let home: string;
beforeEach(async () => {
  directory = temporaryDirectory();
  home = join(directory.path, 'home');
  const daemon = await DaemonHere.start(home, GRAPH);
  await daemon.stop();
});
afterEach(() => directory.remove());

test.each(['simulated-network.journal', 'simulated-issuers.sqlite3'])(
  '%s makes the start exit with 78, but not with --recover',
  async (name) => {
    const path = join(home, name);
    const junk = 'x'.repeat(5000);
    writeFileSync(path, junk);
    const { status, stderr } = spawnSync(
      process.execPath,
      [EXECUTABLE, 'start', ...GRAPH, '--data-dir', home],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect([status, stderr]).toEqual([78, expect.stringContaining(name)]);
    expect(stderr).toContain('--recover');
    expect(readFileSync(path, 'utf8')).toBe(junk);

    const daemon = await DaemonHere.start(home, [...GRAPH, '--recover']);
    await daemon.stop();
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe(junk);
  },
);
