/**
 * Files of the data directory that the daemon's user may not use. No later start helps, so the exit code tells a
 * service manager not to try again, and the message names the file and the remedy.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DaemonHere } from '../commands/daemon-here.ts';
import { MAIN } from '../commands/daemon-process.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const GRAPH = ['--graph', 'synthetic:50'];
/** Root may read everything, so if root runs the tests, this user runs the daemon. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const directory = temporaryDirectory();
const home = join(directory.path, 'home');
beforeAll(async () => {
  const daemon = await DaemonHere.start(home, GRAPH);
  await daemon.stop();
  copyFileSync(join(home, 'directory-mark'), join(home, 'fulgurite.sqlite3-wal'));
  for (const path of [directory.path, home, ...readdirSync(home).map((name) => join(home, name))]) {
    if (existsSync(path)) chownSync(path, NOBODY.uid ?? process.getuid!(), NOBODY.gid ?? process.getgid!());
  }
});
afterAll(() => directory.remove());

const start = () =>
  spawnSync(process.execPath, [MAIN, 'start', ...GRAPH, '--no-http', '--data-dir', home], {
    ...NOBODY,
    encoding: 'utf8',
    timeout: 60_000,
  });

describe('the start is refused if its user may not', () => {
  test.each([
    ['read and written', 'fulgurite.sqlite3'],
    ['read and written', 'fulgurite.sqlite3-wal'],
    ['read and written', 'fulgurite.sqlite3.sums'],
    ['read and written', 'simulated-network.journal'],
    ['read', 'directory-mark'],
    ['read', 'node-key'],
    ['read', 'rune-secret'],
    ['read and written', '.'],
  ])('%s: %s', (what, name) => {
    const path = join(home, name);
    const isDirectory = name === '.';
    chmodSync(path, isDirectory ? 0o500 : 0o000);
    const { status, stderr } = start();
    chmodSync(path, isDirectory ? 0o700 : 0o600);
    expect([status, stderr]).toEqual([78, expect.stringMatching(/^fulgurite: [^\n]*\n$/)]);
    expect(stderr).toContain(`${path} cannot be ${what} by the user that runs Fulgurite (EACCES)`);
    expect(stderr).toContain('chown');
  });
});
