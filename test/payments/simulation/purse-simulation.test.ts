/**
 * Many payments over several nodes of ours (purse-simulation.ts): 300 over 5 nodes; `SIM_PURSE` sets a larger
 * number, `SIM_SEED` repeats one seed. Stops, crashes, splits and transfers must have occurred, or the test
 * has shown nothing.
 */
import { expect, test } from 'vitest';
import { type PurseRun, simulatePurse } from './purse-simulation.ts';

const PER_SEED = 100;
const payments = Number(process.env.SIM_PURSE ?? 300);
const only = process.env.SIM_SEED;
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(payments / PER_SEED) }, (_, at) => at + 1)
    : [Number(only)];

test(`${seeds.length * PER_SEED} payments over five nodes violate no rule`, {
  timeout: 24 * 3600 * 1000,
}, async () => {
  const sums: Record<string, number> = {};
  for (const seed of seeds) {
    const run = await simulatePurse(seed, PER_SEED);
    if (process.env.SIM_VERBOSE) process.stderr.write(`${seed} ${JSON.stringify(run)}\n`);
    expect(run.violations, `SIM_SEED=${seed}`).toEqual([]);
    for (const name of Object.keys(run) as (keyof PurseRun)[]) {
      if (name !== 'violations') sums[name] = (sums[name] ?? 0) + run[name];
    }
  }
  if (process.env.SIM_VERBOSE) process.stderr.write(`${JSON.stringify(sums)}\n`);
  if (only !== undefined) return;
  for (const name of ['complete', 'splitOverNodes', 'stops', 'crashes', 'transfers', 'largerThanAnyNode']) {
    expect(sums[name], name).toBeGreaterThan(0);
  }
});

test('a daemon that forgets parts with unknown outcomes is detected', { timeout: 600_000 }, async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= 20 && found.length === 0; seed++) {
    const { violations } = await simulatePurse(seed, PER_SEED, 5, 'forgetsFrozenParts');
    found.push(...violations.filter((text) => text.includes('on their way')));
  }
  expect(found.length).toBeGreaterThan(0);
});
