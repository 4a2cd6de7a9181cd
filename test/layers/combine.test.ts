/**
 * The rules for combining layers, on one gossiped channel and one that exists only in layers.
 *
 *      A ──1x1x1── B ──2x2x2── C        2x2x2 is not in gossip
 */

import { beforeEach, describe, expect, test } from 'vitest';
import { type BaseChannel, effectiveDirection, NO_POLICY } from '../../src/layers/combine.ts';
import type { Layer } from '../../src/layers/layer.ts';
import { LayerBook, LOCAL_CHANNELS_LAYER_ID } from '../../src/layers/layer-book.ts';
import { resolveLayers, SOURCEFREE } from '../../src/layers/resolved-layers.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import type { OwnChannel } from '../../src/model/own-channel.ts';
import type { Policy } from '../../src/model/policy.ts';
import { parseShortChannelId, parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { toldBy } from '../in-words.ts';
import { PortDouble } from '../network/port-double.ts';

const dir = (text: string) => parseShortChannelIdDir(text)!;
const scid = (text: string) => parseShortChannelId(text)!;
const [A, B, C] = ['a', 'b', 'c'].map((digit) => `02${digit.repeat(64)}` as NodeId) as [
  NodeId,
  NodeId,
  NodeId,
];
const plain = { relative: false, description: undefined };

const gossiped: Policy<bigint> = {
  enabled: true,
  htlcMinimumMsat: 1n,
  htlcMaximumMsat: 99_000n,
  feeBaseMsat: 10n,
  feeProportionalMillionths: 20,
  cltvExpiryDelta: 30,
};
const channel: BaseChannel = { node1: A, node2: B, capacityMsat: 100_000n, policies: [gossiped, gossiped] };
const graph = { channel: (id: bigint) => (id === scid('1x1x1') ? channel : undefined) };

let book: LayerBook;
let one: Layer;
let two: Layer;

beforeEach(() => {
  book = new LayerBook(() => 1000);
  one = book.createLayer('one', false);
  two = book.createLayer('two', false);
});

const see = (text: string, layers: readonly (Layer | number)[], query = { source: A, destination: C }) =>
  effectiveDirection(
    graph,
    book,
    layers.map((layer) => (typeof layer === 'number' ? layer : layer.id)),
    query,
    dir(text),
  );
const create = (layer: Layer, capacity: number) =>
  book.createChannel(layer, B, C, scid('2x2x2'), msat(capacity));
const usable = { enabled: true, htlcMaximumMsat: 5n };

describe('existence and policy', () => {
  test('without layers a direction has the values of gossip', () => {
    expect(see('1x1x1/1', [])).toEqual({
      nodeFrom: B,
      nodeTo: A,
      capacityMsat: 100_000n,
      enabled: true,
      policy: gossiped,
      minMsat: 0n,
      maxMsat: 100_000n,
      bias: 0,
      extraHtlcCostMsat: 0n,
    });
    expect(see('2x2x2/0', [one, two])).toBeUndefined();
  });

  test('ends and capacity come from gossip, but updates of a layer that created the channel again apply', () => {
    book.createChannel(one, B, C, scid('1x1x1'), msat(7));
    book.updateChannel(one, dir('1x1x1/0'), { feeBaseMsat: 0n });
    const seen = see('1x1x1/0', [one]);
    expect(seen).toMatchObject({ nodeFrom: A, nodeTo: B, capacityMsat: 100_000n });
    expect(seen?.policy).toEqual({ ...gossiped, feeBaseMsat: 0n });
  });

  test('a created direction starts disabled with everything zero; the first layer to create it wins', () => {
    create(one, 7);
    create(two, 8);
    expect(see('2x2x2/0', [one, two])).toMatchObject({ enabled: false, policy: NO_POLICY, capacityMsat: 7n });
    expect(see('2x2x2/0', [two, one])?.capacityMsat).toBe(8n);
    book.updateChannel(one, dir('2x2x2/0'), usable);
    expect(see('2x2x2/0', [one])?.policy).toEqual({ ...NO_POLICY, ...usable });
    expect(see('2x2x2/1', [one])?.enabled).toBe(false);
  });

  test('an update before the channel exists has no effect, and a later layer can still create the channel', () => {
    book.updateChannel(one, dir('2x2x2/0'), { feeBaseMsat: 77n });
    create(two, 8);
    book.updateChannel(two, dir('2x2x2/0'), usable);
    expect(see('2x2x2/0', [one, two])?.policy).toEqual({ ...NO_POLICY, ...usable });
    expect(see('2x2x2/0', [two, one])?.policy).toEqual({ ...NO_POLICY, ...usable, feeBaseMsat: 77n });
    expect(see('2x2x2/0', [one])).toBeUndefined();
  });

  test('later layers override earlier ones exactly, field by field', () => {
    book.updateChannel(one, dir('1x1x1/0'), { feeBaseMsat: 2n ** 40n, htlcMaximumMsat: 1_000_000n });
    book.updateChannel(two, dir('1x1x1/0'), { feeBaseMsat: 3n, feeProportionalMillionths: 2 ** 31 });
    expect(see('1x1x1/0', [one, two])?.policy).toEqual({
      ...gossiped,
      htlcMaximumMsat: 1_000_000n,
      feeBaseMsat: 3n,
      feeProportionalMillionths: 2 ** 31,
    });
    expect(see('1x1x1/0', [two, one])?.policy.feeBaseMsat).toBe(2n ** 40n);
  });

  test('sourcefree clears fee and delay of directions that leave the source, at its position in the list', () => {
    create(one, 9);
    book.updateChannel(one, dir('2x2x2/0'), { ...usable, feeBaseMsat: 4n, cltvExpiryDelta: 5 });
    const fromB = { source: B, destination: C };
    expect(see('2x2x2/0', [one, SOURCEFREE], fromB)?.policy).toEqual({ ...NO_POLICY, ...usable });
    expect(see('2x2x2/0', [SOURCEFREE, one], fromB)?.policy.feeBaseMsat).toBe(4n);
    expect(see('1x1x1/0', [SOURCEFREE], fromB)?.policy).toEqual(gossiped);
    // A channel known from gossip counts as coming before the first layer.
    const free = { feeBaseMsat: 0n, feeProportionalMillionths: 0, cltvExpiryDelta: 0 };
    expect(see('1x1x1/0', [SOURCEFREE, one])?.policy).toEqual({ ...gossiped, ...free });
  });
});

describe('disabled nodes', () => {
  test('block every direction out of and into the node, gossiped or made by layers', () => {
    create(one, 9);
    for (const side of ['0', '1']) book.updateChannel(one, dir(`2x2x2/${side}`), usable);
    book.disableNode(two, B);
    const enabled = ['1x1x1/0', '1x1x1/1', '2x2x2/0', '2x2x2/1'].map(
      (text) => see(text, [one, two])?.enabled,
    );
    expect(enabled).toEqual([false, false, false, false]);
  });

  test('do not block a destination from being paid, only from forwarding', () => {
    book.disableNode(one, B);
    const toB = { source: A, destination: B };
    expect(see('1x1x1/0', [one], toB)?.enabled).toBe(true);
    expect(see('1x1x1/1', [one], toB)?.enabled).toBe(false);
  });

  test('are overridden for a direction by an update of the same or a later layer, not of an earlier one', () => {
    book.disableNode(one, B);
    book.updateChannel(two, dir('1x1x1/0'), { enabled: true });
    expect(see('1x1x1/0', [one, two])?.enabled).toBe(true);
    expect(see('1x1x1/0', [two, one])?.enabled).toBe(false);
    book.updateChannel(one, dir('1x1x1/0'), { enabled: true });
    expect(see('1x1x1/0', [one])?.enabled).toBe(true);
  });
});

describe('bias', () => {
  test('adds up over layers and both nodes, and is clamped once at the end', () => {
    book.biasChannel(one, dir('1x1x1/0'), { bias: 100, ...plain });
    book.biasNode(one, A, 'out', { bias: 100, ...plain });
    book.biasNode(one, A, 'in', { bias: 1, ...plain });
    book.biasNode(two, B, 'in', { bias: -90, ...plain });
    expect(see('1x1x1/0', [one])?.bias).toBe(100);
    expect(see('1x1x1/0', [one, two, two])?.bias).toBe(20);
    expect(see('1x1x1/1', [one, two])?.bias).toBe(1);
    expect(see('1x1x1/0', [two, two])?.bias).toBe(-100);
  });
});

describe('bounds', () => {
  test('fold the layers in order, a repeated layer twice, and count reservations once', () => {
    book.informChannel(one, dir('1x1x1/0'), msat(10_000), 'succeeded');
    book.informChannel(two, dir('1x1x1/0'), msat(60_001), 'constrained');
    const at = { shortChannelIdDir: dir('1x1x1/0') };
    book.reserve(
      [
        { ...at, amountMsat: msat(5_000) },
        { ...at, amountMsat: msat(300), layer: one },
      ],
      'a',
    );
    const max = (...layers: Layer[]) => see('1x1x1/0', layers)?.maxMsat;
    expect(max()).toBe(95_000n);
    expect(max(one)).toBe(90_000n - 5_300n);
    expect(max(one, one)).toBe(80_000n - 5_300n);
    expect(max(one, two)).toBe(60_000n - 5_300n);
    expect(max(two, one)).toBe(50_000n - 5_300n);
    // An amount that passed the other way raises the minimum. It raises the maximum too, but not above the
    // capacity.
    expect(see('1x1x1/1', [one])).toMatchObject({ minMsat: 10_000n, maxMsat: 100_000n });
  });

  // The capacity is 100,000, of which 30,000 are reserved. At least 60,000 is known to pass, so at least 30,000
  // still do.
  test('count reservations against the minimum too, but never below zero', () => {
    book.informChannel(one, dir('1x1x1/0'), msat(60_000), 'unconstrained');
    const at = { shortChannelIdDir: dir('1x1x1/0') };
    book.reserve([{ ...at, amountMsat: msat(30_000) }], 'a');
    expect(see('1x1x1/0', [one])).toMatchObject({ minMsat: 30_000n, maxMsat: 70_000n });
    book.reserve([{ ...at, amountMsat: msat(10n ** 12n) }], 'a');
    expect(see('1x1x1/0', [one])).toMatchObject({ minMsat: 0n, maxMsat: 0n });
    expect(see('1x1x1/1', [one])).toMatchObject({ minMsat: 0n, maxMsat: 100_000n });
  });

  test('of one direction do not change when the other direction cannot pass an amount', () => {
    book.informChannel(one, dir('1x1x1/0'), msat(1), 'constrained');
    expect(see('1x1x1/1', [one])).toMatchObject({ minMsat: 0n, maxMsat: 100_000n });
  });
});

describe('names', () => {
  test('resolve to ids in order, the automatic ones to their effects', () => {
    const names = ['two', 'auto.sourcefree', 'auto.localchans', 'one', 'two', 'auto.include_fees'];
    expect(resolveLayers(book, names, true)).toEqual({
      layerIds: [two.id, SOURCEFREE, LOCAL_CHANNELS_LAYER_ID, one.id, two.id],
      includeFees: true,
      noMpp: false,
    });
    expect(resolveLayers(book, ['auto.no_mpp_support'], true).noMpp).toBe(true);
  });

  test.each(['auto.no_mpp_support', 'auto.nothing', 'three', ''])('%j is unknown', (name) => {
    expect(toldBy(() => resolveLayers(book, ['one', name], false))).toThrow(
      expect.objectContaining({
        code: -32602,
        message: 'layers: unknown layer: invalid token (see logs for details)',
        data: { parameter: 'layers', reason: 'unknown layer', value: name },
      }),
    );
  });
});

describe('auto.localchans', () => {
  const policy = {
    htlcMinimumMsat: msat(0),
    htlcMaximumMsat: msat(990_000_000),
    feeBaseMsat: msat(1),
    feeProportionalMillionths: 10,
    cltvExpiryDelta: 6,
  };
  const own: OwnChannel = {
    peerId: C,
    shortChannelId: scid('3x3x3'),
    capacityMsat: msat(1_000_000_000),
    spendableMsat: msat(700_000_000),
    receivableMsat: msat(200_000_000),
    theirMaxInFlightMsat: msat(600_000_000),
    ourMaxInFlightMsat: msat(2n ** 64n - 1n),
    usable: true,
    localPolicy: policy,
    remotePolicy: policy,
    openedByUs: true,
    feeratePerKw: 3750,
  };
  const local = LOCAL_CHANNELS_LAYER_ID;

  test('sets exactly what each direction can pass, and the cost of one more HTLC', () => {
    book.localChannels.refresh(B, [own, { ...own, shortChannelId: undefined }]);
    expect(see('3x3x3/0', [local])).toEqual({
      nodeFrom: B,
      nodeTo: C,
      capacityMsat: 1_000_000_000n,
      enabled: true,
      policy: { enabled: true, ...policy },
      minMsat: 600_000_000n,
      maxMsat: 600_000_000n,
      bias: 0,
      extraHtlcCostMsat: 645_000n, // floor(3750 * 172 / 1000) sat
    });
    const back = see('3x3x3/1', [local]);
    expect(back).toMatchObject({ nodeFrom: C, minMsat: 200_000_000n, maxMsat: 200_000_000n });
    expect(back?.extraHtlcCostMsat).toBe(0n);
  });

  test('allows our id to be the larger one; a peer whose policy is unknown cannot pay us', () => {
    book.localChannels.refresh(B, [{ ...own, peerId: A, remotePolicy: undefined, openedByUs: false }]);
    expect(see('3x3x3/1', [local])).toMatchObject({ nodeFrom: B, nodeTo: A, enabled: true });
    expect(see('3x3x3/0', [local])).toMatchObject({ enabled: false, minMsat: 0n, maxMsat: 1_000_000_000n });
    expect(see('3x3x3/1', [local])?.extraHtlcCostMsat).toBe(0n);
  });

  test('follows the changes that the network reports', () => {
    const port = new PortDouble(B);
    const stop = port.onOwnChannels(({ channels }) => {
      book.localChannels.refresh(port.identity.nodeId, channels);
    });
    port.setChannels([own]);
    expect(see('3x3x3/0', [local])?.maxMsat).toBe(600_000_000n);
    port.setChannels([{ ...own, spendableMsat: msat(1) }]);
    expect(see('3x3x3/0', [local])?.maxMsat).toBe(1n);
    stop();
    port.setChannels([]);
    expect(see('3x3x3/0', [local])?.maxMsat).toBe(1n);
  });

  test('reports only the channels that changed in a refresh', () => {
    const other = { ...own, shortChannelId: scid('4x4x4') };
    book.localChannels.refresh(B, [own, other]);
    const changed: bigint[] = [];
    book.subscribe({
      channelChanged: (_layer, id) => void changed.push(id),
      nodeChanged: () => {},
      layerRemoved: () => {},
    });
    book.localChannels.refresh(B, [{ ...own }, other]);
    expect(changed).toEqual([]);
    book.localChannels.refresh(B, [own, { ...other, usable: false }]);
    expect(changed).toEqual([scid('4x4x4')]);
    book.localChannels.refresh(B, [own]);
    expect(changed).toEqual([scid('4x4x4'), scid('4x4x4')]);
    expect(book.channelCell(local, scid('4x4x4'))).toBeUndefined();
  });
});
