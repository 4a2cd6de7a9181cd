/** The README by hand: its commands in their order, on the default network, with the answers it shows. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = join(root, 'build/src/cli/main.js');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Example {
  readonly command: string;
  /** What is shown below it; empty when nothing is. */
  readonly shown: string;
}

/** Every line of a shell block that calls the client; what is shown belongs to the block's last line. */
const examples = [...readme.matchAll(/```sh\n(.*?)```\n(?:```\n(.*?)```)?/gs)].flatMap(
  ([, block, shown]): Example[] => {
    const commands = block!.split('\n').filter((line) => line.startsWith('npx fulgurite '));
    return commands.map((command, index) => ({
      command,
      shown: index === commands.length - 1 ? (shown ?? '') : '',
    }));
  },
);

const directory = temporaryDirectory();
let daemon: ReturnType<typeof spawn>;

beforeAll(async () => {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.json'), '--noCheck']);
  daemon = spawn(process.execPath, [main, 'start', '--data-dir', directory.path]);
  await once(daemon.stdout!, 'data');
});

afterAll(async () => {
  daemon.kill();
  await once(daemon, 'close');
  directory.remove();
});

/** Runs a line as a shell would, with this tree's program in the place of the installed one. */
function run(command: string): { code: number | null; out: string } {
  const line = command.replace('npx fulgurite', `"${process.execPath}" "${main}"`);
  const env = { ...process.env, FULGURITE_DIR: directory.path };
  const { status, stdout } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' });
  return { code: status, out: stdout };
}

const withoutNotes = (shown: string): string => shown.replace(/^#.*\n/gm, '');

it('works as pasted, and answers what is shown', () => {
  expect(examples.length).toBeGreaterThan(5);
  for (const { command, shown } of examples) {
    const { code, out } = run(command);
    const text = withoutNotes(shown);
    expect({ command, code }).toEqual({ command, code: text.startsWith('{\n   "code"') ? 1 : 0 });
    if (command.includes('getroutes')) {
      // Nothing is drawn at random: the answer begins as it does here, and where all is shown it ends so too.
      expect(out.startsWith(text.split(/ *…/)[0]!.trimEnd())).toBe(true);
    } else if (text !== '') {
      expect(Object.keys(JSON.parse(out))).toEqual(Object.keys(JSON.parse(text)));
    }
  }
});

it('shows a layer that changes a route', () => {
  const { command } = examples.find(({ command: one }) => one.includes('askrene-difflayers'))!;
  expect(JSON.parse(run(command).out)).toMatchObject({ changed: true, entries: [{ layer: 'mine' }] });
});
