/**
 * Runs the commands of the README and of the pages for users in their order, on the default network, and compares the
 * answers with those shown.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIN } from '../commands/daemon-process.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = [
  'README.md',
  'docs/payments.md',
  'docs/books.md',
  'docs/routes.md',
  'docs/operations.md',
  'docs/peers.md',
  'docs/http.md',
];
const text = PAGES.map((page) => readFileSync(join(root, page), 'utf8')).join('\n');

interface Example {
  readonly command: string;
  /** The output shown below the command. Empty if none is shown. */
  readonly shown: string;
}

/**
 * A line of a shell block that calls the client and can be run as it stands. Excluded are `start`, which does
 * not end, and lines with placeholders in capitals instead of an address (`postgres://OWNER@HOST/DATABASE`),
 * because there is no such database here. The tests of `store prepare` run that command on a real database.
 */
const isCall = (line: string): boolean =>
  /^npx fulgurite (?!start )/.test(line) && !/:\/\/\S*\b[A-Z]+\b/.test(line);

/** Every line of a shell block that calls the client. The output shown belongs to the last line of the block. */
const examples = [...text.matchAll(/```sh\n(.*?)```\n(?:```\n(.*?)```)?/gs)].flatMap(
  ([, block, shown]): Example[] => {
    const commands = block!.split('\n').filter(isCall);
    return commands.map((command, index) => ({
      command,
      shown: index === commands.length - 1 ? (shown ?? '') : '',
    }));
  },
);

const directory = temporaryDirectory();
let daemon: ReturnType<typeof spawn>;

beforeAll(async () => {
  daemon = spawn(process.execPath, [MAIN, 'start', '--data-dir', directory.path]);
  await once(daemon.stdout!, 'data');
});

afterAll(async () => {
  daemon.kill();
  await once(daemon, 'close');
  directory.remove();
});

/** Runs a line as a shell would, with this tree's program instead of the installed one. */
function run(command: string): { code: number | null; out: string } {
  const line = command.replace('npx fulgurite', `"${process.execPath}" "${MAIN}"`);
  const env = { ...process.env, FULGURITE_DIR: directory.path };
  // Some commands write files to the working directory.
  const { status, stdout } = spawnSync('sh', ['-c', line], { env, cwd: directory.path, encoding: 'utf8' });
  return { code: status, out: stdout };
}

/** The answer alone, without the table of a running payment above it. */
const answerOf = (shown: string): string => shown.slice(Math.max(0, shown.indexOf('{')));

it('counts a payment in the Prometheus format, with the command shown', () => {
  const [, command, line] =
    /^and `(npx fulgurite [^`]*getmetrics)` counts the payment[\s\S]*?```\n(.*)\n```/m.exec(text)!;
  const { code, out } = run(command!);
  const lines = out.split('\n');
  expect(code).toBe(0);
  expect(lines.map((one) => one.replace(/ \d+$/, ''))).toContain(line!.replace(/ \d+$/, ''));
  expect(lines).toContain('# TYPE fulgurite_payments_total counter');
});

it('works as pasted, and returns what is shown', () => {
  // Every line that only calls the client, anywhere in the documents.
  const calls = text.split('\n').filter(isCall);
  expect(examples.map(({ command }) => command)).toEqual(calls);
  expect(calls.some((line) => line.includes('keysend'))).toBe(true);
  for (const { command, shown } of examples) {
    const { code, out } = run(command);
    const wanted = answerOf(shown);
    expect({ command, code }).toEqual({ command, code: wanted.startsWith('{\n   "code"') ? 1 : 0 });
    if (command.includes('getroutes')) {
      // Nothing is random, so the answer begins with the text shown, up to an ellipsis.
      expect(out.startsWith(wanted.split(/ *…/)[0]!.trimEnd())).toBe(true);
    } else if (wanted !== '') {
      expect(Object.keys(JSON.parse(out))).toEqual(Object.keys(JSON.parse(wanted)));
    }
  }
});

it('shows a layer that changes a route', () => {
  const { command } = examples.find(({ command: one }) => one.includes('askrene-difflayers'))!;
  expect(JSON.parse(run(command).out)).toMatchObject({ changed: true, entries: [{ layer: 'mine' }] });
});

/** Resolves when the daemon is ready. Rejects with its error output when it ends instead. */
async function started(node: ChildProcessByStdio<null, Readable, Readable>): Promise<void> {
  let complaints = '';
  node.stderr.on('data', (text) => {
    complaints += text;
  });
  const ended = once(node, 'close').then(([code]) => {
    throw new Error(`ended with ${code}: ${complaints}`);
  });
  await Promise.race([once(node.stdout, 'data'), ended]);
  ended.catch(() => undefined);
}

it('is short: the README has 300 lines at most', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(301);
});

it('lets two nodes communicate on the real network', async () => {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
  const inPlace = (text: string): string =>
    text
      .replaceAll('/tmp/', `${directory.path}/`)
      .replaceAll('npx fulgurite', `"${process.execPath}" "${MAIN}"`);
  const starts = blocks.find((block) => block.startsWith('npx fulgurite start --network peer'))!;
  const talk = blocks.find((block) => block.startsWith('ALICE='))!;
  const nodes = starts
    .trim()
    .split('\n')
    .map((line) => spawn('sh', ['-c', `exec ${inPlace(line)}`], { stdio: ['ignore', 'pipe', 'pipe'] }));
  try {
    await Promise.all(nodes.map(started));
    const { status, stdout } = spawnSync('sh', ['-c', inPlace(talk)], { encoding: 'utf8' });
    const answer = stdout.slice(stdout.indexOf('{\n   "code"'));
    expect(status).toBe(1);
    expect(JSON.parse(answer)).toMatchObject({
      code: 1004,
      data: { error: 'We cannot receive payments here' },
    });
    expect(stdout).toContain('"direction": "out"');
  } finally {
    for (const node of nodes) {
      if (node.exitCode !== null) continue;
      node.kill();
      await once(node, 'close');
    }
  }
});
