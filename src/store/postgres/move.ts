/**
 * Moves a store's contents into an empty PostgreSQL database. During the move, the database is marked so that no daemon
 * uses it. An interrupted move is restarted after removing what it had written.
 */
import { LayerBook } from '../../layers/layer-book.ts';
import { mutationsOf } from '../../layers/layer-replica.ts';
import { decodeText, decodeU64 } from '../columns.ts';
import {
  allPayments,
  allRecords,
  allSpentKeys,
  type CountedRows,
  countRows,
  type MovedStore,
} from '../moved-rows.ts';
import type { SeriesRow } from '../offer-repository.ts';
import { StoreError } from '../store-error.ts';
import { parsePostgresAddress } from './address.ts';
import { KnownServer } from './known-server.ts';
import { loadLibrary, PostgresLine } from './line.ts';
import { belong, PostgresStore, type StoreUser } from './postgres-store.ts';
import { requirePrepared } from './prepare.ts';
import { ORDER_SEQUENCES } from './schema.ts';

/** After each group of this many payments or spent keys, the migration waits for the database. */
const AT_ONCE = 500;

const TABLES = [
  'payment',
  'spent_key',
  'offer',
  'invoice_request',
  'offer_invoice',
  'series',
  'cancelled_period',
  'rune',
  'rune_blacklist',
  'rune_counter',
  'rune_outgo',
  'kept_record',
  'change_log',
  'snapshot',
] as const;

const EMPTY = [
  ...TABLES.map((table) => ({ sql: `DELETE FROM ${table}` })),
  { sql: 'UPDATE log_head SET seq = 0, changes = 0' },
  { sql: 'UPDATE snapshot_head SET seq = 0, changes = 0' },
  { sql: "UPDATE graph_head SET seq = 0, until = '-infinity'" },
  { sql: 'UPDATE number_block SET next = 1' },
];

/** Timeout for a statement that reads or writes all rows, in milliseconds. */
const PATIENT_MS = 600_000;

/** The result of a migration: the rows moved, and the database to which they were moved. */
export interface MovedInto {
  readonly counts: readonly CountedRows[];
  readonly databaseId: string;
  /** Hosts with their ports, and the name of the database. */
  readonly place: string;
}

/**
 * Moves all rows and verifies the copies.
 * @param text address of the database, for the role that owns the tables
 * @param book the layers of the moved store, attached to it
 * @throws StoreError when the database is not empty, not prepared or of another network, and when the rows that arrived
 *   differ from those sent
 */
export async function moveInto(
  text: string,
  user: StoreUser,
  from: MovedStore,
  book: LayerBook,
): Promise<MovedInto> {
  const address = parsePostgresAddress(text);
  const settings = { statement_timeout: PATIENT_MS };
  const line = new PostgresLine(await loadLibrary(), address, new KnownServer(), {
    settings,
    questionMs: PATIENT_MS,
  });
  const refuse = (message: string): never => {
    throw new StoreError('unavailable', address.shown, message);
  };
  try {
    await requirePrepared(line, address);
    await belong(line, user, address);
    await begin(line, user.daemon, refuse);
    await copy(text, user, from, book);
    await countOn(line);
    const [sent, { counts, databaseId, place }] = [
      await countRows(from, book),
      await look(text, user, from, line),
    ];
    const differing = sent.filter(({ hash }, index) => counts[index]!.hash !== hash);
    if (differing.length > 0)
      refuse(`contains ${differing.map(({ what }) => what).join(', ')} that differ from those sent`);
    await line.ask('UPDATE migration SET is_whole = true WHERE directory = $1', [user.daemon]);
    return { counts: sent, databaseId, place };
  } finally {
    line.close();
  }
}

/** Marks the database as being moved into, and removes what an earlier attempt had written. */
async function begin(
  line: PostgresLine,
  directory: string,
  refuse: (message: string) => never,
): Promise<void> {
  const marks = await line.ask('SELECT directory, is_whole FROM migration');
  const isOurs = marks.length === 1 && marks[0]!.directory === directory && marks[0]!.is_whole === false;
  if (marks.length > 0 && !isOurs) refuse('already contains a migrated data directory');
  if (!isOurs) {
    const tables = TABLES.map((table) => `SELECT 1 FROM ${table}`).join(' UNION ALL ');
    const [row] = await line.ask(`SELECT EXISTS (${tables}) AS is_used`);
    if (row!.is_used === true) refuse('is not empty');
    await line.ask('INSERT INTO migration (directory, is_whole) VALUES ($1, false)', [directory]);
  }
  await line.transaction(EMPTY);
}

