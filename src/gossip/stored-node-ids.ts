/**
 * Node ids stored by the build (`scripts/store-node-ids.mjs`), because computing those of a network of the main network's
 * size takes some 50 ms, a tenth of a daemon's start. The file has the ids that node-keys.ts computes, 33 bytes each, in
 * the order of their indexes. It is not required: ids that it lacks are computed.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { NODE_ID_BYTES } from '../model/node-id.ts';

/** The file, in `build/`. The path depends on whether sources or compiled sources run. */
export const NODE_IDS_FILE = new URL(
  import.meta.url.endsWith('.js') ? '../../node-ids.bin' : '../../build/node-ids.bin',
  import.meta.url,
);

/** Ids of nodes 0 … count - 1. Undefined if the file lacks some of them, or does not exist. */
export function storedNodeIds(count: number): Uint8Array | undefined {
  let file: number;
  try {
    file = openSync(NODE_IDS_FILE, 'r');
  } catch {
    return undefined;
  }
  try {
    const ids = new Uint8Array(count * NODE_ID_BYTES);
    return readSync(file, ids) === ids.length ? ids : undefined;
  } finally {
    closeSync(file);
  }
}
