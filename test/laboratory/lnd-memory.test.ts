/**
 * LND's a-priori estimator, compared with the cases of its own tests (lnd 0.21,
 * `probability_apriori_test.go`): hop probability 0.6, weight 0.75 (3 observations), half-life of an hour,
 * capacity of 100,000 sat, 90,000 sat to send.
 */
import { expect, test } from 'vitest';
import { capacityFactor, LndMemory } from '../../src/laboratory/routers/lnd-memory.ts';

const CAPACITY = 100_000_000;
const AMOUNT = 90_000_000;
const FACTOR = 0.9909715;
const HOUR_US = 3600e6;
const [FROM, ONE, TWO, THREE, UNTRIED] = [0, 1, 2, 3, 255] as const;
const probability = (memory: LndMemory, to: number, amount: number, nowUs = 0) =>
  memory.pairProbability(FROM, to, amount, CAPACITY, nowUs);

test('LND’s capacity factor falls from 1 at an amount of 0 to 0 above the capacity', () => {
  expect(capacityFactor(AMOUNT, CAPACITY)).toBeCloseTo(FACTOR, 6);
  expect(capacityFactor(0, CAPACITY)).toBeCloseTo(1, 9);
  expect(capacityFactor(CAPACITY + 1, CAPACITY)).toBe(0);
  expect(capacityFactor(5, 0)).toBe(1);
});

test('without results, the a-priori probability times the capacity factor', () => {
  const memory = new LndMemory(0.75);
  expect(probability(memory, ONE, 0)).toBeCloseTo(0.6, 6);
  expect(probability(memory, ONE, AMOUNT)).toBeCloseTo(0.6 * FACTOR, 6);
});

test('after a success, 0.95 up to its amount, and part of the average for other nodes', () => {
  const memory = new LndMemory(0.75);
  memory.succeeded(FROM, ONE, AMOUNT);
  expect(probability(memory, ONE, 100)).toBe(0.95);
  expect(probability(memory, ONE, AMOUNT)).toBe(0.95);
  expect(probability(memory, UNTRIED, 100)).toBeCloseTo((3 * 0.6 + 0.95) / 4, 6);
  expect(probability(memory, UNTRIED, AMOUNT)).toBeCloseTo((3 * 0.6 * FACTOR + 0.95) / 4, 6);
});

test('an hour after a failure, half of the node’s average', () => {
  const memory = new LndMemory(0.75);
  memory.failed(FROM, ONE, 50, 0);
  const node = (3 * 0.6) / 3.5;
  expect(probability(memory, UNTRIED, 100, HOUR_US)).toBeCloseTo(node, 6);
  expect(probability(memory, ONE, 100, HOUR_US)).toBeCloseTo(node / 2, 6);
});

test('after a success and failures of two and three hours ago, failures count less with age', () => {
  const memory = new LndMemory(0.75);
  memory.succeeded(FROM, ONE, 1000);
  memory.failed(FROM, TWO, 50, HOUR_US);
  memory.failed(FROM, THREE, 50, 0);
  const node = (3 * 0.6 + 0.95) / (3 + 1 + 0.25 + 0.125);
  expect(probability(memory, ONE, 100, 3 * HOUR_US)).toBe(0.95);
  expect(probability(memory, UNTRIED, 100, 3 * HOUR_US)).toBeCloseTo(node, 6);
  expect(probability(memory, TWO, 100, 3 * HOUR_US)).toBeCloseTo(node * 0.75, 6);
});

test('own channels are near certain until one fails', () => {
  const memory = new LndMemory();
  expect(memory.localProbability(FROM, ONE, 0)).toBe(0.95);
  memory.failed(FROM, ONE, 0, 0);
  expect(memory.localProbability(FROM, ONE, 0)).toBe(0);
  expect(memory.localProbability(FROM, ONE, HOUR_US)).toBeCloseTo(0.475, 6);
});

test('a smaller failure lowers a success, and a larger success raises a failure', () => {
  const memory = new LndMemory();
  memory.succeeded(FROM, ONE, 1000);
  memory.failed(FROM, ONE, 600, 0);
  expect(probability(memory, ONE, 599)).toBe(0.95);
  expect(probability(memory, ONE, 600)).toBe(0);
  memory.succeeded(FROM, ONE, 800);
  expect(probability(memory, ONE, 800)).toBe(0.95);
  expect(probability(memory, ONE, 801)).toBe(0);
});
