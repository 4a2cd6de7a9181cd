/** When the database is checked for damage, and what happens afterwards. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SEARCH_EVERY_MS, watchForDamage } from '../../../src/cli/daemon/damage-watch.ts';
import { DataDirectoryError } from '../../../src/cli/files/data-directory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watched = (search: () => Promise<void>) => {
  const onDamage = vi.fn();
  const onUnsearched = vi.fn();
  return { end: watchForDamage({ search, onDamage, onUnsearched }), onDamage, onUnsearched };
};

test('the database is searched after the start and every day', async () => {
  const search = vi.fn().mockResolvedValue(undefined);
  const { end, onDamage, onUnsearched } = watched(search);
  await vi.advanceTimersByTimeAsync(0);
  expect(search).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(3 * SEARCH_EVERY_MS);
  expect(search).toHaveBeenCalledTimes(4);
  end();
  await vi.advanceTimersByTimeAsync(3 * SEARCH_EVERY_MS);
  expect(search).toHaveBeenCalledTimes(4);
  expect([onDamage.mock.calls, onUnsearched.mock.calls]).toEqual([[], []]);
});

test('damage is reported once; a failed search is repeated the next day', async () => {
  const search = vi
    .fn()
    .mockRejectedValueOnce(new Error('no space'))
    .mockRejectedValueOnce(new DataDirectoryError('damaged'));
  const { onDamage, onUnsearched } = watched(search);
  await vi.advanceTimersByTimeAsync(3 * SEARCH_EVERY_MS);
  expect(search).toHaveBeenCalledTimes(2);
  expect(onUnsearched.mock.calls).toEqual([[new Error('no space')]]);
  expect(onDamage.mock.calls).toEqual([[new DataDirectoryError('damaged')]]);
});
