/** Joins a fleet: uses solvers on other machines, and replicates the layer log and the reservations over the bus. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteSolvers } from '../../engine/host/remote-solvers.ts';
import { connectBus, withoutLogin } from '../../fleet/bus.ts';
import { BusError } from '../../fleet/bus-error.ts';
import { SHARED_GRAPH } from '../../fleet/bus-messages.ts';
import { BusSolvers, type BusSolversStats } from '../../fleet/bus-solvers.ts';
import { FleetName } from '../../fleet/fleet-name.ts';
import { LateSolvers } from '../../fleet/late-solvers.ts';
import { followCopies, sendCopies } from '../../fleet/log-feed.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import type { Log } from '../../rpc/log.ts';
import type { PostgresStore } from '../../store/postgres/postgres-store.ts';

/** What a daemon needs in order to join. */
export interface FleetOptions {
  /** The value of `--bus`. */
  readonly url: string;
  readonly chain: string;
  /** Id of the daemon. */
  readonly id: string;
  readonly shared: PostgresStore;
  readonly book: LayerBook;
  /** Whether the daemons share one graph, which comes from the log of changes. */
  readonly sharesGraph?: boolean;
  readonly log: Log;
}

/** A fleet that the daemon has joined, or will join once the bus is reachable. */
export interface OpenedFleet {
  readonly solvers: RemoteSolvers;
  /** Whether the bus is connected now. */
  readonly isConnected: boolean;
  /** Number of solvers that are responding. */
  readonly solverCount: number;
  /** How many chunks of the log the slowest solver is behind. 0 without solvers. */
  readonly lag: number;
  readonly stats: BusSolversStats;
  /** Number of messages dropped because they name another fleet, or none. */
  readonly foreign: number;
  /** Number of dropped malformed messages. */
  readonly malformed: number;
  close(): Promise<void>;
}

/** The parts that exist once the bus is connected. */
interface Joined {
  readonly isConnected: boolean;
  readonly solvers: BusSolvers;
  close(): Promise<void>;
}

const NO_SEARCHES: BusSolversStats = { sent: 0, answered: 0, busy: 0, stale: 0, lost: 0, rejected: 0 };
/** Milliseconds between attempts to connect to the bus. */
const RETRY_MS = 1000;

/**
 * Connects to the bus. While the bus is unreachable, the daemon searches locally and retries every second. Call this
 * after the layers are attached.
 * @throws BusError when no later attempt can succeed: for example, the client is not installed, or the server refuses
 *   the login
 */
export async function openFleet(options: FleetOptions): Promise<OpenedFleet> {
  const { shared, log } = options;
  const fleet = new FleetName(options.chain, shared.fleetId);
  const late = new LateSolvers();
  const closing = new AbortController();
  let joined: Joined | undefined;
  const tryToJoin = async (): Promise<unknown> => {
    try {
      const found = await join(options, fleet);
      joined = found;
      await late.give(found.solvers);
      if (closing.signal.aborted) await found.close();
      return undefined;
    } catch (error) {
      if (!(error instanceof BusError) || !error.mayPass) throw error;
      return error;
    }
  };
  // A running daemon also waits for the operator to correct what no later attempt at the start could: it pays meanwhile.
  const joinLater = async (first: unknown): Promise<void> => {
    let told: string | undefined;
    for (let failure = first; failure !== undefined && !closing.signal.aborted; ) {
      const { message } = failure as Error;
      if (message !== told) log.unusual(`${message}; searching locally until the bus connects`);
      told = message;
      await sleep(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      if (!closing.signal.aborted) failure = await tryToJoin().catch((error: unknown) => error);
    }
  };
  const failure = await tryToJoin();
  const later = joinLater(failure);
  return {
    solvers: late,
    get isConnected() {
      return joined?.isConnected ?? false;
    },
    get solverCount() {
      return joined?.solvers.known().length ?? 0;
    },
    get lag() {
      const position = shared.layers.log!.position;
      return Math.max(0, ...(joined?.solvers.known() ?? []).map(({ load }) => position - load.layers));
    },
    get stats() {
      return joined?.solvers.stats ?? NO_SEARCHES;
    },
    get foreign() {
      return fleet.foreign;
    },
    get malformed() {
      return fleet.malformed;
    },
    async close() {
      closing.abort();
      await later;
      await late.close();
      await joined?.close();
    },
  };
}

async function join(options: FleetOptions, fleet: FleetName): Promise<Joined> {
  const { url, chain, id, shared, book, log, sharesGraph = false } = options;
  const bus = await connectBus(url, `fulgurite daemon ${id}`);
  let isConnected = true;
  void (async () => {
    for await (const { type } of bus.status()) {
      if (type === 'disconnect') isConnected = false;
      else if (type === 'reconnect') isConnected = true;
    }
  })();
  const layersLog = shared.layers.log!;
  const copies = followCopies(bus, fleet);
  copies.give(layersLog);
  const stopSending = sendCopies(bus, fleet, layersLog);
  const solvers = new BusSolvers({
    ...{ bus, fleet, id, shared: shared.layers.followed(book), log },
    ...(sharesGraph && { graphName: SHARED_GRAPH }),
  });
  log.info(`using solvers at ${withoutLogin(url)} for searches`, { chain, fleet: fleet.id });
  return {
    solvers,
    get isConnected() {
      return isConnected;
    },
    async close() {
      stopSending();
      copies.close();
      await solvers.close();
      await bus.close();
    },
  };
}
