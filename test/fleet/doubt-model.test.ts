/**
 * The rules of doubt over random histories with failovers: with all rules, an invoice never has two HTLCs in flight
 * or settled, and without any one rule, a history is found in which it has two.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_RULES, DoubtingFleet, LEASE_MS, type Rules, type Step } from './doubt-model.ts';

const DAEMONS = 2;
const SEED = 20261123;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'ask' as const,
        'send' as const,
        'kill' as const,
        'pause' as const,
        'resume' as const,
        'tell' as const,
      ),
      daemon: fc.nat({ max: DAEMONS - 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('replicate' as const, 'failover' as const, 'match' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('outcome' as const), isSettled: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: LEASE_MS + 1 }),
    }),
  },
);

const search = (rules: Rules) =>
  fc.check(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const fleet = new DoubtingFleet(DAEMONS, rules);
      for (const each of steps) fleet.step(each);
      return fleet.mostStanding <= 1;
    }),
    { seed: SEED, numRuns: 10_000 },
  );

test(`an invoice is paid once in every history with failovers (seed ${SEED})`, () => {
  expect(search(ALL_RULES)).toMatchObject({ failed: false, numRuns: 10_000 });
});

describe('an invoice is paid twice if a rule is removed', () => {
  for (const rule of ['matches', 'waits'] as const) {
    test(rule, () => {
      expect(search({ ...ALL_RULES, [rule]: false })).toMatchObject({ failed: true });
    });
  }

  test('isConfirmed: a daemon that paused after its commit sends what the other has paid meanwhile', () => {
    const history: Step[] = [
      { kind: 'ask', daemon: 0 },
      { kind: 'pause', daemon: 0 },
      { kind: 'failover' },
      { kind: 'pass', ms: LEASE_MS + 1 },
      { kind: 'match' },
      { kind: 'ask', daemon: 1 },
      { kind: 'send', daemon: 1 },
      { kind: 'resume', daemon: 0 },
      { kind: 'send', daemon: 0 },
    ];
    const most = [ALL_RULES, { ...ALL_RULES, isConfirmed: false }].map((rules) => {
      const fleet = new DoubtingFleet(DAEMONS, rules);
      for (const each of history) fleet.step(each);
      return fleet.mostStanding;
    });
    expect(most).toEqual([1, 2]);
  });
});
