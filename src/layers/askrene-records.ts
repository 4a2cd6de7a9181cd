/**
 * Reads a layer as stored by Core Lightning's askrene: a sequence of records with big-endian integers. An optional
 * value is either a byte 0, or a byte 1 followed by the value. Texts end with a zero byte.
 *
 *     u16 type, then
 *     1 created channel    node1 33, node2 33, short channel id u64, capacity u64
 *     2 channel update     channel u64, direction u8, optional: enabled u8, htlc minimum u64, htlc maximum u64,
 *                          base fee u64, proportional fee u32, delay u16
 *     3 constraint         channel, direction, time u64, optional: minimum u64, maximum u64
 *     4 bias, old          channel, direction, bias s8, optional text
 *     5 disabled node      node 33
 *     6 bias               as 4, time u64
 *     7 node bias          node 33, in s8, out s8, optional text, time u64
 *     8 impression         channel, direction, time u64, amount u64
 *
 * Source: plugins/askrene/datastore_wire.c and layer.c of Core Lightning. Times are UNIX seconds.
 */
import { type NodeId, nodeIdFromBytes } from '../model/node-id.ts';
import type { PolicyUpdate } from '../model/policy.ts';
import type { Direction, ShortChannelId } from '../model/short-channel-id.ts';
import type { LayerMutation, OfDirection } from './entries.ts';

/** Why the remaining records cannot be read. */
export type RecordsFault =
  /** The last record is incomplete. */
  | { readonly kind: 'cutOff'; readonly offset: number }
  /** A record has an unknown type, such as one that only later releases use. */
  | { readonly kind: 'unknownType'; readonly offset: number; readonly type: number }
  /** A record contains an impossible value, such as a direction above 1, or bytes that are not a node id. */
  | { readonly kind: 'senseless'; readonly offset: number };

/** The changes that rebuild the layer, up to the first unreadable record. */
export interface AskreneRecords {
  readonly mutations: readonly LayerMutation[];
  readonly fault: RecordsFault | undefined;
}

/** Thrown within this file if the bytes end too early. */
class CutOff extends Error {}
/** Thrown within this file for an impossible value. */
class Senseless extends Error {}

/** Reads values one by one from the start of the bytes. */
class RecordReader {
  readonly #bytes: Buffer;
  offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.offset >= this.#bytes.length;
  }

  u8 = (): number => this.#take(1).readUInt8();
  s8 = (): number => this.#take(1).readInt8();
  u16 = (): number => this.#take(2).readUInt16BE();
  u32 = (): number => this.#take(4).readUInt32BE();
  u64 = (): bigint => this.#take(8).readBigUInt64BE();

  time = (): number => {
    const time = this.u64();
    if (time > BigInt(Number.MAX_SAFE_INTEGER)) throw new Senseless();
    return Number(time);
  };

  node = (): NodeId => {
    try {
      return nodeIdFromBytes(this.#take(33));
    } catch (error) {
      throw error instanceof RangeError ? new Senseless() : error;
    }
  };

  channel = (): ShortChannelId => this.u64() as ShortChannelId;

  ofDirection = (): OfDirection => {
    const shortChannelId = this.channel();
    const direction = this.u8();
    if (direction > 1) throw new Senseless();
    return { shortChannelId, direction: direction as Direction };
  };

  text = (): string => {
    const end = this.#bytes.indexOf(0, this.offset);
    if (end < 0) throw new CutOff();
    const text = this.#take(end - this.offset).toString('utf8');
    this.offset++;
    return text;
  };

  optional = <T>(read: () => T): T | undefined => (this.u8() === 0 ? undefined : read());

  #take(length: number): Buffer {
    const end = this.offset + length;
    if (end > this.#bytes.length) throw new CutOff();
    const taken = this.#bytes.subarray(this.offset, end);
    this.offset = end;
    return taken;
  }
}

/**
 * Reads the records of one layer.
 * @param now UNIX seconds; the time given to biases of type 4, which are stored without a time
 */
