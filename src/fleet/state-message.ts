/**
 * Messages by which a daemon sends a part of its state over the bus: items with keys, such as its reservations by
 * direction.
 *
 * Messages of a session are numbered. A *change* has the next number, and the new value of each changed item. A
 * *heartbeat* repeats the last number. The *whole* state is sent in parts, all with the number of the last change that
 * they include. A session begins at number 0, with empty state.
 */
import { Packr } from 'msgpackr/pack';
import type { FleetName } from './fleet-name.ts';

/** Maximum number of items per message. */
export const MAX_ITEMS = 500;

/** A kind of state: its subject, and what its items are. */
export interface StateKind<Item> {
  /** Name of the items' member in messages. */
  readonly member: string;
  readonly subject: (fleet: FleetName) => string;
  /** Whether an item received is well-formed. May throw if it is not. */
  isItem(item: Item): boolean;
  keyOf(item: Item): bigint | string;
  /** Whether the item is empty, which means that the daemon has nothing left under its key. */
  isEmpty(item: Item): boolean;
  /** The empty item with the key of this one. */
  emptied(item: Item): Item;
}

/** One message about the state of a daemon. */
export interface StateMessage<Item> {
  readonly daemon: string;
  /** Random number of the session. A session begins when the daemon starts to publish this kind of state. */
  readonly session: number;
  /** Number of changes sent in this session so far. A change includes itself. */
  readonly number: number;
  readonly kind: 'change' | 'heartbeat' | 'whole';
  readonly items: readonly Item[];
  /** The index of this part of the whole state, from 0, and the number of parts. */
  readonly part?: number | undefined;
  readonly parts?: number | undefined;
}

/** A position in the sequence of a daemon's changes. */
export type StatePosition = Pick<StateMessage<never>, 'session' | 'number'>;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** Packs a message. */
export function packStateMessage<Item>(
  of: StateKind<Item>,
  fleet: FleetName,
  message: StateMessage<Item>,
): Uint8Array {
  const { items, ...rest } = message;
  return new Uint8Array(packr.pack({ fleet: fleet.id, ...rest, [of.member]: items }));
}

/** Unpacks a message. Undefined if it belongs to a different fleet or is malformed. Malformed messages are counted. */
export function readStateMessage<Item>(
  of: StateKind<Item>,
  fleet: FleetName,
  bytes: Uint8Array,
): StateMessage<Item> | undefined {
  try {
    const told = packr.unpack(bytes) as Record<string, unknown>;
    if (!fleet.owns(told)) return undefined;
    const { daemon, session, number, kind, part, parts } = told as unknown as StateMessage<Item>;
    const message = { daemon, session, number, kind, part, parts, items: told[of.member] as readonly Item[] };
    if (isStateMessage(of, message)) return message;
  } catch {
    // Counted as malformed below.
  }
  fleet.noteMalformed();
  return undefined;
}

function isStateMessage<Item>(of: StateKind<Item>, message: StateMessage<Item>): boolean {
  const { daemon, session, number, kind, items, part = 0, parts = 1 } = message;
  return (
    typeof daemon === 'string' &&
    [session, number, part, parts].every((value) => Number.isSafeInteger(value) && value >= 0) &&
    ['change', 'heartbeat', 'whole'].includes(kind) &&
    items.length <= MAX_ITEMS &&
    items.every((item) => of.isItem(item))
  );
}
