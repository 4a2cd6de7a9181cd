/** The process of `fulgurite solver`: a graph, kernels in several threads, and a connection to the bus. */
import { randomBytes } from 'node:crypto';
import { RouteEngine } from '../../engine/host/engine.ts';
import { connectBus, type NatsConnection, withoutLogin } from '../../fleet/bus.ts';
import { SHARED_GRAPH } from '../../fleet/bus-messages.ts';
import { FleetName } from '../../fleet/fleet-name.ts';
import { followCopies } from '../../fleet/log-feed.ts';
import { Solver } from '../../fleet/solver.ts';
import { type GraphSource, openGraphSource } from '../../gossip/source.ts';
import { LayerBook } from '../../layers/layer-book.ts';
import { randomId } from '../../model/random-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type FollowedStore, PostgresStore } from '../../store/postgres/postgres-store.ts';
import type { SolverProcessOptions } from '../options/solver-options.ts';
import { type SolverFigures, serveSolverHealth } from './solver-health.ts';

/** A solver that is serving. */
export interface SolverProcess {
  readonly id: string;
  /** The graph in use, as one line for people. */
  readonly graphDescription: string;
  /** Answers pending searches, then stops. */
  stop(): Promise<void>;
}

/**
 * Opens the graph, reads the layers, joins the bus and serves.
 * @throws FulguriteError graphSource; StoreError; BusError; UsageError when the address for health cannot be used
 */
export async function startSolver(options: SolverProcessOptions, log: Log): Promise<SolverProcess> {
  const id = randomId(randomBytes);
  const source =
    options.graph === 'shared' ? undefined : await openGraphSource(options.graph, { ...options, log });
  const { workers, capacity, chain } = options;
  const bus = await connectBus(options.bus, `fulgurite solver ${id}`);
  const followed = await PostgresStore.follow(options.store, new LayerBook(), {
    onFault: (message) => log.unusual(message),
  }).catch(async (error) => {
    await bus.close();
    throw error;
  });
  // Commits made after the layers were read, and before the bus was followed, are read from the database.
  const fleet = new FleetName(chain, followed.fleetId);
  followCopies(bus, fleet).give(followed.log);
  const shared = followed.layers;
  const engine = new RouteEngine({ book: shared.book, workers, queueSize: capacity });
  const graphName = source === undefined ? SHARED_GRAPH : undefined;
  const onRefused = (reason: string): void =>
    log.unusual(
      `the bus does not let this solver receive the daemons’ reservations or layers, so it cannot answer searches that need them: ${reason}. docs/fleet.md lists the permissions of solvers`,
    );
  const solver = new Solver({ bus, fleet, id, engine, shared, capacity, graphName, onRefused });
  const { graph } = source ?? followed.graph;
  publishAlways(() => solver.publish(graph), source, followed.graph, log);
  const connection = watchConnection(bus);
  const stop = async (): Promise<void> => {
    await source?.follow?.stop();
    await solver.close();
    await engine.close();
    followed.close();
    await bus.close();
  };
  const figures = (): SolverFigures => {
    const isBusConnected = connection.isOpen;
    return {
      problems: {
        ...(followed.problem !== undefined && { database: followed.problem }),
        ...(!isBusConnected && { bus: 'the bus is not connected' }),
        ...(source === undefined &&
          !followed.graph.isWhole && { graph: 'no daemon has published the graph yet' }),
      },
      ...solver.stats,
      foreign: fleet.foreign,
      malformed: fleet.malformed,
      ...{ capacity, position: followed.log.position, isBusConnected },
    };
  };
  const health =
    options.health &&
    (await serveSolverHealth(options.health, figures).catch(async (error) => {
      await stop();
      throw error;
    }));
  log.info(`solver ${id} serves ${chain} on ${withoutLogin(options.bus)}`, {
    workers,
    capacity,
    fleet: fleet.id,
  });
  return {
    id,
    graphDescription: source?.describe ?? `graph of the fleet: ${graph.channelCount} channels`,
    async stop() {
      health?.close();
      health?.closeAllConnections();
      await stop();
    },
  };
}

/** Publishes the graph to the searches now, if it is complete, and after each change. */
function publishAlways(
  publish: () => void,
  source: GraphSource | undefined,
  shared: FollowedStore['graph'],
  log: Log,
): void {
  if (source !== undefined || shared.isWhole) publish();
  else log.unusual('waiting for a daemon to publish the graph');
  if (source === undefined) shared.onChange = publish;
  source?.follow?.on('change', publish);
  source?.follow?.start();
}

/** Follows the state of the bus connection, until the connection is closed. */
function watchConnection(bus: NatsConnection): { readonly isOpen: boolean } {
  const state = { isOpen: true };
  void (async () => {
    for await (const { type } of bus.status()) {
      if (type === 'disconnect') state.isOpen = false;
      else if (type === 'reconnect') state.isOpen = true;
    }
  })();
  return state;
}
