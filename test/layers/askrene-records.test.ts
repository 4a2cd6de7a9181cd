/**
 * Reads layers as Core Lightning's askrene stores them. The bytes come from a node's datastore (v26.06-258-g090f4b0,
 * key askrene/layers/every); the expected values are that node's listing of the layer.
 */
import { describe, expect, test } from 'vitest';
import { layerJson } from '../../src/commands/layers/askrene-listing.ts';
import { readAskreneRecords } from '../../src/layers/askrene-records.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { toJson } from '../../src/rpc/json-write.ts';

const A = '03f9b235e20276f30c5ce131c65676c0caf4359fc90fa91611225ac264a1c14fea';
const B = '0291a9f52412e8be609cfca7f778094afbabb9ef96d95add129dd1660bedf5cd46';
const C = '02a03edf2ca0a07300ab9dda9f48f1197fdf84cb5236107312ff00a8a20b475e5d';
const TIME = '000000006b02a9f7';
const CHANNEL = '0000070000080009';

/** The node's records, one per line, in the order of the changes to the layer. */
const CREATED = `0001${C}${A}${CHANNEL}00000000075bcd15`;
const UPDATED = `0002${CHANNEL}010101010000000000000001010000000005e69ec00100000000000003e901000000fa010028`;
const EMPTY_UPDATE = '0002000001000002000300000000000000';
const DISABLED = `0002${CHANNEL}010100010000000000000001010000000005e69ec00100000000000003e901000000fa010028`;
const MAXIMUM = `0003${CHANNEL}00${TIME}00010000000000001387`;
const MINIMUM = `0003${CHANNEL}01${TIME}01000000000000177000`;
const NOTHING_KNOWN = `0003${CHANNEL}01${TIME}0000`;
const IMPRESSION = `0008${CHANNEL}00${TIME}00000000000002bc`;
const BIAS = `0006${CHANNEL}016400${TIME}`;
const NODE_BIAS = `0007${C}1400016e65617200${TIME}`;
const DISABLED_NODE = `0005${B}`;
const ALL = [
  CREATED,
  UPDATED,
  EMPTY_UPDATE,
  DISABLED,
  MAXIMUM,
  MINIMUM,
  NOTHING_KNOWN,
  IMPRESSION,
  BIAS,
  NODE_BIAS,
  DISABLED_NODE,
];

const bytes = (...records: string[]): Uint8Array => Uint8Array.from(Buffer.from(records.join(''), 'hex'));
const read = (...records: string[]) => readAskreneRecords(bytes(...records), 1_700_000_000);

/** The listing of a layer that is created from these records. */
function listed(...records: string[]): object {
  const book = new LayerBook();
  const layer = book.createLayer('every', true);
  for (const mutation of read(...records).mutations) book.adopt(layer, mutation);
  return JSON.parse(toJson(layerJson(layer, true)));
}

test('every kind of record is read as the node lists it', () => {
  const timestamp = 1795336695;
  expect(read(...ALL).fault).toBeUndefined();
  expect(listed(...ALL)).toEqual({
    layer: 'every',
    persistent: true,
    disabled_nodes: [B],
    created_channels: [{ source: C, destination: A, short_channel_id: '7x8x9', capacity_msat: 123456789 }],
    channel_updates: [
      {
        short_channel_id_dir: '7x8x9/1',
        enabled: false,
        htlc_minimum_msat: 1,
        htlc_maximum_msat: 99000000,
        fee_base_msat: 1001,
        fee_proportional_millionths: 250,
        cltv_expiry_delta: 40,
      },
      { short_channel_id_dir: '1x2x3/0' },
    ],
    constraints: [
      { short_channel_id_dir: '7x8x9/0', timestamp, maximum_msat: 4999 },
      { short_channel_id_dir: '7x8x9/1', timestamp, minimum_msat: 6000 },
      { short_channel_id_dir: '7x8x9/1', timestamp },
    ],
    impressions: [{ short_channel_id_dir: '7x8x9/0', timestamp, amount_msat: 700 }],
    biases: [{ short_channel_id_dir: '7x8x9/1', bias: 100, timestamp }],
    node_biases: [{ node: C, description: 'near', in_bias: 20, out_bias: 0, timestamp }],
  });
});

test('a bias from a release without timestamps gets the time of its import', () => {
  const [bias] = read(`0004${CHANNEL}00ce0168c3a900`).mutations;
  expect(bias).toMatchObject({ type: 'biasChannel', bias: -50, description: 'hé', timestamp: 1_700_000_000 });
});

describe('reading stops and reports the reason', () => {
  test('when the records are cut off, at any byte', () => {
    const whole = bytes(...ALL);
    const ends = ALL.map((_, index) => bytes(...ALL.slice(0, index + 1)).length);
    for (let length = 1; length < whole.length; length++) {
      const { mutations, fault } = readAskreneRecords(whole.subarray(0, length), 0);
      const complete = ends.filter((end) => end <= length).length;
      const isBetween = ends.includes(length);
      expect([length, mutations.length]).toEqual([length, complete]);
      expect(fault).toEqual(isBetween ? undefined : { kind: 'cutOff', offset: ends[complete - 1] ?? 0 });
    }
  });

  test('when a record has a type of a later release', () => {
    const { mutations, fault } = read(MAXIMUM, '0009ffff', MINIMUM);
    expect(mutations).toHaveLength(1);
    expect(fault).toEqual({ kind: 'unknownType', offset: 29, type: 9 });
  });

  test.each([
    ['an invalid node id', `0005${'05'.repeat(33)}`],
    ['a channel from a node to itself', `0001${A}${A}${CHANNEL}00000000075bcd15`],
    ['a third direction', `0003${CHANNEL}02${TIME}0000`],
    ['a bias beyond 100', `0006${CHANNEL}016500${TIME}`],
    ['an invalid time', `0008${CHANNEL}00ffffffffffffffff00000000000002bc`],
  ])('when it contains %s', (_what, record) => {
    expect(read(MAXIMUM, record)).toMatchObject({
      mutations: [{}],
      fault: { kind: 'senseless', offset: 29 },
    });
  });
});
