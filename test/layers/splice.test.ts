/**
 * Beliefs, overrides, biases and reservations follow a channel through a splice. Known balances show that the bounds
 * stay true.
 */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyFold } from '../../src/layers/bounds-fold.ts';
import { GLOBAL_LAYER_ID, LayerBook } from '../../src/layers/layer-book.ts';
import { LayerRefused } from '../../src/layers/refusal.ts';
import type { Splice } from '../../src/layers/splice.ts';
import { SpliceWatch } from '../../src/layers/splice-watch.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { OwnChannel } from '../../src/model/own-channel.ts';
import { type Direction, shortChannelId } from '../../src/model/short-channel-id.ts';

const OLD = shortChannelId(700_000, 1, 0);
const NEW = shortChannelId(800_100, 2, 0);
const NEWER = shortChannelId(800_300, 2, 0);
const CAPACITY = 1_000_000n;
const SAME = { oldCapacityMsat: CAPACITY, newCapacityMsat: CAPACITY };
const of = (id: typeof OLD, direction: Direction = 0) => ({ shortChannelId: id, direction });
const boundsOf = (
  book: LayerBook,
  name: string,
  id: typeof OLD,
  direction: Direction,
  capacityMsat: bigint,
) => {
  const fold = book.channelCell(book.layer(name)!.id, id)?.bounds[direction];
  const all = { minMsat: 0n, maxMsat: capacityMsat };
  return fold === undefined ? all : applyFold(fold, all, capacityMsat);
};

