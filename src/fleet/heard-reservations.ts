/**
 * Reservations of other daemons, received over the bus by daemons and solvers. They are added to the layer book like
 * local ones. If a daemon is silent for ten seconds, its reservations expire.
 *
 * After a lost message, the copy of its sender's reservations is incomplete until that daemon publishes everything
 * again. `hasReached` then returns false.
 */
import type { LayerBook } from '../layers/layer-book.ts';
import type { Reservation } from '../layers/reservations.ts';
import type { Msat } from '../model/msat.ts';
import type { ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { NatsConnection, Subscription } from './bus.ts';
import { subjects } from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';
import {
  keyOf,
  type ReservationNews,
  type ReservedPosition,
  readNews,
  type WireDirection,
} from './reservation-news.ts';

/** The reservations of a daemon that is silent for this many milliseconds expire. */
const EXPIRE_MS = 10_000;
/** Maximum number of directions kept for other daemons. Further directions are ignored. */
const MAX_KEPT = 200_000;
/** Maximum number of daemons tracked. */
const MAX_DAEMONS = 1_000;

/** Options of the reservations. */
export interface HeardReservationsOptions {
  readonly bus: NatsConnection;
  readonly fleet: FleetName;
  readonly book: LayerBook;
  /** Id of the listening daemon, which receives its own messages too. Undefined in a solver. */
  readonly id?: string | undefined;
  /** Called for the first message of a daemon, and after its restart. */
  readonly onStranger?: () => void;
  /** Called when the server refuses the subscription. */
  readonly onRefused?: (reason: string) => void;
  /** The monotonic clock. Tests replace it. */
  readonly monotonicMs?: (() => number) | undefined;
}

/** What is known of one daemon from its messages. */
interface HeardDaemon {
  readonly session: number;
  number: number;
  /** Whether no message of its session is missing. */
  isWhole: boolean;
  atMs: number;
  readonly directions: Map<bigint, ShortChannelIdDir>;
  /** The directions received so far, while the parts of a complete state arrive. Undefined at other times. */
  parts: { readonly keys: Set<bigint>; next: number; fits: boolean } | undefined;
}

/** Tracks the reports of daemons. */
export class HeardReservations {
  readonly #options: HeardReservationsOptions;
  readonly #monotonicMs: () => number;
  readonly #daemons = new Map<string, HeardDaemon>();
  readonly #subscription: Subscription;
  #kept = 0;

  constructor(options: HeardReservationsOptions) {
    this.#options = options;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#subscription = options.bus.subscribe(subjects(options.fleet).reserved, {
      callback: (error, message) => {
        if (error === null) this.#hear(message.data);
        else options.onRefused?.(error.message);
      },
    });
  }

  /** Number of directions with reservations by other daemons. */
  get count(): number {
    return this.#kept;
  }

  /** Whether we have all reservations of a daemon up to this position. */
  hasReached(daemon: string, { session, number }: ReservedPosition): boolean {
    const known = this.#daemons.get(daemon);
    if (known?.session !== session) return number === 0 && known === undefined;
    return known.isWhole && known.number >= number;
  }

  /** Drops the reservations of silent daemons. */
  expire(): void {
    const oldestMs = this.#monotonicMs() - EXPIRE_MS;
    for (const [daemon, { atMs }] of this.#daemons) if (atMs < oldestMs) this.#forget(daemon);
  }

  /** Stops listening and drops everything received. */
  close(): void {
    this.#subscription.unsubscribe();
    for (const daemon of [...this.#daemons.keys()]) this.#forget(daemon);
  }

  #hear(bytes: Uint8Array): void {
    const { fleet, id, onStranger } = this.#options;
    const news = readNews(bytes, fleet);
    if (news === undefined || news.daemon === id) return;
    const known = this.#daemons.get(news.daemon);
    const isStranger = known?.session !== news.session;
    const heard = isStranger ? this.#begin(news) : known;
    if (heard === undefined) return;
    heard.atMs = this.#monotonicMs();
    if (news.kind === 'whole') this.#takeWhole(heard, news);
    else this.#takeChange(heard, news);
    if (isStranger) onStranger?.();
  }

  #begin({ daemon, session }: ReservationNews): HeardDaemon | undefined {
    this.#forget(daemon);
    if (this.#daemons.size >= MAX_DAEMONS) return undefined;
    const heard = { session, number: 0, isWhole: true, atMs: 0, directions: new Map(), parts: undefined };
    this.#daemons.set(daemon, heard);
    return heard;
  }

  #takeChange(heard: HeardDaemon, { daemon, number, kind, directions }: ReservationNews): void {
    const next = kind === 'change' ? heard.number + 1 : heard.number;
    if (number !== next) heard.isWhole = false;
    if (number < next) return;
    heard.number = number;
    for (const direction of directions) {
      if (!this.#set(heard, daemon, directionOf(direction), direction[2])) heard.isWhole = false;
    }
  }

  #takeWhole(heard: HeardDaemon, news: ReservationNews): void {
    const { daemon, number, directions, part = 0, parts = 1 } = news;
    if (part === 0) heard.parts = { keys: new Set(), next: 0, fits: true };
    const came = heard.parts;
    if (came === undefined || part !== came.next) {
      heard.parts = undefined;
      return;
    }
    came.next++;
    for (const direction of directions) {
      const of = directionOf(direction);
      came.keys.add(keyOf(of));
      if (!this.#set(heard, daemon, of, direction[2])) came.fits = false;
    }
    if (part < parts - 1) return;
    heard.parts = undefined;
    heard.number = number;
    heard.isWhole = came.fits;
    for (const [key, of] of heard.directions) if (!came.keys.has(key)) this.#set(heard, daemon, of, []);
  }

  /** @returns false when there is no room for the direction */
  #set(heard: HeardDaemon, daemon: string, of: ShortChannelIdDir, told: WireDirection[2]): boolean {
    const key = keyOf(of);
    const isKnown = heard.directions.has(key);
    if (told.length > 0 && !isKnown) {
      if (this.#kept >= MAX_KEPT) return false;
      heard.directions.set(key, of);
      this.#kept++;
    } else if (told.length === 0 && heard.directions.delete(key)) this.#kept--;
    const list = told.map(
      ([amountMsat, timestamp, commandId]): Reservation => ({
        shortChannelIdDir: of,
        amountMsat: amountMsat as Msat,
        timestamp,
        commandId,
      }),
    );
    this.#options.book.foreignReservations.set(daemon, of, list);
    return true;
  }

  #forget(daemon: string): void {
    const heard = this.#daemons.get(daemon);
    if (heard === undefined) return;
    this.#daemons.delete(daemon);
    this.#kept -= heard.directions.size;
    for (const of of heard.directions.values()) {
      this.#options.book.foreignReservations.set(daemon, of, []);
    }
  }
}

const directionOf = ([shortChannelId, direction]: WireDirection): ShortChannelIdDir =>
  ({ shortChannelId, direction }) as ShortChannelIdDir;
