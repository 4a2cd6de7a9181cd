/**
 * Daemons on data directories that were damaged by hand. Each start is refused with one line, leaves every
 * file as it was, and succeeds only with `--recover`. Daemons that are killed or stopped by a signal are
 * separate processes. The others run in this process.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readMark } from '../../../src/store/directory-mark.ts';
import { Store } from '../../../src/store/store.ts';
import { DaemonHere } from '../../commands/daemon-here.ts';
import { DaemonProcess, MAIN, type Served } from '../../commands/daemon-process.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { commitsOf } from '../../store/commits.ts';

const GRAPH = ['--graph', 'synthetic:60'];
const DATABASE = 'fulgurite.sqlite3';
const WAL = `${DATABASE}-wal`;
const SUMS = `${DATABASE}.sums`;
const MARK = 'directory-mark';
const JOURNAL = 'simulated-network.journal';

/** A directory in which three payments were made before its process was killed. Each test gets a copy. */
const original = temporaryDirectory();
let payments: { destination: string; idempotency_key: string }[];
/** A copy of the original directory after the first payment and a clean stop. */
const earlier = temporaryDirectory();

const directories: { remove(): void }[] = [original, earlier];
let directory: string;
let daemon: DaemonHere | undefined;
/** The daemon that fills the original directory. */
let victim: DaemonProcess | undefined;

beforeAll(async () => {
  victim = await DaemonProcess.start(original.path, GRAPH);
  const { nodes } = await victim.result('listnodes');
  payments = nodes.slice(0, 12).map(({ nodeid }: { nodeid: string }) => ({
    destination: nodeid,
    amount_msat: 5000,
    idempotency_key: `to ${nodeid}`,
  }));
  await pay(payments[0]!, victim);
  await victim.stop();
  cpSync(original.path, earlier.path, { recursive: true });
  let commits = { made: 0, safe: 0 };
  // A checkpoint right before the kill would empty the write-ahead log. In that case, the daemon is started
  // and killed again.
  for (let tries = 0; commits.made === commits.safe && tries < 10; tries++) {
    victim = await DaemonProcess.start(original.path, GRAPH);
    for (const payment of payments.slice(1)) await pay(payment, victim);
    await victim.result('askrene-create-layer', { layer: `last ${tries}`, persistent: true });
    await victim.stop('SIGKILL');
    rmSync(join(original.path, 'fulgurite-rpc'));
    commits = commitsOf(original.path);
  }
  expect(commits.made).toBeGreaterThan(commits.safe);
}, 120_000);
beforeEach(() => {
  const copy = temporaryDirectory();
  directories.push(copy);
  directory = copy.path;
  cpSync(original.path, directory, { recursive: true });
});
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
});
afterAll(async () => {
  await victim?.stop('SIGKILL');
  for (const one of directories) one.remove();
});

/** Pays. The outcome does not matter, because the journal contains the attempts in any case. */
const pay = (payment: object, payer: Served = daemon!) => payer.call('keysend', payment);
const at = (name: string): string => join(directory, name);

/** Bytes of a frame: a header and a page. */
const FRAME_BYTES = 24 + 4096;

/**
 * Frames of a write-ahead log that are not copied into the database yet. A restarted log has older frames
 * after them, with a different salt (https://sqlite.org/fileformat2.html#walformat).
 */
function framesOf(log: Buffer): number {
  const salt = log.subarray(16, 24);
  let frames = 0;
  while (salt.equals(log.subarray(32 + frames * FRAME_BYTES + 8, 32 + frames * FRAME_BYTES + 16))) frames++;
  return frames;
}

