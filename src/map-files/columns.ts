/**
 * The graph for the page, in three files: the columns for the picture, the node ids, and the names. All three contain
 * the version of their graph, because node indexes change with the graph. Integers are little-endian.
 *
 * `graph.bin`:  u32 magic, version, nodes N, links L, settled (0 or 1), width of a node index W (2 or 4)
 *               u16 x[N], u16 y[N]           positions, from 0 to 65535
 *               uW from[L], uW to[L]         the two ends of a link
 *               u8 capacity[L]               8 · log2 of the capacity in sat
 *               u8 flags[L]                  1: a direction from `from` to `to` is enabled, 2: one from `to` to `from`
 * `ids.bin`:    u32 magic, version, nodes N; then 33 bytes for each node
 * `names.bin`:  the version as text, then the alias of each node, one per line (UTF-8)
 *
 * A link combines all channels between two nodes. Links are sorted by descending capacity, so a page that can draw a
 * thousand links draws the first thousand.
 */

/** Magic number of `graph.bin` and `ids.bin`: `FGB1` in ASCII. */
export const MAP_MAGIC = 0x31424746;

/** Maximum coordinate of a position. */
export const POSITION_SPAN = 65_535;

const HEAD = 24;
const ID_HEAD = 12;
const ID_BYTES = 33;
/** Number of capacity steps per power of two. */
const STEPS = 8;

/** The data from which the map is drawn. */
export interface MapColumns {
  readonly version: number;
  /** Whether the layout is final. If not, a better layout may follow. */
  readonly isSettled: boolean;
  readonly x: Uint16Array;
  readonly y: Uint16Array;
  readonly from: Uint16Array | Uint32Array;
  readonly to: Uint16Array | Uint32Array;
  readonly capacity: Uint8Array;
  readonly flags: Uint8Array;
}

/** The step that a capacity in msat is rounded to. */
export const capacityStep = (msat: bigint): number =>
  Math.min(255, Math.max(0, Math.round(STEPS * Math.log2(Math.max(1, Number(msat) / 1000)))));

/** The approximate capacity of a step, in sat. */
export const capacityOfStep = (step: number): number => 2 ** (step / STEPS);

/** A new column of node indexes, 16 or 32 bits wide, depending on the number of nodes. */
export const indexColumn = (nodes: number, length: number): Uint16Array | Uint32Array =>
  nodes <= 65_536 ? new Uint16Array(length) : new Uint32Array(length);

/** Encodes `graph.bin`. */
export function encodeColumns(columns: MapColumns): Uint8Array<ArrayBuffer> {
  const { version, isSettled, x, y, from, to, capacity, flags } = columns;
  const width = from.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(HEAD + x.byteLength * 2 + from.byteLength * 2 + capacity.length * 2);
  new Uint32Array(bytes.buffer, 0, 6).set([
    MAP_MAGIC,
    version,
    x.length,
    from.length,
    Number(isSettled),
    width,
  ]);
  let at = HEAD;
  for (const column of [x, y, from, to, capacity, flags]) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += column.byteLength;
  }
  return bytes;
}

/** Reads `graph.bin`. @throws RangeError for other data */
export function decodeColumns(buffer: ArrayBuffer): MapColumns {
  if (buffer.byteLength < HEAD) throw new RangeError('the graph file is too short');
  const [magic, version = 0, nodes = 0, links = 0, settled, width] = new Uint32Array(buffer, 0, 6);
  const whole = HEAD + 4 * nodes + links * (2 * (width ?? 0) + 2);
  if (magic !== MAP_MAGIC || (width !== 2 && width !== 4) || buffer.byteLength !== whole) {
    throw new RangeError('the graph file is malformed');
  }
  let at = HEAD;
  const take = <T>(make: (buffer: ArrayBuffer) => T, bytes: number): T => {
    at += bytes;
    return make(buffer.slice(at - bytes, at));
  };
  const index = (part: ArrayBuffer) => (width === 2 ? new Uint16Array(part) : new Uint32Array(part));
  return {
    version,
    isSettled: settled === 1,
    x: take((part) => new Uint16Array(part), 2 * nodes),
    y: take((part) => new Uint16Array(part), 2 * nodes),
    from: take(index, width * links),
    to: take(index, width * links),
    capacity: take((part) => new Uint8Array(part), links),
    flags: take((part) => new Uint8Array(part), links),
  };
}

/** Encodes `ids.bin`. @param ids 33 bytes for each node */
export function encodeIds(version: number, ids: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(ID_HEAD + ids.length);
  new Uint32Array(bytes.buffer, 0, 3).set([MAP_MAGIC, version, ids.length / ID_BYTES]);
  bytes.set(ids, ID_HEAD);
  return bytes;
}

/** Reads `ids.bin`: the version, and 33 bytes for each node. @throws RangeError for other data */
export function decodeIds(buffer: ArrayBuffer): { readonly version: number; readonly ids: Uint8Array } {
  if (buffer.byteLength < ID_HEAD) throw new RangeError('the file of node ids is too short');
  const [magic, version = 0, nodes = 0] = new Uint32Array(buffer, 0, 3);
  if (magic !== MAP_MAGIC || buffer.byteLength !== ID_HEAD + nodes * ID_BYTES) {
    throw new RangeError('the file of node ids is malformed');
  }
  return { version, ids: new Uint8Array(buffer, ID_HEAD) };
}

/** Encodes `names.bin`. A line break in an alias becomes a space. */
export const encodeNames = (version: number, aliases: readonly string[]): string =>
  [String(version), ...aliases.map((alias) => alias.replace(/[\r\n]/g, ' '))].join('\n');

/** Reads `names.bin`. */
export function decodeNames(text: string): { readonly version: number; readonly aliases: readonly string[] } {
  const lines = text.split('\n');
  return { version: Number(lines[0]), aliases: lines.slice(1) };
}
