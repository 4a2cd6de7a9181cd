/**
 * The crash matrix of offers: a process that issues, disables, invoices, cancels and remembers series is killed at
 * every single write step. Whatever it had acknowledged must be in the file, and what is in the file must be the
 * state after some whole number of changes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { compileVictim, runVictim } from './crash/victim.ts';
import { randomFrom } from './layer-actions.ts';
import { act, OffersInMemory, snapshot } from './offer-actions.ts';

let directory: string;
let child: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-crash-'));
  child = compileVictim('offer-child');
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** What is kept after 0, 1, … steps. */
function contents(seed: number, steps: number): string[] {
  const memory = new OffersInMemory();
  const random = randomFrom(seed);
  const all = [snapshot(memory)];
  for (let step = 0; step < steps; step++) {
    act(memory, step, random);
    all.push(snapshot(memory));
  }
  return all;
}

test('a kill at any write step loses nothing acknowledged and leaves nothing half applied', async () => {
  const [seed, steps] = [7, 24];
  const expected = contents(seed, steps);
  let killAt = 1;
  for (let finished = false; !finished; killAt++) {
    const path = join(directory, `step-${killAt}.sqlite`);
    const death = await runVictim(child, path, seed, steps, killAt);
    const store = new Store(path);
    const found = expected.indexOf(snapshot(store.offers), death.acknowledged);
    store.close();
    expect(found, `${path}: not what was kept after any step from ${death.acknowledged} on`).not.toBe(-1);
    finished = death.finished;
    expect(killAt).toBeLessThan(200);
  }
  // Migrations, then at least begin, write, commit and committed of every wait.
  expect(killAt).toBeGreaterThan(40);
}, 120_000);
