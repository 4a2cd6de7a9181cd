import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Layer } from '../../src/layers/layer.ts';
import { msat, U64_MAX } from '../../src/model/msat.ts';
import { parseShortChannelIdDir, type ShortChannelId } from '../../src/model/short-channel-id.ts';
import { Store } from '../../src/store/store.ts';
import { clockedBook } from './layer-actions.ts';

const KINDS = ['minimum', 'maximum', 'impression'] as const;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-store-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('layers in the SQLite database', () => {
  test('delay an answer until its mutation is on disk, and share commits', async () => {
    const path = join(directory, 'a.sqlite');
    let commits = 0;
    const store = new Store(path, {
      onStep: (step) => {
        if (step === 'committed') commits += 1;
      },
    });
    const { book } = clockedBook();
    await store.layers.attach(book);
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

  test('are not queued if they are not persistent', async () => {
    const store = new Store(join(directory, 'a.sqlite'));
    const { book } = clockedBook();
    await store.layers.attach(book);
    const of = parseShortChannelIdDir('1x1x1/0')!;
    const passing = book.createLayer('passing', false);
    book.informChannel(passing, of, msat(1), 'constrained');
    book.removeLayer(passing);
    const layer = book.createLayer('kept', true);
    book.reserve([{ shortChannelIdDir: of, amountMsat: msat(1), layer }], 'a');
    expect(store.committer.queued).toBe(1);
    store.close();
  });

  test('keep the order of several pages of records after a kill, which leaves a copy of the files', async () => {
    const path = join(directory, 'a.sqlite');
    const store = new Store(path);
    const { book } = clockedBook();
    await store.layers.attach(book);
    const layers = ['xpay', 'other'].map((name) => book.createLayer(name, true));
    const count = 10_010;
    for (let n = 0; n < count; n++) {
      book.adopt(layers[n % 7 === 0 ? 1 : 0]!, {
        type: 'inform',
        kind: KINDS[n % 3]!,
        // Layers with the maximum values of their columns, and with ordinary values.
        shortChannelId: (n % 2 === 0 ? U64_MAX - BigInt(n) : BigInt(n)) as ShortChannelId,
        direction: n % 5 === 0 ? 1 : 0,
        amountMsat: n % 11 === 0 ? U64_MAX : BigInt(n),
        timestamp: 1_700_000_000 + ((n * 7) % 1000),
      });
    }
    await store.committer.durable();
    const copy = join(directory, 'killed');
    mkdirSync(copy);
    for (const file of readdirSync(directory, { withFileTypes: true }))
      if (file.isFile()) copyFileSync(join(directory, file.name), join(copy, file.name));
    store.close();
    const again = new Store(join(copy, 'a.sqlite'));
    const rebuilt = clockedBook().book;
    await again.layers.attach(rebuilt);
    const shown = ({ records }: Layer): string =>
      [...records].map((record) => Object.values(record).join(' ')).join('\n');
    for (const layer of layers) expect(shown(rebuilt.layer(layer.name)!)).toBe(shown(layer));
    again.close();
  });

  test('report an invalid row as damage, with the path', async () => {
    const path = join(directory, 'a.sqlite');
    const store = new Store(path);
    store.committer.write({ sql: 'INSERT INTO layer (name) VALUES (?)', parameters: ['not json'] });
    store.close();
    const again = new Store(path);
    await expect(again.layers.attach(clockedBook().book)).rejects.toMatchObject({ problem: 'corrupt', path });
    again.close();
  });
});
