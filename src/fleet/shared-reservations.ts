/**
 * Reservations that the daemons of a fleet send to each other and to the solvers over the bus. A reservation is information: so
 * much is on its way through a direction. When a message is late, a route may fail, and no money is lost. So nothing of
 * this is in the database. Each daemon reports a change once, and confirms every two seconds that it still runs.
 *
 * Everything is published again when a process may lack it: a daemon that joined, a solver that says so, and
 * every thirty seconds in case a message was lost.
 *
 * Only global reservations are published. Reservations for one layer stay on their daemon, and come with its
 * requests (own-layers.ts). Amounts are in msat, times in milliseconds of the monotonic clock.
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
/** Minimum milliseconds between two complete reports that others request. */
const WHOLE_AGAIN_MS = 1_000;

/** What they are made of. */
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

/** Reports the reservations here, and puts those of others into the layer book. */
export class SharedReservations {
  readonly #options: SharedReservationsOptions;
  readonly #subject: string;
  readonly #session = randomBytes(6).readUIntBE(0, 6);
  readonly #own = new Map<bigint, OwnDirection>();
  /** Directions whose change was not told yet. */
  readonly #changed = new Map<bigint, ShortChannelIdDir>();
  readonly #heard: HeardReservations;
  readonly #unwatch: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #number = 0;
  #beats = 0;
  #gather: NodeJS.Timeout | undefined;
  /** Runs for a second after everything was published on demand. */
  #again: NodeJS.Timeout | undefined;
  /** Whether someone lacked it since. */
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

  /** Directions on which other daemons have reserved something. */
  get heard(): number {
    return this.#heard.count;
  }

  /** Reports what has changed since the last report. @returns the position to reach for those who need all of it */
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

  /** Tells everything again, and ends what daemons reserved that are not heard any more. */
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

  /** Tells everything again within a second, because someone lacks it. */
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

  /** Ends. What others have heard of ours is over for them in ten seconds, and what we heard of them at once. */
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
