/**
 * The data directory: its contents, whether they are complete, and how it is opened.
 *
 * A used directory records its node, its network and the number of its last commit, both in the database and in the
 * mark file. If a file is missing, damaged, too old or from a different node, the start is refused and nothing is
 * changed. If such a start were allowed, an empty database could replace a lost one, and the node could repeat earlier
 * payments. With `--recover` the operator accepts the loss, and the node starts. Files that cannot be used are then
 * renamed to `NAME.bad-TIME`, and never deleted.
 *
 * docs/data-directory.md describes each file and how to back up.
 */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { NodeIdentity } from '../../commands/context.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Log } from '../../rpc/log.ts';
import { type DirectoryMark, readMark } from '../../store/directory-mark.ts';
import { PAGE_SUMS_SINCE, SCHEMA } from '../../store/schema.ts';
import {
  type Belonging,
  type DatabaseFacts,
  type InspectionDepth,
  inspectDatabase,
} from '../../store/sqlite/database-file.ts';
import { sumsPath, verifyPages } from '../../store/sqlite/page-sums.ts';
import { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { StartOptions } from '../options/start-options.ts';
import { programName, shellWord } from '../program-name.ts';
import { hasKey, identityOf, KEY_FILE, loadSecretKey } from './identity.ts';
import { makeDirectory } from './make-directory.ts';
import { RUNE_SECRET_FILE } from './rune-secret.ts';

/** Name of the database file within the data directory. */
export const STORE_FILE = 'fulgurite.sqlite3';
const MARK_FILE = 'directory-mark';
/** Name of a file that exists after a check has found damage. The next start then checks the whole database first. */
const DOUBT_FILE = `${STORE_FILE}.doubtful`;
/** A database up to this size is checked for damage before the start, in about 0.2 s. */
const SEARCHED_AT_START_BYTES = 2 ** 26;
/** Name of the file in which the simulated network stores our HTLCs between runs. */
export const SIMULATED_FILE = 'simulated-network.journal';
const GOSSIP_STORE = 'gossip_store.';
/** Number of rune ids that are skipped after a recovery, so that no id is used twice. */
const SKIPPED_RUNES = 1000n;
/** The files that are renamed if the database is lost: the database itself, and the files that belong to it. */
const LOST_FILES = [
  STORE_FILE,
  `${STORE_FILE}-wal`,
  `${STORE_FILE}-journal`,
  sumsPath(STORE_FILE),
  MARK_FILE,
  RUNE_SECRET_FILE,
];
/** The files that the daemon only reads once they exist, and those that it also writes. */
const READ_FILES = [KEY_FILE, RUNE_SECRET_FILE, MARK_FILE];
const WRITTEN_FILES = [
  STORE_FILE,
  `${STORE_FILE}-wal`,
  `${STORE_FILE}-shm`,
  sumsPath(STORE_FILE),
  SIMULATED_FILE,
];
/** Separates the name of a network from the id of the attached node. */
const BESIDE = ':';

/**
 * The directory cannot be used: for example, it is damaged, files are missing, or it was used with other options. The
 * message says what is wrong and, where possible, suggests a remedy.
 */
export class DataDirectoryError extends Error {}

/** Another process uses the directory. A later start may succeed. */
export class DirectoryInUse extends DataDirectoryError {}

/** An opened data directory. It belongs to this process until the store is closed. */
export interface DataDirectory {
  readonly identity: NodeIdentity;
  readonly secretKey: Uint8Array;
  /** The random id of the directory, chosen when it was first used. */
  readonly directoryId: string;
  readonly store: Store;
  /** Call this when the simulated network keeps its journal in the directory. From then on the journal must exist. */
  readonly noteSimulatedJournal: () => void;
  /**
   * Checks the database and its indexes for damage, in the background. The first check does nothing if the start has
   * already checked the database.
   * @throws DataDirectoryError when the database is damaged: no payment may use it, and the next start reports the
   *   damage immediately. StoreError when it could not be checked.
   */
  readonly searchForDamage: () => Promise<void>;
}

type Options = Pick<StartOptions, 'dataDirectory' | 'network' | 'chain' | 'recover'>;

/** What the caller wants to open. With an attached node, `network` also contains that node's id. */
type Wanted = Omit<Options, 'network'> & { readonly network: string };

/** The state of the directory before anything is written to it. */
interface Found {
  readonly mark: DirectoryMark | StoreError | undefined;
  /** Undefined when the file is missing or empty. */
  readonly database: DatabaseFacts | StoreError | undefined;
  /**
   * The damage found with the checksums of the database's pages, or the reason why the checksums cannot be used.
   * Undefined if no damage was found.
   */
  readonly sums: StoreError | undefined;
  /** How much of the database was checked. */
  readonly depth: InspectionDepth;
  readonly hasKey: boolean;
  readonly hasSimulatedJournal: boolean;
  /** Chains that have a gossip file. */
  readonly gossipChains: readonly string[];
}

/** A fault of the directory, and what `--recover` would do about it. */
interface Problem {
  readonly what: string;
  readonly recovery: string;
  /**
   * State of the database. `whole`: it can be trusted. `doubtful`: it may lack its newest rows. `lost`: it cannot be
   * used.
   */
  readonly database: 'whole' | 'doubtful' | 'lost';
}

/**
 * Opens a directory, or creates one. A directory used with an attached node, `nodeBehind`, is refused for any other
 * node.
 * @param meanwhile work of this thread while the thread of the database opens it; only for a directory that was not
 *   refused before that
 * @throws DataDirectoryError when files are missing, damaged or outdated, when the directory was used with other
 *   options, or when another process uses it; IdentityError, StoreError when a file cannot be used
 */
export function openDataDirectory(
  options: Options,
  log: Log,
  nodeBehind?: NodeId,
  meanwhile?: () => void,
): DataDirectory {
  try {
    return openUnlocked(options, log, nodeBehind, meanwhile);
  } catch (error) {
    if (!(error instanceof StoreError && error.problem === 'locked')) throw error;
    const { dataDirectory: directory } = options;
    const program = `${programName()} --data-dir ${shellWord(directory)}`;
    throw new DirectoryInUse(
      `${directory} is in use by another Fulgurite daemon. Call it (${program} getinfo), stop it (${program} stop), or ` +
        'use another --data-dir',
    );
  }
}

function openUnlocked(
  options: Options,
  log: Log,
  nodeBehind: NodeId | undefined,
  meanwhile: (() => void) | undefined,
): DataDirectory {
  const { dataDirectory: directory, network } = options;
  const wanted: Wanted = {
    ...options,
    network: nodeBehind === undefined ? network : `${network}${BESIDE}${nodeBehind}`,
  };
  try {
    makeDirectory(directory);
  } catch (error) {
    throw new DataDirectoryError(`cannot create the data directory: ${(error as Error).message}`);
  }
  requireAccess(directory);
  const found = look(directory);
  refuseOtherNetwork(wanted, found);
  const problem = problemOf(directory, found);
  if (problem !== undefined) {
    if (!wanted.recover) throw refusal(directory, problem);
    log.unusual(`${directory}: ${problem.what}; continuing with --recover: ${problem.recovery}`);
    setAside(directory, problem, log);
  }
  const secretKey = loadSecretKey(directory);
  warnIfReadable(directory, log);
  const identity = identityOf(secretKey);
  const store = new Store(join(directory, STORE_FILE), {
    isInspected: true,
    hasThread: true,
    ...(meanwhile && { meanwhile }),
    onRefused: (error) => log.broken(error.message),
  });
  const { upgrade } = store.file;
  if (upgrade !== undefined) {
    const { from, to, copy } = upgrade;
    log.unusual(`${STORE_FILE} was upgraded from schema ${from} to ${to}; ${copy} is the previous version`);
  }
  try {
    const known = problem === undefined ? knownBelonging(found) : undefined;
    const belonging: Belonging = {
      // After a recovery the directory gets a new id, because the files that were set aside no longer match it.
      directoryId: known?.directoryId ?? randomBytes(16).toString('hex'),
      nodeId: identity.id,
      network: wanted.network,
      chain: wanted.chain,
    };
    // Runes are recovered before the mark is written: after a crash in between, the directory must not look intact.
    if (problem !== undefined) recoverRunes(store, problem, log);
    store.settleIn(belonging, join(directory, MARK_FILE), found.hasSimulatedJournal);
    const { directoryId } = belonging;
    return {
      identity,
      secretKey,
      directoryId,
      store,
      noteSimulatedJournal: () => store.file.noteSimulatedJournal(),
      searchForDamage: afterTheStart(found, directory, () => searchForDamage(directory, store)),
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/**
 * Checks the permissions of the directory and its files. This comes first, because SQLite reports a missing permission
 * only as a database that it cannot open.
 * @throws DataDirectoryError when a permission is missing
 */
function requireAccess(directory: string): void {
  const { R_OK, W_OK, X_OK } = constants;
  requireMode(directory, R_OK | W_OK | X_OK, 'read and written');
  for (const name of READ_FILES) requireMode(join(directory, name), R_OK, 'read');
  for (const name of WRITTEN_FILES) requireMode(join(directory, name), R_OK | W_OK, 'read and written');
}

function requireMode(path: string, mode: number, what: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new DataDirectoryError(
      `${path} cannot be ${what} by the user that runs Fulgurite (${code}). Nothing was changed. Start Fulgurite as the ` +
        'owner of the data directory, or correct owner and mode with chown and chmod',
    );
  }
}

/**
 * Runes made after a backup are unknown, and their ids must not be reused. If the database is doubtful, it may also
 * lack blacklist entries, so all runes are blacklisted until the operator allows them again.
 * @throws FulguriteError storeFailed
 */
function recoverRunes(store: Store, { database }: Problem, log: Log): void {
  store.runes.skipUniqueIds(SKIPPED_RUNES);
  store.committer.flush();
  if (database !== 'doubtful') return;
  const { before, range } = store.runes.blacklistAll();
  store.committer.flush();
  const ranges = before.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
  log.unusual(
    `runes ${range.start} to ${range.end} are blacklisted, because the database may lack recent blacklist ` +
      'entries: showrunes lists the runes, and blacklistrune with relist=true allows them again. ' +
      `Blacklisted before: ${ranges.length === 0 ? 'none' : ranges.join(', ')}`,
  );
}

/**
 * Examines everything. Each page of the database is compared with its checksum, at about 1 s per GB. The structure of a
 * large database is checked later, by `searchForDamage` while the node serves, because that takes ten times longer.
 */
function look(directory: string): Found {
  const databasePath = join(directory, STORE_FILE);
  const size = sizeOf(databasePath);
  const names = readdirSync(directory);
  const depth = depthOf(size, names);
  const database =
    size === 0 ? undefined : orRecoverable(() => inspectDatabase(databasePath, SCHEMA.length, depth));
  return {
    mark: orRecoverable(() => readMark(join(directory, MARK_FILE))),
    database,
    sums: database instanceof StoreError ? undefined : wrongSums(databasePath, database?.version ?? 0),
    depth,
    hasKey: hasKey(directory),
    hasSimulatedJournal: sizeOf(join(directory, SIMULATED_FILE)) > 0,
    gossipChains: names
      .filter((name) => name.startsWith(GOSSIP_STORE))
      .map((name) => name.slice(GOSSIP_STORE.length)),
  };
}

/** The size of a file in bytes. 0 if it is missing. */
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * How much of the database to check. An existing write-ahead log shows that the node did not shut down cleanly, or that
 * its directory was copied while it ran.
 */
function depthOf(databaseBytes: number, names: readonly string[]): InspectionDepth {
  if (names.includes(DOUBT_FILE)) return 'indexes';
  if (databaseBytes > SEARCHED_AT_START_BYTES) return 'marks';
  return names.includes(`${STORE_FILE}-wal`) ? 'indexes' : 'whole';
}

/**
 * Compares the pages with their checksums. A database used by an older release has no checksums, or outdated ones,
 * because that release did not update them.
 */
function wrongSums(path: string, version: number): StoreError | undefined {
  if (version < PAGE_SUMS_SINCE) return undefined;
  const sums = sumsPath(path);
  if (!existsSync(sums)) return new StoreError('corrupt', sums, 'is missing, so damage cannot be detected');
  const found = orRecoverable(() => verifyPages(path));
  return found instanceof StoreError ? found : undefined;
}

/**
 * Returns the function `searchForDamage`, whose first call returns immediately if the start has checked the whole
 * database.
 */
function afterTheStart(
  { depth }: Found,
  directory: string,
  search: () => Promise<void>,
): () => Promise<void> {
  let isDone = depth !== 'marks';
  return async () => {
    if (!isDone) return search();
    isDone = false;
    rmSync(join(directory, DOUBT_FILE), { force: true });
  };
}

async function searchForDamage(directory: string, store: Store): Promise<void> {
  const doubt = join(directory, DOUBT_FILE);
  const defect = await store.file.check();
  if (defect === undefined) return;
  writeFileSync(doubt, `${defect}\n`);
  throw new DataDirectoryError(
    `${directory}: the database ${STORE_FILE} is damaged: ${defect}. The node stops to prevent payments with damaged data. ` +
      'The next start refuses the directory and suggests a remedy',
  );
}

/**
 * Returns the error about a damaged file, so that the operator can decide what to do. Throws any other error, such as
 * one about a file in use, or a file of a newer release.
 */
function orRecoverable<T>(read: () => T): T | StoreError {
  try {
    return read();
  } catch (error) {
    if (error instanceof StoreError && (error.problem === 'corrupt' || error.problem === 'foreign'))
      return error;
    throw error;
  }
}

/** The network, chain and node that the directory belongs to. The mark takes precedence over the database. */
function knownBelonging({ mark, database }: Found): Belonging | undefined {
  if (mark !== undefined && !(mark instanceof StoreError)) return mark;
  return database === undefined || database instanceof StoreError ? undefined : database.belonging;
}

/**
 * Refuses a directory of a different network or chain, because simulated and real payments never share a history, nor
 * do payments on different chains. Older releases wrote no mark file; their network is inferred from other files.
 * @throws DataDirectoryError
 */
function refuseOtherNetwork({ dataDirectory, network, chain }: Wanted, found: Found): void {
  const known = knownBelonging(found);
  const was = known ?? leftBy(found, chain);
  if (was === undefined || (was.network === network && was.chain === chain)) return;
  throw new DataDirectoryError(
    `${dataDirectory} belongs to ${inWords(was)}, but this start is for ${inWords({ network, chain })}: use the same ` +
      'options as before, or another --data-dir',
  );
}

/** The network, chain and node as text for messages. */
function inWords({ network, chain }: Pick<Belonging, 'network' | 'chain'>): string {
  const [name, nodeId] = network.split(BESIDE);
  const option = `--network ${name} --chain ${chain}`;
  return nodeId === undefined ? option : `node ${nodeId} (${option})`;
}

function leftBy(found: Found, chain: string): Pick<Belonging, 'network' | 'chain'> | undefined {
  // The simulated network has no chain, so the option's chain is used.
  if (found.hasSimulatedJournal) return { network: 'simulated', chain };
  const [first] = found.gossipChains;
  if (first === undefined) return undefined;
  return { network: 'peer', chain: found.gossipChains.includes(chain) ? chain : first };
}

/** The first fault found. Undefined when the directory is intact or new. */
function problemOf(directory: string, found: Found): Problem | undefined {
  const { mark, database, hasKey: keyIsThere, hasSimulatedJournal, gossipChains } = found;
  if (database instanceof StoreError) return lost(faultOf(database));
  const wasUsed = mark !== undefined || hasSimulatedJournal || gossipChains.length > 0;
  // A young database may have all its content in the write-ahead log, which may be lost.
  if ((database === undefined || database.version === 0) && wasUsed) {
    const state = existsSync(join(directory, STORE_FILE)) ? 'is empty' : 'is missing';
    return lost(`the database ${STORE_FILE} ${state}, and ${evidenceOf(found)}`);
  }
  const known = knownBelonging(found);
  if (!keyIsThere && (wasUsed || database !== undefined)) {
    const whose = known === undefined ? '' : ` of node ${known.nodeId}`;
    return lost(`the key ${KEY_FILE}${whose} is missing next to the database`);
  }
  if (database === undefined) return undefined;
  const nodeId = identityOf(loadSecretKey(directory)).id;
  if (database.belonging !== undefined && database.belonging.nodeId !== nodeId) {
    return lost(
      `the database belongs to node ${database.belonging.nodeId}, and ${KEY_FILE} to node ${nodeId}`,
    );
  }
  const wrong = found.sums === undefined ? undefined : doubtful(faultOf(found.sums));
  return disagreement(mark, database) ?? wrong ?? lostJournal(mark, found);
}

function disagreement(mark: Found['mark'], { belonging }: DatabaseFacts): Problem | undefined {
  if (mark instanceof StoreError) return doubtful(faultOf(mark));
  const commits = belonging?.lastCommit ?? 0;
  if (mark === undefined) {
    // Without commits, the directory is from a release without marks, or its first start crashed.
    if (commits === 0) return undefined;
    const looks = 'so the database may be outdated: a restored backup looks like this';
    return doubtful(`the file ${MARK_FILE} is missing next to a database of ${commits} commits, ${looks}`);
  }
  if (belonging === undefined)
    return doubtful('the database is an older copy, from before the directory was marked');
  if (belonging.directoryId !== mark.directoryId) {
    return doubtful('the database comes from another data directory of the same node');
  }
  if (commits >= mark.lastCommit) return undefined;
  return doubtful(
    `the database ends at commit ${commits}, but commit ${mark.lastCommit} was written: the last ` +
      `${mark.lastCommit - commits} are missing because its write-ahead log ${STORE_FILE}-wal was lost or damaged, or ` +
      'because it is an older copy',
  );
}

function lostJournal(mark: Found['mark'], { hasSimulatedJournal }: Found): Problem | undefined {
  if (mark === undefined || mark instanceof StoreError) return undefined;
  if (!mark.hasSimulatedJournal || hasSimulatedJournal) return undefined;
  return {
    what: `${SIMULATED_FILE} is missing or empty. It records the outcomes of simulated attempts and all balances`,
    recovery: 'all balances are reset, and attempts in flight count as failed',
    database: 'whole',
  };
}

/** The fault of a file, without the directory, which starts each message. */
const faultOf = ({ path, fault }: StoreError): string => `the file ${basename(path)} ${fault}`;

const lost = (what: string): Problem => ({
  what,
  recovery:
    'the node begins with an empty database; requests with idempotency keys used before will pay again; all earlier ' +
    'runes become invalid',
  database: 'lost',
});

const doubtful = (what: string): Problem => ({
  what,
  recovery:
    'the database is used in its current state; payments missing from it could be made again; all runes are ' +
    'blacklisted',
  database: 'doubtful',
});

function evidenceOf({ mark, gossipChains }: Found): string {
  if (mark instanceof StoreError) return `${MARK_FILE} is damaged`;
  if (mark !== undefined) return `node ${mark.nodeId} has used the directory`;
  const left = gossipChains.length > 0 ? `${GOSSIP_STORE}${gossipChains[0]}` : SIMULATED_FILE;
  return `${left} shows that the directory was used`;
}

const refusal = (directory: string, { what, recovery }: Problem): DataDirectoryError =>
  new DataDirectoryError(
    `${directory}: ${what}. Nothing was changed. Restore the missing files, or use another --data-dir, or ` +
      `start with --recover: ${recovery}`,
  );

/** Renames files that cannot be used. Copies parts of a doubtful database that would be overwritten. */
function setAside(directory: string, { database }: Problem, log: Log): void {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  // The rune secret is renamed as well: without the blacklist, it would make every revoked rune valid again.
  const names = database === 'lost' ? LOST_FILES : [sumsPath(STORE_FILE), MARK_FILE];
  for (const name of names) {
    const path = join(directory, name);
    if (!existsSync(path)) continue;
    renameSync(path, `${path}.bad-${time}`);
    log.unusual(`${name} is now ${name}.bad-${time}`);
  }
  const wal = join(directory, `${STORE_FILE}-wal`);
  // Opening the database overwrites everything after a damaged place in the log, so keep a copy.
  if (database !== 'lost' && existsSync(wal)) copyFileSync(wal, `${wal}.bad-${time}`);
}

/**
 * Warns when the modes of secret files give other users any access. Anyone who has these files can pay, or prove
 * payments, as this node.
 */
function warnIfReadable(directory: string, log: Log): void {
  for (const name of [KEY_FILE, RUNE_SECRET_FILE, STORE_FILE, `${STORE_FILE}-wal`]) {
    const path = join(directory, name);
    const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    if ((mode & 0o077) === 0) continue;
    log.unusual(`${path} is open to other users (mode ${mode.toString(8)}): chmod 600 ${path}`);
  }
}
