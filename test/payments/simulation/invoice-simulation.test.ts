/**
 * Invoices of all kinds on networks with faults (simulation.ts): BOLT 11 with hints and metadata, BOLT 12
 * over blinded paths, invoices that expire during payment or are paid twice. 300 payments, or 500 if CI is
 * set; `SIM_INVOICES` sets a larger number, `SIM_FIRST` sets the first seed, `SIM_SEED` repeats one seed.
 */
import { expect, test } from 'vitest';
import { binomialRange, countWithin } from '../../statistics.ts';
import { BOLT11_SHARE, simulate } from './simulation.ts';

const PER_SEED = 100;
const payments = Number(process.env.SIM_INVOICES ?? (process.env.CI ? 500 : 300));
const only = process.env.SIM_SEED;
const first = Number(process.env.SIM_FIRST ?? 1);
const seeds =
  only === undefined
    ? Array.from({ length: Math.ceil(payments / PER_SEED) }, (_, index) => index + first)
    : [Number(only)];

test(`${seeds.length * PER_SEED} payments of invoices violate no rule`, {
  timeout: 24 * 3600 * 1000,
}, async () => {
  const kinds: Record<string, number> = {};
  const asked = { again: 0, keysend: 0, bolt11: 0, bolt12: 0 };
  const sums = {
    taken: 0,
    broken: 0,
    readable: 0,
    blames: 0,
    attempts: 0,
    complete: 0,
    payable: 0,
    missed: 0,
    payableAttempts: 0,
  };
  for (const seed of seeds) {
    const run = await simulate(seed, PER_SEED, 120, 'invoices');
    if (process.env.SIM_VERBOSE) process.stderr.write(`${JSON.stringify(run)}\n`);
    expect(run.violations, `SIM_SEED=${seed}`).toEqual([]);
    for (const [kind, count] of Object.entries(run.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
    for (const kind of Object.keys(asked) as (keyof typeof asked)[]) asked[kind] += run.asked[kind];
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += run[name];
  }
  if (process.env.SIM_VERBOSE) {
    process.stderr.write(`${JSON.stringify({ kinds, asked, ...sums })}\n`);
  }
  if (only !== undefined) return;
  const drawn = binomialRange(seeds.length * PER_SEED, BOLT11_SHARE);
  expect(asked.bolt11).toBe(countWithin(asked.bolt11, drawn));
  expect(asked.bolt12).toBe(countWithin(asked.bolt12, drawn));
  const { taken, broken, readable, blames } = sums;
  // Some of each kind are paid, and some are refused because they had already been paid.
  expect(Math.min(kinds.bolt11 ?? 0, kinds.bolt12 ?? 0, taken)).toBeGreaterThan(0);
  // A readable failure is always blamed on a node, so only garbled failures may be left unblamed.
  expect(broken).toBeGreaterThan(0);
  expect(blames, `of ${broken}`).toBeGreaterThanOrEqual(binomialRange(broken, readable / broken).least);
});
