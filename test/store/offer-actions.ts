/**
 * Random but repeatable work on a store's offers, and a store in memory that is ten times simpler. The same
 * seed has the same effect on both. So the content of the disk can be compared with the expected content
 * after each step.
 */
import type {
  InvoiceRequestRow,
  InvoiceRow,
  OfferRepository,
  OfferRow,
  SeriesRow,
} from '../../src/store/offer-repository.ts';

type Changes = Pick<
  OfferRepository,
  'putOffer' | 'putInvoiceRequest' | 'putInvoice' | 'removeInvoice' | 'putCancelledPeriod' | 'save'
>;
type Reading = Pick<OfferRepository, 'offers' | 'invoiceRequests' | 'invoices' | 'cancelledPeriods' | 'find'>;

/** A store in memory, as the reference. */
export class OffersInMemory implements Changes, Reading {
  readonly #tables = new Map<string, Map<string, unknown>>();

  putOffer = (row: OfferRow): void => this.#put('offer', hex(row.offerId), row);
  putInvoiceRequest: Changes['putInvoiceRequest'] = (row) => this.#put('request', hex(row.requestId), row);
  putInvoice = (row: InvoiceRow): void => this.#put('invoice', row.label, row);
  removeInvoice = (label: string): void => void this.#table('invoice').delete(label);
  putCancelledPeriod = (label: string): void => this.#put('cancelled', label, label);
  save = (row: SeriesRow): void => this.#put('series', `${hex(row.offerId)}:${row.label}`, row);

  offers = async (): Promise<OfferRow[]> => this.#rows('offer');
  invoiceRequests = async (): Promise<InvoiceRequestRow[]> => this.#rows('request');
  cancelledPeriods = async (): Promise<string[]> => this.#rows('cancelled');
  find: Reading['find'] = async (id, label) => this.#table('series').get(`${hex(id)}:${label}`) as SeriesRow;
  invoices = async (): Promise<InvoiceRow[]> =>
    this.#rows<InvoiceRow>('invoice').sort((a, b) => a.createdIndex - b.createdIndex);

  #rows<T>(table: string): T[] {
    return [...this.#table(table).values()] as T[];
  }

  #put(table: string, key: string, row: unknown): void {
    this.#table(table).set(key, row);
  }

  #table(name: string): Map<string, unknown> {
    const table = this.#tables.get(name) ?? new Map<string, unknown>();
    this.#tables.set(name, table);
    return table;
  }
}

const TEXTS = ['', 'plain', 'caf\u00e9 "q" \\ /\n\t', '\u0000', '\ud800', "'; DROP TABLE offer; --", 'a:b'];
const AMOUNTS = [0n, 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];
/** Number of ids: few, so that most of them are used again. */
const IDS = 4;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const idOf = (n: number): Uint8Array => new Uint8Array(32).fill(n + 1);

type Random = (below: number) => number;
const oneOf = <T>(random: Random, items: readonly T[]): T => items[random(items.length)] as T;
const perhaps = <T>(random: Random, value: T): T | undefined => (random(3) === 0 ? undefined : value);

/** One change. The constant columns of a row follow from its id. */
export function act(store: Changes, step: number, random: Random): void {
  const n = random(IDS);
  const standing = { singleUse: n % 2 === 0, active: random(2) === 0, used: random(2) === 0 };
  const label = `${n}-${random(3)}`;
  switch (random(8)) {
    case 0:
    case 1:
      store.putOffer({
        ...standing,
        offerId: idOf(n),
        bytes: idOf(n + 100),
        pathId: n === 0 ? undefined : idOf(n + 50),
        label: perhaps(random, oneOf(random, TEXTS)),
      });
      return;
    case 2: {
      const bytes = new Uint8Array(n);
      store.putInvoiceRequest({ ...standing, requestId: idOf(n), bytes, label: perhaps(() => n, TEXTS[n]) });
      return;
    }
    case 3:
      store.removeInvoice(label);
      return;
    case 4:
      store.putCancelledPeriod(label);
      return;
    case 5:
      store.save({
        offerId: idOf(n),
        label: oneOf(random, TEXTS),
        start: perhaps(random, oneOf(random, [0, 70, 0xffff_ffff])),
        basetime: oneOf(random, AMOUNTS),
        counter: random(100),
      });
      return;
    default:
      store.putInvoice({
        label,
        offerId: idOf(n),
        requestId: idOf(random(200)),
        bytes: new Uint8Array(random(50)).fill(step),
        preimage: idOf(random(200)),
        paymentHash: idOf(random(200)),
        amountMsat: oneOf(random, AMOUNTS),
        description: perhaps(random, oneOf(random, TEXTS)),
        payerNote: perhaps(random, oneOf(random, TEXTS)),
        expiresAt: oneOf(random, AMOUNTS),
        basetime: perhaps(random, oneOf(random, AMOUNTS)),
        isPaid: random(2) === 0,
        createdIndex: step,
      });
  }
}

/** The whole content, as text. */
export async function snapshot(store: Reading): Promise<string> {
  const keys = Array.from({ length: IDS }, (_, n) => TEXTS.map((label) => [idOf(n), label] as const)).flat();
  const kept = [
    await store.offers(),
    await store.invoiceRequests(),
    await store.invoices(),
    await store.cancelledPeriods(),
    await Promise.all(keys.map(([id, label]) => store.find(id, label))),
  ];
  return JSON.stringify(kept.map((rows) => rows.map(plain)));
}

/** Writes members in alphabetical order, and bytes and big integers as text. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return hex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plain(member)]);
}
