/**
 * The database in a separate thread: this thread continues while the disk works, everything is written in
 * order, and damage is found during other work.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifyPages } from '../../../src/store/sqlite/page-sums.ts';
import { Store } from '../../../src/store/store.ts';
import { temporaryDirectory } from '../../rpc/support.ts';
import { attemptRow, paymentRow } from '../payment-actions.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let store: Store;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'node.sqlite');
  store = new Store(path, { hasThread: true });
});
afterEach(() => {
  store.close();
  directory.remove();
});

const insert = (name: string) => ({ sql: 'INSERT INTO layer (name) VALUES (?)', parameters: [name] });
const names = async () => (await store.file.rows('SELECT name FROM layer ORDER BY id')).map(([name]) => name);

test('the event loop keeps running during a commit; writes made meanwhile go into the next commit', async () => {
  let commits = 0;
  store.committer.timeCommits(() => commits++);
  store.committer.write(insert('first'));
  await new Promise((resolve) => setImmediate(resolve));
  // The commit has begun, and cannot complete before the next turn of the loop.
  expect([commits, store.committer.queued]).toEqual([0, 1]);
  store.committer.write(insert('second'));
  const both = store.committer.durable();
  expect(store.committer.queued).toBe(2);
  await both;
  expect([commits, store.committer.queued, await names()]).toEqual([2, 0, ['first', 'second']]);
});

test('flush blocks its thread until everything is on disk', async () => {
  store.committer.write(insert('first'));
  await new Promise((resolve) => setImmediate(resolve));
  store.committer.write(insert('second'));
  store.committer.flush();
  expect(store.committer.queued).toBe(0);
  expect(await names()).toEqual(['first', 'second']);
});

test('a disk that refuses writes loses nothing, and everything is written in order when it accepts writes again', async () => {
  store.file.recordsNow('PRAGMA query_only=1');
  store.committer.write(insert('first'));
  await expect(store.committer.durable()).rejects.toMatchObject({ name: 'storeFailed' });
  store.committer.write(insert('second'));
  expect(() => store.committer.flush()).toThrow(/not on disk/);
  expect([store.committer.queued, await names()]).toEqual([2, []]);
  store.file.recordsNow('PRAGMA query_only=0');
  await store.committer.durable();
  expect(await names()).toEqual(['first', 'second']);
});

test('values come back unchanged: 64-bit integers, bytes and null', async () => {
  const row = paymentRow(1, { groupId: 2n ** 64n - 1n, totalMsat: 2n ** 63n, preimage: undefined });
  store.payments.put({}, row, [attemptRow(1, 0)]);
  await store.payments.durable();
  const [record] = await store.payments.payments();
  expect(record!.payment).toMatchObject({
    groupId: 2n ** 64n - 1n,
    totalMsat: 2n ** 63n,
    preimage: undefined,
  });
  expect(Uint8Array.from(record!.payment.request)).toEqual(Uint8Array.from(row.request));
});

test('all ids of runes so far are blacklisted, and the next one is not', async () => {
  store.runes.putRune({ uniqueId: 4n, text: 'x', lastUsedNs: undefined });
  await store.runes.durable();
  expect(store.runes.blacklistAll()).toEqual({ before: [], range: { start: 0n, end: 4n } });
  await store.runes.durable();
  expect(await store.runes.blacklist()).toEqual([
    { start: 0n, end: (await store.runes.nextUniqueId()) - 1n },
  ]);
});

test('a query of a closed database is refused', async () => {
  const other = new Store(join(directory.path, 'other.sqlite'), { hasThread: true });
  other.close();
  await expect(other.payments.payments()).rejects.toMatchObject({ name: 'storeFailed' });
});

test('a file that cannot be opened is reported in the same way as without a thread', () => {
  expect(() => new Store(join(directory.path, 'no', 'where'), { hasThread: true })).toThrow(
    expect.objectContaining({ name: 'StoreError', problem: 'unavailable' }),
  );
  // A second process cannot open the file either, because this process holds it.
  expect(() => new Store(path, { hasThread: true, isInspected: true })).toThrow(
    expect.objectContaining({ name: 'StoreError', problem: 'locked' }),
  );
});

test('a disk that refuses the mark of the data directory is reported with the path of the database', () => {
  store.file.recordsNow('PRAGMA query_only=1');
  const belonging = { directoryId: '0'.repeat(32), nodeId: '02aa', network: 'simulated', chain: 'regtest' };
  expect(() => store.settleIn(belonging, join(directory.path, 'directory-mark'), false)).toThrow(
    expect.objectContaining({ name: 'StoreError', problem: 'unavailable', path }),
  );
});

test('the search for damage finds an overwritten page while writes continue', async () => {
  const ballast = { sql: 'INSERT INTO layer (name) VALUES (?)', parameters: ['x'.repeat(4000)] };
  store.committer.write(...Array.from({ length: 500 }, () => ballast));
  await store.committer.durable();
  expect(await store.file.check()).toBeUndefined();
  const bytes = statSync(path).size;
  expect(bytes).toBeGreaterThan(4096 * 200);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, 4096 * 100);
  closeSync(file);
  const found = store.file.check();
  store.committer.write(insert('meanwhile'));
  await store.committer.durable();
  expect(await found).toMatch(/^Tree \d+ page \d+/);
  // Afterwards the log is copied into the file again.
  store.committer.write(insert('later'));
  store.committer.flush();
  store.close();
  store = new Store(join(directory.path, 'third.sqlite'), { hasThread: true });
  const reader = new DatabaseSync(path, { readOnly: true });
  expect(reader.prepare('SELECT name FROM layer ORDER BY id DESC LIMIT 1').all()).toEqual([
    { name: 'later' },
  ]);
  reader.close();
});

test('a check that cannot read the file says that it failed', async () => {
  const unreadable = join(directory.path, 'unreadable.sqlite');
  const other = new Store(unreadable);
  other.committer.write(insert('first'));
  await other.committer.durable();
  expect(await other.file.check()).toBeUndefined();
  const file = openSync(unreadable, 'r+');
  writeSync(file, Buffer.alloc(100, 0xa5), 0, 100, 0);
  closeSync(file);
  await expect(other.file.check()).rejects.toThrow(
    'was not checked for damage: the check failed with exit code 1',
  );
  other.close();
});

test.each([
  ['exits', 'process.exit(1);'],
  ['throws', "throw new Error('uncaught');"],
])('a process that %s with an open database leaves it undamaged', (_, ending) => {
  const left = join(directory.path, 'left.sqlite');
  const module = new URL('../../../build/src/store/store.js', import.meta.url);
  const script = `
    import { Store } from '${module}';
    const store = new Store(process.argv[2], { hasThread: true });
    store.committer.write({ sql: 'INSERT INTO layer (name) VALUES (?)', parameters: ['first'] });
    await store.committer.durable();
    ${ending}`;
  const program = join(directory.path, 'program.mjs');
  writeFileSync(program, script);
  const { status } = spawnSync(process.execPath, [program, left]);
  expect(status).toBe(1);
  verifyPages(left);
  const reader = new DatabaseSync(left, { readOnly: true });
  expect(reader.prepare('SELECT name FROM layer').all()).toEqual([{ name: 'first' }]);
  reader.close();
});

test('a process that ends without a database waits until the thread has loaded its native module', () => {
  const module = new URL('../../../build/src/store/sqlite/file-thread.js', import.meta.url);
  const program = join(directory.path, 'program.mjs');
  writeFileSync(
    program,
    `import { FileThread } from '${module}';
     let isLoaded = false;
     process.on('worker', (worker) => worker.once('message', () => { isLoaded = true; }));
     process.on('exit', () => process.stdout.write(String(isLoaded)));
     FileThread.prepare();`,
  );
  const { stdout, status } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 20_000 });
  expect([stdout, status]).toEqual(['true', 0]);
});

test('a dead thread is not awaited: unwritten changes are reported at once', async () => {
  const threads: Worker[] = [];
  const keep = (worker: Worker) => threads.push(worker);
  process.on('worker', keep);
  const doomed = new Store(join(directory.path, 'doomed.sqlite'), { hasThread: true });
  // In the next turn, Node.js reports that a new thread is online.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('worker', keep);
  const doomedThread = threads.at(-1)!;
  await doomedThread.terminate();
  expect((await doomed.file.lost).message).toContain('the thread of the database ended');
  doomed.committer.write(insert('late'));
  // The grace period of an hour is for a full disk that may get space again. If it were awaited here, the
  // test would time out.
  expect([doomed.file.isLost, await doomed.drain(3_600_000), doomed.committer.queued]).toEqual([
    true,
    false,
    1,
  ]);
  expect(() => doomed.close()).toThrow('the thread of the database ended');
});
