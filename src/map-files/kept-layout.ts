/**
 * Stores the layout of the map in the data directory, so that a restart need not compute it again. The file contains a
 * hash of the graph's topology, and the position of each node by its id. It is only a cache: a file that cannot be read
 * is replaced.
 *
 *     magic u32, nodes u32, SHA-256 of the topology (32 bytes), then for each node: id (33 bytes), x u16, y u16
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MAP_MAGIC } from './columns.ts';
import type { GraphCopy, Links } from './links.ts';
import type { Placed } from './placement.ts';

/** Name of the file within the data directory. */
export const LAYOUT_FILE = 'map-layout';

const HEAD = 40;
const ROW = 37;
const ID = 33;

/** A stored layout. */
export interface KeptLayout {
  readonly hash: string;
  /** Positions by node id, in the form that `keyOf` returns. */
  readonly places: ReadonlyMap<string, readonly [number, number]>;
}

/** The id of a node as a map key: its bytes as a latin1 text. */
export const keyOf = (ids: Uint8Array, node: number): string =>
  Buffer.from(ids.buffer, ids.byteOffset + node * ID, ID).toString('latin1');

/** A hash of the topology: of all node ids and links. */
export function topologyHash({ ids }: GraphCopy, { from, to }: Links): string {
  const hash = createHash('sha256').update(ids);
  for (const column of [from, to]) {
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return hash.digest('hex');
}

/** Reads the file. Undefined if it is missing or cannot be used. */
export function readLayout(path: string): KeptLayout | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  if (bytes.length < HEAD || bytes.readUInt32LE(0) !== MAP_MAGIC) return undefined;
  const nodes = bytes.readUInt32LE(4);
  if (bytes.length !== HEAD + nodes * ROW) return undefined;
  const places = new Map<string, readonly [number, number]>();
  for (let at = HEAD; at < bytes.length; at += ROW) {
    const place = [bytes.readUInt16LE(at + ID), bytes.readUInt16LE(at + ID + 2)] as const;
    places.set(bytes.toString('latin1', at, at + ID), place);
  }
  return { hash: bytes.toString('hex', 8, HEAD), places };
}

/** Writes the layout to a temporary file, and renames that file to `path`. @throws Error of the file system */
export function writeLayout(path: string, hash: string, ids: Uint8Array, { x, y }: Placed): void {
  const bytes = Buffer.alloc(HEAD + x.length * ROW);
  bytes.writeUInt32LE(MAP_MAGIC, 0);
  bytes.writeUInt32LE(x.length, 4);
  bytes.write(hash, 8, 'hex');
  for (let node = 0; node < x.length; node++) {
    const at = HEAD + node * ROW;
    bytes.set(ids.subarray(node * ID, (node + 1) * ID), at);
    bytes.writeUInt16LE(x[node]!, at + ID);
    bytes.writeUInt16LE(y[node]!, at + ID + 2);
  }
  writeFileSync(`${path}.new`, bytes, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
