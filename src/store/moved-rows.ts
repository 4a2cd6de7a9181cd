/**
 * Reads the rows of a data directory's store that are moved to another store, and counts and hashes them in both
 * stores.
 */
import { createHash } from 'node:crypto';
import type { LayerBook } from '../layers/layer-book.ts';
import { mutationsOf } from '../layers/layer-replica.ts';
import type { LayerRepository } from './layer-repository.ts';
import type { OfferRepository, SeriesRow } from './offer-repository.ts';
import type { PaymentRecord } from './payment-record.ts';
import type { PaymentRepository, SpentKey, SpentKeys } from './payment-repository.ts';
import {
  type KeptRecord,
  RECORD_KINDS,
  type RecordKind,
  type RecordRepository,
} from './record-repository.ts';
import type { RuneRepository } from './rune-repository.ts';

/** Number of payments read at a time. */
const PAGE = 500;
/** Number of spent keys read at a time. */
const KEY_PAGE = 10_000;

/**
 * The sources of everything that is moved. Series and names of imported layers are given separately, because the
 * repositories cannot list them.
 */
export interface MovedStore {
  readonly payments: PaymentRepository & SpentKeys;
  readonly offers: OfferRepository;
  readonly runes: RuneRepository;
  readonly records: RecordRepository;
  readonly layers: LayerRepository;
  readonly series: () => Promise<readonly SeriesRow[]>;
  readonly importedNames: readonly string[];
}

/** The number of rows of a kind, and the hash of these rows in order. */
export interface CountedRows {
  readonly what: string;
  readonly count: number;
  /** SHA-256 in hex. */
  readonly hash: string;
}

/** All payments with their attempts, ordered by index. */
export async function* allPayments(payments: PaymentRepository): AsyncGenerator<PaymentRecord, void> {
  for (let afterIndex = 0; ; ) {
    const page = await payments.payments({ afterIndex, limit: PAGE });
    yield* page;
    if (page.length < PAGE) return;
    afterIndex = page.at(-1)!.payment.createdIndex;
  }
}

/** All idempotency keys of deleted payments. */
export async function* allSpentKeys(payments: SpentKeys): AsyncGenerator<SpentKey, void> {
  for (let after: string | undefined; ; ) {
    const page = await payments.spentKeys(after, KEY_PAGE);
    yield* page;
    if (page.length < KEY_PAGE) return;
    after = page.at(-1)!.idempotencyKey;
  }
}

/** All records with their kinds. */
export async function allRecords(
  records: RecordRepository,
): Promise<readonly { readonly kind: RecordKind; readonly record: KeptRecord }[]> {
  const ofKind = async (kind: RecordKind) =>
    (await records.records(kind)).map((record) => ({ kind, record }));
  return (await Promise.all(RECORD_KINDS.map(ofKind))).flat();
}

/**
 * Counts and hashes all rows that are moved, except the spending of runes. @param book the layers, attached to the
 * store
 */
export async function countRows(store: MovedStore, book: LayerBook): Promise<CountedRows[]> {
  const { payments, offers, runes, records, layers, series, importedNames } = store;
  const imports = importedNames.map((name) => [name, layers.imported(name)]);
  const bySeries = [...(await series())].sort((a, b) => (seriesOrder(a) < seriesOrder(b) ? -1 : 1));
  return [
    await counted('payments', allPayments(payments)),
    await counted('keys of deleted payments', allSpentKeys(payments)),
    await counted('offers', await offers.offers()),
    await counted('invoice requests', await offers.invoiceRequests()),
    await counted('invoices', await offers.invoices()),
    await counted('cancelled periods', await offers.cancelledPeriods()),
    await counted('series', bySeries),
    await counted('runes', [
      ...(await runes.runes()),
      ...(await runes.blacklist()),
      await runes.nextUniqueId(),
    ]),
    await counted('records', await allRecords(records)),
    await counted('entries of layers', layerEntries(book)),
    await counted('imported layers', imports),
  ];
}

function* layerEntries(book: LayerBook): Generator<unknown, void> {
  for (const layer of book.layers()) {
    yield layer.name;
    yield* mutationsOf(layer);
  }
}

const seriesOrder = ({ offerId, label }: SeriesRow): string =>
  `${Buffer.from(offerId).toString('hex')} ${label}`;

async function counted(what: string, rows: Iterable<unknown> | AsyncIterable<unknown>): Promise<CountedRows> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const row of rows) {
    count++;
    hash.update(`${JSON.stringify(row, canonical)}\n`);
  }
  return { what, count, hash: hash.digest('hex') };
}

/**
 * A JSON replacer that gives equal rows equal texts: bytes become hex, bigints decimal text, and members are sorted by
 * name.
 */
function canonical(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown>)[key];
  if (held instanceof Uint8Array) return Buffer.from(held).toString('hex');
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
