/** Every file of `examples/` is run against a daemon on the default network, in each of its languages. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIN } from '../commands/daemon-process.ts';
import { describeNeeding } from '../needs.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = temporaryDirectory();
const binaries = join(directory.path, 'bin');
/** No node has this id: it is the generator of secp256k1. */
const NOBODY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

const LANGUAGES = [
  { name: 'node', program: process.execPath, ending: '.mjs' },
  { name: 'python', program: 'python3', ending: '.py' },
  { name: 'shell', program: 'sh', ending: '.sh' },
] as const;
type Language = (typeof LANGUAGES)[number];

let daemon: ChildProcess;

beforeAll(async () => {
  // Replaces npx: runs this tree's program instead of an installed one.
  mkdirSync(binaries);
  const npx = join(binaries, 'npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(npx, 0o755);
  daemon = spawn(process.execPath, [MAIN, 'start', '--data-dir', directory.path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(daemon.stdout!, 'data');
});

afterAll(async () => {
  daemon.kill();
  await once(daemon, 'close');
  directory.remove();
});

const environment = () => ({
  ...process.env,
  PATH: `${binaries}:${process.env.PATH}`,
  FULGURITE_DIR: directory.path,
  PYTHONDONTWRITEBYTECODE: '1',
});

function run({ name, program, ending }: Language, example: string, ...argv: string[]) {
  const file = join(root, 'examples', name, example + ending);
  const { status, stdout, stderr } = spawnSync(program, [file, ...argv], {
    env: environment(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** The number of complete payments that the daemon itself lists. */
function paymentsComplete(): number {
  const { stdout } = spawnSync(process.execPath, [MAIN, 'listpays'], {
    env: environment(),
    encoding: 'utf8',
  });
  return JSON.parse(stdout).pays.filter(({ status }: { status: string }) => status === 'complete').length;
}

const EXAMPLES: Readonly<Record<string, (language: Language) => void>> = {
  pay(language) {
    const before = paymentsComplete();
    const { status, stdout, stderr } = run(language, 'pay');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // A shadow may add at most a thousandth of the amount.
    const [, amount, fee] =
      /^paid: (\d+) msat, fee (\d+) msat\nasked again: the same payment\n$/.exec(stdout) ?? [];
    expect(Number(amount)).toBeGreaterThanOrEqual(1_000_000);
    expect(Number(amount)).toBeLessThanOrEqual(1_001_000);
    expect(Number(fee)).toBeLessThanOrEqual(5_000);
    expect(paymentsComplete()).toBe(before + 1);

    const refused = run(language, 'pay', NOBODY);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toContain('205');
    expect(refused.stdout).toMatch(/^not paid: /);
  },
  layers(language) {
    const { status, stdout, stderr } = run(language, 'layers');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = /^without the layer: over (\S+)\nwith the layer: over (\S+)\nchanged: (.*)\n$/.exec(stdout);
    expect(lines?.[3]).toBe(`true, by 1 entry of example-${language.name}`);
    expect(lines?.[2]).not.toBe(lines?.[1]);
  },
  fetch(language) {
    const { status, stdout, stderr } = run(language, 'fetch');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /^offer: donations\ninvoice: 25000 msat, payment hash [0-9a-f]{64}\ndiffers from the offer in: amount_msat\n$/,
    );
  },
  plan(language) {
    const { status, stdout, stderr } = run(language, 'plan');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [, planned, paid, attempts, outcome] =
      /^plan: send (\d+) msat, fee \d+ msat, [\d.]+ % likely\npaid: sent (\d+) msat, attempts (\d+), (.*)\n$/.exec(
        stdout,
      ) ?? [];
    expect(outcome).toBe(paid === planned ? 'as planned' : 'not as planned');
    // A plan is one attempt. If the attempt settled, it followed the plan. If not, later attempts may have
    // cost something else.
    if (attempts === '1') expect(paid).toBe(planned);
    expect(Number(attempts)).toBeGreaterThanOrEqual(1);
  },
};

for (const language of LANGUAGES) {
  const isThere = language.name !== 'python' || spawnSync('python3', ['--version']).status === 0;
  describeNeeding('python', isThere, `examples in ${language.name}`, () => {
    for (const [example, runs] of Object.entries(EXAMPLES)) it(example, () => runs(language));
  });
}

it('no example is left out, and the folder’s table lists each', () => {
  const table = readFileSync(join(root, 'examples/README.md'), 'utf8');
  for (const { name, ending } of LANGUAGES) {
    const files = readdirSync(join(root, 'examples', name)).filter((file) => !file.startsWith('client.'));
    expect(files.toSorted()).toEqual(
      Object.keys(EXAMPLES)
        .map((example) => example + ending)
        .toSorted(),
    );
    for (const file of files) expect(table).toContain(`examples/${name}/${file}`);
  }
});
