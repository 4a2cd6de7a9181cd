/**
 * The graph, kept up to date by its source, and the engine that searches it. In a fleet, the daemons share a graph that
 * can change, and solvers on the bus may run the searches.
 */
import { Session } from 'node:inspector';
import { RouteEngine } from '../../../engine/host/engine.ts';
import type { Solvers } from '../../../engine/host/solver-link.ts';
import type { SpliceWatch } from '../../../layers/splice-watch.ts';
import { type OpenedFleet, openFleet } from '../open-fleet.ts';
import type { OpenedGraph } from '../open-graph.ts';
import { openSplices, withSplices } from '../open-splices.ts';
import { type SharedGraph, shareGraph } from '../share-graph.ts';
import type { BaseParts } from './base-parts.ts';
import type { Observability } from './observability.ts';

/**
 * Number of channels above which garbage is collected once after the graph is read, several times that of the main
 * network. It takes some 20 ms for 500,000 channels, and frees 40 to 60 MB that V8 would otherwise keep for long.
 */
const COLLECTED_CHANNELS = 200_000;

/** Graph and route search. */
export interface RoutingParts {
  /** This daemon's own source of the graph. */
  readonly ownSource: OpenedGraph;
  /** The source of the graph in use. In a fleet, if the graph can change, one daemon reads it for all. */
  readonly source: OpenedGraph;
  readonly splices: SpliceWatch;
  readonly fleet: OpenedFleet | undefined;
  readonly engine: RouteEngine;
  /** Publishes the current graph to route searches. */
  readonly publish: () => void;
  /** Publishes the graph for the first time, prepares the solvers, and starts following the graph's source. */
  readonly begin: () => Promise<void>;
  /** Call this after changing `ownSource.graph` from outside its source. */
  readonly sourceChanged: () => void;
}

/**
 * Opens the graph and the engine. Searches are possible after `begin`.
 * @throws FulguriteError graphSource, nodeAway
 */
export async function openRouting(
  base: BaseParts,
  observability: Observability,
  solvers: Solvers,
): Promise<RoutingParts> {
  const { log, closers, store, layers, readGraph } = base;
  let sharesLead: (() => boolean) | undefined;
  const splices = await openSplices({
    ...{ book: layers, records: store.records, log: log.of('graph') },
    isLeading: () => sharesLead?.() ?? true,
  });
  const ownSource = withSplices(await readGraph(), splices, log.of('graph'));
  const shared = await shareLive(ownSource, base);
  sharesLead = shared && (() => shared.isLeading());
  const source: OpenedGraph = shared ?? ownSource;
  closers.add(() => source.stop());
  const fleet = await joinFleet(base, shared !== undefined);
  closers.add(() => fleet?.close());
  const engine = openEngine(base, observability, solvers, fleet);
  const publish = (): void =>
    observability.metrics.timePublish(source.graph, (published) => engine.publish(published));
  const begin = async (): Promise<void> => {
    publish();
    engine.warmUp(source.graph);
    if (source.graph.channelCount > COLLECTED_CHANNELS) await collectGarbage();
    source.follow(publish);
  };
  return {
    ...{ ownSource, source, splices, fleet, engine, publish, begin },
    sourceChanged: shared?.sourceChanged ?? publish,
  };
}

/** Frees what is no longer used. Without a flag, Node.js has no other function for this. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  // V8 collects in a task of its own, and only while the session is connected.
  await new Promise((resolve) => session.post('HeapProfiler.collectGarbage', resolve));
  session.disconnect();
}

/** Opens the engine. Its searches are counted and timed. */
function openEngine(
  { options, layers, settings, closers }: BaseParts,
  { metrics, events }: Observability,
  solvers: Solvers,
  fleet: OpenedFleet | undefined,
): RouteEngine {
  const engine = new RouteEngine({
    book: layers,
    solvers,
    ...(fleet && { fleet: fleet.solvers }),
    deadlineMs: () => settings.valueOf('askrene-timeout') * 1000,
    ...(options.queueSize !== undefined && { queueSize: options.queueSize }),
    onSearch: (search) => {
      metrics.counts.noteSearch(search);
      if (search.searchMs !== undefined) events.noteSearchMs(search.searchMs);
    },
  });
  closers.add(() => engine.close());
  return engine;
}

/**
 * Shares the graph through the shared database, if there is one and the graph can change. Graphs that cannot change are
 * already the same in every daemon.
 */
async function shareLive(
  source: OpenedGraph,
  { options: { network }, directory, store: { shared }, log }: BaseParts,
): Promise<SharedGraph | undefined> {
  const isLive = source.isLive || network === 'peer';
  if (shared === undefined || !isLive) return undefined;
  return shareGraph(source, { store: shared, daemon: directory.directoryId, log: log.of('graph') });
}

async function joinFleet(
  { options: { bus, chain }, directory, store: { shared }, layers: book, log }: BaseParts,
  sharesGraph: boolean,
): Promise<OpenedFleet | undefined> {
  if (bus === undefined || shared === undefined) return undefined;
  const id = directory.directoryId;
  return openFleet({ url: bus, chain, id, shared, book, sharesGraph, log: log.of('fleet') });
}
