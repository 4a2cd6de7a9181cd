/** The helper with which tests wait. */
import { expect, test } from 'vitest';
import { until } from './until.ts';

test('a condition may hold later, and may throw until then', async () => {
  let polls = 0;
  await until(() => {
    if (++polls < 3) throw new Error('not yet');
    return polls === 5;
  });
  expect(polls).toBe(5);
});

test('a condition that never holds is named in the error, whose cause is the last error', async () => {
  const broken = until(() => Promise.reject(new Error('no connection')), { limitMs: 0 });
  await expect(broken).rejects.toMatchObject({
    message: expect.stringMatching(/^not met within 0 ms: .*no connection/s),
    cause: new Error('no connection'),
  });
  await expect(until(() => 1 > 2, { limitMs: 0 })).rejects.toThrow('not met within 0 ms: () => 1 > 2');
});
