/** Each mutation of the layer book, with a clock that only the test moves. */
import { beforeEach, describe, expect, test } from 'vitest';
import { AMOUNT_CAP_MSAT, applyFold } from '../../src/layers/bounds-fold.ts';
import type { LayerSubscriber } from '../../src/layers/cell.ts';
import type { Layer } from '../../src/layers/layer.ts';
import { GLOBAL_LAYER_ID, LayerBook } from '../../src/layers/layer-book.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { parseShortChannelId, parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { toldBy } from '../in-words.ts';

const scid = (text: string) => parseShortChannelId(text)!;
const dir = (text: string) => parseShortChannelIdDir(text)!;
const node = (n: number) => `02${n.toString(16).padStart(64, '0')}` as NodeId;
const plain = { relative: false, description: undefined };

let now: number;
let book: LayerBook;
let layer: Layer;
let events: string[];

const recorder: LayerSubscriber = {
  channelChanged: (id, channel) => void events.push(`channel ${id} ${channel}`),
  nodeChanged: (id, nodeId) => void events.push(`node ${id} ${nodeId.slice(-2)}`),
  layerRemoved: (id) => void events.push(`removed ${id}`),
};

beforeEach(() => {
  now = 1000;
  events = [];
  book = new LayerBook(() => now);
  layer = book.createLayer('test', false);
  book.subscribe(recorder);
});

describe('layers', () => {
  test('names with the automatic prefix are refused, including the dot and case-sensitively', () => {
    expect(toldBy(() => book.createLayer('auto.x', true))).toThrow('Cannot create auto layer');
    for (const name of ['auto', 'Auto.x', '', 'caf\u00e9 "q" \\ /\n']) book.createLayer(name, false);
    expect([...book.layers()].map(({ name }) => name)).toEqual([
      'test',
      'auto',
      'Auto.x',
      '',
      'caf\u00e9 "q" \\ /\n',
    ]);
  });

  test('creating an existing layer is an error, unless persistence is requested; then it changes nothing', () => {
    expect(toldBy(() => book.createLayer('test', false))).toThrow('Layer already exists');
    expect(book.createLayer('test', true)).toBe(layer);
    expect(layer.persistent).toBe(false);
    book.createLayer('kept', true);
    expect(toldBy(() => book.createLayer('kept', false))).toThrow('Layer already exists');
  });

  test('removing a layer removes its reservations, and its id is not used again', () => {
    const { id } = layer;
    book.reserve([{ shortChannelIdDir: dir('1x1x1/0'), amountMsat: msat(5), layer }], 'a');
    book.removeLayer(layer);
    expect(events.at(-1)).toBe(`removed ${id}`);
    expect(book.layer('test')).toBeUndefined();
    expect([...book.reservations(layer)]).toEqual([]);
    expect(book.channelCell(id, scid('1x1x1'))).toBeUndefined();
    expect(book.createLayer('test', false).id).toBeGreaterThan(id);
    expect(toldBy(() => book.disableNode(layer, node(1)))).toThrow('Unknown layer');
    const everyone = { shortChannelIdDir: dir('1x1x1/0'), amountMsat: msat(5) };
    expect(toldBy(() => book.reserve([everyone, { ...everyone, layer }], 'a'))).toThrow('Unknown layer');
    expect([...book.reservations()]).toEqual([]);
  });
});

