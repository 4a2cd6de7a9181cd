/**
 * Reads `.compressed` graph snapshots (Core Lightning's compressed gossmap). A snapshot is a gzip stream of the magic
 * `GOSSMAP_COMPRESSv1` NUL and bigsize integers (BOLT 1), in this order:
 *
 *     channel count C
 *     C first-end node indexes, C second-end node indexes
 *     disabled directions (2 * channel + file direction), ended by 2 * C
 *     capacities (sat): template count T, T values, C indexes into them
 *     htlc_minimum_msat, htlc_maximum_msat, base fee, ppm, delay: T, T values, 2 * C indexes by direction
 *
 * The format omits values that are determined by rules: node i has the key from node-keys.ts, channel c has the id (c +
 * first) x second x (c mod 2^16), and file direction 0 leaves the first end, regardless of which id is smaller.
 *
 * htlc_maximum_msat 0 means the capacity, 1 means 99 % of it. Core Lightning's own tool takes the capacity as msat
 * although it is in sat, so these two maxima are too small by a factor of 1000. This file corrects that (capacity in
 * sat times 1000 or 990), unless `exactUnits` requests the tool's values.
 */
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { ChannelGraph } from '../model/channel-graph.ts';
import type { Msat } from '../model/msat.ts';
import { NODE_ID_BYTES, type NodeId, nodeIdToBytes } from '../model/node-id.ts';
import { compareNodeIds } from '../model/node-table.ts';
import type { Direction } from '../model/short-channel-id.ts';
import { BigSizeColumns, type TemplateColumn } from './bigsize-columns.ts';
import { graphFileError } from './graph-file.ts';
import { snapshotNodeIds } from './node-keys.ts';

const MAGIC = Buffer.from('GOSSMAP_COMPRESSv1\0', 'latin1');

/** Maximum size of the inflated file in bytes, enough for 10 million channels of typical size. */
const MAX_INFLATED_BYTES = 256 * 1024 * 1024;

/** Minimum size of a channel in bytes: one byte in each of 2 + 1 + 5 * 2 columns. */
const MIN_BYTES_PER_CHANNEL = 13;

/** Special values of htlc_maximum_msat. */
const MAXIMUM_IS_CAPACITY = 0n;
const MAXIMUM_IS_99_PERCENT = 1n;

const MAX_U32 = 0xffff_ffffn;
const MAX_U16 = 0xffffn;
/** Maximum capacity in sat that does not exceed 64 bits in msat. */
const MAX_CAPACITY_SAT = 0xffff_ffff_ffff_ffffn / 1000n;
const MAX_BLOCK_HEIGHT = 2 ** 24;

/** How to read a snapshot. */
export interface SnapshotOptions {
  /** Whether to keep the wrong unit of htlc_maximum_msat that Core Lightning's tool uses. Default: false. */
  readonly exactUnits?: boolean;
  /** Real ids of some nodes, by index, to be used instead of derived ids. */
  readonly nodeMap?: ReadonlyMap<number, NodeId>;
}

/** The content of a file. Arrays are indexed as in the file: by channel, or by 2 * channel + file direction. */
export interface CompressedSnapshot {
  readonly nodeCount: number;
  readonly channelCount: number;
  readonly firstEnd: Uint32Array;
  readonly secondEnd: Uint32Array;
  /** For each direction, 1 if it is disabled. */
  readonly disabled: Uint8Array;
  readonly capacitySat: TemplateColumn<bigint>;
  readonly htlcMinimumMsat: TemplateColumn<bigint>;
  /** The values as in the file, including special ones. See `htlcMaximumMsat()`. */
  readonly htlcMaximumRaw: TemplateColumn<bigint>;
  readonly feeBaseMsat: TemplateColumn<number>;
  readonly feeProportionalMillionths: TemplateColumn<number>;
  readonly cltvExpiryDelta: TemplateColumn<number>;
}

