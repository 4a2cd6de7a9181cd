/** Requirements on every `RecordRepository`. */
import { describe, expect, test } from 'vitest';
import type { RecordRepository } from '../../../src/store/record-repository.ts';
import { type Implementation, withStore } from './under-test.ts';

const record = (id: string, body = `{"is":"${id}"}`) => ({ id, body });

export function recordRepositoryConformance({ name, newPlace }: Implementation<RecordRepository>): void {
  describe(`a repository of records: ${name}`, () => {
    test('returns the last version of each record, by kind and in the order of ids', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        for (const id of ['c', 'a', 'b']) repository.putRecord('quote', record(id));
        repository.putRecord('quote', record('b', '"later \\u0000 é"'));
        repository.putRecord('webhook', record('a', '1'));
        repository.removeRecord('quote', 'c');
        repository.removeRecord('quote', 'never');
      });
      await withStore(place, async (repository) => {
        const quotes = [record('a'), record('b', '"later \\u0000 é"')];
        expect(await repository.records('quote')).toEqual(quotes);
        expect(await repository.records('webhook')).toEqual([record('a', '1')]);
        expect(await repository.records('notice')).toEqual([]);
        expect(await repository.record('quote', 'b')).toEqual(quotes[1]);
        expect(await repository.record('quote', 'c')).toBeUndefined();
      });
    });

    test('replaces a record only if it is as it was read', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        repository.putRecord('quote', record('one', '1'));
        await repository.durable();
        expect(await repository.replaceRecord('quote', record('one', '1'), '2')).toBe(true);
        expect(await repository.replaceRecord('quote', record('one', '1'), '3')).toBe(false);
        expect(await repository.replaceRecord('quote', record('none', '1'), '3')).toBe(false);
        expect(await repository.record('quote', 'one')).toEqual(record('one', '2'));
        expect(await repository.record('quote', 'none')).toBeUndefined();
      });
    });

    test('lists in pages', async () => {
      const place = newPlace();
      const ids = Array.from({ length: 25 }, (_, n) => String(n).padStart(4, '0'));
      await withStore(place, async (repository) => {
        for (const id of ids) repository.putRecord('notice', record(id));
      });
      await withStore(place, async (repository) => {
        const seen: string[] = [];
        for (let after = ''; ; ) {
          const page = await repository.records('notice', after, 10);
          seen.push(...page.map(({ id }) => id));
          if (page.length < 10) break;
          after = page.at(-1)!.id;
        }
        expect(seen).toEqual(ids);
      });
    });

    test('keeps safe records when the process dies', async () => {
      const place = newPlace();
      const store = await place.open();
      store.repository.putRecord('quote', record('kept'));
      await store.repository.durable();
      await store.crash();
      await withStore(place, async (repository) => {
        expect(await repository.record('quote', 'kept')).toEqual(record('kept'));
      });
    });
  });
}
