/**
 * Generates the files of the map in a separate thread: merges channels, computes the layout, and compresses the files.
 * The main thread only sends copies of the graph's columns.
 *
 * A new graph first gets the quick layout, and then the force-directed layout, which takes tens of seconds for the
 * graph of the main network. After each step, the thread pauses for as long as the step took, so on average it uses
 * half of a processor.
 */

import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { encodeColumns, encodeIds, encodeNames } from './columns.ts';
import { coreLayout } from './core-layout.ts';
import type { MapFile, MapFileSet, MapOrder } from './files.ts';
import { ForceLayout } from './force-layout.ts';
import { keyOf, readLayout, topologyHash, writeLayout } from './kept-layout.ts';
import { type GraphCopy, type Links, linksOf, type Neighbours, neighboursOf, nodesOf } from './links.ts';
import { continued, type Placed, placed } from './placement.ts';

/** Number of layout steps for a new graph, and for a graph in which most nodes already have a position. */
const STEPS_NEW = 200;
const STEPS_KNOWN = 10;
/** If at least this share of the nodes has a position, the smaller number of steps is used. */
const MOSTLY = 0.8;
const ALIAS_BYTES = 32;
/** Compared with Brotli level 11, level 5 takes a tenth of the time and produces about 5 % more bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const { layoutFile } = workerData as { readonly layoutFile: string };
const utf8 = new TextDecoder();

parentPort!.on('message', ({ graph, stepsNew = STEPS_NEW }: MapOrder) => {
  const links = linksOf(graph);
  const neighbours = neighboursOf(nodesOf(graph), links);
  const hash = topologyHash(graph, links);
  const tell = (places: Placed, isSettled: boolean): void =>
    parentPort!.postMessage(filesOf(graph, links, places, isSettled));
  const kept = readLayout(layoutFile);
  const known = (node: number): readonly [number, number] | undefined =>
    kept?.places.get(keyOf(graph.ids, node));
  const begin = continued(neighbours, known);
  if (kept?.hash === hash) {
    tell({ x: Uint16Array.from(begin.x), y: Uint16Array.from(begin.y) }, true);
    return;
  }
  let placedNodes = 0;
  for (let node = 0; node < nodesOf(graph); node++) if (known(node) !== undefined) placedNodes++;
  const isMostlyKnown = placedNodes >= MOSTLY * nodesOf(graph);
  const first = isMostlyKnown ? begin : coreLayout(neighbours);
  tell(placed(first), false);
  const settled = placed(settle(neighbours, first, isMostlyKnown ? STEPS_KNOWN : stepsNew));
  writeLayout(layoutFile, hash, graph.ids, settled);
  tell(settled, true);
});

function settle(neighbours: Neighbours, begin: ReturnType<typeof coreLayout>, steps: number): typeof begin {
  const layout = new ForceLayout(neighbours, begin);
  const neverWoken = new Int32Array(new SharedArrayBuffer(4));
  for (let step = 0; step < steps; step++) {
    const beganMs = performance.now();
    layout.step();
    Atomics.wait(neverWoken, 0, 0, performance.now() - beganMs);
  }
  return layout.positions;
}

function filesOf(graph: GraphCopy, links: Links, places: Placed, isSettled: boolean): MapFileSet {
  const { version, ids, aliases } = graph;
  const names = Array.from({ length: nodesOf(graph) }, (_, node) =>
    utf8.decode(aliases.subarray(node * ALIAS_BYTES, (node + 1) * ALIAS_BYTES)).replace(/\0.*$/s, ''),
  );
  return {
    version,
    isSettled,
    graph: fileOf(encodeColumns({ version, isSettled, ...places, ...links })),
    // Ids are points of a curve, effectively random, so they are not compressed.
    ids: fileOf(encodeIds(version, ids), false),
    names: fileOf(new TextEncoder().encode(encodeNames(version, names))),
  };
}

function fileOf(plain: Uint8Array, isCompressed = true): MapFile {
  return {
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain: shared(plain),
    ...(isCompressed && { gzip: shared(gzipSync(plain)), br: shared(brotliCompressSync(plain, BROTLI)) }),
  };
}

/** Copies the bytes into shared memory, so that sending them to another thread copies nothing. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
