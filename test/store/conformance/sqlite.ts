/** The SQLite store in the form that conformance suites need. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Store } from '../../../src/store/store.ts';
import type { Implementation, OpenStore } from './under-test.ts';

/** The SQLite store with the database in a separate thread. */
export function sqliteInThread<R>(directory: string, pick: (store: Store) => R): Implementation<R> {
  return {
    name: 'SQLite in a thread',
    newPlace() {
      const path = join(mkdtempSync(join(directory, 'place-')), 'node.sqlite');
      return { open: async () => openInThread(path, pick) };
    },
  };
}

function openInThread<R>(path: string, pick: (store: Store) => R): OpenStore<R> {
  const store = new Store(path, { hasThread: true });
  return {
    repository: pick(store),
    refuse(now) {
      // With this setting, SQLite refuses every write, as on a read-only disk.
      store.file.recordsNow(`PRAGMA query_only=${Number(now)}`);
    },
    async close() {
      store.close();
    },
    async crash() {
      store.committer.close();
      store.file.close();
    },
  };
}

/** @param pick returns the repository to test. @param directory the directory for the files */
export function sqlite<R>(directory: string, pick: (store: Store) => R): Implementation<R> {
  return {
    name: 'SQLite',
    newPlace() {
      const path = join(mkdtempSync(join(directory, 'place-')), 'node.sqlite');
      return { open: async () => openOn(path, pick) };
    },
  };
}

function openOn<R>(path: string, pick: (store: Store) => R): OpenStore<R> {
  let isRefusing = false;
  const store = new Store(path, {
    onStep() {
      if (isRefusing) throw new Error('the disk is full');
    },
  });
  return {
    repository: pick(store),
    refuse(now) {
      isRefusing = now;
    },
    async close() {
      store.close();
    },
    async crash() {
      store.committer.close();
      store.database.close();
    },
  };
}
