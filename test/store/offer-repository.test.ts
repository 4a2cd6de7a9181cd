/** What the store keeps of offers, against the same work in memory; and a disk that fails meanwhile. */
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { SeriesRow } from '../../src/store/offer-repository.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { randomFrom } from './layer-actions.ts';
import { act, OffersInMemory, snapshot } from './offer-actions.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());
let files = 0;
const newPath = (): string => join(directory.path, `${files++}.sqlite`);

const series: SeriesRow = {
  offerId: new Uint8Array(32).fill(1),
  label: 'a "label"\n',
  start: 70,
  basetime: 2n ** 64n - 1n,
  counter: 3,
};

describe('what is read back', () => {
  test('is what was put, after any work, and after any more work on that', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 0, max: 80 }), (seed, steps) => {
        const path = newPath();
        const random = [randomFrom(seed), randomFrom(seed)] as const;
        const memory = new OffersInMemory();
        for (const part of [0, 1]) {
          const store = new Store(path);
          for (let step = 0; step < steps; step++) {
            act(store.offers, part * steps + step, random[0]);
            act(memory, part * steps + step, random[1]);
          }
          store.close();
          const read = new Store(path);
          expect(snapshot(read.offers)).toBe(snapshot(memory));
          read.close();
        }
      }),
      { numRuns: 25 },
    );
  });

  test('is an invoice under its latest index: it was made anew', () => {
    const store = new Store(newPath());
    const memory = new OffersInMemory();
    const random = randomFrom(3);
    for (let step = 0; step < 200; step++) act(memory, step, random);
    const [oldest, ...others] = [...memory.invoices()] as { label: string; createdIndex: number }[];
    for (const row of [oldest, ...others, { ...oldest, createdIndex: 1000 }])
      store.offers.putInvoice(row as never);
    store.committer.flush();
    const labels = [...store.offers.invoices()].map(({ label }) => label);
    expect(labels).toEqual([...others.map(({ label }) => label), oldest?.label]);
    store.close();
  });
});

describe('a series', () => {
  test('is found before it is on disk, and after', async () => {
    const path = newPath();
    const store = new Store(path);
    const { offers } = store;
    offers.save(series);
    expect(offers.find(series.offerId, series.label)).toEqual(series);
    await offers.durable();
    expect(offers.find(series.offerId, series.label)).toEqual(series);
    const next = { ...series, counter: 4 };
    offers.save(next);
    expect(offers.find(series.offerId, series.label)).toEqual(next);
    store.close();
    const again = new Store(path);
    expect(again.offers.find(series.offerId, series.label)).toEqual(next);
    expect(again.offers.find(series.offerId, 'another label')).toBeUndefined();
    expect(again.offers.find(new Uint8Array(32), series.label)).toBeUndefined();
    again.close();
  });

  test('on a full disk is refused, found all the same, and written with the next', async () => {
    const path = newPath();
    let isFull = false;
    const store = new Store(path, {
      onStep() {
        if (isFull) throw new Error('the disk is full');
      },
    });
    isFull = true;
    store.offers.save(series);
    await expect(store.offers.durable()).rejects.toMatchObject({ code: -32003 });
    expect(store.offers.find(series.offerId, series.label)).toEqual(series);
    isFull = false;
    store.offers.save({ ...series, label: 'next' });
    await store.offers.durable();
    store.close();
    const again = new Store(path);
    expect(again.offers.find(series.offerId, series.label)).toEqual(series);
    again.close();
  });
});
