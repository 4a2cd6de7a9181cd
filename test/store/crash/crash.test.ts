/**
 * The crash matrix of layers. Work on persistent layers is killed at every single write step, and as a
 * process at random moments from outside. The file must contain every acknowledged change, and its content
 * must be the state after a whole number of mutations.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { Store } from '../../../src/store/store.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { act, clockedBook, randomFrom, snapshot } from '../layer-actions.ts';
import { DATABASE, remainsOf, runVictim } from '../victim.ts';
import { isAwaited } from './work.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** The content of the layers after 0, 1, 2 … steps. */
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

/** The content after a kill. */
async function contentOf(remains: string): Promise<string> {
  const store = new Store(join(remains, DATABASE));
  const { book } = clockedBook();
  await store.layers.attach(book);
  store.close();
  return snapshot(book);
}

/**
 * Checks that a kill left the content after some step, at least the last acknowledged one. Returns that step.
 */
async function survivingStep(
  remains: string,
  expected: readonly string[],
  acknowledged: number,
): Promise<number> {
  const found = expected.indexOf(await contentOf(remains), acknowledged);
  expect(found, `${remains}: not the content after any step from ${acknowledged} on`).not.toBe(-1);
  return found;
}

describe('a kill', () => {
  test('at any write step loses nothing acknowledged and leaves nothing half applied', async () => {
    const work = { seed: 42, steps: 24 };
    const expected = contents(work.seed, work.steps);
    const remains = await remainsOf('layers', directory.path, work);
    // The schema of a new file is one transaction. Mutations that wait together are one as well.
    const transactions = 1 + Array.from({ length: work.steps }, (_, i) => i).filter(isAwaited).length;
    for (const kind of ['begin', 'commit', 'committed'] as const)
      expect(remains.filter(({ step }) => step === kind)).toHaveLength(transactions);
    for (const { directory: left, acknowledged } of remains)
      await survivingStep(left, expected, acknowledged);
    // A process that is really killed at a step leaves the same content as the copy made at that step.
    for (const part of [0.4, 0.7, 0.9]) {
      const killAt = Math.floor(part * remains.length);
      const killed = join(directory.path, `killed-${killAt}`);
      const { acknowledged, finished } = await runVictim('layers', killed, { ...work, killAt });
      const copy = remains[killAt - 1]!;
      expect([finished, acknowledged]).toEqual([false, copy.acknowledged]);
      expect(await contentOf(killed)).toBe(await contentOf(copy.directory));
    }
  });

  test.each([
    ['here', false],
    ['in a thread of its own', true],
  ])('at random moments loses nothing acknowledged, with the database %s', async (_where, hasThread) => {
    const drawn = Number(process.env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
    process.stderr.write(`kill times of FULGURITE_TEST_SEED=${drawn}\n`);
    const random = randomFrom(drawn);
    const steps = 100_000;
    let acknowledgedInAll = 0;
    for (let round = 0; round < 4; round++) {
      const seed = 1 + random(1000);
      const left = join(directory.path, `random-${round}-${hasThread}-seed-${seed}`);
      const { acknowledged, finished } = await runVictim(
        'layers',
        left,
        { seed, steps, hasThread },
        async (victim) => {
          // In every other round the kill waits until the process has begun its work, even on a slow machine.
          if (round % 2 === 0 && victim.stdout !== null) await once(victim.stdout, 'data');
          await sleep(random(150));
          victim.kill('SIGKILL');
        },
      );
      expect(finished).toBe(false);
      acknowledgedInAll += acknowledged;
      // At most three mutations wait together. They may be committed before they are acknowledged.
      const expected = contents(seed, acknowledged + 6);
      expect(await survivingStep(left, expected, acknowledged)).toBeLessThanOrEqual(acknowledged + 6);
    }
    expect(acknowledgedInAll).toBeGreaterThan(0);
  });
});
