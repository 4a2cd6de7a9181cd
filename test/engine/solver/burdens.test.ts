/**
 * Burdens of nodes that layers create, and burdens in layer stacks that the kernel caches. Both builds are
 * tested.
 */
import { describe, expect, it } from 'vitest';
import { LEARNED_LAYER_ID } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId } from '../../reference/tiny-graph.ts';
import { IDS, World } from './overlay-world.ts';

/** The burden of a node under a stack of layers; undefined if the node does not exist. */
function burdenUnder(world: World, layerIds: readonly number[], id: NodeId): number | undefined {
  const { layerIds: stack } = world.slots.resolve([...layerIds], []);
  world.kernel.reading(() => world.kernel.applyStack(stack));
  const node = world.kernel.nodeIndex(id);
  return node === undefined ? undefined : world.kernel.exports.burdenOf(node);
}

describe.each(['release', 'debug'] as const)('%s build', (build) => {
  it('knows the burden of a node that a later layer of the stack creates', () => {
    const world = new World(build);
    const layer = world.book.createLayer('private', false);
    const far = nodeId(100);
    world.book.createChannel(layer, IDS[0]!, far, shortChannelId(7, 1, 1), msat(1000n));
    world.book.learned.setBurden(far, 5);
    world.deliver();
    expect(burdenUnder(world, [LEARNED_LAYER_ID, layer.id], far)).toBe(5);
    expect(burdenUnder(world, [layer.id], far)).toBe(0);
    expect(burdenUnder(world, [layer.id, LEARNED_LAYER_ID], far)).toBe(5);
    expect(burdenUnder(world, [LEARNED_LAYER_ID], far)).toBeUndefined();
  });

  it('restores the burdens of a cached stack with their current values', () => {
    const world = new World(build, 1 << 20);
    const [first, second] = [IDS[0]!, IDS[1]!];
    const others = ['one', 'two'].map((name) => {
      const layer = world.book.createLayer(name, false);
      for (const id of IDS)
        world.book.biasNode(layer, id, 'in', { bias: 1, description: undefined, relative: false });
      return layer.id;
    });
    const [kept, other] = [[others[0]!, LEARNED_LAYER_ID], [others[1]!]];
    world.book.learned.setBurden(first, 5);
    world.deliver();
    expect(burdenUnder(world, kept, first)).toBe(5);
    expect(burdenUnder(world, other, first)).toBe(0);
    expect(burdenUnder(world, kept, first)).toBe(5);
    expect(burdenUnder(world, other, first)).toBe(0);
    world.book.learned.setBurden(first, 0);
    world.book.learned.setBurden(second, 7);
    world.deliver();
    expect(burdenUnder(world, kept, first)).toBe(0);
    expect(burdenUnder(world, kept, second)).toBe(7);
  });
});
