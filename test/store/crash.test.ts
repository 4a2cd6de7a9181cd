/**
 * The crash matrix: a process that works on persistent layers is killed, at every single write step by
 * injection and at random moments from outside. Whatever it had acknowledged must be in the file, and what
 * is in the file must be the state after some whole number of mutations.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { compileVictim, runVictim } from './crash/victim.ts';
import { act, clockedBook, randomFrom, snapshot } from './layer-actions.ts';

let directory: string;
let child: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-crash-'));
  child = compileVictim('child');
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
        const death = await runVictim(child, path, seed, steps, killAt);
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
      const drawn = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
      process.stderr.write(`kill times of FULGURITE_TEST_SEED=${drawn}\n`);
      const random = randomFrom(drawn);
      const steps = 100_000;
      let acknowledgedInAll = 0;
      for (let round = 0; round < 8; round++) {
        const seed = 1 + random(1000);
        const path = join(directory, `random-${round}-seed-${seed}.sqlite`);
        const { acknowledged, finished } = await runVictim(child, path, seed, steps, 0, async (victim) => {
          // Every other one is at work already, however long the machine took to start it.
          if (round % 2 === 0 && victim.stdout !== null) await once(victim.stdout, 'data');
          await sleep(random(150));
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