/** The files, without SQLite's log and its index, because reading a database creates empty ones. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory)
      .sort()
      .filter((name) => lstatSync(at(name)).isFile())
      .map((name) => [name, readFileSync(at(name), 'latin1')] as const)
      .filter(([name, bytes]) => bytes !== '' && !name.endsWith('-shm')),
  );

/** Checks that a start is refused with one line and changes no file. Returns the line. */
async function refusal(...options: string[]): Promise<string> {
  const before = contents();
  const shown: string[] = [];
  const refused = await DaemonHere.start(directory, [...GRAPH, ...options], shown).then(
    (started) => {
      daemon = started;
      return new Error('it starts');
    },
    (error: Error) => error,
  );
  expect(refused.message).not.toBe('it starts');
  expect([refused.message.split('\n').length, shown]).toEqual([1, []]);
  expect(contents()).toEqual(before);
  return refused.message;
}

/** Runs the daemon as a process. Its start must be refused. Returns the exit code and the output. */
function refusedProcess() {
  const argv = [MAIN, 'start', '--data-dir', directory, '--workers', '1', ...GRAPH];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', timeout: 60_000 });
  return { status, stdout, stderr };
}

async function start(...options: string[]): Promise<void> {
  daemon = await DaemonHere.start(directory, [...GRAPH, ...options]);
}

const keys = async (): Promise<number> => (await daemon!.result('paystatus')).pay.length;

test('a killed node restarts without questions, and equal keys give equal answers', async () => {
  await start();
  expect(await keys()).toBe(payments.length);
  await daemon!.stop();
  expect(existsSync(at(WAL))).toBe(false);
});

const GONE = /requests with idempotency keys used before will pay again/;
const AS_IT_IS = /the database is used in its current state/;

/**
 * For each case: the damage to the directory, the error at the start, and the number of known payments after
 * `--recover`.
 */
const damages: [string, () => void, RegExp[], number][] = [
  [
    'the database is missing',
    () => rmSync(at(DATABASE)),
    [/sqlite3 is missing, and node 0[23]\w+ has used the directory/, GONE],
    0,
  ],
  ['the database is empty', () => truncateSync(at(DATABASE)), [/sqlite3 is empty, and node/, GONE], 0],
  [
    'the database is no database',
    () => writeFileSync(at(DATABASE), 'x'.repeat(9000)),
    [/is damaged|is not a database/, GONE],
    0,
  ],
  [
    'a page of the database is overwritten',
    () => {
      rmSync(at(WAL));
      copyFileSync(join(earlier.path, DATABASE), at(DATABASE));
      const bytes = readFileSync(at(DATABASE));
      writeFileSync(at(DATABASE), bytes.fill(0xa5, 4096 * 3, 4096 * 4));
    },
    [/is damaged: Tree/, GONE],
    0,
  ],
  [
    'the write-ahead log is missing',
    () => rmSync(at(WAL)),
    [/the last \d+ are missing because its write-ahead log/, AS_IT_IS],
    -1,
  ],
  [
    'a bit of the write-ahead log is flipped',
    () => {
      const bytes = readFileSync(at(WAL));
      bytes[32 + Math.floor(framesOf(bytes) / 2) * FRAME_BYTES + 8]! ^= 1;
      writeFileSync(at(WAL), bytes);
    },
    [/the last \d+ are missing because its write-ahead log/, AS_IT_IS],
    -1,
  ],
  [
    'the head of the write-ahead log is damaged',
    () => {
      const bytes = readFileSync(at(WAL));
      writeFileSync(at(WAL), bytes.fill(0, 0, 32));
    },
    [/the last \d+ are missing/, AS_IT_IS],
    -1,
  ],
  [
    'an older copy of the database is put back',
    () => {
      rmSync(at(WAL));
      copyFileSync(join(earlier.path, DATABASE), at(DATABASE));
    },
    [/ends at commit \d+, but commit \d+ was written/, AS_IT_IS],
    1,
  ],
  [
    'the key is missing',
    () => rmSync(at('node-key')),
    [/the key node-key of node 0[23].* is missing/, GONE],
    0,
  ],
  [
    'the key is of another node',
    () => writeFileSync(at('node-key'), `${'0'.repeat(63)}1\n`),
    [/the database belongs to node 0[23]\w+, and node-key to node 0279be667ef9/, GONE],
    0,
  ],
  [
    'the mark is missing',
    () => rmSync(at(MARK)),
    [/directory-mark is missing next to a database of \d+ commits/, AS_IT_IS],
    12,
  ],
  [
    'the mark is damaged',
    () =>
      writeFileSync(at(MARK), readFileSync(at(MARK), 'utf8').replace('"lastCommit":"0', '"lastCommit":"9')),
    [/: the file directory-mark is damaged\. Nothing/, AS_IT_IS],
    12,
  ],
  [
    'the journal of the simulated network is missing',
    () => rmSync(at(JOURNAL)),
    [/journal is missing/, /balances are reset/],
    12,
  ],
  [
    'the journal of the simulated network is empty',
    () => writeFileSync(at(JOURNAL), ''),
    [/journal is missing or empty/, /balances are reset/],
    12,
  ],
];

