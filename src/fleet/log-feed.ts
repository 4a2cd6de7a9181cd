/**
 * Fast copies of the log of layers: a daemon that commits chunks to the database also sends them over the bus, so that
 * all other machines get them at once. The database is authoritative. A copy may be lost, duplicated or out of order.
 * Chunks are ordered by number, and missing ones are read from the database.
 */
import { Packr } from 'msgpackr/pack';
import type { NatsConnection, Subscription } from './bus.ts';
import { subjects } from './bus-messages.ts';
import type { FleetName } from './fleet-name.ts';

/** A chunk of the log on the bus. */
export interface ChunkCopy {
  readonly seq: number;
  readonly writer: string;
  readonly batch: number;
  readonly chunk: Uint8Array;
  /** The timeline of the database on which the chunk was committed. Earlier releases do not report it. */
  readonly timeline?: number | undefined;
}

/** The parts of the log used for copies. */
export interface CopiedLog {
  /** @returns whether the copy is well-formed */
  receive(copy: ChunkCopy): boolean;
  onCommitted(listener: (copy: ChunkCopy) => void): () => void;
}

/** Maximum size of a chunk sent as a copy, in bytes. The bus's limit is 1 MiB. */
const MAX_BYTES = 900_000;
/**
 * Maximum number of copies kept until the log is open. The log reads the chunks of dropped copies from the database.
 */
const MAX_WAITING = 1_000;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** The copies received from the bus. They are kept until `give` provides the log. */
export interface Copies {
  give(log: Pick<CopiedLog, 'receive'>): void;
  close(): void;
}

/** Receives copies from the bus. */
export function followCopies(bus: NatsConnection, fleet: FleetName): Copies {
  let log: Pick<CopiedLog, 'receive'> | undefined;
  const waiting: ChunkCopy[] = [];
  const take = (to: Pick<CopiedLog, 'receive'>, copy: ChunkCopy): void => {
    if (!to.receive(copy)) fleet.noteMalformed();
  };
  const subscription: Subscription = bus.subscribe(subjects(fleet).log, {
    callback: (error, message) => {
      const copy = error === null ? unpackCopy(message.data, fleet) : undefined;
      if (copy === undefined) return;
      if (log !== undefined) take(log, copy);
      else if (waiting.length < MAX_WAITING) waiting.push(copy);
    },
  });
  return {
    give(opened) {
      log = opened;
      for (const copy of waiting.splice(0)) take(opened, copy);
    },
    close: () => subscription.unsubscribe(),
  };
}

/**
 * Sends a copy of each of our chunks of at most `MAX_BYTES` after the chunk is committed.
 * @returns a function that stops sending
 */
export function sendCopies(
  bus: NatsConnection,
  fleet: FleetName,
  log: Pick<CopiedLog, 'onCommitted'>,
): () => void {
  const subject = subjects(fleet).log;
  return log.onCommitted(({ seq, writer, batch, chunk, timeline }) => {
    if (chunk.length > MAX_BYTES || bus.isClosed()) return;
    bus.publish(
      subject,
      new Uint8Array(packr.pack({ fleet: fleet.id, seq, writer, batch, chunk, timeline })),
    );
  });
}

/** Unpacks a copy. Undefined if it belongs to a different fleet or is malformed. Malformed copies are counted. */
function unpackCopy(bytes: Uint8Array, fleet: FleetName): ChunkCopy | undefined {
  try {
    const message = packr.unpack(bytes) as ChunkCopy & { readonly fleet?: unknown };
    if (!fleet.owns(message)) return undefined;
    const { seq, writer, batch, chunk, timeline } = message;
    const isCopy = Number.isSafeInteger(seq) && Number.isSafeInteger(batch) && typeof writer === 'string';
    const on = Number.isSafeInteger(timeline) ? { timeline } : {};
    if (isCopy && chunk instanceof Uint8Array) return { seq, writer, batch, chunk, ...on };
  } catch {
    // Counted as malformed, like any other message that is not a copy.
  }
  fleet.noteMalformed();
  return undefined;
}
