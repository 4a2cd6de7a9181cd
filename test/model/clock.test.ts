/** The real clock supports longer waits than the platform's timers. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { realClock } from '../../src/model/clock.ts';

test('a timer of more than 2^31 ms does not fire at once', async () => {
  let hasRung = false;
  const cancel = realClock.after(0xffff_ffff * 1000, () => {
    hasRung = true;
  });
  await sleep(50);
  cancel();
  expect(hasRung).toBe(false);
});
