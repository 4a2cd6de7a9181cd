/**
 * The graphs that are measured on: the mainnet snapshot where it lies beside the repository, with the unit of
 * htlc_maximum_msat corrected; else a synthetic network of its size. And a synthetic one ten times as large.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCompressedSnapshot, snapshotToGraph } from '../src/gossip/compressed-snapshot.ts';
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';

/** Nodes of the snapshot of 2026-02-03. */
const MAINNET_NODES = 17_324;
const SEED = 1;

/** Compiled, this file lies in build/bench. */
const dataFile = (path: string) => fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url));

const optional = (path: string) => (existsSync(path) ? path : undefined);

export const SNAPSHOT_FILE = optional(dataFile('snapshot/gossip-store-2026-02-03.compressed'));
export const CLN_SAMPLE_FILE = optional(dataFile('cln/getroutes-sample.json'));

export interface BenchGraph {
  readonly name: string;
  readonly graph: ChannelGraph;
  /** What `fulgurite start --graph` makes the same graph of. */
  readonly source: string;
}

let main: BenchGraph | undefined;

export function mainGraph(): BenchGraph {
  main ??=
    SNAPSHOT_FILE === undefined
      ? { name: 'synthetic', graph: synthetic(MAINNET_NODES), source: `synthetic:${MAINNET_NODES}` }
      : {
          name: 'snapshot',
          graph: snapshotToGraph(readCompressedSnapshot(SNAPSHOT_FILE)),
          source: SNAPSHOT_FILE,
        };
  return main;
}

/** Made anew at each call: it is large, and few need it. */
export function tenfoldGraph(): BenchGraph {
  const nodeCount = MAINNET_NODES * 10;
  return { name: 'tenfold', graph: synthetic(nodeCount), source: `synthetic:${nodeCount}` };
}

const synthetic = (nodeCount: number) => generateSyntheticGraph({ nodeCount, seed: SEED });
