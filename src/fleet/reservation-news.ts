/**
 * A daemon's messages about its reservations on the bus (subject `reserved`).
 *
 * Messages of a session are numbered. A *change* has the next number, and the complete list of reservations of each
 * changed direction. A *heartbeat* repeats the last number. The *whole* state is sent in parts, all with the number of
 * the last change that they include. A session begins at number 0, without reservations.
 */
import { Packr } from 'msgpackr/pack';
import { directionKey } from '../layers/cell.ts';
import type { Reservation } from '../layers/reservations.ts';
import { U64_MAX } from '../model/msat.ts';
import type { Direction, ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import type { FleetName } from './fleet-name.ts';

/** Maximum number of directions per message. */
export const MAX_DIRECTIONS = 500;
/**
 * Maximum number of published reservations per direction. If there are more, the first one published is the sum of the
 * oldest.
 */
const MAX_OF_DIRECTION = 20;

type WireReservation = readonly [amountMsat: bigint, timestamp: number, commandId: string];

/** A direction and all reservations of the daemon on it. */
export type WireDirection = readonly [
  shortChannelId: bigint,
  direction: number,
  reservations: readonly WireReservation[],
];

/** One message about reservations. */
export interface ReservationNews {
  /** Id of the fleet. */
  readonly fleet: string;
  readonly daemon: string;
  /** Drawn at random when the daemon starts. */
  readonly session: number;
  /** Number of changes sent in this session, including this one. */
  readonly number: number;
  readonly kind: 'change' | 'heartbeat' | 'whole';
  readonly directions: readonly WireDirection[];
  /** The index of this part of the whole state, from 0, and the number of parts. */
  readonly part?: number;
  readonly parts?: number;
}

/** A position in the sequence of a daemon's reservation changes. */
export type ReservedPosition = Pick<ReservationNews, 'session' | 'number'>;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Packs a message. */
export const packNews = (news: ReservationNews): Uint8Array => new Uint8Array(packr.pack(news));

/** Unpacks a message. Undefined if it belongs to a different fleet or is malformed. Malformed messages are counted. */
export function readNews(bytes: Uint8Array, fleet: FleetName): ReservationNews | undefined {
  try {
    const told = packr.unpack(bytes) as ReservationNews;
    if (!fleet.owns(told)) return undefined;
    if (isNews(told)) return told;
  } catch {
    // Malformed messages are counted below.
  }
  fleet.noteMalformed();
  return undefined;
}

function isNews({
  daemon,
  session,
  number,
  kind,
  directions,
  part = 0,
  parts = 1,
}: ReservationNews): boolean {
  return (
    typeof daemon === 'string' &&
    [session, number, part, parts].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    ['change', 'heartbeat', 'whole'].includes(kind) &&
    directions.length <= MAX_DIRECTIONS &&
    directions.every(isDirection)
  );
}

function isDirection([shortChannelId, direction, reservations]: WireDirection): boolean {
  const isOf = typeof shortChannelId === 'bigint' && (direction === 0 || direction === 1);
  return (
    isOf &&
    reservations.length <= MAX_OF_DIRECTION &&
    reservations.every(
      ([amountMsat, timestamp, commandId]) =>
        isAmount(amountMsat) && Number.isSafeInteger(timestamp) && typeof commandId === 'string',
    )
  );
}

const isAmount = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n && value <= U64_MAX;

/** One number that identifies a direction. */
export const keyOf = ({ shortChannelId, direction }: ShortChannelIdDir): bigint =>
  directionKey(shortChannelId as ShortChannelId, direction as Direction);

/** The latest reservations of a direction individually, and all older ones as a sum. */
export function wireOf(reservations: readonly Reservation[]): WireReservation[] {
  const wire = ({ amountMsat, timestamp, commandId }: Reservation): WireReservation => [
    amountMsat,
    timestamp,
    commandId,
  ];
  if (reservations.length <= MAX_OF_DIRECTION) return reservations.map(wire);
  const older = reservations.slice(0, 1 - MAX_OF_DIRECTION);
  const sumMsat = older.reduce((sum, { amountMsat }) => sum + amountMsat, 0n);
  const { timestamp, commandId } = older[0]!;
  const together: WireReservation = [sumMsat < U64_MAX ? sumMsat : U64_MAX, timestamp, commandId];
  return [together, ...reservations.slice(1 - MAX_OF_DIRECTION).map(wire)];
}