describe.each(damages)('%s', (_what, damage, says, known) => {
  test('the start is refused; with --recover it succeeds', async () => {
    damage();
    const said = await refusal();
    for (const pattern of [...says, /Nothing was changed/, /--data-dir/, /--recover/])
      expect(said).toMatch(pattern);
    await start('--recover');
    const found = await keys();
    if (known >= 0) expect(found).toBe(known);
    else expect(found).toBeLessThanOrEqual(payments.length);
  });
});

test('a refused process reports the same in one line, and exits with 78', async () => {
  rmSync(at(DATABASE));
  const message = await refusal();
  const before = contents();
  expect(refusedProcess()).toEqual({ status: 78, stdout: '', stderr: `fulgurite: ${message}\n` });
  expect(contents()).toEqual(before);
});

test('after --recover, later starts need no option, and the same keys give the same answers', async () => {
  rmSync(at(DATABASE));
  await start('--recover');
  const first = await pay(payments[0]!);
  await daemon!.stop();
  await start();
  expect(await pay(payments[0]!)).toEqual(first);
  expect(await keys()).toBe(1);
});

test('a backup made during payments is consistent, readable only by the owner, and starts only on purpose', async () => {
  await start();
  chmodSync(at('node-key'), 0o644);
  const destination = join(directory, 'copy');
  const paying = payments.map((payment) =>
    pay({ ...payment, idempotency_key: `${payment.idempotency_key} again` }),
  );
  const made = await daemon!.result('backup', { destination });
  await Promise.all(paying);
  expect(made).toEqual({ database: join(destination, DATABASE), bytes: statSync(made.database).size });
  expect(statSync(destination).mode & 0o777).toBe(0o700);
  expect(readdirSync(destination).sort()).toEqual([DATABASE, 'node-key', 'rune-secret']);
  for (const name of readdirSync(destination))
    expect(statSync(join(destination, name)).mode & 0o777).toBe(0o600);
  expect(await daemon!.error('backup', { destination })).toMatchObject({
    code: -32602,
    message: 'destination: already exists',
  });
  expect(await daemon!.error('backup', { destination: join(destination, 'no', 'parent') })).toMatchObject({
    message: 'destination: its parent directory does not exist',
  });
  expect(await daemon!.error('backup', { destination: 'copy' })).toMatchObject({
    code: -32602,
    message: expect.stringContaining('should be an absolute path'),
  });
  await daemon!.stop();
  directory = destination;
  expect(await refusal()).toMatch(
    /directory-mark is missing next to a database of \d+ commits.* a restored backup looks like this/,
  );
  await start('--recover');
  expect(await keys()).toBeGreaterThanOrEqual(payments.length);
});

/** The daemon's verdict on a rune. */
const rune = async (text: string) =>
  (await daemon!.call('checkrune', { rune: text, method: 'getinfo' })) as object;

