/**
 * Series: what we remember of the recurring offers for which we fetch invoices. A label links the fetches of
 * one series. The first invoice of the series fixes when period 0 begins and with which period the series
 * started.
 */
import { type SeriesRow, seriesKey } from '../store/offer-repository.ts';

/** A series in the form in which it is stored. */
export type Series = SeriesRow;

/** Where series are kept. The repository of the database is one such store. */
export interface SeriesStore {
  find(offerId: Uint8Array, label: string): Series | undefined;
  save(series: Series): void;
  /** Resolves when everything saved so far is safe. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}

/** Keeps series in memory; they are lost with the process. */
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
