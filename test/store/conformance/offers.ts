/** Requirements on every `OfferRepository`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InvoiceRow, OfferRepository, SeriesRow } from '../../../src/store/offer-repository.ts';
import { randomFrom } from '../layer-actions.ts';
import { act, OffersInMemory, snapshot } from '../offer-actions.ts';
import { type Implementation, type Place, withStore } from './under-test.ts';

const series: SeriesRow = {
  offerId: new Uint8Array(32).fill(1),
  label: 'a "label"\n',
  start: 70,
  basetime: 2n ** 64n - 1n,
  counter: 3,
};

const kept = (place: Place<OfferRepository>): Promise<string> => withStore(place, snapshot);
const found = (repository: OfferRepository): Promise<SeriesRow | undefined> =>
  repository.find(series.offerId, series.label);

export function offerRepositoryConformance({
  name,
  runs: numRuns = 6,
  newPlace,
}: Implementation<OfferRepository>): void {
  describe(`a repository of offers: ${name}`, () => {
    test('returns its content after any work, and after any further work', async () => {
      const runs = fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 0, max: 80 }),
        async (seed, steps) => {
          const place = newPlace();
          const random = [randomFrom(seed), randomFrom(seed)] as const;
          const memory = new OffersInMemory();
          for (const part of [0, 1]) {
            await withStore(place, async (repository) => {
              for (let step = 0; step < steps; step++) {
                act(repository, part * steps + step, random[0]);
                act(memory, part * steps + step, random[1]);
              }
            });
            expect(await kept(place)).toBe(await snapshot(memory));
          }
        },
      );
      await fc.assert(runs, { numRuns });
    });

    test('lists an invoice under its latest index if it was created again', async () => {
      const memory = new OffersInMemory();
      const random = randomFrom(3);
      for (let step = 0; step < 200; step++) act(memory, step, random);
      const [oldest, ...others] = (await memory.invoices()) as [InvoiceRow, ...InvoiceRow[]];
      const labels = await withStore(newPlace(), async (repository) => {
        for (const row of [oldest, ...others, { ...oldest, createdIndex: 1000 }]) repository.putInvoice(row);
        await repository.durable();
        return (await repository.invoices()).map(({ label }) => label);
      });
      expect(labels).toEqual([...others.map(({ label }) => label), oldest.label]);
    });

    test('finds a series before and after it is durable', async () => {
      const place = newPlace();
      const next = { ...series, counter: 4 };
      await withStore(place, async (repository) => {
        repository.save(series);
        expect(await found(repository)).toEqual(series);
        await repository.durable();
        expect(await found(repository)).toEqual(series);
        repository.save(next);
        expect(await found(repository)).toEqual(next);
      });
      await withStore(place, async (repository) => {
        expect(await found(repository)).toEqual(next);
        expect(await repository.find(series.offerId, 'another label')).toBeUndefined();
        expect(await repository.find(new Uint8Array(32), series.label)).toBeUndefined();
      });
    });

    test('reports that it cannot write, finds a series nevertheless, and writes it with the next change', async () => {
      const place = newPlace();
      await withStore(place, async (repository, store) => {
        store.refuse(true);
        repository.save(series);
        await expect(repository.durable()).rejects.toMatchObject({ code: -32003 });
        expect(await found(repository)).toEqual(series);
        store.refuse(false);
        repository.save({ ...series, label: 'next' });
        await repository.durable();
      });
      await withStore(place, async (repository) => expect(await found(repository)).toEqual(series));
    });

    test('still has all acknowledged changes after a crash', async () => {
      const place = newPlace();
      const store = await place.open();
      const memory = new OffersInMemory();
      const random = [randomFrom(5), randomFrom(5)] as const;
      for (let step = 0; step < 60; step++) {
        act(store.repository, step, random[0]);
        act(memory, step, random[1]);
      }
      await store.repository.durable();
      await store.crash();
      expect(await kept(place)).toBe(await snapshot(memory));
    });
  });
}
