/** The limit on refused requests of one offender. */
import { afterEach, expect, test, vi } from 'vitest';
import { RefusalLimit } from '../../src/http/refusal-limit.ts';

afterEach(() => vi.restoreAllMocks());

test('after any number of refusals, an offender waits at most for twice the burst', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  const limit = new RefusalLimit({ burst: 10, perSecond: 1 });
  limit.charge('one', 1_000_000);
  clock.mockReturnValue(10_999);
  expect(limit.owes('one')).toBe(true);
  clock.mockReturnValue(11_000);
  expect(limit.owes('one')).toBe(false);
});

test('4096 offenders are remembered, and the one that was refused longest ago is forgotten first', () => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const limit = new RefusalLimit({ burst: 1, perSecond: 1 });
  for (let n = 0; n < 4096; n++) limit.charge(`${n}`, 1);
  limit.charge('0', 1);
  limit.charge('new', 1);
  expect(['0', '1', '2', 'new'].map((one) => limit.owes(one))).toEqual([true, false, true, true]);
});
