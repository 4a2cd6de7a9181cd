/**
 * Reservations that the daemons of a fleet tell each other over the bus. A reservation is information: so much is on its
 * way through a direction. When a message is late, a route may fail, and no money is lost. So nothing of this is in the
 * database: each daemon tells what it has reserved on a direction when that changes, and everything again every two
 * seconds. What was not told again for ten seconds is over. So what a daemon reserved that died ends with it.
 *
 * Only what counts for everyone is told. Reservations for one layer stay on their daemon. Solvers need no copy: what
 * counts for a search comes with it (own-layers.ts).
 *
 * Amounts are in msat, times in milliseconds of the monotonic clock. Messages hold absolute lists, so it does no harm
 * when one comes twice or is lost. The bus keeps the order of messages of one daemon.
 */
import { Packr } from 'msgpackr/pack';
import { directionKey } from '../layers/cell.ts';
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import { type Msat, U64_MAX } from '../model/msat.ts';
import type { Direction, ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { NatsConnection, Subscription } from './bus.ts';
import { subjects } from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';

/** Changes gather for so many milliseconds before they are told. */
const GATHER_MS = 5;
/** Everything is told again after so many milliseconds. */
const REPEAT_MS = 2_000;
/** What was not told again for so many milliseconds is over. */
const EXPIRE_MS = 10_000;
/** Most directions in one message. */
const MOST_IN_MESSAGE = 500;
/** Most reservations of one direction that are told. The last one sums up those that do not fit. */
const MOST_OF_DIRECTION = 20;
/** Most directions of other daemons that are kept. What is told beyond them is left out. */
const MOST_KEPT = 200_000;

type WireReservation = readonly [amountMsat: bigint, timestamp: number, commandId: string];
type WireDirection = readonly [shortChannelId: bigint, direction: number, reservations: WireReservation[]];

/** What a daemon tells. */
interface ReservationNews {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly daemon: string;
  readonly directions: readonly WireDirection[];
}

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** What they are made of. */
export interface SharedReservationsOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  /** Id of this daemon. */
  readonly id: string;
  readonly book: LayerBook;
  /** The monotonic clock. Tests replace it. */
  readonly monotonicMs?: () => number;
}

interface OwnDirection {
  readonly of: ShortChannelIdDir;
  readonly reservations: Reservation[];
}

interface HeardDirection {
  readonly daemon: string;
  readonly of: ShortChannelIdDir;
  atMs: number;
}

/** Tells of the reservations here, and puts those of others into the layer book. */
export class SharedReservations {
  readonly #options: SharedReservationsOptions;
  readonly #subject: string;
  readonly #monotonicMs: () => number;
  readonly #own = new Map<bigint, OwnDirection>();
  /** Directions whose change was not told yet. */
  readonly #changed = new Map<bigint, ShortChannelIdDir>();
  readonly #heard = new Map<string, HeardDirection>();
  readonly #unwatch: () => void;
  readonly #subscription: Subscription;
  readonly #repeat: NodeJS.Timeout;
  #gather: NodeJS.Timeout | undefined;

