import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BatchOutcome } from '../../src/store/batch.ts';
import { Database, type WriteStep } from '../../src/store/database.ts';
import { type BatchTarget, GroupCommitter } from '../../src/store/sqlite/group-committer.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-store-'));
  path = join(directory, 'node.sqlite');
});
afterEach(() => rmSync(directory, { recursive: true }));

const FIRST = 'CREATE TABLE fact (id INTEGER PRIMARY KEY, value INTEGER) STRICT';
const SECOND = 'ALTER TABLE fact ADD COLUMN note TEXT';
const insert = (value: number) => ({ sql: 'INSERT INTO fact (value) VALUES (?)', parameters: [value] });
const values = (database: Database) => database.all('SELECT value FROM fact').map(({ value }) => value);

describe('opening', () => {
  test('applies the missing migrations, once each, and keeps the data', () => {
    const old = new Database(path, [FIRST]);
    old.transaction(() => old.run('INSERT INTO fact (value) VALUES (7)'));
    old.close();
    for (const _ of [1, 2]) {
      const database = new Database(path, [FIRST, SECOND]);
      expect(database.schemaVersion).toBe(2);
      expect(database.all('SELECT * FROM fact')).toEqual([{ id: 1, value: 7, note: null }]);
      database.close();
    }
  });

  test('recreates a file if a crash interrupted its creation before it had a write-ahead log', () => {
    // A transaction larger than the cache: its journal is on disk, and pages are overwritten before it
    // commits.
    const making = join(directory, 'making.sqlite');
    const connection = new DatabaseSync(making);
    connection.exec('PRAGMA journal_mode=DELETE; PRAGMA cache_size=2; BEGIN; CREATE TABLE half (value BLOB)');
    connection.exec(`INSERT INTO half WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200)
      SELECT zeroblob(4000) FROM n`);
    copyFileSync(making, path);
    copyFileSync(`${making}-journal`, `${path}-journal`);
    connection.close();
    expect(statSync(path).size).toBeGreaterThan(0);
    const database = new Database(path, [FIRST]);
    expect(database.schemaVersion).toBe(1);
    expect(database.all("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([{ name: 'fact' }]);
    database.close();
  });

  test('keeps the previous schema if a migration fails', () => {
    expect(() => new Database(path, [FIRST, `${SECOND}; nonsense`])).toThrow('nonsense');
    const database = new Database(path, [FIRST]);
    expect(database.schemaVersion).toBe(1);
    expect(database.all('SELECT * FROM fact')).toEqual([]);
    database.close();
  });

  test('works in write-ahead mode with full synchronisation', () => {
    const database = new Database(path, [FIRST]);
    const pragma = (name: string) => Object.values(database.all(`PRAGMA ${name}`)[0]!)[0];
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
    database.close();
  });

  test('copies the log into the main file before the log becomes long', () => {
    const database = new Database(path, [FIRST]);
    const { size } = statSync(path);
    // More than 1000 pages of 4 KiB, in two transactions.
    const big = `INSERT INTO fact (value)
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 400000) SELECT n FROM number`;
    for (let times = 0; times < 2; times++) database.transaction(() => database.run(big));
    expect(statSync(path).size).toBeGreaterThan(size);
    database.close();
  });

  test('creates files readable only by the owner, including the log', () => {
    const database = new Database(path, [FIRST]);
    database.transaction(() => database.run(insert(1).sql, 1));
    for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    database.close();
  });

  test('is refused to a second process while the first has the file open', () => {
    const database = new Database(path, [FIRST]);
    const script = `
      import { DatabaseSync } from '@photostructure/sqlite';
      try { new DatabaseSync(process.argv[1]).exec('CREATE TABLE intruder (a)'); console.log('in'); }
      catch (error) { console.log(error.errcode & 0xff); }`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, path], {
      encoding: 'utf8',
    });
    expect(run.stdout.trim()).toBe('5'); // SQLITE_BUSY
    database.close();
  });
});