describe('channels and updates', () => {
  test('a created channel is listed with the smaller node id first, and only once per layer', () => {
    book.createChannel(layer, node(2), node(1), scid('1x2x3'), msat(7));
    const entry = { shortChannelId: scid('1x2x3'), node1: node(1), node2: node(2), capacityMsat: 7n };
    expect([...layer.createdChannels]).toEqual([entry]);
    expect(toldBy(() => book.createChannel(layer, node(2), node(1), scid('1x2x3'), msat(7)))).toThrow(
      'channel already exists',
    );
    expect(toldBy(() => book.createChannel(layer, node(1), node(1), scid('1x2x4'), msat(7)))).toThrow(
      'source and destination must be different',
    );
    book.createChannel(book.createLayer('other', false), node(1), node(2), scid('1x2x3'), msat(9));
  });

  test('updates merge per field; one without fields makes an empty entry; removing an update removes all fields', () => {
    book.updateChannel(layer, dir('1x2x3/1'), {});
    expect([...layer.channelUpdates]).toEqual([{ ...dir('1x2x3/1'), update: {} }]);
    book.updateChannel(layer, dir('1x2x3/1'), { enabled: false, feeBaseMsat: 1n });
    book.updateChannel(layer, dir('1x2x3/0'), { cltvExpiryDelta: 6 });
    book.updateChannel(layer, dir('1x2x3/1'), { enabled: true, htlcMaximumMsat: U64_MAX });
    const merged = { enabled: true, feeBaseMsat: 1n, htlcMaximumMsat: U64_MAX };
    expect(book.channelCell(layer.id, scid('1x2x3'))?.updates).toEqual([{ cltvExpiryDelta: 6 }, merged]);
    book.removeChannelUpdate(layer, dir('1x2x3/1'));
    book.removeChannelUpdate(layer, dir('9x9x9/1'));
    expect(book.channelCell(layer.id, scid('1x2x3'))?.updates).toEqual([{ cltvExpiryDelta: 6 }, undefined]);
    book.removeChannelUpdate(layer, dir('1x2x3/0'));
    expect(book.channelCell(layer.id, scid('1x2x3'))).toBeUndefined();
  });
});

describe('inform', () => {
  test('constrained means one msat less than the amount; zero stays zero', () => {
    expect(book.informChannel(layer, dir('1x2x3/1'), msat(12341235), 'constrained')).toEqual({
      kind: 'maximum',
      amountMsat: 12341234n,
      timestamp: 1000,
    });
    expect(book.informChannel(layer, dir('1x2x3/1'), msat(0), 'constrained').amountMsat).toBe(0n);
    expect(book.informChannel(layer, dir('1x2x3/1'), msat(5), 'unconstrained').amountMsat).toBe(5n);
    expect([...layer.records].map(({ kind }) => kind)).toEqual(['maximum', 'maximum', 'minimum']);
  });

  // 100 failed while 30 were reserved without a layer and 4 with this layer, so at most 133 can pass.
  test('constrained counts the reservations that apply to the layer', () => {
    const other = book.createLayer('other', false);
    const at = { shortChannelIdDir: dir('1x2x3/1') };
    book.reserve([{ ...at, amountMsat: msat(30) }], 'a');
    book.reserve([{ ...at, amountMsat: msat(4), layer }], 'a');
    book.reserve([{ ...at, amountMsat: msat(500), layer: other }], 'a');
    book.reserve([{ shortChannelIdDir: dir('1x2x3/0'), amountMsat: msat(7000) }], 'a');
    expect(book.informChannel(layer, dir('1x2x3/1'), msat(100), 'constrained').amountMsat).toBe(133n);
    expect(book.informChannel(layer, dir('1x2x3/1'), msat(100), 'unconstrained').amountMsat).toBe(100n);
    expect(toldBy(() => book.informChannel(layer, dir('1x2x3/1'), msat(U64_MAX), 'constrained'))).toThrow(
      'Amount overflow with reserves',
    );
    expect(layer.records).toHaveLength(2);
  });

  test('the order of an impression and a maximum matters', () => {
    const bounds = () =>
      applyFold(
        book.channelCell(layer.id, scid('1x2x3'))!.bounds[1],
        { minMsat: 0n, maxMsat: 1_000_000n },
        1_000_000n,
      );
    book.informChannel(layer, dir('1x2x3/1'), msat(300_000), 'succeeded');
    now += 1;
    book.informChannel(layer, dir('1x2x3/1'), msat(600_001), 'constrained');
    expect(bounds()).toEqual({ minMsat: 0n, maxMsat: 600_000n });
    now += 1;
    book.informChannel(layer, dir('1x2x3/1'), msat(300_000), 'succeeded');
    expect(bounds()).toEqual({ minMsat: 0n, maxMsat: 300_000n });
  });
});