export function readAskreneRecords(bytes: Uint8Array, now: number): AskreneRecords {
  const reader = new RecordReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const mutations: LayerMutation[] = [];
  while (!reader.isAtEnd) {
    const offset = reader.offset;
    try {
      const type = reader.u16();
      const read = RECORDS[type];
      if (read === undefined) return { mutations, fault: { kind: 'unknownType', offset, type } };
      mutations.push(...read(reader, now));
    } catch (error) {
      if (error instanceof CutOff) return { mutations, fault: { kind: 'cutOff', offset } };
      if (error instanceof Senseless) return { mutations, fault: { kind: 'senseless', offset } };
      throw error;
    }
  }
  return { mutations, fault: undefined };
}

type ReadRecord = (reader: RecordReader, now: number) => LayerMutation[];

const RECORDS: Readonly<Record<number, ReadRecord>> = {
  1: readChannel,
  2: readUpdate,
  3: readConstraint,
  4: (reader, now) => [readBias(reader, () => now)],
  5: (reader) => [{ type: 'disableNode', node: reader.node() }],
  6: (reader) => [readBias(reader, reader.time)],
  7: readNodeBias,
  8: (reader) => {
    const of = reader.ofDirection();
    const timestamp = reader.time();
    return [{ type: 'inform', kind: 'impression', ...of, timestamp, amountMsat: reader.u64() }];
  },
};

function readChannel(reader: RecordReader): LayerMutation[] {
  const ends = [reader.node(), reader.node()].sort();
  const shortChannelId = reader.channel();
  const capacityMsat = reader.u64();
  if (ends[0] === ends[1]) throw new Senseless();
  return [{ type: 'createChannel', shortChannelId, node1: ends[0]!, node2: ends[1]!, capacityMsat }];
}

function readUpdate(reader: RecordReader): LayerMutation[] {
  const of = reader.ofDirection();
  const fields = {
    enabled: reader.optional(() => reader.u8() !== 0),
    htlcMinimumMsat: reader.optional(reader.u64),
    htlcMaximumMsat: reader.optional(reader.u64),
    feeBaseMsat: reader.optional(reader.u64),
    feeProportionalMillionths: reader.optional(reader.u32),
    cltvExpiryDelta: reader.optional(reader.u16),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const update = Object.fromEntries(given) as PolicyUpdate;
  return [{ type: 'updateChannel', ...of, update }];
}

/**
 * The mutations for a constraint record: one for each of its bounds. A record without bounds becomes a minimum of 0,
 * which contains no information.
 */
function readConstraint(reader: RecordReader): LayerMutation[] {
  const of = reader.ofDirection();
  const timestamp = reader.time();
  const minimum = reader.optional(reader.u64);
  const maximum = reader.optional(reader.u64);
  const record = (kind: 'minimum' | 'maximum', amountMsat: bigint): LayerMutation => {
    return { type: 'inform', kind, ...of, timestamp, amountMsat };
  };
  const made: LayerMutation[] = [];
  if (minimum !== undefined || maximum === undefined) made.push(record('minimum', minimum ?? 0n));
  if (maximum !== undefined) made.push(record('maximum', maximum));
  return made;
}

function readBias(reader: RecordReader, time: () => number): LayerMutation {
  const of = reader.ofDirection();
  const bias = biasOf(reader.s8());
  const description = reader.optional(reader.text);
  return { type: 'biasChannel', ...of, bias, description, timestamp: time() };
}

function readNodeBias(reader: RecordReader): LayerMutation[] {
  const node = reader.node();
  const inBias = biasOf(reader.s8());
  const outBias = biasOf(reader.s8());
  const description = reader.optional(reader.text);
  return [{ type: 'biasNode', node, inBias, outBias, description, timestamp: reader.time() }];
}

function biasOf(bias: number): number {
  if (Math.abs(bias) > 100) throw new Senseless();
  return bias;
}
