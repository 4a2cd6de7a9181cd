/**
 * The graphs for measurements: the snapshot of the main network if it lies beside the repository, with the unit of
 * htlc_maximum_msat corrected; otherwise a synthetic network of its size. Also a synthetic network ten times as large.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readCompressedSnapshot, snapshotToGraph } from '../src/gossip/compressed-snapshot.ts';
import { generateSyntheticGraph } from '../src/gossip/synthetic.ts';
import type { ChannelGraph } from '../src/model/channel-graph.ts';

/** Number of nodes of the snapshot of 2026-02-03. */
const MAINNET_NODES = 17_324;
const SEED = 1;

/** Once compiled, this file is in build/bench. */
const dataFile = (path: string) => fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url));

const optional = (path: string) => (existsSync(path) ? path : undefined);

/** The snapshot, if it exists. */
export const SNAPSHOT_FILE = optional(dataFile('snapshot/gossip-store-2026-02-03.compressed'));
/** Core Lightning's recorded answers, if they exist. */
export const CLN_SAMPLE_FILE = optional(dataFile('cln/getroutes-sample.json'));

/** A graph with its name. */
export interface BenchGraph {
  readonly name: string;
  readonly graph: ChannelGraph;
  /** The argument from which `fulgurite start --graph` makes the same graph. */
  readonly source: string;
}

let main: BenchGraph | undefined;

/** The main network's graph, or one of its size. */
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

/** A graph ten times as large. Each call makes a new one, because it is large and few areas need it. */
export function tenfoldGraph(): BenchGraph {
  const nodeCount = MAINNET_NODES * 10;
  return { name: 'tenfold', graph: synthetic(nodeCount), source: `synthetic:${nodeCount}` };
}

const synthetic = (nodeCount: number) => generateSyntheticGraph({ nodeCount, seed: SEED });