async function copy(text: string, user: StoreUser, from: MovedStore, book: LayerBook): Promise<void> {
  const store = await PostgresStore.open(text, user, { isMoving: true });
  try {
    const owner = {};
    let waiting = 0;
    for await (const { payment, attempts } of allPayments(from.payments)) {
      store.payments.put(owner, payment, attempts);
      if (++waiting % AT_ONCE === 0) await store.payments.durable(owner);
    }
    for await (const key of allSpentKeys(from.payments)) {
      store.payments.putSpentKey(key);
      if (++waiting % AT_ONCE === 0) await store.payments.durable(owner);
    }
    await store.payments.durable(owner);
    await copyOffersAndRunes(store, from);
    await copyLayers(store, from, book);
  } finally {
    store.close();
  }
}

async function copyOffersAndRunes(
  store: PostgresStore,
  { offers, runes, records, series }: MovedStore,
): Promise<void> {
  for (const one of await offers.offers()) store.offers.putOffer(one);
  for (const one of await offers.invoiceRequests()) store.offers.putInvoiceRequest(one);
  for (const one of await offers.invoices()) store.offers.putInvoice(one);
  for (const one of await offers.cancelledPeriods()) store.offers.putCancelledPeriod(one);
  for (const one of await series()) store.offers.save(one);
  for (const one of await runes.runes()) store.runes.putRune(one);
  store.runes.putBlacklist(await runes.blacklist());
  for (const one of await runes.outgo()) store.runes.putOutgo(one);
  for (const { kind, record } of await allRecords(records)) store.records.putRecord(kind, record);
  await store.runes.durable();
  store.runes.skipUniqueIds((await runes.nextUniqueId()) - (await store.runes.nextUniqueId()));
  await store.offers.durable();
}

async function copyLayers(store: PostgresStore, from: MovedStore, book: LayerBook): Promise<void> {
  const copied = new LayerBook();
  await store.layers.attach(copied);
  for (const layer of book.layers()) {
    const made = copied.createLayer(layer.name, true);
    for (const mutation of mutationsOf(layer)) {
      copied.adopt(made, mutation);
      if (store.layers.queued >= 10 * AT_ONCE) await store.layers.durable(made);
    }
  }
  for (const name of from.importedNames) {
    const state = from.layers.imported(name);
    if (state !== 'none') store.layers.noteImport(name, state);
  }
  await store.layers.log!.durable();
}

/** Ensures that new rows get higher numbers than the moved ones. */
async function countOn(line: PostgresLine): Promise<void> {
  await line.ask(`UPDATE number_block SET next = 1 + greatest(
    (SELECT max(id) FROM payment), (SELECT max(created_order) FROM payment), (SELECT max(id) FROM attempt),
    (SELECT max(updated_index) FROM attempt), 0)
    WHERE kind <> 'order'`);
  const counts = Object.values(ORDER_SEQUENCES).map((sequence) => `setval('${sequence}', next)`);
  await line.ask(`SELECT ${counts.join(', ')} FROM number_block WHERE kind = 'attempt'`);
}

/** Counts the rows that arrived, using a newly opened store. */
async function look(text: string, user: StoreUser, from: MovedStore, line: PostgresLine): Promise<MovedInto> {
  const store = await PostgresStore.open(text, user, { isMoving: true });
  try {
    const book = new LayerBook();
    await store.layers.attach(book);
    const series = async (): Promise<SeriesRow[]> => {
      const rows = await line.ask(
        'SELECT offer_id, label, start, basetime, counter FROM series WHERE node = $1',
        [user.ownNode],
      );
      return rows.map((row) => ({
        offerId: new Uint8Array(row.offer_id as Buffer),
        label: decodeText(row.label as string)!,
        start: row.start === null ? undefined : Number(row.start),
        basetime: decodeU64(row.basetime as bigint),
        counter: Number(row.counter),
      }));
    };
    const { payments, offers, runes, records, layers } = store;
    const moved = { payments, offers, runes, records, layers, series, importedNames: from.importedNames };
    return { counts: await countRows(moved, book), databaseId: store.databaseId, place: store.place };
  } finally {
    store.close();
  }
}