  constructor(options: SharedReservationsOptions) {
    const { bus, fleet, book } = options;
    this.#options = options;
    this.#subject = subjects(fleet).reserved;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    for (const reservation of book.ownReservations()) this.#ownDirection(reservation).push(reservation);
    this.#unwatch = book.watchReservations({
      reserved: (reservation) => {
        this.#ownDirection(reservation).push(reservation);
        this.#note(reservation.shortChannelIdDir);
      },
      released: (reservation) => {
        const list = this.#ownDirection(reservation);
        list.splice(list.lastIndexOf(reservation), 1);
        if (list.length === 0) this.#own.delete(keyOf(reservation.shortChannelIdDir));
        this.#note(reservation.shortChannelIdDir);
      },
    });
    this.#subscription = bus.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error === null) this.#hear(message.data);
      },
    });
    this.#repeat = setInterval(() => this.repeat(), REPEAT_MS).unref();
  }

  /** Directions on which other daemons have reserved something. */
  get heard(): number {
    return this.#heard.size;
  }

  /** Tells everything again, and ends what others did not tell again. */
  repeat(): void {
    for (const [key, { of }] of this.#own) this.#changed.set(key, of);
    this.#tell();
    const oldestMs = this.#monotonicMs() - EXPIRE_MS;
    for (const [key, { daemon, of, atMs }] of this.#heard) {
      if (atMs >= oldestMs) continue;
      this.#heard.delete(key);
      this.#options.book.foreignReservations.set(daemon, of, []);
    }
  }

  /** Ends. What others have heard of ours is over for them in ten seconds, and what we heard of them at once. */
  close(): void {
    this.#unwatch();
    this.#subscription.unsubscribe();
    clearInterval(this.#repeat);
    clearTimeout(this.#gather);
    for (const { daemon, of } of this.#heard.values()) {
      this.#options.book.foreignReservations.set(daemon, of, []);
    }
    this.#heard.clear();
  }

  #ownDirection({ shortChannelIdDir: of }: Reservation): Reservation[] {
    const key = keyOf(of);
    let known = this.#own.get(key);
    if (known === undefined) {
      known = { of, reservations: [] };
      this.#own.set(key, known);
    }
    return known.reservations;
  }

  #note(of: ShortChannelIdDir): void {
    this.#changed.set(keyOf(of), of);
    this.#gather ??= setTimeout(() => this.#tell(), GATHER_MS).unref();
  }

  #tell(): void {
    clearTimeout(this.#gather);
    this.#gather = undefined;
    const { bus, fleet, id } = this.#options;
    const directions = [...this.#changed].map(([key, { shortChannelId, direction }]): WireDirection => {
      return [shortChannelId, direction, wireOf(this.#own.get(key)?.reservations ?? [])];
    });
    this.#changed.clear();
    if (bus.isClosed()) return;
    for (let from = 0; from < directions.length; from += MOST_IN_MESSAGE) {
      const told: ReservationNews = {
        fleet: fleet.id,
        daemon: id,
        directions: directions.slice(from, from + MOST_IN_MESSAGE),
      };
      bus.publish(this.#subject, new Uint8Array(packr.pack(told)));
    }
  }

  #hear(bytes: Uint8Array): void {
    const told = readNews(bytes, this.#options.fleet);
    if (told === undefined || told.daemon === this.#options.id) return;
    const { daemon } = told;
    const atMs = this.#monotonicMs();
    for (const [shortChannelId, direction, reservations] of told.directions) {
      const of = { shortChannelId, direction } as ShortChannelIdDir;
      const key = `${daemon} ${keyOf(of)}`;
      const heard = this.#heard.get(key);
      if (heard === undefined && this.#heard.size >= MOST_KEPT) continue;
      if (reservations.length === 0) this.#heard.delete(key);
      else if (heard !== undefined) heard.atMs = atMs;
      else this.#heard.set(key, { daemon, of, atMs });
      const list = reservations.map(
        ([amountMsat, timestamp, commandId]): Reservation => ({
          shortChannelIdDir: of,
          amountMsat: amountMsat as Msat,
          timestamp,
          commandId,
        }),
      );
      this.#options.book.foreignReservations.set(daemon, of, list);
    }
  }
}

const keyOf = ({ shortChannelId, direction }: ShortChannelIdDir): bigint =>
  directionKey(shortChannelId as ShortChannelId, direction as Direction);

/** The latest reservations of a direction one by one, and all older ones as one. */
function wireOf(reservations: readonly Reservation[]): WireReservation[] {
  const wire = ({ amountMsat, timestamp, commandId }: Reservation): WireReservation => [
    amountMsat,
    timestamp,
    commandId,
  ];
  if (reservations.length <= MOST_OF_DIRECTION) return reservations.map(wire);
  const older = reservations.slice(0, 1 - MOST_OF_DIRECTION);
  const sumMsat = older.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
  const { timestamp, commandId } = older[0]!;
  const together: WireReservation = [sumMsat < U64_MAX ? sumMsat : U64_MAX, timestamp, commandId];
  return [together, ...reservations.slice(1 - MOST_OF_DIRECTION).map(wire)];
}

/** Undefined for anything that no daemon of this fleet would tell. What is malformed is counted. */
function readNews(bytes: Uint8Array, fleet: FleetName): ReservationNews | undefined {
  try {
    const told = packr.unpack(bytes) as ReservationNews;
    if (!fleet.owns(told)) return undefined;
    if (typeof told.daemon === 'string' && told.directions.every(isDirection)) return told;
  } catch {
    // Counted below.
  }
  fleet.noteMalformed();
  return undefined;
}

function isDirection([shortChannelId, direction, reservations]: WireDirection): boolean {
  const isOf = typeof shortChannelId === 'bigint' && (direction === 0 || direction === 1);
  return (
    isOf &&
    reservations.length <= MOST_OF_DIRECTION &&
    reservations.every(
      ([amountMsat, timestamp, commandId]) =>
        isAmount(amountMsat) && Number.isSafeInteger(timestamp) && typeof commandId === 'string',
    )
  );
}

const isAmount = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n && value <= U64_MAX;
