/**
 * The figures of a benchmark as a part of the manual: the sums are checked by hand, and the text around the
 * part stays unchanged.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { capacityPlot } from '../../bench/fleet-capacity.ts';
import { type FleetResults, fleetPart } from '../../bench/fleet-docs.ts';
import { withPart } from '../../bench/measured-part.ts';

const row = (sat: number, solvers: number, solverMs: number, daemonMs: number) => ({
  ...{ sat, solvers, 'threads /s': 900, 'processes /s': 810, 'processes : threads': 0.9 },
  ...{ 'solver processor ms': solverMs, 'daemon processor ms': daemonMs },
});
const RESULTS: FleetResults = {
  started: { cpu: 'Testium', threads: 2 },
  areas: [{ area: 'fleet', loadAverage: 0.4 }],
  figures: [{ area: 'fleet', figure: 'round trip to a solver, 1000 sat, p50', value: 0.4, unit: 'ms' }],
  tables: [
    { area: 'kernel', title: 'another', rows: [] },
    {
      area: 'fleet',
      title: 'searches in threads and in solver processes, x, big pairs',
      rows: [row(1_000, 1, 1, 0.25), row(1_000, 2, 9, 9), row(1_000_000, 1, 6, 0.5)],
    },
    { area: 'fleet', title: 'simulated networks, by size', rows: [{ nodes: 3000, 'keysends /s': 512.4 }] },
  ],
};

test('the part reports the measurements and their sums', () => {
  const { text, rows } = fleetPart(RESULTS);
  // A search costs a solver 0.8 · 1 + 0.2 · 6 = 2 ms, and the daemon 0.8 · 0.25 + 0.2 · 0.5 = 0.3 ms. 1,000 payments
  // make 1,300 searches: 2.6 s / 0.65 = 4 solver cores. Each daemon reads the lessons of 16 others: 1.28 ms per payment.
  // (0.39 + 0.8 + 1.28) s / 0.65 = 3.8 daemon cores.
  expect(rows.find((each) => each['payments /s'] === 1_000)).toMatchObject({
    ...{ 'searches /s': 1_300, 'solver cores': 4, 'daemon cores': 4 },
  });
  expect(text).toContain('2 processors (Testium) at a load of 0.4');
  expect(text).toContain('| round trip to a solver, 1000 sat, p50 | 0.40 ms |');
  expect(text).toContain('| 1,000,000 | 1 | 900 | 810 | 0.9 | 6 | 0.5 |');
  expect(text).toContain('| 3,000 | 512 |');
  expect(capacityPlot(rows)).toContain('solver cores: 40');
  expect(() => fleetPart({ ...RESULTS, areas: [] })).toThrow('not measured');
});

test('the part is inserted between the marks in the manual', () => {
  const manual = readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8');
  const changed = withPart(manual, 'docs:fleet', 'PART');
  expect(withPart(changed, 'docs:fleet', 'PART')).toBe(changed);
  const [before, after] = changed.split('PART');
  expect(manual.startsWith(before!.trimEnd()) && manual.endsWith(after!.trimStart())).toBe(true);
  expect(() => withPart('no marks', 'docs:fleet', 'PART')).toThrow('no marks');
});
