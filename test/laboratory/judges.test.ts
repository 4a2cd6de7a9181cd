/**
 * The judges of odds: LND's bimodal formula, compared with the cases of its own tests (lnd 0.21,
 * `probability_bimodal_test.go`: capacity 10,000,000 sat, scale 400,000 sat), and the score by hand.
 */
import { expect, test } from 'vitest';
import { bimodalChance, bimodalFormula } from '../../bench/judges/lnd-bimodal.ts';
import { OddsScore } from '../../bench/judges/score.ts';
import { LndMemory } from '../../src/laboratory/routers/lnd-memory.ts';
import { wilson } from '../../src/model/share-interval.ts';

const [SMALL, LARGE, CAPACITY, SCALE] = [4e8, 5e9, 1e10, 4e8];

test.each([
  [0, CAPACITY, CAPACITY + 1, 0],
  [0, CAPACITY, LARGE, 0.5],
  [0, CAPACITY, 0, 1],
  [0, CAPACITY, CAPACITY, 0],
  [0, CAPACITY, SMALL, 0.684],
  [LARGE, CAPACITY, SMALL, 1],
  [LARGE, CAPACITY, LARGE, 1],
  [SMALL / 2, CAPACITY, SMALL, 0.851],
  [LARGE / 2, CAPACITY, LARGE, 0.998],
  [0, LARGE, LARGE, 0],
  [0, LARGE, SMALL, 0.368],
  [SMALL, LARGE, SMALL, 1],
  [SMALL, LARGE, SMALL + LARGE / 10, 0.287],
  [SMALL, LARGE, LARGE, 0],
])('LND bimodal: %d sent, %d failed, %d asked', (successMsat, failMsat, amountMsat, expected) => {
  const chance = bimodalFormula({ capacityMsat: CAPACITY, successMsat, failMsat, amountMsat }, SCALE);
  expect(Math.abs(chance - expected)).toBeLessThan(0.001);
});

test('LND bimodal: results of other pairs of a node count 0.2 each if the pair has none', () => {
  const memory = new LndMemory();
  const asked = { to: 9, amountMsat: 5e9, capacityMsat: 1e10, isOwn: false, nowUs: 0 };
  memory.succeeded(1, 2, 1, 0);
  expect(bimodalChance(memory.pairsFrom(1), asked)).toBeCloseTo((0.5 + 0.2) / 1.2, 3);
  memory.failed(1, 3, 1, 0);
  expect(bimodalChance(memory.pairsFrom(1), asked)).toBeCloseTo((0.5 + 0.2) / 1.4, 3);
});

test('the score of three attempts, by hand', () => {
  const score = new OddsScore();
  score.add(0.9, true);
  score.add(0.8, false);
  score.add(0.25, false);
  expect(score.logLoss).toBeCloseTo(-(Math.log(0.9) + Math.log(0.2) + Math.log(0.75)) / 3, 12);
  expect(score.brier).toBeCloseTo((0.01 + 0.64 + 0.0625) / 3, 12);
  expect(score.tenths.map(({ count }) => count)).toEqual([1, 1, 1]);
  // 8 of 10: Wilson's interval from published tables.
  const { low, high } = wilson(8, 10);
  expect(low).toBeCloseTo(0.49, 2);
  expect(high).toBeCloseTo(0.943, 2);
});
