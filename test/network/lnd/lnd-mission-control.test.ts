/**
 * LND's mission control as a layer, and layers as mission control.
 *
 *     A ══(AB, AB2)══ B ──(BC)── C        two channels between A and B, one between B and C
 */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boundsIn } from '../../../src/layers/beliefs.ts';
import { LayerBook } from '../../../src/layers/layer-book.ts';
import { PAIR_LAYER, pairBeliefsOf, takePairBeliefs } from '../../../src/layers/pair-beliefs.ts';
import { type Msat, msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { PairBelief } from '../../../src/model/pair-belief.ts';
import { type ShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { MissionControl } from '../../../src/network/lnd/graph/mission-control.ts';
import type { LndLink } from '../../../src/network/lnd/node-link.ts';
import { A, AB, B, BC, C, CAPACITY, directionFrom, type LineLnd, lineLnd } from '../../lnd/line-lnd.ts';
import { ADMIN } from '../../lnd/stand-in.ts';
import { lineGraph, POLICY } from '../simulated/line.ts';
import { linkTo } from './beside-stand-in.ts';

const AB2 = shortChannelId(700_000, 9, 0);
const NOW = 1_800_000_000;
const HOUR = 3600;

function graphWithTwo() {
  const graph = lineGraph();
  const [low, high] = directionFrom(A, B) === 0 ? [A, B] : [B, A];
  const channel = graph.addChannel(AB2, graph.nodeIndex(low), graph.nodeIndex(high), CAPACITY);
  graph.setPolicy(channel, 0, POLICY);
  graph.setPolicy(channel, 1, POLICY);
  return graph;
}

const graph = graphWithTwo();
const bookAt = (now: number) => new LayerBook(() => now);
const at = (amount: bigint, timestamp = NOW) => ({ amountMsat: msat(amount), timestamp });
const bounds = (book: LayerBook, scid: ShortChannelId, from: typeof A, to: typeof A) =>
  boundsIn(book.layer(PAIR_LAYER)!, { shortChannelId: scid, direction: directionFrom(from, to) }, graph)
    .bounds;

test('with one channel, a success gives its minimum and a failure its maximum', () => {
  const book = bookAt(NOW);
  const belief: PairBelief = { from: B, to: C, passed: at(5_000n), failed: at(9_000n) };
  expect(takePairBeliefs(book, [belief], graph, NOW - HOUR)).toEqual({
    ...{ pairs: 1, unknownPairs: 0, uselessPairs: 0, constraints: 2, biases: 0 },
  });
  expect(bounds(book, BC, B, C)).toEqual({ minMsat: 5_000n, maxMsat: 8_999n });
});

test('with several channels, a failure applies to each and a success to none', () => {
  const book = bookAt(NOW);
  takePairBeliefs(book, [{ from: A, to: B, passed: at(5_000n), failed: at(9_000n) }], graph, NOW - HOUR);
  for (const scid of [AB, AB2]) {
    expect(bounds(book, scid, A, B)).toEqual({ minMsat: 0n, maxMsat: 8_999n });
  }
});

test('a failure regardless of the amount makes a last resort; old results, unknown pairs and our own pairs are counted', () => {
  const book = bookAt(NOW);
  const beliefs: PairBelief[] = [
    { from: B, to: C, failed: at(0n) },
    { from: C, to: B, failed: at(7n, NOW - HOUR - 1) },
    { from: A, to: C, passed: at(1n) },
  ];
  expect(takePairBeliefs(book, beliefs, graph, NOW - HOUR)).toEqual({
    ...{ pairs: 1, unknownPairs: 1, uselessPairs: 1, constraints: 0, biases: 1 },
  });
  const oldest: PairBelief = { from: C, to: B, failed: at(7n, NOW - HOUR) };
  expect(takePairBeliefs(bookAt(NOW), [oldest], graph, NOW - HOUR)).toMatchObject({
    pairs: 1,
    constraints: 1,
  });
  const layer = book.layer(PAIR_LAYER)!;
  expect(layer.channelBias(BC, directionFrom(B, C))).toMatchObject({ bias: -100 });
});

test('a second import replaces the first', () => {
  const book = bookAt(NOW);
  takePairBeliefs(book, [{ from: B, to: C, passed: at(5_000n) }], graph, NOW - HOUR);
  takePairBeliefs(book, [{ from: C, to: B, passed: at(6_000n) }], graph, NOW - HOUR);
  expect(bounds(book, BC, B, C).minMsat).toBe(0n);
  expect(bounds(book, BC, C, B).minMsat).toBe(6_000n);
  expect(book.layer(PAIR_LAYER)!.records).toHaveLength(1);
});

test('with several channels, a failure is reported only if each has a maximum', () => {
  const book = bookAt(NOW);
  const layer = book.createLayer('mine', false);
  const direction = directionFrom(A, B);
  book.informChannel(layer, { shortChannelId: AB, direction }, msat(7_000n), 'constrained');
  expect(pairBeliefsOf(layer, graph)).toEqual([]);
  book.informChannel(layer, { shortChannelId: AB2, direction }, msat(8_000n), 'constrained');
  book.informChannel(layer, { shortChannelId: AB, direction }, msat(3_000n), 'unconstrained');
  expect(pairBeliefsOf(layer, graph)).toEqual([{ from: A, to: B, passed: at(3_000n), failed: at(8_000n) }]);
});

test('imported results are exported unchanged, for pairs with one channel', () => {
  const amounts = fc
    .tuple(fc.bigInt(1n, CAPACITY - 1n), fc.bigInt(1n, CAPACITY - 1n))
    .filter(([a, b]) => a < b);
  fc.assert(
    fc.property(amounts, fc.constantFrom<[typeof B, typeof C]>([B, C], [C, B]), ([low, high], [from, to]) => {
      const book = bookAt(NOW);
      const belief: PairBelief = { from, to, passed: at(low), failed: at(high) };
      takePairBeliefs(book, [belief], graph, NOW - HOUR);
      expect(pairBeliefsOf(book.layer(PAIR_LAYER)!, graph)).toEqual([belief]);
    }),
  );
});

let all: LineLnd;
let link: LndLink;
beforeEach(async () => {
  all = lineLnd();
  await all.node.start();
  link = await linkTo(all);
});
afterEach(async () => {
  await link.close();
  all.close();
});

test('LND’s rows are read, and invalid rows are left out', async () => {
  const [from, to] = [nodeIdToBytes(A), nodeIdToBytes(B)];
  all.node.missionControl = [
    {
      ...{ node_from: from, node_to: to },
      history: { fail_time: NOW, fail_amt_msat: 9_000, success_time: NOW - 5, success_amt_msat: 5_000 },
    },
    { node_from: from, node_to: to, history: { fail_time: NOW, fail_amt_msat: 0 } },
    { node_from: new Uint8Array(33), node_to: to, history: { fail_time: NOW } },
    { node_from: from, node_to: to },
  ];
  expect(await new MissionControl(link).read()).toEqual([
    { from: A, to: B, failed: at(9_000n), passed: at(5_000n, NOW - 5) },
    { from: A, to: B, failed: at(0n), passed: undefined },
  ]);
});

test('LND receives amounts with their times, and no request if there are none', async () => {
  const memory = new MissionControl(link);
  await memory.write([]);
  expect(all.node.called('XImportMissionControl')).toEqual([]);
  const told: PairBelief = { from: A, to: B, passed: at(5_000n as Msat) };
  await memory.write([told]);
  expect(await memory.read()).toEqual([{ ...told, failed: undefined }]);
});

test('without the permission, the error names the permission', async () => {
  all.node.permissions.set(ADMIN, new Set(['/lnrpc.Lightning/GetInfo']));
  await expect(new MissionControl(link).read()).rejects.toMatchObject({
    name: 'notSupported',
    data: { uri: '/routerrpc.Router/QueryMissionControl' },
  });
});