test('bounds stay true for every balance, for any amount added or removed on either side', () => {
  const step = fc.record({
    direction: fc.constantFrom<Direction>(0, 1),
    kind: fc.constantFrom('probe', 'pay'),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
  });
  fc.assert(
    fc.property(
      ...[
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.array(step, { maxLength: 12 }),
        fc.array(step, { maxLength: 6 }),
      ],
      ...[fc.integer({ min: -900_000, max: 900_000 }), fc.double({ min: 0, max: 1, noNaN: true })],
      (start, before, after, change, share) => {
        const book = new LayerBook(() => 1000);
        const layer = book.createLayer('l', false);
        // The balance on the side of direction 0. The other side has the rest.
        let [mine, capacity] = [BigInt(start), CAPACITY];
        const live = (id: typeof OLD, steps: typeof before): void => {
          for (const { direction, kind, amount } of steps) {
            const asked = msat(BigInt(amount));
            const side = direction === 0 ? mine : capacity - mine;
            if (asked > side) book.informChannel(layer, of(id, direction), asked, 'constrained');
            else if (kind === 'probe') book.informChannel(layer, of(id, direction), asked, 'unconstrained');
            else {
              book.informChannel(layer, of(id, direction), asked, 'succeeded');
              mine += direction === 0 ? -asked : asked;
            }
          }
        };
        live(OLD, before);
        // Only existing funds can be removed, from one side or from both.
        const wanted = BigInt(change);
        const fromMine = BigInt(Math.round(Number(wanted) * share));
        const theirs = wanted - fromMine;
        if (mine + fromMine < 0n || capacity - mine + theirs < 0n) return;
        book.followSplice({
          from: OLD,
          to: NEW,
          oldCapacityMsat: capacity,
          newCapacityMsat: capacity + wanted,
        });
        mine += fromMine;
        capacity += wanted;
        // Some records still use the old id.
        live(NEW, after.slice(0, 3));
        live(OLD, after.slice(3));
        const forth = boundsOf(book, 'l', NEW, 0, capacity);
        const back = boundsOf(book, 'l', NEW, 1, capacity);
        expect(forth.minMsat <= mine && mine <= forth.maxMsat).toBe(true);
        expect(back.minMsat <= capacity - mine && capacity - mine <= back.maxMsat).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});

test('lessons are kept as far as they still apply', () => {
  const book = new LayerBook(() => 1000);
  const layer = book.createLayer('l', false);
  book.informChannel(layer, of(OLD), msat(600_001n), 'constrained');
  book.informChannel(layer, of(OLD), msat(300_000n), 'unconstrained');
  book.biasChannel(layer, of(OLD), { bias: 7, relative: false, description: 'good' });
  book.updateChannel(layer, of(OLD, 1), { enabled: false });
  book.followSplice({ from: OLD, to: NEW, oldCapacityMsat: CAPACITY, newCapacityMsat: 1_200_000n });
  // The bounds were 300,000..600,000 of a million; 200,000 were added on this side, on the other side, or on
  // both.
  expect(boundsOf(book, 'l', NEW, 0, 1_200_000n)).toEqual({ minMsat: 300_000n, maxMsat: 800_000n });
  expect(layer.channelBias(NEW, 0)).toMatchObject({ bias: 7, description: 'good', timestamp: 1000 });
  expect(layer.channelUpdate(NEW, 1)?.update).toEqual({ enabled: false });
  book.followSplice({ from: NEW, to: NEWER, oldCapacityMsat: 1_200_000n, newCapacityMsat: 950_000n });
  expect(boundsOf(book, 'l', NEWER, 0, 950_000n)).toEqual({ minMsat: 50_000n, maxMsat: 800_000n });
  // Both old ids lead to the current one. Repeating a splice changes nothing.
  book.informChannel(layer, of(OLD), msat(100_000n), 'unconstrained');
  const records = layer.records.length;
  book.followSplice({ from: OLD, to: NEW, ...SAME });
  book.followSplice({ from: NEWER, to: OLD, ...SAME });
  expect(layer.records).toHaveLength(records);
  expect(boundsOf(book, 'l', NEWER, 0, 950_000n).minMsat).toBe(100_000n);
});

test('a reservation made under the old id counts for the new one, and can be released under either', () => {
  const book = new LayerBook(() => 1000);
  const layer = book.createLayer('l', false);
  const told: string[] = [];
  const note = (what: string) => (one: { shortChannelIdDir: { shortChannelId: bigint } }) =>
    void told.push(`${what} ${one.shortChannelIdDir.shortChannelId === OLD ? 'old' : 'new'}`);
  book.watchReservations({ reserved: note('reserved'), released: note('released') });
  const path = [{ shortChannelIdDir: of(OLD), amountMsat: msat(5000n) }];
  book.reserve(path, 'payment');
  book.reserve([{ ...path[0]!, layer }], 'mine');
  book.followSplice({ from: OLD, to: NEW, ...SAME });
  expect(book.channelCell(GLOBAL_LAYER_ID, OLD)).toBeUndefined();
  expect(book.channelCell(GLOBAL_LAYER_ID, NEW)?.reservedMsat).toEqual([5000n, 0n]);
  expect(layer.reservedMsat(NEW, 0)).toBe(5000n);
  expect([...book.reservations()]).toMatchObject([{ commandId: 'payment', timestamp: 1000 }]);
  book.unreserve(path);
  expect([...book.reservations()]).toEqual([]);
  expect(told).toEqual(['reserved old', 'released old', 'reserved new', 'released new']);
  expect(() => book.unreserve(path)).toThrow(LayerRefused);
});

const ID = (digit: number) => `02${String(digit).repeat(64)}` as NodeId;
const POLICY = {
  ...{
    enabled: true,
    htlcMinimumMsat: 0n,
    htlcMaximumMsat: CAPACITY,
    feeBaseMsat: 0,
    feeProportionalMillionths: 0,
  },
  cltvExpiryDelta: 10,
};

//   A ---OLD--- B   spent in block 800,100
//   A ---NEW--- B   funded in block 800,100
function world() {
  const graph = new ChannelGraph();
  const node = (digit: number) => graph.internNode(Buffer.from(ID(digit), 'hex'), 0);
  const [a, b, c] = [node(1), node(2), node(3)];
  const add = (id: typeof OLD, from: number, to: number, capacity = CAPACITY) => {
    const channel = graph.addChannel(id, from, to, capacity);
    for (const direction of [0, 1] as const)
      graph.setPolicy(channel, direction, { ...POLICY, enabled: true } as never);
    return channel;
  };
  const kept: Splice[] = [];
  const book = new LayerBook(() => 1000);
  const watch = new SpliceWatch({ book, keep: (splice) => void kept.push(splice) });
  return { graph, a, b, c, add, kept, book, watch };
}

test('gossip: the successor is the channel between the same nodes, funded in the block that spent the old one', () => {
  const { graph, a, b, c, add, kept, watch, book } = world();
  const old = add(OLD, a, b);
  graph.setDying(old, 800_100);
  expect(watch.graphChanged(graph)).toBe(false);
  // One channel is in the same block but between different nodes, the other between the same nodes but in a
  // different block: neither is a splice.
  add(shortChannelId(800_100, 9, 0), a, c);
  add(shortChannelId(800_101, 1, 0), a, b);
  expect(watch.graphChanged(graph)).toBe(false);
  expect(kept).toEqual([]);
  add(NEW, a, b, 1_500_000n);
  expect(watch.graphChanged(graph)).toBe(true);
  expect(kept).toEqual([{ from: OLD, to: NEW, oldCapacityMsat: CAPACITY, newCapacityMsat: 1_500_000n }]);
  expect(book.nowCalled(OLD)).toBe(NEW);
  // Searches use only one of the two ids, even after the old one is announced again.
  expect([0, 1].map((side) => graph.policy(old * 2 + side)?.enabled)).toEqual([false, false]);
  graph.setPolicy(old, 0, POLICY as never);
  expect(watch.graphChanged(graph)).toBe(true);
  expect(graph.policy(old * 2)?.enabled).toBe(false);
  expect(kept).toHaveLength(1);
});

test('gossip: two new channels in that block are no evidence, nor is a channel whose closing block is unknown', () => {
  const one = world();
  one.graph.setDying(one.add(OLD, one.a, one.b), 800_100);
  one.add(NEW, one.a, one.b);
  one.add(shortChannelId(800_100, 3, 0), one.a, one.b);
  expect(one.watch.graphChanged(one.graph)).toBe(false);
  const other = world();
  other.graph.setDying(other.add(OLD, other.a, other.b));
  other.add(NEW, other.a, other.b);
  expect(other.watch.graphChanged(other.graph)).toBe(false);
  expect([...one.kept, ...other.kept]).toEqual([]);
});

test('our own node: the channel id is unchanged and the short channel id changes', () => {
  const { watch, kept } = world();
  const own = (id: typeof OLD | undefined, capacity: bigint, channelId: string | undefined = 'c1') =>
    ({ channelId, shortChannelId: id, capacityMsat: msat(capacity), peerId: ID(2) }) as OwnChannel;
  watch.ownChannels([own(undefined, CAPACITY), own(OLD, CAPACITY, 'c2'), own(OLD, CAPACITY, undefined)]);
  watch.ownChannels([own(OLD, CAPACITY), own(OLD, CAPACITY, 'c2')]);
  watch.ownChannels([own(OLD, CAPACITY)]);
  watch.ownChannels([own(NEW, 700_000n)]);
  watch.ownChannels([own(NEW, 700_000n)]);
  expect(kept).toEqual([{ from: OLD, to: NEW, oldCapacityMsat: CAPACITY, newCapacityMsat: 700_000n }]);
});