test('a restored backup permits no rune that was blacklisted after it was made', async () => {
  await start();
  const made: string[] = [];
  for (let n = 0; n < 3; n++) made.push((await daemon!.result('createrune')).rune);
  await daemon!.result('blacklistrune', { start: 0 });
  const destination = join(directory, 'copy');
  await daemon!.result('backup', { destination });
  await daemon!.result('blacklistrune', { start: 1 });
  await daemon!.stop();
  directory = destination;
  const shown: string[] = [];
  daemon = await DaemonHere.start(directory, [...GRAPH, '--recover'], shown);
  for (const text of made) expect(await rune(text)).toMatchObject({ error: { code: 1503 } });
  expect(shown.join('')).toMatch(/runes 0 to 1002 are blacklisted.*Blacklisted before: 0\n/);
  await daemon.result('blacklistrune', { start: 2, relist: true });
  await daemon.stop();
  await start();
  expect(await rune(made[1]!)).toMatchObject({ error: { code: 1503 } });
  expect(await rune(made[2]!)).toMatchObject({ result: { valid: true } });
  expect((await daemon!.result('createrune')).unique_id).toBe('1003');
});

test('a blacklisted rune stays invalid when the database is lost', async () => {
  await start();
  const { rune: text } = await daemon!.result('createrune');
  await daemon!.result('blacklistrune', { start: 0 });
  await daemon!.stop();
  rmSync(at(DATABASE));
  await start('--recover');
  expect(await rune(text)).toMatchObject({ error: { code: 1501 } });
});

test('a stop requested as soon as the daemon is ready is clean', async () => {
  for (let i = 0; i < 3; i++) {
    await (await DaemonProcess.start(directory, GRAPH)).stop();
    expect(readdirSync(directory)).not.toContain('fulgurite-rpc');
    expect(readdirSync(directory)).not.toContain(WAL);
  }
});

/**
 * Makes the database larger than the part that each start checks for damage, then starts it with `--recover`,
 * as an operator would.
 */
async function growLong(): Promise<void> {
  rmSync(directory, { recursive: true });
  cpSync(earlier.path, directory, { recursive: true });
  const connection = new DatabaseSync(at(DATABASE));
  connection.exec('CREATE TABLE ballast (value BLOB); INSERT INTO ballast VALUES (zeroblob(70000000))');
  connection.close();
  rmSync(at(SUMS));
  await start('--recover');
  await daemon!.stop();
}

/** Overwrites a page that no request reads. */
function overwritePage(): void {
  const file = openSync(at(DATABASE), 'r+');
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 15_000);
  closeSync(file);
}

test('a page of a long database that differs from its checksum is found before the start', async () => {
  await growLong();
  overwritePage();
  expect(await refusal()).toMatch(/is damaged: page 15001 differs from its checksum/);
});

test('the structure of a long database is searched while the node serves: a fault stops it', async () => {
  await growLong();
  overwritePage();
  // The checksums would reveal the fault before the start, so the test removes them.
  rmSync(at(SUMS));
  const shown: string[] = [];
  const damaged = await DaemonHere.start(directory, [...GRAPH, '--recover'], shown);
  await expect(damaged.stopped).rejects.toThrow(/is damaged: .*prevent payments with damaged data/s);
  expect(shown.join('')).toContain('is damaged');
  expect(await refusal()).toMatch(/is damaged/);
});

test('a long database whose end is missing is refused before the start', async () => {
  rmSync(directory, { recursive: true });
  cpSync(earlier.path, directory, { recursive: true });
  const connection = new DatabaseSync(at(DATABASE));
  connection.exec('CREATE TABLE ballast (value BLOB); INSERT INTO ballast VALUES (zeroblob(70000000))');
  connection.close();
  truncateSync(at(DATABASE), 2 ** 26 + 4096);
  expect(await refusal()).toMatch(/is damaged/);
});

test('files that --recover gives up are kept under a different name', async () => {
  const database = readFileSync(at(DATABASE));
  const log = readFileSync(at(WAL));
  rmSync(at('node-key'));
  await start('--recover');
  const bad = (name: string) => readdirSync(directory).find((file) => file.startsWith(`${name}.bad-`))!;
  expect(readFileSync(at(bad(DATABASE))).equals(database)).toBe(true);
  expect(readFileSync(at(bad(WAL))).equals(log)).toBe(true);
});

