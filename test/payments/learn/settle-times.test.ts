/** Delays of nodes, learned from the durations of round trips, compared with the true delays. */
import { expect, test } from 'vitest';
import type { NodeId } from '../../../src/model/node-id.ts';
import {
  MAX_TIMES_REMEMBERED,
  SettleTimes,
  type SettleTimesState,
} from '../../../src/payments/learn/settle-times.ts';

const nodeOf = (index: number): NodeId => `02${index.toString(16).padStart(64, '0')}` as NodeId;

/** Pseudo-random numbers in [0, 1). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Learns from round trips over paths of three nodes out of a hundred. Every tenth node takes 3 s instead of 0.3 s. */
function learnt(
  roundTrips: number,
  lie: (node: number, seconds: number) => number = (_, s) => s,
): SettleTimes {
  const times = new SettleTimes(() => 0);
  const draw = uniform(7);
  for (let trip = 0; trip < roundTrips; trip++) {
    const path = Array.from({ length: 3 }, () => Math.floor(draw() * 100));
    const took = path.map((node) => lie(node, (node % 10 === 0 ? 3 : 0.3) * (0.7 + 0.6 * draw())));
    times.observe(path.map(nodeOf), took[0]! + took[1]! + took[2]!);
  }
  return times;
}

const SLOW = Array.from({ length: 10 }, (_, at) => 10 * at);
const FAST = Array.from({ length: 100 }, (_, at) => at).filter((node) => node % 10 !== 0);

test('slow nodes are distinguished from the others', () => {
  const times = learnt(600);
  const slowest = Math.max(...FAST.map((node) => times.excessS(nodeOf(node))));
  for (const node of SLOW) {
    expect(times.excessS(nodeOf(node)), `node ${node}`).toBeGreaterThan(1.5);
    expect(times.excessS(nodeOf(node))).toBeGreaterThan(2 * slowest);
  }
  expect(new Set(times.slowest(10).map(({ node }) => node))).toEqual(new Set(SLOW.map(nodeOf)));
});

test('an unknown node counts as average, and a faster one too', () => {
  const times = learnt(600);
  expect(times.excessS(nodeOf(1_000))).toBe(0);
  expect(times.excessS(nodeOf(1))).toBe(0);
});

test('a node that lies about its time changes its own estimate far more than any other', () => {
  const honest = learnt(2_000);
  const lied = learnt(2_000, (node, seconds) => (node === 5 ? seconds + 10 : seconds));
  const change = (node: number): number =>
    Math.abs(lied.excessS(nodeOf(node)) - honest.excessS(nodeOf(node)));
  const others = Math.max(...[...FAST, ...SLOW].filter((node) => node !== 5).map(change));
  expect(change(5)).toBeGreaterThan(5);
  expect(others).toBeLessThan(change(5) / 2);
});

test('an old estimate gives way to a new round trip', () => {
  let now = 0;
  const times = new SettleTimes(() => now);
  for (let trip = 0; trip < 50; trip++) times.observe([nodeOf(1)], 5);
  expect(times.excessS(nodeOf(1))).toBeGreaterThan(1);
  times.observe([nodeOf(1)], 0.3);
  const fresh = times.excessS(nodeOf(1));
  now = 86_400;
  times.observe([nodeOf(1)], 0.3);
  expect(times.excessS(nodeOf(1))).toBeLessThan(fresh / 2);
});

test('a round trip without nodes, or with an impossible duration, teaches nothing', () => {
  const times = new SettleTimes(() => 0);
  const before = times.state();
  times.observe([], 3);
  times.observe([nodeOf(1)], Number.NaN);
  times.observe([nodeOf(1)], -1);
  expect(times.state()).toEqual(before);
});

test('the state continues in another process', () => {
  const times = learnt(100);
  const restored = new SettleTimes(() => 0);
  restored.restore(JSON.parse(JSON.stringify(times.state())) as SettleTimesState);
  expect(restored.state()).toEqual(times.state());
});

test('only a maximum number of nodes is remembered, the latest ones', () => {
  const times = new SettleTimes(() => 0);
  for (let node = 0; node < MAX_TIMES_REMEMBERED + 10; node++) times.observe([nodeOf(node)], 1);
  const { nodes } = times.state();
  expect(nodes).toHaveLength(MAX_TIMES_REMEMBERED);
  expect(nodes[0]![0]).toBe(nodeOf(10));
});
