/**
 * The PostgreSQL store in the form that conformance suites need. A place is the prepared database, emptied.
 * Suites use one place at a time.
 */
import type { Sql } from 'postgres';
import { PostgresStore, type StoreUser } from '../../../src/store/postgres/postgres-store.ts';
import { storeFailed } from '../../../src/store/postgres/refusal.ts';
import { newPreparedDatabase, type PreparedDatabase } from '../postgres-database.ts';
import { sharedPostgres } from '../postgres-server.ts';
import type { Implementation, OpenStore } from './under-test.ts';

const USER: StoreUser = {
  daemon: 'd1',
  ownNode: '02aa',
  payingNode: '02aa',
  network: 'simulated',
  chain: 'regtest',
};

const EMPTY = `
  SET search_path = fulgurite;
  DELETE FROM payment; DELETE FROM offer; DELETE FROM invoice_request; DELETE FROM offer_invoice;
  DELETE FROM series; DELETE FROM cancelled_period; DELETE FROM rune; DELETE FROM rune_blacklist;
  DELETE FROM rune_counter; DELETE FROM change_log; DELETE FROM snapshot;
  UPDATE number_block SET next = 1; UPDATE log_head SET seq = 0, changes = 0;
  UPDATE snapshot_head SET seq = 0, changes = 0`;

let prepared: Promise<{ database: PreparedDatabase; owner: Sql }> | undefined;

function database(): NonNullable<typeof prepared> {
  prepared ??= (async () => {
    const server = await sharedPostgres();
    const made = await newPreparedDatabase(server);
    return { database: made, owner: server.connect(made.owner) };
  })();
  return prepared;
}

/** @param pick returns the repository to test */
export function postgresql<R>(pick: (store: PostgresStore) => R): Implementation<R> {
  return {
    name: 'PostgreSQL',
    runs: 4,
    newPlace() {
      let isEmptied = false;
      return {
        async open() {
          const { database: made, owner } = await database();
          if (!isEmptied) await owner.unsafe(EMPTY);
          isEmptied = true;
          return openOn(made.daemon, pick);
        },
      };
    },
  };
}

async function openOn<R>(url: string, pick: (store: PostgresStore) => R): Promise<OpenStore<R>> {
  let isRefusing = false;
  const store = await PostgresStore.open(url, USER, {
    // Rows keep the suite's numbers, as when a data directory is moved into a database.
    isMoving: true,
    onCommit() {
      if (isRefusing) throw storeFailed('it is away');
    },
  });
  return {
    repository: pick(store),
    refuse(now) {
      isRefusing = now;
    },
    async close() {
      if (!isRefusing) await store.drain(5000);
      store.close();
    },
    crash: async () => store.close(),
  };
}

/** Ends the connection that empties places. */
export async function endPlaces(): Promise<void> {
  await (await prepared)?.owner.end();
}
