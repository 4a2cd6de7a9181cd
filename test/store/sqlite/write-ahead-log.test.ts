/**
 * Every checkpoint reads the write-ahead log. This leaves hardly any memory outside V8's heap behind: what is left there
 * is collected late, and fragments the heap of the C library.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Database } from '../../../src/store/database.ts';
import { logPages } from '../../../src/store/sqlite/write-ahead-log.ts';

/** Fewer than those that start a checkpoint. */
const PAGES = 900;
const PAGE_BYTES = 4096;
const READINGS = 10;

it('the write-ahead log is read without one array per frame', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fulgurite-log-'));
  const path = join(directory, 'node.sqlite');
  const database = new Database(path, ['CREATE TABLE page (content BLOB)']);
  database.transaction(() =>
    database.run(
      `INSERT INTO page WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${PAGES})
       SELECT zeroblob(4000) FROM n`,
    ),
  );
  // The largest of several readings, because a collection of garbage can happen during a reading.
  let left = 0;
  for (let reading = 0; reading < READINGS; reading++) {
    const before = process.memoryUsage().arrayBuffers;
    expect(logPages(`${path}-wal`).frames).toBeGreaterThanOrEqual(PAGES);
    left = Math.max(left, process.memoryUsage().arrayBuffers - before);
  }
  expect(left).toBeLessThan(16 * PAGE_BYTES);
  database.close();
  rmSync(directory, { recursive: true });
});
