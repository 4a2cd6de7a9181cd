/**
 * Conclusions from one failure of a node: near certainty that the node stays away if nodes are away for long,
 * but little if each node fails now and then.
 */
import { expect, test } from 'vitest';
import { Draws } from '../../../src/model/draws.ts';
import { type NodeCounts, Persistence } from '../../../src/payments/learn/persistence.ts';

const RATE = 0.1;
const NODES = 200;

/**
 * Records three outcomes for each of 200 nodes. Returns the log loss of the probabilities stated before the
 * second and third outcomes.
 */
function played(fails: (node: number, turn: number) => boolean): { model: Persistence; loss: number } {
  const model = new Persistence();
  const counts = Array.from({ length: NODES }, (): NodeCounts => ({ answered: 0, failed: 0 }));
  let loss = 0;
  for (let turn = 0; turn < 3; turn++) {
    for (const [node, seen] of counts.entries()) {
      const failed = Number(fails(node, turn));
      const stated = model.failingChance(RATE, seen);
      if (turn > 0) loss -= Math.log(failed === 1 ? stated : 1 - stated);
      model.observe(RATE, seen, { answered: 1 - failed, failed });
      counts[node] = { answered: seen.answered + 1 - failed, failed: seen.failed + failed };
    }
  }
  return { model, loss };
}

const failedOnce: NodeCounts = { answered: 0, failed: 1 };

test('if absent nodes stay away, one failure is enough, and the odds are nearly as good as perfect knowledge', () => {
  const draws = new Draws(1n);
  const { model, loss } = played((node) => draws.uniform(1, node) < RATE);
  expect(model.failingChance(RATE, failedOnce)).toBeGreaterThan(0.85);
  expect(model.failingChance(RATE)).toBeCloseTo(RATE, 12);
  expect(loss / (2 * NODES)).toBeLessThan(0.05);
});

test('if nodes fail now and then, one failure means little, and the odds are close to the overall rate', () => {
  const draws = new Draws(2n);
  const fails = (node: number, turn: number): boolean => draws.uniform(1, 3 * node + turn) < RATE;
  const { model, loss } = played(fails);
  expect(model.failingChance(RATE, failedOnce)).toBeLessThan(0.35);
  let ofRate = 0;
  for (let node = 0; node < NODES; node++)
    for (const turn of [1, 2]) ofRate -= Math.log(fails(node, turn) ? RATE : 1 - RATE);
  expect(loss).toBeLessThan(1.1 * ofRate);
});

test('a failure with an uncertain cause counts with its probability', () => {
  const { model } = played((node) => node % 10 === 0);
  for (const probability of [0.01, 0.1, 0.5, 0.9]) {
    const expected =
      (1 - probability) * model.failingChance(RATE) + probability * model.failingChance(RATE, failedOnce);
    expect(model.failingChance(RATE, { answered: 0, failed: probability })).toBeCloseTo(expected, 12);
  }
});

test('an answer after a failure with an uncertain cause shows that the node was probably not the cause', () => {
  const { model } = played((node) => node % 10 === 0);
  const seen = { answered: 0, failed: 1.5 };
  // Bayes' rule: a node that failed twice answers with the probability `twice`, one that failed once with `once`.
  const [once, twice] = [1, 2].map((failed) => 1 - model.failingChance(RATE, { answered: 0, failed }));
  expect(model.failedAfter(RATE, seen, 1, 1)).toBeCloseTo(1 + twice! / (once! + twice!), 12);
  expect(model.failedAfter(RATE, { answered: 0, failed: 0.5 }, 1, 1)).toBeLessThan(0.1);
  // Nothing changes if there was no answer, or no doubt.
  expect(model.failedAfter(RATE, seen, 0, 1)).toBe(1.5);
  expect(model.failedAfter(RATE, failedOnce, 1, 1)).toBe(1);
});

test('weights add up to 1, never vanish, and survive a restart', () => {
  const { model } = played(() => true);
  const { weights } = model;
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  expect(Math.min(...weights)).toBeGreaterThan(0.00002);
  const again = new Persistence();
  again.restore(JSON.parse(JSON.stringify(weights)));
  expect(again.failingChance(RATE, failedOnce)).toBe(model.failingChance(RATE, failedOnce));
});
