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
 * requests (own-layers.ts). Amounts are in msat. Times are in milliseconds of the monotonic clock.
 */
import { randomBytes } from 'node:crypto';
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { NatsConnection } from './bus.ts';
import { subjects } from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';
import { HeardReservations } from './heard-reservations.ts';
import {
  keyOf,
  MAX_DIRECTIONS,
  packNews,
  type ReservationNews,
  type ReservedPosition,
  type WireDirection,
  wireOf,
} from './reservation-news.ts';

/** Milliseconds for which changes are collected before they are published. */
const GATHER_MS = 5;
/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 2_000;
/** Number of heartbeats between two publications of everything. */
const BEATS_PER_WHOLE = 15;
/** Minimum number of milliseconds between two complete reports on request. */
const WHOLE_AGAIN_MS = 1_000;

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
  readonly #options: SharedReservationsOptions;
  readonly #subject: string;
  readonly #session = randomBytes(6).readUIntBE(0, 6);
  readonly #own = new Map<bigint, OwnDirection>();
  /** Directions with an unpublished change. */
  readonly #changed = new Map<bigint, ShortChannelIdDir>();
  readonly #heard: HeardReservations;
  readonly #unwatch: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #number = 0;
  #beats = 0;
  #gather: NodeJS.Timeout | undefined;
  /** A timer that runs for a second after everything was published on request. */
  #again: NodeJS.Timeout | undefined;
  /** Whether another request has arrived while the timer runs. */
  #isMissed = false;

  constructor(options: SharedReservationsOptions) {
    const { bus, fleet, book, id, monotonicMs } = options;
    this.#options = options;
    this.#subject = subjects(fleet).reserved;
    for (const reservation of book.ownReservations()) this.#add(reservation);
    this.#unwatch = book.watchReservations({
      reserved: (reservation) => this.#add(reservation),
      released: (reservation) => this.#remove(reservation),
    });
    const onStranger = (): void => this.repeatSoon();
    this.#heard = new HeardReservations({ bus, fleet, book, id, monotonicMs, onStranger });
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    this.#publish({ kind: 'heartbeat', directions: [] });
  }

  /** Number of directions with reservations by other daemons. */
  get heard(): number {
    return this.#heard.count;
  }

  /**
   * Publishes the changes since the last report. @returns the position that a reader must reach to know all our
   * reservations
   */
  tell(): ReservedPosition {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    const directions = this.#wire(this.#changed.values());
    this.#changed.clear();
    for (let from = 0; from < directions.length; from += MAX_DIRECTIONS) {
      this.#number++;
      this.#publish({ kind: 'change', directions: directions.slice(from, from + MAX_DIRECTIONS) });
    }
    return { session: this.#session, number: this.#number };
  }

  /** Publishes everything again, and drops the reservations of silent daemons. */
  repeat(): void {
    this.tell();
    const directions = this.#wire([...this.#own.values()].map(({ of }) => of));
    const parts = Math.max(1, Math.ceil(directions.length / MAX_DIRECTIONS));
    for (let part = 0; part < parts; part++) {
      const from = part * MAX_DIRECTIONS;
      this.#publish({
        kind: 'whole',
        directions: directions.slice(from, from + MAX_DIRECTIONS),
        part,
        parts,
      });
    }
    this.#heard.expire();
  }

  /** Publishes everything again within a second, because a reader lacks some of it. */
  repeatSoon(): void {
    if (this.#again !== undefined) {
      this.#isMissed = true;
      return;
    }
    this.repeat();
    this.#again = setTimeout(() => {
      this.#again = undefined;
      if (this.#isMissed) this.repeatSoon();
    }, WHOLE_AGAIN_MS).unref();
    this.#isMissed = false;
  }

  /**
   * Stops. Our reservations expire at other daemons within ten seconds. The reservations of other daemons are dropped
   * here at once.
   */
  close(): void {
    this.#unwatch();
    this.#heard.close();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#gather);
    clearTimeout(this.#again);
  }

  #beat(): void {
    this.#beats++;
    if (this.#beats % BEATS_PER_WHOLE === 0) {
      this.repeat();
      return;
    }
    this.tell();
    this.#publish({ kind: 'heartbeat', directions: [] });
    this.#heard.expire();
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

  #note(of: ShortChannelIdDir): void {
    this.#changed.set(keyOf(of), of);
    this.#gather ??= setTimeout(() => void this.tell(), GATHER_MS).unref();
  }

  #wire(directions: Iterable<ShortChannelIdDir>): WireDirection[] {
    return [...directions].map((of) => {
      const { shortChannelId, direction } = of;
      return [shortChannelId, direction, wireOf(this.#own.get(keyOf(of))?.reservations ?? [])];
    });
  }

  #publish(news: Pick<ReservationNews, 'kind' | 'directions' | 'part' | 'parts'>): void {
    const { bus, fleet, id } = this.#options;
    if (bus.isClosed()) return;
    const named = { fleet: fleet.id, daemon: id, session: this.#session, number: this.#number };
    bus.publish(this.#subject, packNews({ ...named, ...news }));
  }
}
