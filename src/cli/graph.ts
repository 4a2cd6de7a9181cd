/** Opens the graph the operator named, and follows it where it is a file that grows. */
import { readCompressedSnapshot, snapshotToGraph } from '../gossip/compressed-snapshot.ts';
import { GossipStoreFollower } from '../gossip/gossip-store-follower.ts';
import {
  DEFAULT_SYNTHETIC_NODES,
  generateSyntheticGraph,
  MAX_SYNTHETIC_NODES,
  MIN_SYNTHETIC_NODES,
} from '../gossip/synthetic.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import type { Log } from '../rpc/log.ts';
import { UsageError } from './client-arguments.ts';
import type { StartOptions } from './start-options.ts';

const SYNTHETIC = /^synthetic(?::(\d{1,9}))?$/;
const COMPRESSED = '.compressed';

export interface OpenGraph {
  /** The same object for good; its content follows the source. */
  readonly graph: ChannelGraph;
  /** Calls back after each change, at most once per look at the source. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

/** @throws FulguriteError graphSource; UsageError when the number of synthetic nodes is out of bounds. */
export async function openGraph(options: StartOptions, log: Log): Promise<OpenGraph> {
  const { graph: source, seed, exactUnits } = options;
  const synthetic = SYNTHETIC.exec(source);
  if (synthetic !== null) {
    const nodes = Number(synthetic[1] ?? DEFAULT_SYNTHETIC_NODES);
    if (nodes < MIN_SYNTHETIC_NODES || nodes > MAX_SYNTHETIC_NODES) {
      throw new UsageError(
        `--graph synthetic:NODES takes ${MIN_SYNTHETIC_NODES} to ${MAX_SYNTHETIC_NODES} nodes`,
      );
    }
    return still(generateSyntheticGraph({ seed, nodeCount: nodes }));
  }
  if (source.endsWith(COMPRESSED)) {
    return still(snapshotToGraph(readCompressedSnapshot(source), { exactUnits }, source));
  }
  const follower = await GossipStoreFollower.open(source);
  follower.on('problem', (error) => log.unusual(error.message));
  follower.start();
  return {
    graph: follower.graph,
    onChange: (listener) => follower.on('change', listener),
    close: () => follower.stop(),
  };
}

function still(graph: ChannelGraph): OpenGraph {
  return { graph, onChange: () => undefined, close: () => Promise.resolve() };
}
