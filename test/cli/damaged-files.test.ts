/**
 * Damages the files of a data directory one bit or one sector at a time. Each damage must be found before the store
 * opens, or must change nothing: all tables, and all look-ups by each index, return the same as before.
 *
 * CI runs a small share. FULGURITE_DAMAGES=10000 runs that many; FULGURITE_TEST_SEED repeats a run.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, stdout } from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataDirectoryError, openDataDirectory } from '../../src/cli/files/data-directory.ts';
import { IdentityError } from '../../src/cli/files/identity.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import type { Log } from '../../src/rpc/log.ts';
import { Database } from '../../src/store/database.ts';
import { SCHEMA } from '../../src/store/schema.ts';
import { PageSums, sumsPath, verifyPages } from '../../src/store/sqlite/page-sums.ts';
import { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-error.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { attemptRow, paymentRow } from '../store/payment-actions.ts';

const PAYMENTS = 1000;
const DAMAGES = Number(env.FULGURITE_DAMAGES ?? 40);
const SEED = Number(env.FULGURITE_TEST_SEED ?? Date.now() % 2 ** 31);
const SECTOR_BYTES = 512;
const DATABASE = 'fulgurite.sqlite3';
const FILES = [DATABASE, `${DATABASE}-wal`, `${DATABASE}.sums`, 'directory-mark', 'node-key'];
/** The errors that report damage. */
const TYPED = [DataDirectoryError, StoreError, IdentityError];

const root = temporaryDirectory();
const killed = join(root.path, 'killed');
const stopped = join(root.path, 'stopped');
const trial = join(root.path, 'trial');
const silent: Log = {
  io: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  unusual: () => undefined,
  broken: () => undefined,
} as unknown as Log;

let state = SEED;
/** A random number in [0, `below`) (mulberry32). */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
}

const open = (dataDirectory: string) =>
  openDataDirectory({ dataDirectory, network: 'simulated', chain: 'regtest', recover: false }, silent);

const idOf = (n: number): string => n.toString(16).padStart(32, '0');

const payment = (n: number) => ({
  ...paymentRow(n, { id: idOf(n), status: n % 9 === 0 ? 'pending' : 'complete', completedAtMs: n }),
  idempotencyKey: `key-${n}`,
});

async function fill(store: Store): Promise<void> {
  for (let n = 1; n <= PAYMENTS; n++) {
    store.payments.put({}, payment(n), [
      attemptRow(n, 0, { id: idOf(n), status: 'settled', completedAtMs: n }),
    ]);
  }
  for (let n = 0; n < 20; n++) {
    store.runes.putRune({ uniqueId: BigInt(n), text: `rune ${n}`, lastUsedNs: undefined });
  }
  for (let n = 1; n <= 20; n++) {
    store.committer.write({ sql: 'INSERT INTO layer (id, name) VALUES (?, ?)', parameters: [n, `"${n}"`] });
  }
  await store.committer.durable();
  expect(store.file.recordsNow('SELECT count(*) AS n FROM payment')).toEqual([{ n: BigInt(PAYMENTS) }]);
}