describe('the file is unchanged after refusing', () => {
  /** A closed, valid database with schema 2. */
  const prepare = () => {
    const database = new Database(path, [FIRST, SECOND]);
    database.transaction(() => {
      for (let value = 0; value < 2000; value++) database.run(insert(value).sql, value);
    });
    database.close();
    return readFileSync(path);
  };
  const refused = (problem: string, message: RegExp, migrations = [FIRST, SECOND]) => {
    const before = readFileSync(path);
    expect(() => new Database(path, migrations)).toThrow(expect.objectContaining({ problem, path }));
    expect(() => new Database(path, migrations)).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  };

  test('a newer schema', () => {
    prepare();
    refused('newer-schema', /has schema 2, but .* up to 1: upgrade/, [FIRST]);
  });

  test('a newer schema that is still in the log of a killed process', () => {
    prepare();
    const script = `
      import { DatabaseSync } from '@photostructure/sqlite';
      const db = new DatabaseSync(process.argv[1]);
      db.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA user_version=3');
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--input-type=module', '-e', script, path]);
    refused('newer-schema', /has schema 3, but .* up to 2: upgrade/);
  });

  test('a file that is not a database', () => {
    writeFileSync(path, 'x'.repeat(5000));
    refused('corrupt', /not a database/);
  });

  test('a page overwritten in the middle', () => {
    const bytes = prepare();
    bytes.fill(0xa5, 4096 * 3, 4096 * 4);
    writeFileSync(path, bytes);
    refused('corrupt', /is damaged: Tree [^\n]*$/);
  });

  test('a truncated file', () => {
    const bytes = prepare();
    truncateSync(path, bytes.length - 4096 * 2);
    refused('corrupt', /damaged|malformed/);
  });

  test('the database of a different program', () => {
    const bytes = prepare();
    bytes.writeUInt32BE(0x12345678, 68); // application id (SQLite file format, 1.3)
    writeFileSync(path, bytes);
    refused('foreign', /another program/);
  });

  test('a directory that does not exist', () => {
    expect(() => new Database(join(directory, 'no', 'where'), [])).toThrow(
      expect.objectContaining({ problem: 'unavailable' }),
    );
  });
});

describe('group commit', () => {
  let fail: WriteStep | undefined;
  let database: Database;
  beforeEach(() => {
    fail = undefined;
    database = new Database(path, [FIRST], {
      onStep: (step) => {
        if (step === fail) throw new Error('disk full');
      },
    });
  });
  afterEach(() => database.close());

  test('reports durable at once if nothing was written', async () => {
    await new GroupCommitter(database).durable();
    expect(values(database)).toEqual([]);
  });

  test.each(['begin', 'write', 'commit'] as const)(
    'reports a disk that fails at %s, and loses nothing',
    async (step) => {
      const committer = new GroupCommitter(database);
      fail = step;
      committer.write(insert(1), insert(2));
      await expect(committer.durable()).rejects.toMatchObject({ name: 'storeFailed', code: -32003 });
      expect(values(database)).toEqual([]);
      expect(committer.queued).toBe(2);
      fail = undefined;
      committer.write(insert(3));
      await committer.durable();
      expect(values(database)).toEqual([1, 2, 3]);
    },
  );

  test('reports a commit as durable if the disk fails after it, and does not repeat it', async () => {
    const committer = new GroupCommitter(database);
    fail = 'committed';
    committer.write(insert(1));
    await committer.durable();
    fail = undefined;
    committer.write(insert(2));
    await committer.durable();
    expect([committer.queued, values(database)]).toEqual([0, [1, 2]]);
  });

  test('reports a commit as durable if the length of the log cannot be read after it', async () => {
    database.transaction(() => database.run(insert(1).sql, 1));
    // SQLite refuses to examine the log while rows are being read.
    const reading = database.iterateBig('SELECT value FROM fact UNION ALL SELECT 2');
    reading.next();
    const committer = new GroupCommitter(database);
    committer.write(insert(3));
    await committer.durable();
    reading.return();
    expect([committer.queued, values(database)]).toEqual([0, [1, 3]]);
  });

  test('is tried again for a new wait after a failure', async () => {
    const committer = new GroupCommitter(database);
    fail = 'commit';
    committer.write(insert(1));
    await expect(committer.durable()).rejects.toThrow('disk full');
    fail = undefined;
    await committer.durable();
    expect(values(database)).toEqual([1]);
  });

  test('has a bounded queue: if it is full, a write commits first, and throws if that fails', () => {
    const committer = new GroupCommitter(database, { maxQueued: 3 });
    committer.write(insert(1), insert(2));
    committer.write(insert(3), insert(4));
    expect(values(database)).toEqual([1, 2]);
    fail = 'commit';
    expect(() => committer.write(insert(5), insert(6))).toThrow('disk full');
    expect(committer.queued).toBe(2);
    fail = undefined;
    committer.flush();
    expect(values(database)).toEqual([1, 2, 3, 4]);
  });

  const refusal = {
    name: 'storeFailed',
    message: expect.stringMatching(/refuses.* UNIQUE constraint failed/),
  };
  const keyed = (id: number, value: number) => ({
    sql: 'INSERT INTO fact (id, value) VALUES (?, ?)',
    parameters: [id, value],
  });

  test('refuses only the group of a row that violates a constraint, and notifies only its owner', async () => {
    const refused: string[] = [];
    const committer = new GroupCommitter(database, { onRefused: ({ message }) => refused.push(message) });
    const [good, bad] = [{}, {}];
    committer.write(keyed(1, 1));
    committer.writeFor(bad, insert(20), keyed(1, 21));
    committer.writeFor(good, keyed(2, 2));
    const told = [committer.durable(good), committer.durable(), committer.durable(bad)];
    expect((await Promise.allSettled(told)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    await expect(committer.durable(bad)).rejects.toMatchObject(refusal);
    expect([committer.queued, values(database), refused.length]).toEqual([0, [1, 2], 1]);
    committer.write(keyed(3, 3));
    await committer.durable();
    expect(values(database)).toEqual([1, 2, 3]);
  });

  test('notifies all anonymous waiters of a commit whose refused row has no owner, and no later ones', async () => {
    const committer = new GroupCommitter(database);
    committer.write(keyed(1, 1), keyed(1, 2));
    const told = await Promise.allSettled([committer.durable(), committer.durable()]);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    committer.write(keyed(1, 1));
    await committer.durable();
    expect(values(database)).toEqual([1]);
  });

  test('counts a commit in which a group was refused, and stores its number', async () => {
    const counted: number[] = [];
    const note = (commit: number) => keyed(100 + commit, commit);
    database.countCommits({ from: 6, note, onCommitted: (commit) => counted.push(commit) });
    const committer = new GroupCommitter(database);
    committer.write(keyed(1, 1));
    committer.write(keyed(1, 2));
    await expect(committer.durable()).rejects.toMatchObject(refusal);
    expect([counted, values(database)]).toEqual([[7], [1, 7]]);
  });

  test('keeps the order of writes that were made while a commit failed', async () => {
    const batches: unknown[] = [];
    let end: (outcome: BatchOutcome) => void = () => undefined;
    const target: BatchTarget = {
      write(groups, done) {
        batches.push(groups);
        end = done;
      },
      settle: () => undefined,
    };
    const committer = new GroupCommitter(target);
    committer.write(insert(1));
    await nextTurn();
    committer.write(insert(2));
    end({ kind: 'failed', reason: 'disk full' });
    committer.write(insert(3));
    await nextTurn();
    expect(batches.at(-1)).toEqual([[insert(1)], [insert(2)], [insert(3)]]);
    committer.close();
  });

  test('loses nothing if the disk fails while the rows are tried one by one', async () => {
    const committer = new GroupCommitter(database);
    committer.write(keyed(1, 1));
    committer.write(keyed(1, 2));
    committer.write(keyed(2, 3));
    fail = 'commit';
    await expect(committer.durable()).rejects.toThrow('disk full');
    expect([committer.queued, values(database)]).toEqual([3, []]);
    fail = undefined;
    await expect(committer.durable()).rejects.toMatchObject(refusal);
    expect([committer.queued, values(database)]).toEqual([0, [1, 3]]);
  });

  test('is tried again after a failure, even without a further write', async () => {
    const committer = new GroupCommitter(database, { retryMs: 1 });
    let written = false;
    fail = 'commit';
    committer.write(insert(1));
    committer.whenWritten(() => {
      written = true;
    });
    await expect(committer.durable()).rejects.toThrow('disk full');
    expect(written).toBe(false);
    fail = undefined;
    await vi.waitFor(() => expect(committer.queued).toBe(0), { timeout: 20_000 });
    expect([written, values(database)]).toEqual([true, [1]]);
  });
});