/** Reads a file. @throws FulguriteError `graphSource` if it cannot be read or is malformed */
export function readCompressedSnapshot(path: string): CompressedSnapshot {
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_INFLATED_BYTES)
      throw new RangeError(`${size} bytes exceed the maximum size of a snapshot`);
    bytes = readFileSync(path);
  } catch (error) {
    throw graphFileError(path, (error as Error).message);
  }
  return parseCompressedSnapshot(bytes, path);
}

/** Like `readCompressedSnapshot`, but reads bytes in memory. @param file name of these bytes in errors */
export function parseCompressedSnapshot(compressed: Uint8Array, file = 'snapshot'): CompressedSnapshot {
  let inflated: Uint8Array;
  try {
    inflated = gunzipSync(compressed, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (error) {
    throw graphFileError(
      file,
      `not a gzip stream of at most ${MAX_INFLATED_BYTES} bytes: ${(error as Error).message}`,
    );
  }
  if (Buffer.compare(inflated.subarray(0, MAGIC.length), MAGIC) !== 0) {
    throw graphFileError(file, 'not a compressed snapshot: the magic is missing', 0);
  }
  return parseColumns(new BigSizeColumns(inflated, MAGIC.length, file));
}

function parseColumns(reader: BigSizeColumns): CompressedSnapshot {
  const channelCount = reader.count('channel count', Math.floor(reader.remaining / MIN_BYTES_PER_CHANNEL));
  const directionCount = channelCount * 2;
  // Indexes are dense, so C channels have at most 2C ends.
  const firstEnd = reader.column('node index', channelCount, directionCount);
  const secondEnd = reader.column('node index', channelCount, directionCount);
  const nodeCount = checkEnds(reader, firstEnd, secondEnd);
  const disabled = reader.marked('disabled direction', directionCount);
  const snapshot: CompressedSnapshot = {
    nodeCount,
    channelCount,
    firstEnd,
    secondEnd,
    disabled,
    capacitySat: reader.template('capacity', channelCount, MAX_CAPACITY_SAT),
    htlcMinimumMsat: reader.template('htlc_minimum_msat', directionCount),
    htlcMaximumRaw: reader.template('htlc_maximum_msat', directionCount),
    feeBaseMsat: asNumbers(reader.template('fee_base_msat', directionCount, MAX_U32)),
    feeProportionalMillionths: asNumbers(
      reader.template('fee_proportional_millionths', directionCount, MAX_U32),
    ),
    cltvExpiryDelta: asNumbers(reader.template('cltv_expiry_delta', directionCount, MAX_U16)),
  };
  reader.end();
  return snapshot;
}

/**
 * Checks that every channel connects two different nodes, and has a valid short channel id.
 * @returns the number of nodes
 */
function checkEnds(reader: BigSizeColumns, firstEnd: Uint32Array, secondEnd: Uint32Array): number {
  let greatest = -1;
  for (let channel = 0; channel < firstEnd.length; channel++) {
    const [first, second] = [firstEnd[channel]!, secondEnd[channel]!];
    if (first === second) throw reader.error(`channel ${channel} connects node ${first} to itself`);
    if (channel + first >= MAX_BLOCK_HEIGHT || second >= MAX_BLOCK_HEIGHT) {
      throw reader.error(`channel ${channel} has no valid short channel id`);
    }
    greatest = Math.max(greatest, first, second);
  }
  return greatest + 1;
}

function asNumbers(column: TemplateColumn<bigint>): TemplateColumn<number> {
  return { values: column.values.map(Number), indexes: column.indexes };
}

/** The artificial short channel id of a channel. The graph checks that no two channels have the same id. */
export function snapshotShortChannelId(snapshot: CompressedSnapshot, channel: number): bigint {
  const block = channel + snapshot.firstEnd[channel]!;
  return (BigInt(block) << 40n) | (BigInt(snapshot.secondEnd[channel]!) << 16n) | BigInt(channel & 0xffff);
}

/** Ids of all nodes, 33 bytes each. The graph checks that they are unique. */
export function snapshotIds(snapshot: CompressedSnapshot, nodeMap?: ReadonlyMap<number, NodeId>): Uint8Array {
  const ids = snapshotNodeIds(snapshot.nodeCount);
  for (const [index, id] of nodeMap ?? []) {
    if (index >= 0 && index < snapshot.nodeCount) ids.set(nodeIdToBytes(id), index * NODE_ID_BYTES);
  }
  return ids;
}

/** htlc_maximum_msat of a file direction, with special values converted to amounts. */
export function htlcMaximumMsat(
  snapshot: CompressedSnapshot,
  directionIndex: number,
  exactUnits: boolean,
): bigint {
  const raw = snapshot.htlcMaximumRaw.values[snapshot.htlcMaximumRaw.indexes[directionIndex]!]!;
  if (raw !== MAXIMUM_IS_CAPACITY && raw !== MAXIMUM_IS_99_PERCENT) return raw;
  const capacitySat = snapshot.capacitySat.values[snapshot.capacitySat.indexes[directionIndex >> 1]!]!;
  if (raw === MAXIMUM_IS_CAPACITY) return exactUnits ? capacitySat : capacitySat * 1000n;
  return exactUnits ? (capacitySat * 99n) / 100n : capacitySat * 990n;
}

/**
 * The graph of a snapshot. Node indexes are those of the file.
 * @throws FulguriteError `graphSource` if two nodes or two channels have the same id
 */
export function snapshotToGraph(
  snapshot: CompressedSnapshot,
  options: SnapshotOptions = {},
  file = 'snapshot',
): ChannelGraph {
  const { nodeCount, channelCount } = snapshot;
  const graph = new ChannelGraph(nodeCount, channelCount, true);
  const ids = snapshotIds(snapshot, options.nodeMap);
  for (let node = 0; node < nodeCount; node++) {
    if (graph.internNode(ids, node * NODE_ID_BYTES) !== node) {
      throw graphFileError(file, `node ${node} has the same id as another node`);
    }
  }
  for (let channel = 0; channel < channelCount; channel++) {
    const scid = snapshotShortChannelId(snapshot, channel);
    if (graph.channelIndex(scid) !== -1)
      throw graphFileError(file, `channel ${channel} has the same id as another channel`);
    addSnapshotChannel(graph, snapshot, channel, scid, ids, options.exactUnits ?? false);
  }
  return graph;
}

function addSnapshotChannel(
  graph: ChannelGraph,
  snapshot: CompressedSnapshot,
  channel: number,
  scid: bigint,
  ids: Uint8Array,
  exactUnits: boolean,
): void {
  const [first, second] = [snapshot.firstEnd[channel]!, snapshot.secondEnd[channel]!];
  const flip = isFlipped(ids, first, second) ? 1 : 0;
  const capacitySat = snapshot.capacitySat.values[snapshot.capacitySat.indexes[channel]!]!;
  graph.addChannel(scid, flip ? second : first, flip ? first : second, capacitySat * 1000n);
  for (let fileDirection = 0; fileDirection < 2; fileDirection++) {
    const directionIndex = channel * 2 + fileDirection;
    graph.setPolicy(channel, (fileDirection ^ flip) as Direction, {
      enabled: snapshot.disabled[directionIndex] === 0,
      htlcMinimumMsat: templateValue(snapshot.htlcMinimumMsat, directionIndex) as Msat,
      htlcMaximumMsat: htlcMaximumMsat(snapshot, directionIndex, exactUnits) as Msat,
      feeBaseMsat: templateValue(snapshot.feeBaseMsat, directionIndex),
      feeProportionalMillionths: templateValue(snapshot.feeProportionalMillionths, directionIndex),
      cltvExpiryDelta: templateValue(snapshot.cltvExpiryDelta, directionIndex),
    });
  }
}

/** Whether the first end in the file has the greater id. If so, the file's directions are swapped. */
export function isFlipped(ids: Uint8Array, first: number, second: number): boolean {
  return compareNodeIds(ids, first * NODE_ID_BYTES, ids, second * NODE_ID_BYTES) > 0;
}

/** The value of one entry of a template column. */
export function templateValue<T extends number | bigint>(column: TemplateColumn<T>, entry: number): T {
  return column.values[column.indexes[entry]!]!;
}
