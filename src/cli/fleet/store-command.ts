/** `fulgurite store prepare` and `fulgurite store migrate`: an operator's commands for a PostgreSQL database. */
import { preparePostgres } from '../../store/postgres/prepare.ts';
import { UsageError } from '../client/client-arguments.ts';
import { parseOptions } from '../options/command-line.ts';
import { moveIntoDatabase } from './move-store.ts';

/** What `fulgurite store --help` prints. */
export const STORE_USAGE = `Usage:
  fulgurite store prepare [URL] [--daemon-role ROLE] [--solver-role ROLE]
      create or upgrade the tables in a PostgreSQL database, and grant rights to these roles. URL names the role
      that owns the tables: postgres://OWNER@HOST/DATABASE
  fulgurite store migrate DIR [URL]
      move the payments, layers, offers and runes of the data directory DIR into an empty prepared database.
      Stop the daemon of DIR first. URL names the role that owns the tables. The moved rows are counted and
      hashed on both sides. To restart an interrupted migration, run the same command again

Without URL, the address is read from the environment variable FULGURITE_STORE. Other users can read command lines, so
put an address with a password into the variable. See docs/fleet.md.
`;

/**
 * Runs a store command.
 * @returns the text to print
 * @throws UsageError, StoreError, DataDirectoryError
 */
export async function runStoreCommand(
  argv: readonly string[],
  { FULGURITE_STORE: store }: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const [verb, ...rest] = argv;
  if (verb === 'prepare') return prepare(rest, store);
  if (verb === 'migrate') return migrate(rest, store);
  throw new UsageError('store needs prepare or migrate; see fulgurite store --help');
}

/** A flipped bit in an index could make us pay twice. Only the server can detect it, with its checksums. */
const NO_CHECKSUMS =
  'warning: data_checksums is off, so the server does not notice damaged pages. Stop the server and run pg_checksums --enable\n';

async function prepare(argv: readonly string[], store: string | undefined): Promise<string> {
  const { values, positionals } = parseOptions(argv, OPTIONS);
  const { 'daemon-role': daemon, 'solver-role': solver } = values;
  const [url = store, ...more] = positionals;
  if (url === undefined || more.length > 0)
    throw new UsageError('store prepare takes one address; see fulgurite store --help');
  const roles = { ...(daemon !== undefined && { daemon }), ...(solver !== undefined && { solver }) };
  const { before, now, fleet, hasChecksums } = await preparePostgres(url, roles);
  const state = before === now ? `already has schema ${now}` : `was upgraded from schema ${before} to ${now}`;
  const granted = Object.values(roles);
  return `the database ${state}${granted.length > 0 ? `; rights: ${granted.join(', ')}` : ''}; id of the fleet: ${fleet}\n${hasChecksums ? '' : NO_CHECKSUMS}`;
}

async function migrate(argv: readonly string[], store: string | undefined): Promise<string> {
  const { positionals } = parseOptions(argv, OPTIONS);
  const [directory, url = store, ...more] = positionals;
  if (directory === undefined || url === undefined || more.length > 0) {
    throw new UsageError('store migrate takes a data directory and an address; see fulgurite store --help');
  }
  const moved = await moveIntoDatabase(directory, url);
  const lines = moved.map(
    ({ what, count, hash }) => `${String(count).padStart(10)} ${what}, sha256 ${hash}\n`,
  );
  return `moved and verified:\n${lines.join('')}start the daemon with --store\n`;
}

const OPTIONS = { 'daemon-role': { type: 'string' }, 'solver-role': { type: 'string' } } as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const STORE_OPTION_NAMES = Object.keys(OPTIONS);
