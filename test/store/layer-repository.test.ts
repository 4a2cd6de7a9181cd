import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import { parseShortChannelIdDir } from '../../src/model/short-channel-id.ts';
import { Store } from '../../src/store/store.ts';
import { act, clockedBook, randomFrom, snapshot } from './layer-actions.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-store-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function restored(path: string): string {
  const store = new Store(path);
  const { book } = clockedBook();
  store.layers.attach(book);
  store.close();
  return snapshot(book);
}

describe('layer repository', () => {
  test('what is read back is what was there, after any work, and after any more work on that', () => {
    let run = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 0, max: 120 }), (seed, steps) => {
        const path = join(directory, `${run++}.sqlite`);
        const random = randomFrom(seed);
        for (const part of [0, 1]) {
          const store = new Store(path);
          const { book, at } = clockedBook();
          store.layers.attach(book);
          for (let step = 0; step < steps; step++) act(book, at, part * steps + step, random);
          store.close();
          expect(restored(path)).toBe(snapshot(book));
        }
      }),
      { numRuns: 25 },
    );
  });

  test('layers that are not persistent, and reservations, leave no trace', () => {
    const path = join(directory, 'a.sqlite');
    const store = new Store(path);
    const { book } = clockedBook();
    store.layers.attach(book);
    const of = parseShortChannelIdDir('1x1x1/0')!;
    const passing = book.createLayer('passing', false);
    book.informChannel(passing, of, msat(1), 'constrained');
    book.removeLayer(passing);
    const kept = book.createLayer('kept', true);
    book.reserve([{ shortChannelIdDir: of, amountMsat: msat(1), layer: kept }], 'a');
    expect(store.committer.queued).toBe(1);
    store.close();
    expect(JSON.parse(restored(path))).toMatchObject([{ name: 'kept', cells: [] }]);
  });

  test('an answer can wait until its mutation is on disk, and many share one commit', async () => {
    const path = join(directory, 'a.sqlite');
    let commits = 0;
    const store = new Store(path, {
      onStep: (step) => {
        if (step === 'committed') commits += 1;
      },
    });
    const { book } = clockedBook();
    store.layers.attach(book);
    commits = 0;
    const waits = Array.from({ length: 50 }, (_, index) => {
      book.createLayer(`layer ${index}`, true);
      return store.committer.durable();
    });
    await Promise.all(waits);
    expect(commits).toBe(1);
    expect(store.committer.queued).toBe(0);
    expect(store.database.all('SELECT count(*) AS n FROM layer')).toEqual([{ n: 50 }]);
    store.close();
  });

  test('a row that makes no sense is damage, told with the path', () => {
    const path = join(directory, 'a.sqlite');
    const store = new Store(path);
    store.committer.write({ sql: 'INSERT INTO layer (name) VALUES (?)', parameters: ['not json'] });
    store.close();
    const again = new Store(path);
    expect(() => again.layers.attach(clockedBook().book)).toThrow(
      expect.objectContaining({ problem: 'corrupt', path }),
    );
    again.close();
  });
});