test('the database of a different directory of the same node', async () => {
  rmSync(at(DATABASE));
  rmSync(at(WAL));
  const other = temporaryDirectory();
  directories.push(other);
  copyFileSync(at('node-key'), join(other.path, 'node-key'));
  const store = new Store(join(other.path, DATABASE));
  const { nodeId, network, chain } = readMark(at(MARK))!;
  store.settleIn({ directoryId: '0'.repeat(32), nodeId, network, chain }, join(other.path, MARK), false);
  store.close();
  renameSync(join(other.path, DATABASE), at(DATABASE));
  expect(await refusal()).toMatch(/comes from another data directory of the same node/);
});

describe('a different network', () => {
  test.each([
    [
      ['--network', 'peer', '--graph', 'none'],
      /belongs to --network simulated --chain bitcoin, but .* --network peer/,
    ],
    [['--chain', 'regtest'], /belongs to --network simulated --chain bitcoin, .* --chain regtest/],
  ])('%j is refused, with --recover too', async (options, says) => {
    expect(await refusal(...options)).toMatch(says);
    expect(await refusal(...options, '--recover')).toMatch(says);
  });

  test('a directory of a release without marks is identified by the network’s files', async () => {
    for (const name of readdirSync(directory)) if (name !== 'node-key') rmSync(at(name), { recursive: true });
    writeFileSync(at('gossip_store.regtest'), '');
    expect(await refusal()).toMatch(/belongs to --network peer --chain regtest/);
    writeFileSync(at(JOURNAL), 'outcomes');
    expect(await refusal('--network', 'peer', '--graph', 'none')).toMatch(/belongs to --network simulated/);
    expect(await refusal()).toMatch(/is missing, and gossip_store.regtest shows that the directory was used/);
  });
});

describe('a directory of a release without marks', () => {
  /** The directory as a release without marks left it, with the schema of that release. */
  beforeEach(async () => {
    await start();
    await daemon!.stop();
    const connection = new DatabaseSync(at(DATABASE));
    connection.exec(`DROP TABLE data_directory; DROP TABLE imported_layer; DROP TABLE rune;
      DROP TABLE rune_blacklist; DROP TABLE rune_counter; DROP TABLE rune_outgo; DROP TABLE spent_key; DROP TABLE kept_record;
      DROP INDEX payment_idempotency_key_again; DROP INDEX payment_payment_hash_again;
      DROP INDEX payment_local_request_id_again; DROP INDEX payment_local_request_id; ALTER TABLE payment DROP COLUMN local_request_id;
      DROP INDEX payment_uid; ALTER TABLE payment DROP COLUMN uid;
      DROP INDEX attempt_uid; ALTER TABLE attempt DROP COLUMN uid; ALTER TABLE attempt DROP COLUMN own_node;
      ALTER TABLE attempt DROP COLUMN uncorrected_ppm;
      DROP TABLE last_place; DROP INDEX payment_created_place; ALTER TABLE payment DROP COLUMN created_order;
      PRAGMA user_version=4`);
    connection.close();
    rmSync(at(MARK));
    rmSync(at(SUMS));
  });

  test('opens as it is, and has a mark afterwards', async () => {
    await start();
    expect(await keys()).toBe(payments.length);
    await daemon!.stop();
    expect(statSync(at(MARK)).mode & 0o777).toBe(0o600);
    rmSync(at(DATABASE));
    expect(await refusal()).toMatch(/is missing/);
  });

  test('is refused without its database, because the journal still exists', async () => {
    rmSync(at(DATABASE));
    expect(await refusal()).toMatch(
      /is missing, and simulated-network.journal shows that the directory was used/,
    );
  });
});

test('a key alone is a new directory of that node', async () => {
  for (const name of readdirSync(directory)) if (name !== 'node-key') rmSync(at(name), { recursive: true });
  await start();
  expect(readdirSync(directory)).toContain(MARK);
});

test('files with secrets that others can read are named', () => {
  chmodSync(at('node-key'), 0o644);
  rmSync(at(JOURNAL));
  mkdirSync(at(JOURNAL));
  const { status, stderr } = refusedProcess();
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/node-key is open to other users \(mode 644\): chmod 600/),
  ]);
});
