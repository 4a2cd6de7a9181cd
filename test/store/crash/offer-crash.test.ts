/**
 * The crash matrix of offers. Work that writes offers, invoices and series of payers is killed at every single write
 * step. The file must contain every acknowledged change, and its content must be the state after a whole number of
 * changes.
 */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Store } from '../../../src/store/store.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { randomFrom } from '../layer-actions.ts';
import { act, OffersInMemory, snapshot } from '../offer-actions.ts';
import { DATABASE, remainsOf, runVictim } from '../victim.ts';
import { isAwaited } from './work.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

/** The stored content after 0, 1, 2 … steps. */
async function contents(seed: number, steps: number): Promise<string[]> {
  const memory = new OffersInMemory();
  const random = randomFrom(seed);
  const all = [await snapshot(memory)];
  for (let step = 0; step < steps; step++) {
    act(memory, step, random);
    all.push(await snapshot(memory));
  }
  return all;
}

/** The content after a kill. */
async function contentOf(remains: string): Promise<string> {
  const store = new Store(join(remains, DATABASE));
  const content = await snapshot(store.offers);
  store.close();
  return content;
}

test('a kill at any write step loses nothing acknowledged and leaves nothing half applied', async () => {
  const work = { seed: 7, steps: 24 };
  const expected = await contents(work.seed, work.steps);
  const remains = await remainsOf('offers', directory.path, work);
  // The schema of a new file is one transaction. Changes that wait together are one as well.
  const transactions = 1 + Array.from({ length: work.steps }, (_, i) => i).filter(isAwaited).length;
  for (const kind of ['begin', 'commit', 'committed'] as const)
    expect(remains.filter(({ step }) => step === kind)).toHaveLength(transactions);
  for (const { directory: left, acknowledged } of remains) {
    const found = expected.indexOf(await contentOf(left), acknowledged);
    expect(found, `${left}: not the content after any step from ${acknowledged} on`).not.toBe(-1);
  }
  // A process that is really killed at a step leaves the same content as the copy made at that step.
  const killAt = Math.floor(0.7 * remains.length);
  const killed = join(directory.path, 'killed');
  const { acknowledged, finished } = await runVictim('offers', killed, { ...work, killAt });
  const copy = remains[killAt - 1]!;
  expect([finished, acknowledged]).toEqual([false, copy.acknowledged]);
  expect(await contentOf(killed)).toBe(await contentOf(copy.directory));
});
