/** Delays of nodes, learned from round trips and reported hold times, compared with the true delays. */
import { describe, expect, test } from 'vitest';
import type { NodeId } from '../../../src/model/node-id.ts';
import {
  type AttemptTime,
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

/** A round trip without reports. */
const roundTrip = (roundTripS: number): AttemptTime => ({ roundTripS, holdTimesS: [], waited: false });

/** What the nodes of a path do. */
interface Behaviour {
  /** How long a node takes, given how long an honest one would. */
  readonly takes?: (node: number, seconds: number) => number;
  /** Share of the paths that lead over node 1 to node 5, as if node 5 had no other channel. */
  readonly overOneToFive?: number;
  /**
   * What a node reports, given how long it held the HTLC, and how long its own HTLC to the next node was in flight.
   * Undefined: nothing. Default: no node reports.
   */
  readonly reports?: (node: number, heldS: number, beyondS: number) => number | undefined;
}

/**
 * Learns from round trips over paths of three nodes out of a hundred. Every tenth node takes 3 s instead of 0.3 s. Half
 * of a node's time is before its own hold time.
 */
function learnt(
  roundTrips: number,
  { takes = (_, s) => s, reports = () => undefined, overOneToFive = 0 }: Behaviour = {},
): SettleTimes {
  const times = new SettleTimes(() => 0);
  const draw = uniform(7);
  for (let trip = 0; trip < roundTrips; trip++) {
    const path = Array.from({ length: 3 }, () => Math.floor(draw() * 100));
    if (draw() < overOneToFive) path.splice(0, 2, 1, 5);
    const took = path.map((node) => takes(node, (node % 10 === 0 ? 3 : 0.3) * (0.7 + 0.6 * draw())));
    const holdTimesS: number[] = [];
    for (const [index, node] of path.entries()) {
      const beyondS = took.slice(index + 1).reduce((sum, s) => sum + s, 0);
      const [held, beyond] = [beyondS + took[index]! / 2, beyondS].map((s) => Math.round(10 * s) / 10);
      const report = reports(node, held!, beyond!);
      if (report === undefined) break;
      holdTimesS.push(report);
    }
    const roundTripS = took[0]! + took[1]! + took[2]!;
    times.observe(path.map(nodeOf), { roundTripS, holdTimesS, waited: false });
  }
  return times;
}

const honest = (_: number, heldS: number): number => heldS;

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

const ALL = [...FAST, ...SLOW];

/** Node 5 holds each HTLC for another 10 s. */
const holding = (node: number, seconds: number): number => (node === 5 ? seconds + 10 : seconds);

/** How far the estimate of node 5 changed, and the largest change of any other node's. */
function changeOf(
  before: SettleTimes,
  after: SettleTimes,
): { readonly own: number; readonly others: number } {
  const change = (node: number): number => after.excessS(nodeOf(node)) - before.excessS(nodeOf(node));
  const others = Math.max(...ALL.filter((node) => node !== 5).map((node) => Math.abs(change(node))));
  return { own: change(5), others };
}

test('a node that lies about its time changes its own estimate far more than any other', () => {
  const before = learnt(2_000);
  const lied = learnt(2_000, { takes: holding });
  const { own, others } = changeOf(before, lied);
  expect(own).toBeGreaterThan(5);
  expect(others).toBeLessThan(own / 2);
});

test('of a node and the only node that leads to it, the one that holds HTLCs appears slower', () => {
  const before = learnt(2_000, { overOneToFive: 0.2 });
  const { own, others } = changeOf(before, learnt(2_000, { takes: holding, overOneToFive: 0.2 }));
  expect(others).toBeLessThan(0.75 * own);
});

test('an old estimate gives way to a new round trip', () => {
  let now = 0;
  const times = new SettleTimes(() => now);
  for (let trip = 0; trip < 50; trip++) times.observe([nodeOf(1)], roundTrip(5));
  expect(times.excessS(nodeOf(1))).toBeGreaterThan(1);
  times.observe([nodeOf(1)], roundTrip(0.3));
  const fresh = times.excessS(nodeOf(1));
  now = 86_400;
  times.observe([nodeOf(1)], roundTrip(0.3));
  expect(times.excessS(nodeOf(1))).toBeLessThan(fresh / 2);
});

test('a round trip without nodes, or with an impossible duration, teaches nothing', () => {
  const times = new SettleTimes(() => 0);
  const before = times.state();
  times.observe([], roundTrip(3));
  times.observe([nodeOf(1)], roundTrip(Number.NaN));
  times.observe([nodeOf(1)], roundTrip(-1));
  expect(times.state()).toEqual(before);
});

test('the state continues in another process', () => {
  const times = learnt(100);
  const restored = new SettleTimes(() => 0);
  restored.restore(JSON.parse(JSON.stringify(times.state())) as SettleTimesState);
  expect(restored.state()).toEqual(times.state());
});

test('the state of an earlier release, without hold times, continues', () => {
  const { nodes, ...rest } = learnt(100).state();
  const older = nodes.map(([node, seconds, variance, atS]) => [node, seconds, variance, atS] as const);
  const restored = new SettleTimes(() => 0);
  restored.restore({ ...rest, nodes: older });
  expect(restored.state()).toEqual({ nodes, ...rest });
});

test('only a maximum number of nodes is remembered, the latest ones', () => {
  const times = new SettleTimes(() => 0);
  for (let node = 0; node < MAX_TIMES_REMEMBERED + 10; node++) times.observe([nodeOf(node)], roundTrip(1));
  const { nodes } = times.state();
  expect(nodes).toHaveLength(MAX_TIMES_REMEMBERED);
  expect(nodes[0]![0]).toBe(nodeOf(10));
});

/** Root mean square of the differences from the true times. */
function errorOf(times: SettleTimes): number {
  const squares = ALL.map((node) => {
    const truth = node % 10 === 0 ? 3 - times.state().mean : 0;
    return (times.excessS(nodeOf(node)) - truth) ** 2;
  });
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / ALL.length);
}

