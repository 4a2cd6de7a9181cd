/**
 * Series: what we remember of recurring offers that we fetch invoices for. A label links the fetches of one
 * series; its first invoice fixes when period 0 begins and with which period the series started.
 */
import { type SeriesRow, seriesKey } from '../store/offer-repository.ts';

/** A series as it is kept. */
export type Series = SeriesRow;

/** Where series are kept; the database's repository is one. */
export interface SeriesStore {
  find(offerId: Uint8Array, label: string): Series | undefined;
  save(series: Series): void;
  /** Resolves once what was saved is safe. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}

/** Series that die with the process. */
export class SeriesInMemory implements SeriesStore {
  readonly #byKey = new Map<string, Series>();

  find(offerId: Uint8Array, label: string): Series | undefined {
    return this.#byKey.get(seriesKey(offerId, label));
  }

  save(series: Series): void {
    this.#byKey.set(seriesKey(series.offerId, series.label), series);
  }

  durable(): Promise<void> {
    return Promise.resolve();
  }
}