/** A hash of all rows, and of everything that each index finds. */
function contents(store: Store): string {
  const hash = createHash('sha256');
  const see = (sql: string): void => {
    for (const row of store.file.recordsNow(sql)) {
      for (const value of Object.values(row)) hash.update(value instanceof Uint8Array ? value : `${value},`);
    }
  };
  const tables = store.file.recordsNow("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  for (const { name } of tables) see(`SELECT * FROM "${name}" NOT INDEXED ORDER BY rowid`);
  for (const column of ['idempotency_key', 'payment_hash', 'local_request_id']) {
    for (const index of [`payment_${column}`, `payment_${column}_again`]) {
      see(`SELECT ${column}, id FROM payment INDEXED BY ${index} WHERE ${column} IS NOT NULL ORDER BY id`);
    }
  }
  return hash.digest('hex');
}

beforeAll(async () => {
  mkdirSync(trial);
  const first = open(stopped);
  await fill(first.store);
  first.store.close();
  const second = open(stopped);
  for (let n = 1; n <= 100; n++) second.store.payments.put({}, payment(PAYMENTS + n), []);
  await second.store.committer.durable();
  cpSync(stopped, killed, { recursive: true });
  second.store.close();
});
afterAll(() => root.remove());

/** Damages a copy. @returns a description of the damage, for the failure message */
function damage(from: string): string {
  rmSync(trial, { recursive: true });
  cpSync(from, trial, { recursive: true });
  const names = FILES.filter((name) => from === killed || !name.endsWith('-wal'));
  // Half of all damages hit the database itself.
  const name = random(2) === 0 ? DATABASE : names[random(names.length)]!;
  const path = join(trial, name);
  const bytes = readFileSync(path);
  if (random(2) === 0) {
    const at = random(bytes.length);
    const bit = random(8);
    bytes[at]! ^= 1 << bit;
    writeFileSync(path, bytes);
    return `${name}: bit ${bit} of byte ${at}`;
  }
  const sectors = Math.ceil(bytes.length / SECTOR_BYTES);
  const at = random(sectors) * SECTOR_BYTES;
  const sector = bytes.subarray(at, at + SECTOR_BYTES);
  const kind = random(3);
  if (kind === 0) sector.fill(0);
  else if (kind === 1) for (let index = 0; index < sector.length; index++) sector[index] = random(256);
  else sector.set(Buffer.from(bytes.subarray(random(sectors) * SECTOR_BYTES)).subarray(0, sector.length));
  writeFileSync(path, bytes);
  return `${name}: sector at ${at}, kind ${kind}`;
}

/** 'found' or 'harmless' if the damage is found or changes nothing; otherwise a failure message. */
function verdictOf(before: string): string {
  let store: Store;
  try {
    ({ store } = open(trial));
  } catch (error) {
    return TYPED.some((type) => error instanceof type) ? 'found' : `untyped: ${error}`;
  }
  try {
    return contents(store) === before ? 'harmless' : 'silent';
  } catch (error) {
    return `it starts, and then: ${error}`;
  } finally {
    store.close();
  }
}

test(`every one of ${DAMAGES} damages is found at the start or changes nothing (seed ${SEED})`, () => {
  const counts: Record<string, number> = {};
  const failures: string[] = [];
  for (const from of [stopped, killed]) {
    rmSync(trial, { recursive: true });
    cpSync(from, trial, { recursive: true });
    const whole = open(trial).store;
    const before = contents(whole);
    whole.close();
    for (let count = 0; count < DAMAGES / 2; count++) {
      const what = damage(from);
      const verdict = verdictOf(before);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      if (verdict !== 'found' && verdict !== 'harmless') failures.push(`${what}: ${verdict}`);
    }
  }
  stdout.write(`${JSON.stringify(counts)} of ${DAMAGES} damages\n`);
  expect(failures).toEqual([]);
}, 7_200_000);

test('a key that damage hides from one index while the store is open causes an error, and is not treated as unknown', async () => {
  const path = join(root.path, 'open.sqlite3');
  const store = new Store(path);
  await fill(store);
  store.close();
  const bytes = readFileSync(path);
  const places: number[] = [];
  for (let at = bytes.indexOf('"key-500"'); at >= 0; at = bytes.indexOf('"key-500"', at + 1)) places.push(at);
  // The row itself, the two indexes, and possible remains of a page split.
  expect(places.length).toBeGreaterThanOrEqual(3);
  let refused = 0;
  for (const place of places) {
    const damaged = Buffer.from(bytes);
    damaged[place + 1]! ^= 1;
    writeFileSync(path, damaged);
    expect(() => verifyPages(path)).toThrow(StoreError);
    const opened = new Store(path, { isInspected: true });
    const answer = await opened.payments
      .payments({ idempotencyKey: 'key-500', limit: 1 })
      .catch((error: unknown) => error);
    if (answer instanceof FulguriteError) refused++;
    else expect(answer).toHaveLength(1);
    opened.close();
  }
  expect(refused).toBe(2);
});

test('an index that differs from its table is found after an unclean stop and by the daily search, though all checksums agree', async () => {
  const directory = join(root.path, 'differing');
  const path = join(directory, DATABASE);
  // The key occurs in the row and in indexes. Each damage changes one occurrence.
  const bytes = readFileSync(join(stopped, DATABASE));
  const places: number[] = [];
  for (let at = bytes.indexOf('"key-500"'); at >= 0; at = bytes.indexOf('"key-500"', at + 1)) places.push(at);
  let differing = 0;
  for (const place of places) {
    rmSync(directory, { recursive: true, force: true });
    cpSync(stopped, directory, { recursive: true });
    const damaged = Buffer.from(bytes);
    damaged[place + 1]! ^= 1;
    writeFileSync(path, damaged);
    const sums = new PageSums(path);
    sums.rebuild();
    sums.close();
    const { store, searchForDamage } = open(directory);
    await searchForDamage();
    const found = await searchForDamage().then(
      () => undefined,
      (error: unknown) => error,
    );
    store.close();
    if (found === undefined) continue;
    differing++;
    expect(found).toBeInstanceOf(DataDirectoryError);
    expect(() => open(directory)).toThrow(DataDirectoryError);
    rmSync(`${path}.doubtful`);
    open(directory).store.close();
    writeFileSync(`${path}-wal`, '');
    expect(() => open(directory)).toThrow(/is damaged/);
  }
  // Two indexes and the row contain the key.
  expect(differing).toBe(3);
});

test('checksums follow every checkpoint, and a crash after any of them leaves a directory that opens', async () => {
  const path = join(root.path, 'crash.sqlite3');
  const copy = join(root.path, 'crash-copy.sqlite3');
  const database = new Database(path, SCHEMA);
  for (let round = 0; round < 30; round++) {
    database.transaction(() => {
      for (let n = 0; n <= random(200); n++) {
        database.run('INSERT INTO layer (name) VALUES (?)', 'x'.repeat(random(3000)));
      }
    });
    if (random(2) === 0) database.checkpoint();
    for (const end of ['', '-wal']) cpSync(`${path}${end}`, `${copy}${end}`);
    cpSync(sumsPath(path), sumsPath(copy));
    verifyPages(copy);
  }
  database.close();
  verifyPages(path);
});
