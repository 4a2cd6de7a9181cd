/**
 * The kernel's overlay agrees with the rules of the layer book for every direction. Earlier layers, queries, graphs and
 * removals make no difference: a kernel without history agrees as well. Both builds are tested.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId } from '../../reference/tiny-graph.ts';
import { histories, IDS, type Query, type View, World } from './overlay-world.ts';

const RUNS = Number(process.env.OVERLAY_RUNS ?? 10);

/** Whether both ends of the query have a channel. */
function bothEndsIn(view: View, { source, destination }: Query): boolean {
  const nodes = new Set([...view.values()].map(({ nodeFrom }) => nodeFrom));
  return nodes.has(IDS[source]!) && nodes.has(IDS[destination]!);
}

/**
 * Minimum number of channels between the ends, by breadth-first search; undefined if they are not connected.
 */
function fewestByReference(view: View, { source, destination }: Query): number | undefined {
  const hops = new Map([[IDS[source]!, 0]]);
  for (const [node, count] of hops) {
    for (const { nodeFrom, nodeTo } of view.values())
      if (nodeFrom === node && !hops.has(nodeTo)) hops.set(nodeTo, count + 1);
  }
  return hops.get(IDS[destination]!);
}

/**
 * Sizes in bytes of the memory for cached stacks: room for a few stacks, or for many. With these sizes, even stacks of
 * the smallest layers are cached. `undefined` stands for the kernel's own size, with which stacks of small layers
 * are not cached.
 */
const CACHES = [undefined, 4096, 1 << 20];

describe.each(
  CACHES.flatMap((cacheBytes) => (['release', 'debug'] as const).map((build) => ({ build, cacheBytes }))),
)('$build build, cache of $cacheBytes bytes', ({ build, cacheBytes }) => {
  it('agrees with the rules for every direction, after any history', () => {
    fc.assert(
      fc.property(histories, (rounds) => {
        const world = new World(build, cacheBytes);
        for (const round of rounds) {
          for (const step of round.steps) world.run(step);
          world.deliver();
          for (const query of round.queries) {
            const rules = world.referenceView(query);
            expect(world.kernelView(query)).toEqual(bothEndsIn(rules, query) ? rules : undefined);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('finds a path of fewest hops over channels of gossip and layers, however they are disabled', () => {
    const lengths = new Set<number>();
    fc.assert(
      fc.property(histories, (rounds) => {
        const world = new World(build, cacheBytes);
        for (const { steps, queries } of rounds) {
          for (const step of steps) world.run(step);
          world.deliver();
          for (const query of queries) {
            const fewest = fewestByReference(world.referenceView(query), query);
            const path = world.fewestHops(query);
            lengths.add(path.length);
            expect(path).toHaveLength(fewest === undefined ? 0 : fewest + 1);
            if (path.length > 0)
              expect([path[0], path.at(-1)]).toEqual([IDS[query.source], IDS[query.destination]]);
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect(Math.max(...lengths), 'nodes of the longest path').toBeGreaterThan(2);
  });

  it('finds what a kernel without history finds', () => {
    fc.assert(
      fc.property(histories, fc.constantFrom(1n, 1000n, 500_000n), (rounds, amountMsat) => {
        const world = new World(build, cacheBytes);
        for (const round of rounds) {
          for (const step of round.steps) world.run(step);
          world.deliver();
          for (const query of round.queries) world.solved(query, amountMsat);
        }
        const query = rounds.at(-1)!.queries.at(-1)!;
        expect(world.solved(query, amountMsat)).toBe(world.solvedAfresh(query, amountMsat));
      }),
      { numRuns: RUNS },
    );
  });

  it('takes no more memory than a kernel without history', () => {
    fc.assert(
      fc.property(histories, (rounds) => {
        const world = new World(build, cacheBytes);
        for (const round of rounds) {
          for (const step of round.steps) world.run(step);
          world.deliver();
          for (const query of round.queries) world.kernelView(query);
        }
        world.kernel.reading(() => world.kernel.applyStack([]));
        world.kernel.exports.reserveShelves(cacheBytes ?? 4096, 1);
        expect(world.kernel.exports.blocksUsed()).toBe(world.freshKernel().kernel.exports.blocksUsed());
        world.forgetAll();
        world.deliver();
        world.kernel.reading(() => world.kernel.applyStack([]));
        expect(world.kernel.exports.blocksUsed()).toBe(0);
        expect(world.kernel.exports.cellsUsed()).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });

  it('follows the layers even if it rarely receives changes, and also if it starts empty', () => {
    const laggard = fc.array(fc.constantFrom('now', 'later', 'from nothing'), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(histories, laggard, (rounds, whens) => {
        const world = new World(build, cacheBytes);
        rounds.forEach(({ steps, queries: [query] }, index) => {
          for (const step of steps) world.run(step);
          if (whens[index] === 'later') world.feed.since(0, []);
          else world.deliver(whens[index] === 'from nothing', world.layerIds(query!));
          if (whens[index] !== 'later') world.kernelView(query!);
        });
        const query = rounds.at(-1)!.queries[0]!;
        world.deliver(false, world.layerIds(query));
        const rules = world.referenceView(query);
        expect(world.kernelView(query)).toEqual(bothEndsIn(rules, query) ? rules : undefined);
      }),
      { numRuns: RUNS },
    );
  });

  it('reuses the numbers of created nodes and channels', () => {
    const world = new World(build, cacheBytes);
    for (let payment = 0; payment < 50; payment++) {
      const layer = world.book.createLayer('private', false);
      const ends = [nodeId(100 + 2 * payment), nodeId(101 + 2 * payment)] as const;
      world.book.createChannel(layer, ...ends, shortChannelId(payment, 1, 1), msat(1000n));
      world.book.disableNode(layer, ends[0]);
      world.deliver();
      const { layerIds: stack } = world.slots.resolve([layer.id], ['private']);
      world.kernel.reading(() => world.kernel.applyStack(stack));
      expect(world.kernel.nodeIndex(ends[0])).toBeDefined();
      world.book.removeLayer(layer);
      world.deliver();
      world.kernel.reading(() => world.kernel.applyStack([]));
      expect(world.kernel.nodeIndex(ends[0])).toBeUndefined();
    }
    expect(world.kernel.exports.extraNodeCount()).toBe(2);
    expect(world.kernel.exports.blocksUsed()).toBe(0);
  });
});
