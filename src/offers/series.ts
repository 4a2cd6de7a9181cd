/**
 * The stored state of recurring offers for which we fetch invoices. A label links the fetches of one series. The first
 * fetch of a series determines when period 0 begins, and which period is the first of the series.
 */
import { type OfferRepository, type SeriesRow, seriesKey } from '../store/offer-repository.ts';

/** A series in its stored form. */
export type Series = SeriesRow;

/** Store for series, such as the repository of the database. */
export type SeriesStore = Pick<OfferRepository, 'find' | 'save' | 'durable'>;

/** Keeps series in memory. They are lost at a restart. */
export class SeriesInMemory implements SeriesStore {
  readonly #byKey = new Map<string, Series>();

  async find(offerId: Uint8Array, label: string): Promise<Series | undefined> {
    return this.#byKey.get(seriesKey(offerId, label));
  }

  save(series: Series): void {
    this.#byKey.set(seriesKey(series.offerId, series.label), series);
  }

  async durable(): Promise<void> {}
}
