/**
 * The graph of a fleet: one daemon writes the changes of its source to the log, and all daemons use a replica built
 * from the log. So at the same log position the graph is the same on all machines, including all indexes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GraphLeader } from '../../fleet/graph-leader.ts';
import type { Log } from '../../rpc/log.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';
import type { OpenedGraph } from './open-graph.ts';

/** Maximum milliseconds for which the start waits for a complete replica. */
const WAIT_MS = 15_000;

/** What is needed to share the graph. */
export interface SharedGraphOptions {
  readonly store: PostgresStore;
  /** Id of this daemon. */
  readonly daemon: string;
  readonly log: Log;
  readonly leaseMs?: number;
  readonly gapMs?: number;
}

/** The replica of the graph, which replaces its source. */
export interface SharedGraph extends OpenedGraph {
  /** Whether this daemon publishes the graph of the fleet. */
  isLeading(): boolean;
  /** Call this when the source has changed. */
  sourceChanged(): void;
}

/**
 * Shares the source, and waits until the replica is complete, but at most WAIT_MS. Call this after the layers are
 * attached.
 */
export async function shareGraph(source: OpenedGraph, options: SharedGraphOptions): Promise<SharedGraph> {
  const { store, daemon, log } = options;
  const { graph: replica } = store.layers;
  const leader = source.isFollower
    ? undefined
    : new GraphLeader({
        ...options,
        source: source.graph,
        replica,
        log: store.layers.graphLog(daemon),
        onLead: (isLeader) =>
          log.info(
            isLeader
              ? 'this daemon is now the graph leader of the fleet'
              : 'this daemon is no longer the graph leader',
          ),
      });
  await leader?.start();
  const until = performance.now() + WAIT_MS;
  while (!replica.isWhole && performance.now() < until) await sleep(20);
  if (!replica.isWhole)
    log.unusual('no daemon of the fleet has published the graph yet: there are no routes until one does');
  return {
    graph: replica.graph,
    describe: `${source.describe}; shared: ${replica.graph.channelCount} channels`,
    isLive: true,
    isFollower: source.isFollower,
    follow(changed) {
      replica.onChange = () => {
        try {
          changed();
        } catch (error) {
          log.broken(`cannot update the graph: ${(error as Error).message}`);
        }
      };
      source.follow(() => leader?.changed());
    },
    isLeading: () => leader?.isLeader ?? false,
    sourceChanged: () => leader?.changed(),
    async stop() {
      await leader?.close();
      await source.stop();
    },
  };
}
