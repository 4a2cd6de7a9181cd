/**
 * Prepared databases on the test server: the owner made the schema, and daemons and solvers have their own
 * roles.
 */
import type { StoreUser } from '../../src/store/postgres/postgres-store.ts';
import { preparePostgres } from '../../src/store/postgres/prepare.ts';
import type { PostgresServer } from './postgres-server.ts';

/** Addresses of one database for its roles. */
export interface PreparedDatabase {
  readonly owner: string;
  readonly daemon: string;
  readonly solver: string;
}

/** Makes a database that daemons can use. */
export async function newPreparedDatabase(server: PostgresServer): Promise<PreparedDatabase> {
  const owner = await server.newDatabase();
  const name = new URL(owner).pathname.slice(1);
  const [daemon, solver] = rolesOf(name);
  const administrator = server.connect(server.url('postgres', 'postgres'));
  try {
    await administrator.unsafe(`CREATE ROLE ${daemon} LOGIN; CREATE ROLE ${solver} LOGIN`);
  } finally {
    await administrator.end();
  }
  await preparePostgres(owner, { daemon, solver });
  return preparedDatabase(server, name);
}

/** A daemon of a simulated network as user of a store. */
export const storeUser = (daemon: string): StoreUser => ({
  daemon,
  ownNode: daemon,
  payingNode: '02aa',
  network: 'simulated',
  chain: 'regtest',
});

/** Runs statements as the owner of the schema. */
export async function runAsOwner(server: PostgresServer, database: PreparedDatabase, sql: string) {
  const owner = server.connect(database.owner);
  try {
    return await owner.unsafe(sql);
  } finally {
    await owner.end();
  }
}

/** The addresses of a database that `newPreparedDatabase` made under this name. */
export function preparedDatabase(server: PostgresServer, name: string): PreparedDatabase {
  const [owner, daemon, solver] = [name, ...rolesOf(name)].map((role) => server.url(role, name));
  return { owner: owner!, daemon: daemon!, solver: solver! };
}

/** Names of a database's roles for daemons and for solvers. */
const rolesOf = (name: string): [string, string] => [`${name}_daemon`, `${name}_solver`];
