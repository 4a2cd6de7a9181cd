/** Quantiles of durations in the last ten seconds. */
import { expect, test } from 'vitest';
import { RECENT_MS, RecentTimes } from '../../src/events/index.ts';
import { ManualClock } from './manual-clock.ts';

test('quantiles are by nearest rank', () => {
  const times = new RecentTimes(new ManualClock());
  expect(times.quantiles([0.5])).toBeUndefined();
  for (const ms of [5, 1, 4, 2, 3]) times.note(ms);
  // The median: half of five is 2.5, so it is the third of 1 2 3 4 5. The 99th percentile is the fifth.
  expect(times.quantiles([0.5, 0.99, 0.2, 0.21])).toEqual([3, 5, 1, 2]);
});

test('durations older than ten seconds are left out, but counted', () => {
  const clock = new ManualClock();
  const times = new RecentTimes(clock);
  times.note(100);
  // Setting the clock does not change what is recent.
  clock.setClock(3_600_000);
  clock.pass(RECENT_MS);
  times.note(1);
  expect(times.quantiles([1])).toEqual([100]);
  clock.pass(1);
  expect(times.quantiles([1])).toEqual([1]);
  clock.pass(RECENT_MS);
  expect(times.quantiles([1])).toBeUndefined();
  expect(times.count).toBe(2);
});

test('quantiles of very many durations use only the latest ones', () => {
  const times = new RecentTimes(new ManualClock());
  for (let n = 0; n < 5000; n++) times.note(n);
  expect(times.count).toBe(5000);
  expect(times.quantiles([0.001, 1])).toEqual([5000 - 1024 + 1, 4999]);
});
