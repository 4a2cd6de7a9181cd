/** Requirements on every `LayerRepository`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LayerBook } from '../../../src/layers/layer-book.ts';
import { msat } from '../../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../../src/model/short-channel-id.ts';
import type { LayerRepository } from '../../../src/store/layer-repository.ts';
import { act, clockedBook, randomFrom, snapshot } from '../layer-actions.ts';
import { type Implementation, type Place, withStore } from './under-test.ts';

const OF = parseShortChannelIdDir('1x1x1/0')!;

/** A book with the content of the repository. From now on it is journaled. */
async function attached(repository: LayerRepository): Promise<ReturnType<typeof clockedBook>> {
  const clocked = clockedBook();
  await repository.attach(clocked.book);
  return clocked;
}

const kept = (place: Place<LayerRepository>): Promise<string> =>
  withStore(place, async (repository) => snapshot((await attached(repository)).book));

const names = (book: LayerBook): string[] => [...book.layers()].map(({ name }) => name);

export function layerRepositoryConformance({
  name,
  runs: numRuns = 6,
  newPlace,
}: Implementation<LayerRepository>): void {
  describe(`a layer repository: ${name}`, () => {
    test('returns its content after any work, and after any further work', async () => {
      const runs = fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 0, max: 120 }),
        async (seed, steps) => {
          const place = newPlace();
          const random = randomFrom(seed);
          for (const part of [0, 1]) {
            const before = await withStore(place, async (repository) => {
              const { book, at } = await attached(repository);
              for (let step = 0; step < steps; step++) act(book, at, part * steps + step, random);
              return snapshot(book);
            });
            expect(await kept(place)).toBe(before);
          }
        },
      );
      await fc.assert(runs, { numRuns });
    });

    test('keeps no trace of non-persistent layers and of reservations', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        const { book } = await attached(repository);
        const passing = book.createLayer('passing', false);
        book.informChannel(passing, OF, msat(1), 'constrained');
        book.removeLayer(passing);
        const layer = book.createLayer('kept', true);
        book.reserve([{ shortChannelIdDir: OF, amountMsat: msat(1), layer }], 'a');
      });
      expect(JSON.parse(await kept(place))).toMatchObject([{ name: 'kept', cells: [] }]);
    });

    test('still has all acknowledged changes after a crash, and of the others the earliest ones', async () => {
      const place = newPlace();
      const store = await place.open();
      const { book } = await attached(store.repository);
      const first = book.createLayer('first', true);
      book.informChannel(first, OF, msat(7), 'unconstrained');
      await store.repository.durable(first);
      for (const name of ['second', 'third']) book.createLayer(name, true);
      await store.crash();
      await withStore(place, async (repository) => {
        const { book: found } = await attached(repository);
        expect(['first', 'second', 'third'].slice(0, names(found).length)).toEqual(names(found));
        expect([...found.layer('first')!.records]).toMatchObject([{ kind: 'minimum', amountMsat: 7n }]);
      });
    });

    test('reports that it cannot write, keeps accepting changes, and writes all of them later in order', async () => {
      const place = newPlace();
      const store = await place.open();
      const { book } = await attached(store.repository);
      store.refuse(true);
      const layer = book.createLayer('one', true);
      await expect(store.repository.durable(layer)).rejects.toMatchObject({ name: 'storeFailed' });
      book.createLayer('two', true);
      book.informChannel(layer, OF, msat(7), 'unconstrained');
      book.informChannel(layer, OF, msat(9), 'unconstrained');
      store.refuse(false);
      await store.repository.durable(layer);
      const before = snapshot(book);
      await store.crash();
      expect(await kept(place)).toBe(before);
    });

    test('remembers how far a layer was imported, even after a crash', async () => {
      const place = newPlace();
      const store = await place.open();
      const { book } = await attached(store.repository);
      expect(store.repository.imported('far')).toBe('none');
      store.repository.noteImport('far', 'begun');
      store.repository.noteImport('near', 'begun');
      await store.repository.durable(book.createLayer('near', true));
      store.repository.noteImport('near', 'whole');
      await store.repository.durable(book.createLayer('other', true));
      await store.crash();
      await withStore(place, async (repository) => {
        await attached(repository);
        const states = ['far', 'near', 'nobody'].map((name) => repository.imported(name));
        expect(states).toEqual(['begun', 'whole', 'none']);
      });
    });

    test('treats a layer that is removed and re-created with the same name as a new layer', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        const { book } = await attached(repository);
        const old = book.createLayer('name', true);
        book.informChannel(old, OF, msat(7), 'unconstrained');
        book.removeLayer(old);
        book.createLayer('name', true);
      });
      expect(JSON.parse(await kept(place))).toMatchObject([{ name: 'name', records: [] }]);
    });
  });
}
