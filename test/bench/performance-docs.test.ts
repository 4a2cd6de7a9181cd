/** The tables of a benchmark as a part of docs/performance.md. The text around the part stays unchanged. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withPart } from '../../bench/measured-part.ts';
import { type PerformanceResults, performancePart } from '../../bench/performance-docs.ts';

const RESULTS: PerformanceResults = {
  started: {
    ...{ date: '2026-11-26T23:30:00.000Z', cpu: 'Testium', threads: 2, memoryGb: 23 },
    ...{ node: 'v20.20.2', commit: 'abcdef012345' },
  },
  areas: [
    { area: 'socket', floorMs: 27.4, floorProcessorMs: 27, loadAverage: 1.14, stealPercent: 0 },
    { area: 'load', floorMs: 28.2, floorProcessorMs: 28, loadAverage: 0.96, stealPercent: 0.04 },
  ],
  figures: [
    { area: 'socket', figure: 'tiny requests', value: 61_234.5, unit: '/s', target: '>= 50000', met: 'yes' },
  ],
  tables: [
    { area: 'socket', title: 'getroutes', rows: [{ sat: 100_000, 'p50 ms': 0.4123, other: Number.NaN }] },
    { area: 'load-more', title: 'starts', rows: [{ source: 'snapshot', 'ready ms': 612.3 }] },
  ],
};

test('the part states the circumstances, and each area with its tables and figures', () => {
  expect(performancePart(RESULTS).split('\n\n')).toEqual([
    '`npm run bench -- socket load` on 2026-11-26, commit abcdef012345, 2 × Testium, 23 GB, Node.js v20.20.2:',
    '### socket',
    'Load 1.1, steal 0.0 %, floor 27 ms.',
    'getroutes:',
    '| sat | p50 ms | other |\n|---|---|---|\n| 100,000 | 0.41 |  |',
    '### load',
    'Load 1.0, steal 0.0 %, floor 28 ms.',
    'starts:',
    '| source | ready ms |\n|---|---|\n| snapshot | 612 |',
    '### Figures and their targets',
    '| area | figure | value | unit | target | met |\n|---|---|---|---|---|---|\n' +
      '| socket | tiny requests | 61,200 | /s | >= 50000 | yes |',
  ]);
});

test('docs/performance.md has a place for the part', () => {
  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
  const changed = withPart(page, 'docs:performance', 'PART');
  expect(withPart(changed, 'docs:performance', 'PART')).toBe(changed);
  const [before, after] = changed.split('PART');
  expect(page.startsWith(before!.trimEnd()) && page.endsWith(after!.trimStart())).toBe(true);
});
