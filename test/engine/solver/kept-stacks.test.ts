/**
 * The kernel keeps a large stack of layers when it leaves it, also while the layer of our own channels creates channels.
 * Both builds are tested.
 */
import { describe, expect, it } from 'vitest';
import { LayerFeed } from '../../../src/engine/host/layer-feed.ts';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import {
  createSharedKernel,
  GraphPublisher,
  type KernelBuild,
} from '../../../src/engine/solver/kernel-memory.ts';
import { LayerSlots } from '../../../src/engine/solver/layer-slots.ts';
import { LayerBook, LEARNED_LAYER_ID, LOCAL_CHANNELS_LAYER_ID } from '../../../src/layers/layer-book.ts';
import { SOURCEFREE } from '../../../src/layers/resolved-layers.ts';
import { msat } from '../../../src/model/msat.ts';
import { formatShortChannelId, shortChannelId } from '../../../src/model/short-channel-id.ts';
import { nodeId, tinyGraph } from '../../reference/tiny-graph.ts';
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

const CHANNELS = Array.from({ length: 160 }, (_, channel) => shortChannelId(600 + channel, 1, 1));
const LINE_BYTES = 64;

/** Cache lines in use once a layer changes all channels. The layer is left, and so kept, where `isLeft`. */
function linesInUse(build: KernelBuild, isLeft: (channel: number) => boolean): number {
  const shared = createSharedKernel(build);
  const { graph } = tinyGraph(CHANNELS.map((id) => `A-B ${formatShortChannelId(id)}`));
  new GraphPublisher(shared).publish(graph);
  const kernel = new Kernel(shared, 0);
  const slots = new LayerSlots(kernel);
  const book = new LayerBook(() => 1000);
  const layer = book.createLayer('growing', false);
  const feed = new LayerFeed(book);
  let at = -1;
  for (const [channel, id] of CHANNELS.entries()) {
    book.updateChannel(layer, { shortChannelId: id, direction: 0 }, { feeProportionalMillionths: 10 });
    if (!isLeft(channel)) continue;
    const delta = feed.since(at);
    at = delta.to;
    kernel.reading(() => {
      slots.apply(delta);
      kernel.applyStack(slots.resolve([layer.id], []).layerIds);
      kernel.applyStack([]);
    });
  }
  return nonZeroLines(shared.memory.buffer);
}

function nonZeroLines(memory: ArrayBufferLike): number {
  const bytes = Buffer.from(memory);
  const zero = Buffer.alloc(LINE_BYTES);
  let count = 0;
  for (let at = 0; at < bytes.length; at += LINE_BYTES)
    if (bytes.compare(zero, 0, LINE_BYTES, at, at + LINE_BYTES) !== 0) count++;
  return count;
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

  it('uses no more memory for a stack that is kept again and again as it grows', () => {
    const once = linesInUse(build, (channel) => channel === CHANNELS.length - 1);
    expect(linesInUse(build, () => true)).toBeLessThan(once + CHANNELS.length / 2);
  });
});
