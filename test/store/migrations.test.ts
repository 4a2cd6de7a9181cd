/**
 * An upgrade happens entirely or not at all: at every step of every migration the files are copied as a kill
 * would leave them, and opened again. Every earlier row must still exist afterwards.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { PAGE_SUMS_SINCE, SCHEMA } from '../../src/store/schema.ts';
import { inspectDatabase } from '../../src/store/sqlite/database-file.ts';
import { sumsPath, verifyPages } from '../../src/store/sqlite/page-sums.ts';
import { MEMORY, temporaryDirectory } from '../rpc/support.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory(MEMORY);
});
afterEach(() => directory.remove());

/** The second schema is the first that has payments. Their columns here are those of that release. */
const WITH_PAYMENTS = 2;
const ROWS = 25;

/** A database of this version, whose payments were made under the second version of the schema. */
function olderDatabase(path: string, version: number): void {
  const second = new Database(path, SCHEMA.slice(0, WITH_PAYMENTS));
  second.transaction(() => {
    for (let n = 1; n <= ROWS; n++) {
      second.run(
        `INSERT INTO payment (id, payment_hash, preimage, group_id, total_msat, request, idempotency_key, status, created_at)
         VALUES (?, ?, ?, 0, ?, x'80', ?, 'complete', ?)`,
        n,
        new Uint8Array(32).fill(n),
        new Uint8Array(32).fill(100 + n),
        1000 * n,
        `key ${n}`,
        n,
      );
      second.run(
        `INSERT INTO attempt (id, payment, part_id, amount_msat, amount_sent_msat, probability_ppm, height,
           part_of_several, session_key, path, status, created_at)
         VALUES (?, ?, 0, 1, 1, 1, 1, 0, ?, x'90', 'settled', ?)`,
        n,
        n,
        new Uint8Array(32).fill(n),
        n,
      );
    }
  });
  second.close();
  new Database(path, SCHEMA.slice(0, version)).close();
}

/** Copies the files of a database at each step, as a kill would leave them. */
function copiesAtEachStep(path: string): { readonly killed: readonly string[]; readonly onStep: () => void } {
  const killed: string[] = [];
  const onStep = (): void => {
    const folder = join(directory.path, String(killed.length));
    mkdirSync(folder);
    for (const file of ['', '-wal', '-journal', '.sums']) {
      if (existsSync(path + file)) copyFileSync(path + file, join(folder, `node.sqlite${file}`));
    }
    killed.push(join(folder, 'node.sqlite'));
  };
  return { killed, onStep };
}

/** Verifies the checksums of a database that should have them, as a start does. */
function verifyAsAtStart(path: string): void {
  if (inspectDatabase(path, SCHEMA.length).version >= PAGE_SUMS_SINCE) verifyPages(path);
}

/** The data that must survive, in any schema. */
function rowsOf(database: Database): unknown {
  return database.all(
    `SELECT payment.id, total_msat, idempotency_key, hex(payment_hash) AS hash, hex(preimage) AS preimage,
       hex(session_key) AS key FROM payment JOIN attempt ON attempt.payment = payment.id ORDER BY payment.id`,
  );
}

it.each(
  SCHEMA.map((_, index) => index + 1).filter(
    (version) => version >= WITH_PAYMENTS && version < SCHEMA.length,
  ),
)('an upgrade from version %i may be killed at any step', (version) => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, version);
  const before = new Database(path, SCHEMA.slice(0, version));
  const expected = rowsOf(before);
  before.close();
  expect(expected).toHaveLength(ROWS);
  // Releases before this version kept no checksums.
  if (version < PAGE_SUMS_SINCE) rmSync(sumsPath(path));

  const { killed, onStep } = copiesAtEachStep(path);
  const upgraded = new Database(path, SCHEMA, { onStep });
  expect(rowsOf(upgraded)).toEqual(expected);
  upgraded.close();

  // Each migration has at least four steps: begin, write, commit, committed.
  expect(killed.length).toBeGreaterThanOrEqual(4 * (SCHEMA.length - version));
  for (const copy of killed) {
    verifyAsAtStart(copy);
    const reopened = new Database(copy, SCHEMA);
    expect(reopened.schemaVersion).toBe(SCHEMA.length);
    expect(rowsOf(reopened)).toEqual(expected);
    expect(reopened.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    reopened.close();
    verifyPages(copy);
  }
});

it('the first start may be killed at any step', () => {
  const { killed, onStep } = copiesAtEachStep(join(directory.path, 'node.sqlite'));
  new Database(join(directory.path, 'node.sqlite'), SCHEMA, { onStep }).close();
  expect(killed.length).toBeGreaterThanOrEqual(4);
  for (const copy of killed) {
    verifyAsAtStart(copy);
    new Database(copy, SCHEMA).close();
    verifyPages(copy);
  }
});

