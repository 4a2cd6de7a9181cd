/**
 * A graph as records. The copy is compared with the source, by ids instead of indexes: after any stream of
 * changes, both agree on each channel. A copy built from a snapshot or from scratch equals the first copy
 * column by column.
 */
import { expect, test } from 'vitest';
import { graphHash } from '../../src/fleet/graph-hash.ts';
import { generateSyntheticGraph } from '../../src/gossip/synthetic.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { graphDifference } from '../../src/model/graph/graph-difference.ts';
import type { GraphRecord } from '../../src/model/graph/graph-records.ts';
import { GraphReplica } from '../../src/model/graph/graph-replica.ts';
import { packRecords, unpackRecords } from '../../src/store/postgres/log/log-chunk.ts';
import { changeAtRandom, contentsOf, randomFrom } from './graph-changes.ts';

/** The records, after a round trip through the encoding of the log. */
const carried = (records: Iterable<GraphRecord>): GraphRecord[] =>
  packRecords([...records]).flatMap(({ bytes }) => unpackRecords(bytes)) as GraphRecord[];

test('copies follow a source through 200 random changes, and can be rebuilt by replay or from a snapshot', () => {
  const random = randomFrom(11);
  const source = generateSyntheticGraph({ nodeCount: 60, seed: 3 });
  const copy = new GraphReplica();
  const log: GraphRecord[][] = [];
  for (let step = 0; step < 200; step++) {
    if (step > 0) changeAtRandom(source, random, step);
    for (let records = graphDifference(copy.graph, source); records.length > 0; ) {
      log.push(carried(records));
      copy.apply(log.at(-1)!);
      records = graphDifference(copy.graph, source);
    }
    expect(contentsOf(copy.graph), `after change ${step}`).toBe(contentsOf(source));
  }
  const replayed = new GraphReplica();
  for (const records of log) replayed.apply(records);
  expect(graphHash(replayed.graph)).toBe(graphHash(copy.graph));
  for (const at of [1, 60, log.length]) {
    const begun = new GraphReplica();
    for (const records of log.slice(0, at)) begun.apply(records);
    const late = new GraphReplica();
    late.restart(carried(begun.snapshot()));
    expect(graphHash(late.graph)).toBe(graphHash(begun.graph));
    for (const records of log.slice(at)) late.apply(records);
    expect(graphHash(late.graph)).toBe(graphHash(copy.graph));
    expect(contentsOf(late.graph)).toBe(contentsOf(source));
  }
});

test('an outdated source does not override newer policies, and one that lacks a channel closes it', () => {
  // A ──1x1x1── B ──2x1x1── C
  const source = new ChannelGraph();
  const ids = [1, 2, 3].map((n) => Uint8Array.of(2, ...new Array(31).fill(0), n));
  const [a, b, c] = ids.map((id) => source.internNode(id));
  const [first, second] = [1n << 40n, 2n << 40n];
  const policy = { enabled: true, htlcMinimumMsat: 0n, htlcMaximumMsat: 9n, feeProportionalMillionths: 0 };
  const set = (graph: ChannelGraph, scid: bigint, feeBaseMsat: number, timestamp: number): void =>
    graph.setPolicy(graph.channelIndex(scid), 0, {
      ...policy,
      ...{ feeBaseMsat, timestamp, cltvExpiryDelta: 40 },
    } as never);
  source.addChannel(first, a!, b!, 1000n);
  source.addChannel(second, b!, c!, 1000n);
  set(source, first, 5, 100);
  const copy = new GraphReplica();
  copy.apply(graphDifference(copy.graph, source));
  set(source, first, 6, 99);
  expect(graphDifference(copy.graph, source)).toEqual([]);
  set(source, first, 7, 101);
  expect(graphDifference(copy.graph, source).map((record) => record.slice(0, 7))).toEqual([
    ['policy', first, 0, true, 0n, 9n, 7],
  ]);
  source.removeChannel(source.channelIndex(second));
  source.addChannel(second, b!, c!, 2000n);
  expect(graphDifference(copy.graph, source).slice(0, 1)).toEqual([['closed', second]]);
  expect(graphDifference(copy.graph, source).at(-1)).toEqual(['channel', second, 1, 2, 2000n, null]);
});

test('a copy sends notifications of changes only once it is complete', () => {
  const copy = new GraphReplica();
  let told = 0;
  copy.onChange = () => void told++;
  const records = graphDifference(copy.graph, generateSyntheticGraph({ nodeCount: 50, seed: 1 }));
  copy.apply(records);
  expect([copy.isWhole, told]).toEqual([false, 0]);
  copy.apply([['whole']]);
  expect([copy.isWhole, told]).toEqual([true, 1]);
  const other = new GraphReplica();
  other.restart([...copy.snapshot()]);
  expect(other.isWhole).toBe(true);
});
