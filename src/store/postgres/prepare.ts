/**
 * Creates the schema, upgrades it, and grants rights to roles. The operator runs this with a role that owns the schema;
 * daemons only check that it was done.
 */
import { StoreError } from '../store-error.ts';
import { type PostgresAddress, parsePostgresAddress } from './address.ts';
import { KnownServer } from './known-server.ts';
import { loadLibrary, PostgresLine } from './line.ts';
import { type GrantedRole, grants, LATER_INDEXES, POSTGRES_SCHEMA } from './schema.ts';

/** Timeout for a migration of a large database, in milliseconds. */
const MIGRATION_MS = 3_600_000;
/** Key of the advisory lock by which concurrent migrations wait for each other. Its value is arbitrary. */
const LOCK = 0x46756c67;

/** The roles that get rights, by the kind of rights. */
export type Grants = Readonly<Partial<Record<GrantedRole, string>>>;

/**
 * Prepares a database for daemons. Roles keep their rights, and get rights on new tables too.
 * @returns the versions of the schema before and now, the id of the fleet, and whether the server keeps checksums of
 * its pages (`data_checksums`)
 * @throws StoreError newer-schema, unavailable
 */
export async function preparePostgres(
  text: string,
  roles: Grants = {},
): Promise<{
  readonly before: number;
  readonly now: number;
  readonly fleet: string;
  readonly hasChecksums: boolean;
}> {
  const address = parsePostgresAddress(text);
  const line = await ownerLine(address);
  try {
    await line.ask('CREATE SCHEMA IF NOT EXISTS fulgurite');
    await line.ask('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)');
    const before = await readVersion(line);
    refuseNewer(before, address);
    const now = POSTGRES_SCHEMA.length;
    const migrations = POSTGRES_SCHEMA.slice(before).flatMap((sql) => [{ sql }]);
    const wanted = [...(await granted(line)), ...(Object.entries(roles) as [GrantedRole, string][])];
    await line.transaction(
      [
        { sql: `SELECT pg_advisory_xact_lock(${LOCK})` },
        // If another process has migrated while this one waited, this statement divides by zero, and the transaction
        // fails.
        { sql: `SELECT 1 / (CASE WHEN (${VERSION}) = ${before} THEN 1 ELSE 0 END)` },
        ...migrations,
        { sql: 'DELETE FROM schema_version' },
        { sql: `INSERT INTO schema_version VALUES (${now})` },
        ...wanted.flatMap(([kind, role]) => grants(kind, role).map((sql) => ({ sql }))),
      ],
      MIGRATION_MS,
    );
    await makeLaterIndexes(line);
    const [setting] = await line.ask('SHOW data_checksums');
    const hasChecksums = setting?.data_checksums !== 'off';
    return { before, now, fleet: await readFleetId(line), hasChecksums };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw unavailable(address, error);
  } finally {
    line.close();
  }
}

/**
 * Creates missing indexes, without a lock that would stop daemons. An index left unfinished by a broken connection is
 * invalid, and is created again.
 */
async function makeLaterIndexes(line: PostgresLine): Promise<void> {
  for (const [name, on] of Object.entries(LATER_INDEXES)) {
    const found = await line.ask(
      `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('fulgurite.${name}')`,
    );
    if (found[0]?.indisvalid === true) continue;
    await line.ask(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`, [], MIGRATION_MS);
    await line.ask(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`, [], MIGRATION_MS);
  }
}

/** Roles that already have rights. They get rights on new tables too. */
async function granted(line: PostgresLine): Promise<[GrantedRole, string][]> {
  const rows = await line.ask(`
    SELECT grantee::text AS role, bool_or(table_name = 'payment') AS is_daemon
    FROM information_schema.role_table_grants
    WHERE table_schema = 'fulgurite' AND grantee NOT IN (current_user, 'PUBLIC')
      AND (table_name = 'payment' AND privilege_type = 'INSERT' OR table_name = 'change_log')
    GROUP BY grantee`);
  return rows.map(({ role, is_daemon }) => [is_daemon === true ? 'daemon' : 'solver', String(role)]);
}

async function ownerLine(address: PostgresAddress): Promise<PostgresLine> {
  const settings = { statement_timeout: MIGRATION_MS, idle_in_transaction_session_timeout: 0 };
  return new PostgresLine(await loadLibrary(), address, new KnownServer(), { settings });
}

const VERSION = 'SELECT coalesce(max(version), 0) FROM schema_version';

async function readVersion(line: PostgresLine): Promise<number> {
  const [row] = await line.ask(`SELECT (${VERSION}) AS version`);
  return Number(row!.version);
}

function refuseNewer(version: number, { shown }: PostgresAddress): void {
  const known = POSTGRES_SCHEMA.length;
  if (version <= known) return;
  const message = `has schema ${version}, but this release knows only schemas up to ${known}: upgrade`;
  throw new StoreError('newer-schema', shown, message);
}

/** The id of the fleet that owns this database. */
export async function readFleetId(line: PostgresLine): Promise<string> {
  const [row] = await line.ask('SELECT id FROM fleet');
  return String(row!.id);
}

/** Checks that the schema is the one that this release uses. @throws StoreError */
export async function requirePrepared(line: PostgresLine, address: PostgresAddress): Promise<void> {
  let version: number;
  try {
    const [row] = await line.ask("SELECT to_regclass('fulgurite.schema_version') IS NOT NULL AS is_there");
    version = row!.is_there === true ? await readVersion(line) : 0;
  } catch (error) {
    throw unavailable(address, error);
  }
  refuseNewer(version, address);
  if (version === POSTGRES_SCHEMA.length) return;
  const state = version === 0 ? 'is not prepared' : `has schema ${version}, older than this release's`;
  const help = 'run `fulgurite store prepare` with the role that owns it';
  throw new StoreError('unprepared', address.shown, `${state}: ${help}`);
}

function unavailable(address: PostgresAddress, error: unknown): StoreError {
  const { message } = error as Error;
  return new StoreError('unavailable', address.shown, message, error);
}