describe('bias', () => {
  test('channel bias: absolute, relative, clamped, removed at zero; each time replaces the description', () => {
    const set = (bias: number, relative: boolean, description?: string) =>
      book.biasChannel(layer, dir('1x2x3/1'), { bias, relative, description });
    expect(set(-20, false, 'no')).toEqual({
      ...dir('1x2x3/1'),
      bias: -20,
      description: 'no',
      timestamp: 1000,
    });
    now = 1007;
    expect(set(5, true)).toEqual({ ...dir('1x2x3/1'), bias: -15, description: undefined, timestamp: 1007 });
    expect(set(-100, true)?.bias).toBe(-100);
    expect(set(100, true)).toBeUndefined();
    expect([...layer.biases]).toEqual([]);
    expect(set(0, false)).toBeUndefined();
    expect(book.channelCell(layer.id, scid('1x2x3'))).toBeUndefined();
  });

  test('node bias: one per side, with a common description and time; removed when both are zero', () => {
    book.biasNode(layer, node(1), 'out', { bias: 3, ...plain });
    now = 1001;
    const entry = book.biasNode(layer, node(1), 'in', { bias: -4, relative: true, description: 'in' });
    expect(entry).toEqual({ node: node(1), inBias: -4, outBias: 3, description: 'in', timestamp: 1001 });
    expect(book.nodeCell(layer.id, node(1))).toEqual({ disabled: false, inBias: -4, outBias: 3 });
    book.biasNode(layer, node(1), 'out', { bias: 0, ...plain });
    expect(book.biasNode(layer, node(1), 'in', { bias: 0, ...plain })).toBeUndefined();
    expect(book.nodeCell(layer.id, node(1))).toBeUndefined();
  });

  test('disabling a node twice lists it twice, with the same effect', () => {
    book.disableNode(layer, node(1));
    book.disableNode(layer, node(1));
    expect(layer.disabledNodes).toEqual([node(1), node(1)]);
    expect(book.nodeCell(layer.id, node(1))).toEqual({ disabled: true, inBias: 0, outBias: 0 });
  });
});

describe('ageing', () => {
  test('removes strictly older records of all four kinds, and nothing else', () => {
    for (now of [1000, 1001]) {
      book.informChannel(layer, dir(`${now}x1x1/0`), msat(1), 'constrained');
      book.informChannel(layer, dir(`${now}x1x1/0`), msat(1), 'succeeded');
      book.biasChannel(layer, dir(`${now}x1x1/0`), { bias: 1, ...plain });
      book.biasNode(layer, node(now), 'in', { bias: 1, ...plain });
    }
    book.disableNode(layer, node(9));
    book.updateChannel(layer, dir('1x1x1/0'), { enabled: true });
    events = [];
    expect(book.age(layer, 1000n)).toBe(0);
    expect(events).toEqual([]);
    expect(book.age(layer, 1001n)).toBe(4);
    expect(events).toEqual([`channel ${layer.id} ${scid('1000x1x1')}`, `node ${layer.id} e8`]);
    expect(book.channelCell(layer.id, scid('1000x1x1'))).toBeUndefined();
    expect(book.channelCell(layer.id, scid('1001x1x1'))?.bias).toEqual([1, 0]);
    expect(book.age(layer, U64_MAX)).toBe(4);
    expect([...layer.records, ...layer.biases, ...layer.nodeBiases]).toEqual([]);
    expect(layer.disabledNodes).toEqual([node(9)]);
    expect([...layer.channelUpdates]).toHaveLength(1);
  });

  test('keeps a node bias on one side alive when the other side is refreshed', () => {
    book.biasNode(layer, node(1), 'in', { bias: 1, ...plain });
    now = 1005;
    book.biasNode(layer, node(1), 'out', { bias: 2, ...plain });
    expect(book.age(layer, 1005n)).toBe(0);
    expect(book.nodeCell(layer.id, node(1))?.inBias).toBe(1);
  });

  test('removes old records even when the clock was set back', () => {
    book.informChannel(layer, dir('1x1x1/0'), msat(1), 'constrained');
    now = 10;
    book.informChannel(layer, dir('1x1x1/0'), msat(1), 'constrained');
    expect(book.age(layer, 11n)).toBe(1);
    expect([...layer.records].map(({ timestamp }) => timestamp)).toEqual([1000]);
  });
});

