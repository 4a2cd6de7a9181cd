/** A damaged file of the simulated network: only the operator can help, so a service manager must not try again. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const EXECUTABLE = fileURLToPath(new URL('../../bin/fulgurite.mjs', import.meta.url));
const GRAPH = ['--graph', 'synthetic:50', '--seed', '7'];

test('makes the start exit with 78', async () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  try {
    const daemon = await DaemonHere.start(home, GRAPH);
    await daemon.stop();
    writeFileSync(join(home, 'simulated-network.journal'), 'x'.repeat(5000));
    const { status, stderr } = spawnSync(
      process.execPath,
      [EXECUTABLE, 'start', ...GRAPH, '--data-dir', home],
      {
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    expect([status, stderr]).toEqual([78, expect.stringContaining('simulated-network.journal')]);
  } finally {
    directory.remove();
  }
});
