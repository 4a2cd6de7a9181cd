/** Joins a fleet: solvers on other machines, and copies of the log of layers and of reservations over the bus. */

import { connectBus, withoutLogin } from '../fleet/bus.ts';
import { SHARED_GRAPH } from '../fleet/bus-messages.ts';
import { BusSolvers, type BusSolversStats } from '../fleet/bus-solvers.ts';
import { followCopies, sendCopies } from '../fleet/log-feed.ts';
import { SharedReservations } from '../fleet/shared-reservations.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { Log } from '../rpc/log.ts';
import type { PostgresStore } from '../store/postgres/postgres-store.ts';

/** What a daemon brings along. */
export interface FleetWanted {
  /** The value of `--bus`. */
  readonly url: string;
  readonly chain: string;
  /** Id of the daemon. */
  readonly id: string;
  readonly shared: PostgresStore;
  readonly book: LayerBook;
  /** Whether the graph is the one in the log. */
  readonly sharesGraph?: boolean;
  readonly log: Log;
}

/** A fleet that was joined. */
export interface OpenedFleet {
  readonly solvers: BusSolvers;
  /** Most chunks of the log that a solver is behind. 0 without solvers. */
  readonly lag: number;
  readonly stats: BusSolversStats;
  close(): Promise<void>;
}

/** Connects to the bus. Call it when the layers are attached. @throws BusError */
export async function openFleet(wanted: FleetWanted): Promise<OpenedFleet> {
  const { url, chain, id, shared, book, log, sharesGraph = false } = wanted;
  const bus = await connectBus(url, `fulgurite daemon ${id}`);
  const layersLog = shared.layers.log!;
  const copies = followCopies(bus, chain);
  copies.give(layersLog);
  const stopSending = sendCopies(bus, chain, layersLog);
  const reservations = new SharedReservations({ bus, chain, id, book });
  const solvers = new BusSolvers({
    ...{ bus, chain, id, shared: shared.layers.followed(book), log },
    ...(sharesGraph && { graphName: SHARED_GRAPH }),
  });
  log.info(`searches go to solvers at ${withoutLogin(url)} too`, { chain });
  return {
    solvers,
    get lag() {
      const behind = solvers.known().map(({ load }) => layersLog.position - load.layers);
      return Math.max(0, ...behind);
    },
    get stats() {
      return solvers.stats;
    },
    async close() {
      stopSending();
      copies.close();
      reservations.close();
      await solvers.close();
      await bus.close();
    },
  };
}