it('an upgrade whose checksums cannot be written is refused, keeps the schema, and succeeds later', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, PAGE_SUMS_SINCE - 1);
  rmSync(sumsPath(path));
  mkdirSync(sumsPath(path));
  expect(() => new Database(path, SCHEMA)).toThrow('cannot be used');
  expect(inspectDatabase(path, SCHEMA.length).version).toBe(PAGE_SUMS_SINCE - 1);
  rmdirSync(sumsPath(path));
  new Database(path, SCHEMA).close();
  verifyPages(path);
});

it('an upgrade replaces the checksums of a larger database', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, WITH_PAYMENTS);
  // The operator returned to the copy made before an earlier upgrade. The older release kept no checksums.
  writeFileSync(sumsPath(path), `FulgSums${'x'.repeat(4 * 10_000)}`);
  new Database(path, SCHEMA).close();
  verifyPages(path);
});

const copies = (): string[] => readdirSync(directory.path).filter((name) => /\.before-\w+$/.test(name));

it('an upgrade leaves one copy of the old database, which the older release can read', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, WITH_PAYMENTS);
  const made = [WITH_PAYMENTS + 1, SCHEMA.length].map((version) => {
    const upgraded = new Database(path, SCHEMA.slice(0, version));
    const { upgrade } = upgraded;
    upgraded.close();
    expect(copies()).toEqual([`node.sqlite.before-v${version}`]);
    expect(statSync(upgrade!.copy).mode & 0o777).toBe(0o600);
    return upgrade;
  });
  expect(made).toEqual([
    { from: WITH_PAYMENTS, to: WITH_PAYMENTS + 1, copy: `${path}.before-v${WITH_PAYMENTS + 1}` },
    { from: WITH_PAYMENTS + 1, to: SCHEMA.length, copy: `${path}.before-v${SCHEMA.length}` },
  ]);
  const before = new Database(made[1]!.copy, SCHEMA.slice(0, WITH_PAYMENTS + 1));
  expect(rowsOf(before)).toHaveLength(ROWS);
  before.close();
  // A current database needs no upgrade and so no copy, and neither does a new database.
  const again = new Database(path, SCHEMA);
  const fresh = new Database(join(directory.path, 'fresh.sqlite'), SCHEMA);
  expect([again.upgrade, fresh.upgrade]).toEqual([undefined, undefined]);
  for (const one of [again, fresh]) one.close();
  expect(copies()).toEqual([`node.sqlite.before-v${SCHEMA.length}`]);
});

it('an interrupted upgrade keeps the copy of the old database, after any number of interruptions', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, WITH_PAYMENTS);
  for (const kept of [2, 1]) {
    let begun = 0;
    const cutShort = {
      onStep: (step: string) => {
        if (step === 'begin' && begun++ === kept) throw new Error('cut short');
      },
    };
    expect(() => new Database(path, SCHEMA, cutShort)).toThrow('cut short');
    expect(copies()).toEqual(['node.sqlite.before-upgrade']);
  }
  const upgraded = new Database(path, SCHEMA);
  expect(upgraded.upgrade).toMatchObject({ to: SCHEMA.length, copy: `${path}.before-v${SCHEMA.length}` });
  upgraded.close();
  const before = new Database(upgraded.upgrade!.copy, SCHEMA.slice(0, WITH_PAYMENTS));
  expect([before.schemaVersion, before.upgrade]).toEqual([WITH_PAYMENTS, undefined]);
  expect(rowsOf(before)).toHaveLength(ROWS);
  before.close();
});

it('an upgrade without room for the copy is refused and changes nothing', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, WITH_PAYMENTS);
  // A folder with the copy's name exists, so the copy cannot be made.
  mkdirSync(`${path}.before-upgrade.new`);
  writeFileSync(join(`${path}.before-upgrade.new`, 'x'), '');
  expect(() => new Database(path, SCHEMA)).toThrow('cannot be used');
  const before = new Database(path, SCHEMA.slice(0, WITH_PAYMENTS));
  expect(before.schemaVersion).toBe(WITH_PAYMENTS);
  before.close();
});

it('a downgrade is refused, and the newer release still finds every row', () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, SCHEMA.length);
  const older = SCHEMA.length - 1;
  expect(() => new Database(path, SCHEMA.slice(0, older))).toThrow(
    `has schema ${SCHEMA.length}, but this release knows only schemas up to ${older}: upgrade`,
  );
  const again = new Database(path, SCHEMA);
  expect(rowsOf(again)).toHaveLength(ROWS);
  again.close();
});

it('a backup contains every row although others are being written', async () => {
  const path = join(directory.path, 'node.sqlite');
  olderDatabase(path, SCHEMA.length);
  const database = new Database(path, SCHEMA);
  const copy = join(directory.path, 'copy.sqlite');
  const copying = database.backup(copy);
  database.transaction(() => database.run("UPDATE payment SET status = 'failed' WHERE id = 1"));
  await copying;
  const connection = new DatabaseSync(copy, { readOnly: true });
  try {
    expect(connection.prepare('SELECT count(*) AS n FROM payment').get()).toEqual({ n: ROWS });
    expect(connection.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  } finally {
    connection.close();
    database.close();
  }
});
