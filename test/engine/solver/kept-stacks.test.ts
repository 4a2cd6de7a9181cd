/**
 * The kernel keeps a large stack of layers when it leaves it, also while the layer of our own channels creates channels.
 * Both builds are tested.
 */
import { describe, expect, it } from 'vitest';
import { LEARNED_LAYER_ID, LOCAL_CHANNELS_LAYER_ID } from '../../../src/layers/layer-book.ts';
import { SOURCEFREE } from '../../../src/layers/resolved-layers.ts';
import { msat } from '../../../src/model/msat.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId } from '../../reference/tiny-graph.ts';
import { IDS, World } from './overlay-world.ts';

const OWN = [LOCAL_CHANNELS_LAYER_ID, SOURCEFREE];
const LEARNED = [...OWN, LEARNED_LAYER_ID];

/** A node that is not in the graph has a channel that only the layer of our own channels creates. */
function withOwnChannel(world: World, id = nodeId(100)): void {
  world.book.localChannels.refresh(id, [
    {
      peerId: IDS[0]!,
      shortChannelId: shortChannelId(1, 1, 1),
      capacityMsat: msat(1_000_000),
      spendableMsat: msat(600_000),
      receivableMsat: msat(300_000),
      theirMaxInFlightMsat: msat(1_000_000),
      ourMaxInFlightMsat: msat(1_000_000),
      usable: true,
      localPolicy: undefined,
      remotePolicy: undefined,
      openedByUs: true,
      feeratePerKw: 253,
    },
  ]);
}

describe.each(['release', 'debug'] as const)('%s build', (build) => {
  it('keeps a stack that is left for one without its large layer', () => {
    const world = new World(build);
    withOwnChannel(world);
    const learn = (channel: number, maxMsat: bigint): void =>
      world.book.learned.setChannel(shortChannelId(600 + channel, 1, 1), [
        { minMsat: 0n, maxMsat },
        undefined,
      ]);
    for (let channel = 0; channel < 100; channel++) learn(channel, 1000n);
    world.deliver();
    const apply = (layerIds: readonly number[]): number | undefined => {
      const { layerIds: stack } = world.slots.resolve([...layerIds], []);
      world.kernel.reading(() => world.kernel.applyStack(stack));
      return world.kernel.nodeIndex(nodeId(100));
    };
    expect(apply(LEARNED)).toBeDefined();
    expect(apply(OWN)).toBeDefined();
    const blocks = world.kernel.exports.blocksUsed();
    learn(0, 2000n);
    world.deliver();
    // The new bounds take the place of the old ones, so the only new block is the log of the kept stack.
    expect(world.kernel.exports.blocksUsed()).toBe(blocks + 1);
    expect(apply(LEARNED)).toBeDefined();
    expect(apply([])).toBeUndefined();
  });

  it('keeps a stack whose large layer creates a channel', () => {
    const world = new World(build);
    const layer = world.book.createLayer('large', false);
    const limit = (channel: number, feeProportionalMillionths: number): void =>
      world.book.updateChannel(
        layer,
        { shortChannelId: shortChannelId(600 + channel, 1, 1), direction: 0 },
        { feeProportionalMillionths },
      );
    for (let channel = 0; channel < 100; channel++) limit(channel, 10);
    world.book.createChannel(layer, nodeId(100), IDS[0]!, shortChannelId(1, 1, 1), msat(1_000_000));
    world.deliver();
    const apply = (layerIds: readonly number[]): number | undefined => {
      const { layerIds: stack } = world.slots.resolve([...layerIds], []);
      world.kernel.reading(() => world.kernel.applyStack(stack));
      return world.kernel.nodeIndex(nodeId(100));
    };
    expect(apply([layer.id])).toBeDefined();
    expect(apply([])).toBeUndefined();
    const blocks = world.kernel.exports.blocksUsed();
    limit(0, 20);
    world.deliver();
    // The new block is the log of the kept stack.
    expect(world.kernel.exports.blocksUsed()).toBe(blocks + 1);
    const restored = apply([layer.id]);
    expect(restored).toBeDefined();
    expect(world.kernel.arcsOf(restored!, true)).toHaveLength(1);
    expect(apply([])).toBeUndefined();
  });
});