describe('hold times', () => {
  test('show with few payments which nodes are slow', () => {
    const times = learnt(200, { reports: honest });
    expect(errorOf(times)).toBeLessThan(0.6 * errorOf(learnt(200)));
    expect(times.slowest(10).filter(({ usesReports }) => usesReports)).toHaveLength(10);
    expect(
      learnt(200)
        .slowest(10)
        .some(({ usesReports }) => usesReports),
    ).toBe(false);
  });

  test('divide a round trip into spans, whichever nodes report', () => {
    // us ---> node 1 ---> node 2 ---> node 3       The path takes 4.8 s, and node 2 takes 4 s of them.
    //   before(1) | within(1)  before(2) | within(2)  before(3) | within(3)
    //      0.2    |    0.2        2.0    |    2.0        0.2    |    0.2
    const hold = [4.6, 2.4, 0.2];
    for (let reporters = 0; reporters < 8; reporters++) {
      const reported = hold.map((seconds, index) => (reporters & (1 << index) ? seconds : 0));
      const times = new SettleTimes(() => 0);
      for (let trip = 0; trip < 500; trip++)
        times.observe([1, 2, 3].map(nodeOf), { roundTripS: 4.8, holdTimesS: reported, waited: false });
      const rows = new Map(times.state().nodes.map((row) => [row[0], row]));
      let [left, sum] = [4.8, 0];
      for (let index = 0; index < 3; index++) {
        const [, seconds, , , lean] = rows.get(nodeOf(index + 1))!;
        sum += (seconds - lean!) / 2;
        if (reported[index]! > 0) {
          expect(sum, `span before report ${index} of ${reporters}`).toBeCloseTo(left - reported[index]!, 1);
          [left, sum] = [reported[index]!, 0];
        }
        sum += (seconds + lean!) / 2;
      }
      expect(sum, `last span of ${reporters}`).toBeCloseTo(left, 1);
    }
  });

  test('of parts that waited for each other show the nodes before the recipient', () => {
    const times = new SettleTimes(() => 0);
    const learn = (holdTimesS: number[]): void => {
      for (let trip = 0; trip < 50; trip++)
        times.observe([1, 2, 3].map(nodeOf), { roundTripS: 14, holdTimesS, waited: true });
    };
    learn([]);
    expect(times.state().nodes).toEqual([]);
    learn([13.8, 10.2, 10]);
    const [first, second, recipient] = [1, 2, 3].map((node) => times.excessS(nodeOf(node)));
    expect(first! + second!).toBeGreaterThan(1);
    expect(recipient).toBe(0);
  });

  /** What node 5 may report: less, nothing, the least that is plausible, or much more. Others are honest. */
  const LIES: Readonly<Record<string, (heldS: number, beyondS: number) => number | undefined>> = {
    truth: (heldS) => heldS,
    little: () => 0.1,
    'time of the next nodes': (_, beyondS) => beyondS,
    zero: () => 0,
    nothing: () => undefined,
    'far too much': (heldS) => heldS + 100,
  };
  const lying =
    (lie: (heldS: number, beyondS: number) => number | undefined): Behaviour['reports'] =>
    (node, heldS, beyondS) =>
      node === 5 ? lie(heldS, beyondS) : heldS;

  test.each(Object.keys(LIES))('do not let a node that holds HTLCs blame others: it reports %s', (name) => {
    const reports = lying(LIES[name]!);
    const { own, others } = changeOf(
      learnt(2_000, { reports: honest }),
      learnt(2_000, { takes: holding, reports }),
    );
    expect(own).toBeGreaterThan(9);
    expect(others).toBeLessThan(own / 50);
  });

  test.each(Object.keys(LIES))(
    'bound what it can blame on the only node that leads to it: it reports %s',
    (name) => {
      const reports = lying(LIES[name]!);
      const before = learnt(2_000, { reports: honest, overOneToFive: 0.2 });
      const after = learnt(2_000, { takes: holding, reports, overOneToFive: 0.2 });
      const { own, others } = changeOf(before, after);
      expect(others).toBeLessThan(0.75 * own);
    },
  );

  test.each(Object.keys(LIES))('do not let a fast node make others appear slow: it reports %s', (name) => {
    const { own, others } = changeOf(
      learnt(2_000, { reports: honest }),
      learnt(2_000, { reports: lying(LIES[name]!) }),
    );
    expect(others).toBeLessThan(0.15);
    expect(own).toBeGreaterThanOrEqual(0);
  });
});
