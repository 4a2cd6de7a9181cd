/**
 * The crash matrix: a process that works on persistent layers is killed, at every single write step by
 * injection and at random moments from outside. Whatever it had acknowledged must be in the file, and what
 * is in the file must be the state after some whole number of mutations.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { act, clockedBook, randomFrom, snapshot } from './layer-actions.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const child = join(root, 'build/crash/test/store/crash/child.js');
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-crash-'));
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['-p', join(root, 'test/store/crash/tsconfig.json')], { stdio: 'inherit' });
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Some eighty processes, one after the other. */
const TIMEOUT_MS = 120_000;

/** The content of the layers after 0, 1, … steps. */
function contents(seed: number, steps: number): string[] {
  const { book, at } = clockedBook();
  const random = randomFrom(seed);
  const all = [snapshot(book)];
  for (let step = 0; step < steps; step++) {
    act(book, at, step, random);
    all.push(snapshot(book));
  }
  return all;
}

interface Death {
  /** Mutations acknowledged before it. */
  readonly acknowledged: number;
  readonly finished: boolean;
}

/** Runs a victim to its end, calling `during` meanwhile. */
async function run(
  path: string,
  seed: number,
  steps: number,
  killAt: number,
  during: (victim: ChildProcess) => Promise<void> = async () => {},
): Promise<Death> {
  const victim = spawn(process.execPath, [child, path, `${seed}`, `${steps}`, `${killAt}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  victim.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    victim.on('close', (code, signal) => resolve([code, signal])),
  );
  await during(victim);
  const [code, signal] = await ended;
  expect([code, signal]).toEqual(code === null ? [null, 'SIGKILL'] : [0, null]);
  const lines = output.split('\n').filter((line) => line !== '');
  const finished = lines.at(-1) === 'end';
  return { acknowledged: Number(lines.filter((line) => line !== 'end').at(-1) ?? 0), finished };
}

/** That the file holds the content after some step from the last acknowledged one on; which one. */
function survivingStep(path: string, expected: readonly string[], acknowledged: number): number {
  const store = new Store(path);
  const { book } = clockedBook();
  store.layers.attach(book);
  store.close();
  const found = expected.indexOf(snapshot(book), acknowledged);
  expect(found, `${path}: not the content after any step from ${acknowledged} on`).toBeGreaterThanOrEqual(
    acknowledged,
  );
  return found;
}

describe('a kill', () => {
  test(
    'at any write step loses nothing acknowledged and leaves nothing half applied',
    async () => {
      const [seed, steps] = [42, 24];
      const expected = contents(seed, steps);
      let killAt = 1;
      for (let finished = false; !finished; killAt++) {
        const path = join(directory, `step-${killAt}.sqlite`);
        const death = await run(path, seed, steps, killAt);
        survivingStep(path, expected, death.acknowledged);
        finished = death.finished;
        expect(killAt).toBeLessThan(200);
      }
      // Migration, then at least begin, write, commit and committed of every wait.
      expect(killAt).toBeGreaterThan(40);
    },
    TIMEOUT_MS,
  );

  test(
    'at random moments loses nothing acknowledged and leaves nothing half applied',
    async () => {
      const random = randomFrom(Date.now() % 2 ** 31);
      const steps = 100_000;
      let acknowledgedInAll = 0;
      for (let round = 0; round < 8; round++) {
        const seed = 1 + random(1000);
        const path = join(directory, `random-${round}-seed-${seed}.sqlite`);
        const { acknowledged, finished } = await run(path, seed, steps, 0, async (victim) => {
          await sleep(80 + random(150));
          victim.kill('SIGKILL');
        });
        expect(finished).toBe(false);
        acknowledgedInAll += acknowledged;
        // At most three mutations wait together, and their commit may have outrun its acknowledgement.
        const expected = contents(seed, acknowledged + 6);
        expect(survivingStep(path, expected, acknowledged)).toBeLessThanOrEqual(acknowledged + 6);
      }
      expect(acknowledgedInAll).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
