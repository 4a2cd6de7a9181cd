/**
 * The rules of takeover over random histories of three daemons: with all rules, nothing is paid twice or
 * lost, and without any one rule, a history is found in which the payment is paid twice.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALL_RULES, Fleet, LEASE_MS, type Rules, type Step } from './takeover-model.ts';

const DAEMONS = 3;
const SEED = 20261122;

const daemon = fc.nat({ max: DAEMONS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('act' as const), daemon }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('kill' as const, 'pause' as const, 'resume' as const),
      daemon,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('outcome' as const),
      outcome: fc.constantFrom('settled' as const, 'failed' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('expire' as const),
      ms: fc.integer({ min: 1, max: LEASE_MS + 1 }),
    }),
  },
);
const history = fc.array(step, { maxLength: 60 });

function played(steps: readonly Step[], rules: Rules): Fleet {
  const fleet = new Fleet(DAEMONS, rules);
  for (const each of steps) fleet.step(each);
  fleet.settle();
  return fleet;
}

/** Looks for a history in which the payment is not paid exactly once. */
const search = (rules: Rules) =>
  fc.check(
    fc.property(history, (steps) => {
      const { paid, status } = played(steps, rules);
      return paid === 1 && status === 'complete';
    }),
    { seed: SEED, numRuns: 20_000 },
  );

test(`a payment is paid exactly once, and reported so, in every history (seed ${SEED})`, () => {
  expect(search(ALL_RULES)).toMatchObject({ failed: false, numRuns: 20_000 });
});

describe('a payment is paid twice if a rule is removed', () => {
  for (const rule of Object.keys(ALL_RULES) as (keyof Rules)[]) {
    test(rule, () => {
      const rules = { ...ALL_RULES, [rule]: false };
      const found = search(rules);
      expect(found.failed).toBe(true);
      const [steps] = found.counterexample!;
      expect(played(steps, rules).paid).toBeGreaterThan(1);
      expect(played(steps, ALL_RULES).paid).toBe(1);
    });
  }
});

test('the history that paid twice in the experiment: look up, unknown, mark failed, and the first owner wakes up', () => {
  const steps: Step[] = [
    { kind: 'act', daemon: 0 }, // claims
    { kind: 'act', daemon: 0 }, // plans
    { kind: 'act', daemon: 0 }, // journals attempt 1
    { kind: 'pause', daemon: 0 }, // before it is sent
    { kind: 'expire', ms: LEASE_MS + 1 },
    { kind: 'act', daemon: 1 }, // takes over
    { kind: 'act', daemon: 1 }, // without the rule: plans again
    { kind: 'act', daemon: 1 },
    { kind: 'act', daemon: 1 },
    { kind: 'resume', daemon: 0 },
    { kind: 'act', daemon: 0 }, // sends attempt 1
    { kind: 'outcome', outcome: 'settled' },
    { kind: 'outcome', outcome: 'settled' },
  ];
  expect(played(steps, { ...ALL_RULES, sameAgain: false }).paid).toBeGreaterThan(1);
  expect(played(steps, ALL_RULES).paid).toBe(1);
});
