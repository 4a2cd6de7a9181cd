/** The closing lines of a test run list every reason for skipped tests. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { closingLines, NEEDS, needIn, titleNeeding } from './needs-table.ts';
import { sourcesBelow } from './rooms.ts';

test('without skipped tests there is one line', () => {
  expect(closingLines(7, 1, [])).toEqual(['7 passed, 1 failed']);
});

test('each reason is counted and reported with its remedy', () => {
  const skipped = [
    `${titleNeeding('recorded', 'conversations')} > a`,
    `${titleNeeding('recorded', 'conversations')} > b`,
    'left out > c',
  ];
  expect(closingLines(1, 0, skipped)).toEqual([
    '1 passed, 0 failed, 3 skipped',
    `2 skipped: ${NEEDS.conversations.why}; enabled by ${NEEDS.conversations.enabledBy}`,
    '1 skipped: they were left out by name, or give no reason',
  ]);
});

test('a need in a title must be in the table', () => {
  expect(needIn('x [needs ldk] > y')).toBe('ldk');
  expect(needIn('x [needs money]')).toBeUndefined();
});

test('no test is skipped, or run alone, without a reason', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const skips = /\.(?:skip|skipIf|runIf|only|todo|fails)\b\s*\(/;
  const without = sourcesBelow(root, ['test']).filter(
    ({ path, text }) => path !== 'test/needs.ts' && skips.test(text),
  );
  expect(without.map(({ path }) => path)).toEqual([]);
});
