/** Requirements on every `RuneRepository`. */
import { describe, expect, test } from 'vitest';
import type { RuneRepository, RuneRow } from '../../../src/store/rune-repository.ts';
import { type Implementation, type Place, withStore } from './under-test.ts';

const row = (uniqueId: bigint, lastUsedNs?: bigint): RuneRow => ({
  uniqueId,
  text: `rune ${uniqueId}`,
  lastUsedNs,
});

/** The entire content of the repository. */
const kept = (place: Place<RuneRepository>) =>
  withStore(place, async (repository) => ({
    runes: await repository.runes(),
    blacklist: await repository.blacklist(),
    nextUniqueId: await repository.nextUniqueId(),
  }));

export function runeRepositoryConformance({ name, newPlace }: Implementation<RuneRepository>): void {
  describe(`a repository of runes: ${name}`, () => {
    test('is empty at first, and 0 is the next id', async () => {
      expect(await kept(newPlace())).toEqual({ runes: [], blacklist: [], nextUniqueId: 0n });
    });

    test('returns runes in the order of their ids, for any order of writes', async () => {
      const place = newPlace();
      // Nanoseconds since 1970 exceed 2^53.
      const used = 1_800_000_000_123_456_789n;
      await withStore(place, async (repository) => {
        for (const one of [row(2n), row(0n), row(2n ** 40n)]) repository.putRune(one);
        repository.putLastUsed(2n, 5n);
        repository.putLastUsed(2n, used);
        repository.putLastUsed(7n, used);
      });
      expect(await kept(place)).toEqual({
        runes: [row(0n), row(2n, used), row(2n ** 40n)],
        blacklist: [],
        nextUniqueId: 2n ** 40n + 1n,
      });
    });

    test('keeps the last blacklist', async () => {
      const place = newPlace();
      const last = [
        { start: 1n, end: 1n },
        { start: 5n, end: 99_999_999n },
      ];
      await withStore(place, async (repository) => {
        repository.putBlacklist([{ start: 0n, end: 10n }]);
        repository.putBlacklist(last);
      });
      expect((await kept(place)).blacklist).toEqual(last);
    });

    test('keeps the counted spending, by rune and minute', async () => {
      const place = newPlace();
      const most = { uniqueId: 2n ** 63n - 1n, minute: 30_000_000, msat: 2n ** 70n };
      await withStore(place, async (repository) => {
        for (const minute of [1, 2, 3]) repository.putOutgo({ uniqueId: 5n, minute, msat: 10n });
        repository.putOutgo({ uniqueId: 5n, minute: 2, msat: 7n });
        repository.putOutgo({ uniqueId: 5n, minute: 3, msat: 0n });
        repository.putOutgo(most);
      });
      const rows = await withStore(place, (repository) => repository.outgo());
      expect([...rows].sort((a, b) => a.minute - b.minute)).toEqual([
        { uniqueId: 5n, minute: 1, msat: 10n },
        { uniqueId: 5n, minute: 2, msat: 7n },
        most,
      ]);
    });

    test('never gives an id twice', async () => {
      const place = newPlace();
      await withStore(place, async (repository) => {
        repository.putRune(row(0n));
        repository.skipUniqueIds(1000n);
      });
      await withStore(place, async (repository) => repository.putRune(row(5n)));
      expect((await kept(place)).nextUniqueId).toBe(1001n);
    });

    test('reports when a change is durable, and loses no durable change in a crash', async () => {
      const place = newPlace();
      const store = await place.open();
      store.repository.putRune(row(0n));
      await store.repository.durable();
      store.refuse(true);
      store.repository.putRune(row(1n));
      await expect(store.repository.durable()).rejects.toMatchObject({ name: 'storeFailed' });
      await store.crash();
      expect((await kept(place)).runes).toEqual([row(0n)]);
    });
  });
}
