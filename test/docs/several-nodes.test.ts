/**
 * Every command of docs/several-nodes.md for the simulated network works as written, on the daemon that the
 * page starts.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';

const MAIN = new URL('../../build/src/cli/main.js', import.meta.url).pathname;
const text = readFileSync(new URL('../../docs/several-nodes.md', import.meta.url), 'utf8');
const lines = [...text.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block]) => block!.split('\n'))
  .filter((line) => line.startsWith('npx fulgurite'));
const directory = temporaryDirectory();
let daemon: ChildProcess;

const inPlace = (line: string): string =>
  line
    .replace('npx fulgurite', `"${process.execPath}" "${MAIN}"`)
    .replace('~/.fulgurite-purse', `${directory.path}/purse`);

beforeAll(async () => {
  const start = lines.find((line) => line.includes(' start '))!;
  daemon = spawn('sh', ['-c', `exec ${inPlace(start)} --no-http`], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(daemon.stdout!, 'data');
}, 60_000);
afterAll(async () => {
  daemon.kill();
  await once(daemon, 'close');
  directory.remove();
});

test('each call on the page succeeds, in the order of the page', { timeout: 120_000 }, () => {
  const calls = lines.filter((line) => !line.includes(' start '));
  expect(calls.length).toBeGreaterThan(5);
  for (const line of calls) {
    const { status, stdout } = spawnSync('sh', ['-c', inPlace(line)], { encoding: 'utf8' });
    expect({ line, status, stdout: status === 0 ? '' : stdout }).toEqual({ line, status: 0, stdout: '' });
  }
  const { stdout } = spawnSync('sh', ['-c', inPlace(calls.find((line) => line.endsWith('listpays'))!)], {
    encoding: 'utf8',
  });
  const [{ nodes }] = JSON.parse(stdout).pays;
  expect(nodes.map(({ node }: { node: string }) => node).sort()).toEqual(['a', 'b']);
});
