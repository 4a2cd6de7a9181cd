/** Reservations as items of a daemon's state on the bus (state-message.ts), one per direction. */
import { directionKey } from '../layers/cell.ts';
import type { Reservation } from '../layers/reservations.ts';
import { U64_MAX } from '../model/msat.ts';
import type { Direction, ShortChannelId, ShortChannelIdDir } from '../model/short-channel-id.ts';
import { subjects } from './bus-messages.ts';
import type { StateKind } from './state-message.ts';

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

/** The global reservations of a daemon. */
export const RESERVATIONS: StateKind<WireDirection> = {
  member: 'directions',
  subject: (fleet) => subjects(fleet).reserved,
  isItem: isDirection,
  keyOf: (item) => keyOf(directionOf(item)),
  isEmpty: ([, , reservations]) => reservations.length === 0,
  emptied: ([shortChannelId, direction]) => [shortChannelId, direction, []],
};

/** The direction of an item. */
export function directionOf([shortChannelId, direction]: WireDirection): ShortChannelIdDir {
  return { shortChannelId, direction } as ShortChannelIdDir;
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
