/**
 * Opens the channel graph selected by the options of `start`. With an attached Core Lightning node this can be the
 * node's graph: read from its gossip_store or, if that is not readable, from its lists of channels and nodes. With LND,
 * it can be the graph that LND reports, and with several nodes, their graphs merged.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openGraphSource } from '../../gossip/source.ts';
import { ChannelGraph } from '../../model/channel-graph.ts';
import { FulguriteError } from '../../model/errors.ts';
import { mergedGraph } from '../../model/graph/merged-graph.ts';
import type { NodeId } from '../../model/node-id.ts';
import { disableDying, NodeGraph, type NodeLink } from '../../network/cln/index.ts';
import { type LndLink, openLndGraph } from '../../network/lnd/index.ts';
import type { Log } from '../../rpc/log.ts';
import type { StartOptions } from '../options/start-options.ts';
import { isAway, type NamedNode, type NodeBeside, type SeveralNodes } from './reach-node.ts';

/** An opened graph. */
export interface OpenedGraph {
  readonly graph: ChannelGraph;
  /** The graph's size and source, as one line for people. */
  readonly describe: string;
  /** Whether the source can change while the daemon runs. */
  readonly isLive: boolean;
  /** Whether there is no local source, because other daemons of the fleet publish the graph. */
  readonly isFollower: boolean;
  /** Starts keeping the graph up to date. `changed` is called after each change. */
  follow(changed: () => void): void;
  stop(): Promise<void> | void;
}

type GraphWanted = Pick<StartOptions, 'graph' | 'seed' | 'exactUnits'>;

/**
 * Opens the graph.
 * @param beside the attached node, if any
 * @throws FulguriteError graphSource when the given source cannot be used; nodeAway
 */
export async function openGraph(
  wanted: GraphWanted,
  beside: NodeBeside | undefined,
  log: Log,
): Promise<OpenedGraph> {
  if (wanted.graph === 'shared') return ofTheFleet();
  if (beside === undefined || beside.kind === 'simulated' || wanted.graph !== 'node')
    return openNamed(wanted.graph, wanted, log);
  if (beside.kind === 'several') return openMerged(beside, wanted, log);
  if (beside.kind === 'lnd') return openTold(beside.link, log);
  const { link } = beside;
  const path = join(link.facts.directory, 'gossip_store');
  try {
    return withoutDying(await openNamed(path, wanted, log), link.facts.nodeId);
  } catch (error) {
    if (!(error instanceof FulguriteError && error.name === 'graphSource')) throw error;
    log.unusual(`${error.message}; reading the graph from the node's lists instead, once per hour`);
    return openListed(link, log);
  }
}

/** Minimum milliseconds between merges of the graphs of several nodes. */
const MERGE_EVERY_MS = 2_000;
/** Milliseconds between attempts to read the graph of a node that does not respond. */
const READ_AGAIN_MS = 5_000;

/**
 * Merges the graphs of several nodes. A graph that cannot be read is left out; if no graph can be read, this fails.
 * When a node connects later, or stopped responding while its graph was read and is back, its graph is added.
 */
async function openMerged({ nodes: all }: SeveralNodes, wanted: GraphWanted, log: Log): Promise<OpenedGraph> {
  const nodes = all.flatMap((node) => (node.kind === 'late' ? [] : [node]));
  const late = all.flatMap((node) => (node.kind === 'late' ? [node] : []));
  const opened = await Promise.allSettled(nodes.map((node) => openGraph(wanted, node, log)));
  const sources = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const missing: NamedNode[] = [];
  opened.forEach((each, at) => {
    if (each.status === 'fulfilled') return;
    log.unusual(`node ${nodes[at]!.name}: cannot read its graph: ${(each.reason as Error).message}`);
    if (isAway(each.reason)) missing.push(nodes[at]!);
  });
  if (sources.length === 0 && opened[0]?.status === 'rejected') throw opened[0].reason;
  const merge = (): ChannelGraph => mergedGraph(sources.map(({ graph }) => graph));
  const graph = merge();
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Opens the graph of a node once the node responds. Undefined if the daemon stops before. */
  const openedOnceBack = async (node: NamedNode): Promise<OpenedGraph | undefined> => {
    while (!signal.aborted) {
      try {
        return await openGraph(wanted, node, log);
      } catch (error) {
        if (!isAway(error)) throw error;
        await sleep(READ_AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
    return undefined;
  };
  const add = async (node: NamedNode, later: () => void): Promise<void> => {
    const source = await openedOnceBack(node);
    if (source === undefined) return;
    if (signal.aborted) return void (await source.stop());
    sources.push(source);
    log.info(`node ${node.name}: ${source.describe}`);
    source.follow(later);
    later();
  };
  return {
    graph,
    describe: `graphs of ${sources.length} nodes: ${graph.channelCount} channels`,
    isLive: late.length > 0 || missing.length > 0 || sources.some(({ isLive }) => isLive),
    isFollower: false,
    follow(changed) {
      const later = (): void => {
        timer ??= setTimeout(() => {
          timer = undefined;
          graph.adopt(merge());
          changed();
        }, MERGE_EVERY_MS);
      };
      for (const source of sources) source.follow(later);
      const arrivals = [
        ...missing.map((node) => Promise.resolve(node)),
        ...late.map(({ arrival }) => arrival.promise),
      ];
      for (const arrival of arrivals) {
        void arrival.then((node) =>
          add(node, later).catch((error: Error) => log.unusual(`node ${node.name}: ${error.message}`)),
        );
      }
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await Promise.all(sources.map((source) => source.stop()));
    },
  };
}

/** An empty graph in place of a source of our own: other daemons of the fleet publish the graph. */
const ofTheFleet = (): OpenedGraph => ({
  graph: new ChannelGraph(),
  describe: 'graph of the fleet',
  isLive: true,
  isFollower: true,
  follow: () => undefined,
  stop: () => undefined,
});

/** Disables the channels of the attached node that are being closed, now and after each change of the graph. */
function withoutDying(source: OpenedGraph, nodeId: NodeId): OpenedGraph {
  disableDying(source.graph, nodeId);
  return {
    ...source,
    follow(changed) {
      source.follow(() => {
        disableDying(source.graph, nodeId);
        changed();
      });
    },
  };
}

async function openNamed(spec: string, { seed, exactUnits }: GraphWanted, log: Log): Promise<OpenedGraph> {
  const { graph, describe, follow } = await openGraphSource(spec, { seed, exactUnits, log });
  return {
    graph,
    describe,
    isLive: follow !== undefined,
    isFollower: false,
    follow(changed) {
      follow?.on('change', changed);
      follow?.start();
    },
    stop: () => follow?.stop(),
  };
}

async function openListed(link: NodeLink, log: Log): Promise<OpenedGraph> {
  const source = await NodeGraph.open(link, log);
  const { graph } = source;
  return {
    graph,
    describe: `lists of node ${link.facts.nodeId}: ${graph.channelCount} channels`,
    isLive: true,
    isFollower: false,
    follow(changed) {
      source.onChange = changed;
      void source.follow();
    },
    stop: () => source.close(),
  };
}

/** The graph that LND reports, kept up to date by LND's reports of changes. */
async function openTold(link: LndLink, log: Log): Promise<OpenedGraph> {
  const source = await openLndGraph(link, log);
  const { graph } = source;
  return {
    graph,
    describe: `graph of LND ${link.facts.nodeId}: ${graph.channelCount} channels`,
    isLive: true,
    isFollower: false,
    follow(changed) {
      source.onChange = changed;
      source.follow();
    },
    stop: () => source.close(),
  };
}
