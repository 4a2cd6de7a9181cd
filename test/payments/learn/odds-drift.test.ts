/** Drift between stated odds and outcomes is detected, and true odds cause no alarm. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { OddsDrift } from '../../../src/payments/learn/odds-drift.ts';

/**
 * Simulates 200 runs of 1,000 attempts: the share of runs with an alarm, and the mean number of attempts
 * before the alarm.
 */
function alarms(truth: (stated: number, attempt: number) => number): { share: number; after: number } {
  let raised = 0;
  let sum = 0;
  for (let run = 0; run < 200; run++) {
    const random = seededRandom(BigInt(run + 1), 7);
    const drift = new OddsDrift();
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const stated = 0.3 + 0.69 * random();
      drift.observe(stated, stated, random() < truth(stated, attempt));
      if (!drift.now.hasDrifted) continue;
      raised++;
      sum += attempt;
      break;
    }
  }
  return { share: raised / 200, after: sum / Math.max(1, raised) };
}

describe('drift of stated odds', () => {
  it('is hardly ever reported if the odds are accurate', () => {
    expect(alarms((stated) => stated).share).toBeLessThanOrEqual(0.03);
  });

  it('is reported within a few hundred attempts if the success rate is 15 percentage points lower', () => {
    const { share, after } = alarms((stated) => stated - 0.15);
    expect(share).toBeGreaterThanOrEqual(0.99);
    expect(after).toBeLessThan(300);
  });

  it('is reported with the stated and the actual rate, and the loss before and after the correction', () => {
    const drift = new OddsDrift();
    expect(drift.now).toMatchObject({ attempts: 0, stated: undefined, deviation: 0, hasDrifted: false });
    drift.observe(0.9, 0.5, true);
    expect(drift.now).toMatchObject({
      attempts: 1,
      stated: 0.5,
      arrived: 1,
      deviation: 1,
      hasDrifted: false,
    });
    expect(drift.now.lossBefore).toBeCloseTo(-Math.log(0.9), 12);
    expect(drift.now.lossAfter).toBeCloseTo(Math.LN2, 12);
  });
});