describe('reservations', () => {
  const one = { shortChannelIdDir: dir('1x2x3/1'), amountMsat: msat(1000) };

  test('equal ones stack, are listed in order, and are separate for each layer', () => {
    book.reserve([one, { ...one, amountMsat: msat(5), layer }, one], 'first');
    now = 1010;
    book.reserve([one], 'second');
    expect([...book.reservations()].map(({ commandId, timestamp }) => [commandId, timestamp])).toEqual([
      ['first', 1000],
      ['first', 1000],
      ['second', 1010],
    ]);
    expect([...book.reservations(layer)]).toHaveLength(1);
    expect(book.channelCell(GLOBAL_LAYER_ID, scid('1x2x3'))?.reservedMsat).toEqual([0n, 3000n]);
    expect(book.channelCell(layer.id, scid('1x2x3'))?.reservedMsat).toEqual([0n, 5n]);
    book.unreserve([one]);
    expect([...book.reservations()].map(({ commandId }) => commandId)).toEqual(['first', 'first']);
  });

  test('unreserve releases all elements or none, and names the first missing one', () => {
    book.reserve([one, { ...one, layer }], 'a');
    events = [];
    expect(toldBy(() => book.unreserve([one, one]))).toThrow('Unknown reservation for 1x2x3/1');
    expect(toldBy(() => book.unreserve([one, { ...one, layer }, { ...one, layer }]))).toThrow(
      'Unknown reservation for 1x2x3/1 on layer test',
    );
    expect(toldBy(() => book.unreserve([{ ...one, amountMsat: msat(999) }]))).toThrow('Unknown reservation');
    expect(events).toEqual([]);
    book.unreserve([{ ...one, layer }, one]);
    expect([...book.reservations(), ...book.reservations(layer)]).toEqual([]);
    expect(book.channelCell(GLOBAL_LAYER_ID, scid('1x2x3'))).toBeUndefined();
  });

  test('all can be dropped at once; only the sums in cells saturate', () => {
    const huge = { ...one, amountMsat: msat(U64_MAX) };
    book.reserve([huge, huge], 'a');
    expect(book.channelCell(GLOBAL_LAYER_ID, scid('1x2x3'))?.reservedMsat).toEqual([0n, AMOUNT_CAP_MSAT]);
    book.unreserve([huge]);
    book.unreserve([huge]);
    book.reserve([one, { ...one, layer }], 'a');
    book.unreserveAll();
    expect([...book.reservations(), ...book.reservations(layer)]).toEqual([]);
  });
});

describe('scale', () => {
  test('a fresh copy finds every cell exactly once', () => {
    book.createChannel(layer, node(1), node(2), scid('1x1x1'), msat(1));
    book.updateChannel(layer, dir('1x1x1/0'), {});
    book.updateChannel(layer, dir('2x1x1/1'), {});
    book.biasChannel(layer, dir('3x1x1/1'), { bias: 1, ...plain });
    book.informChannel(layer, dir('4x1x1/1'), msat(1), 'succeeded');
    book.reserve([{ shortChannelIdDir: dir('5x1x1/1'), amountMsat: msat(1), layer }], 'a');
    book.disableNode(layer, node(1));
    book.biasNode(layer, node(1), 'in', { bias: 1, ...plain });
    const { channelIds, nodeIds } = book.cells(layer.id);
    const blocks = [...channelIds].map((id) => id >> 40n).sort();
    expect(blocks).toEqual([1n, 2n, 3n, 4n, 5n]);
    expect([...nodeIds]).toEqual([node(1)]);
    expect(book.layerIds()).toContain(layer.id);
  });

  test('100,000 layers, and a layer of 100,000 constraints that all age out', () => {
    for (let i = 0; i < 100_000; i++) book.createLayer(`layer ${i}`, false);
    expect(book.layerIdByName('layer 99999')).toBeGreaterThan(100_000);
    for (let i = 0; i < 100_000; i++) {
      now = 1000 + Math.floor(i / 10_000);
      book.informChannel(layer, dir(`${i % 50_000}x1x1/${i < 50_000 ? 0 : 1}`), msat(i), 'unconstrained');
    }
    expect(book.age(layer, 1005n)).toBe(50_000);
    expect(book.age(layer, 1010n)).toBe(50_000);
    expect([...book.cells(layer.id).channelIds]).toEqual([]);
  });
});
