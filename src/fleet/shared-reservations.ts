/**
 * Reservations that the daemons of a fleet send to each other and to the solvers over the bus. A reservation is only
 * information about an amount in flight over a direction. A late message may make a route fail, but no money is lost.
 * So reservations are not stored in the database. Each daemon reports a change once, and sends a heartbeat every two
 * seconds.
 *
 * A daemon publishes everything again whenever a process may lack some of it: when a daemon joins, when a solver asks
 * for it, and every thirty seconds in case a message was lost.
 *
 * Only global reservations are published. Reservations for one layer stay on their daemon, and are sent with its
 * requests (own-layers.ts). Amounts are in msat. Timestamps of reservations are UNIX seconds; other times are
 * milliseconds of the monotonic clock.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { NatsConnection } from './bus.ts';
import type { FleetName } from './fleet-name.ts';
import { receiveReservations } from './received-reservations.ts';
import { keyOf, RESERVATIONS, type WireDirection, wireOf } from './reservation-state.ts';
import type { StateListener } from './state-listener.ts';
import type { StatePosition } from './state-message.ts';
import { StatePublisher } from './state-publisher.ts';

/** Milliseconds for which changes are collected before they are published. */
const GATHER_MS = 100;
/** Number of heartbeats between two publications of everything. */
const BEATS_PER_WHOLE = 15;

/** Options of the shared reservations. */
export interface SharedReservationsOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Id of this daemon. */
  readonly id: string;
  readonly book: LayerBook;
  /** The monotonic clock. Tests replace it. */
  readonly monotonicMs?: (() => number) | undefined;
}

interface OwnDirection {
  readonly of: ShortChannelIdDir;
  readonly reservations: Reservation[];
}

/** Publishes our reservations, and adds those of other daemons to the layer book. */
export class SharedReservations {
  readonly #own = new Map<bigint, OwnDirection>();
  readonly #publisher: StatePublisher<WireDirection>;
  readonly #heard: StateListener<WireDirection>;
  readonly #unwatch: () => void;

  constructor({ bus, fleet, id, book, monotonicMs }: SharedReservationsOptions) {
    this.#publisher = new StatePublisher({
      ...{ bus, fleet, id, kind: RESERVATIONS, gatherMs: GATHER_MS },
      itemOf: ([shortChannelId, direction]) => this.#item({ shortChannelId, direction } as ShortChannelIdDir),
      all: () => Array.from(this.#own.values(), ({ of }) => this.#item(of)),
      onBeat: (beats) => {
        if (beats % BEATS_PER_WHOLE === 0) this.#publisher.repeat();
        this.#heard.expire();
      },
    });
    for (const reservation of book.ownReservations()) this.#add(reservation);
    this.#unwatch = book.watchReservations({
      reserved: (reservation) => this.#add(reservation),
      released: (reservation) => this.#remove(reservation),
    });
    const onStranger = (): void => this.repeatSoon();
    this.#heard = receiveReservations({ bus, fleet, book, id, monotonicMs, onStranger });
    this.#publisher.beat();
  }

  /** Number of directions with reservations by other daemons. */
  get heard(): number {
    return this.#heard.count;
  }

  /**
   * Publishes the changes since the last report. @returns the position that a reader must reach to know all our
   * reservations
   */
  flush(): StatePosition {
    return this.#publisher.flush();
  }

  /** Publishes everything again, and drops the reservations of silent daemons. */
  repeat(): void {
    this.#publisher.repeat();
    this.#heard.expire();
  }

  /** Publishes everything again within a second, because a reader lacks some of it. */
  repeatSoon(): void {
    this.#publisher.repeatSoon();
  }

  /**
   * Stops. Our reservations expire at other daemons after about ten seconds. The reservations of other daemons are
   * dropped here at once.
   */
  close(): void {
    this.#unwatch();
    this.#heard.close();
    this.#publisher.close();
  }

  #add(reservation: Reservation): void {
    const { shortChannelIdDir: of } = reservation;
    const key = keyOf(of);
    const known = this.#own.get(key);
    if (known === undefined) this.#own.set(key, { of, reservations: [reservation] });
    else known.reservations.push(reservation);
    this.#note(of);
  }

  #remove(reservation: Reservation): void {
    const { shortChannelIdDir: of } = reservation;
    const key = keyOf(of);
    const list = this.#own.get(key)?.reservations ?? [];
    list.splice(list.lastIndexOf(reservation), 1);
    if (list.length === 0) this.#own.delete(key);
    this.#note(of);
  }

  #note({ shortChannelId, direction }: ShortChannelIdDir): void {
    this.#publisher.note([shortChannelId, direction, []]);
  }

  #item(of: ShortChannelIdDir): WireDirection {
    return [of.shortChannelId, of.direction, wireOf(this.#own.get(keyOf(of))?.reservations ?? [])];
  }
}
