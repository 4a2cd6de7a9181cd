/**
 * Files that must survive a power cut: their content is flushed to disk before they get their name, and the directory
 * with that name is flushed before the caller continues.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const disk = vi.hoisted(() => ({ steps: [] as string[], isFull: false }));

/** Records the steps that matter for a power cut. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const paths = new Map<number, string>();
  const openSync: typeof fs.openSync = (path, ...more) => {
    const descriptor = fs.openSync(path, ...more);
    paths.set(descriptor, String(path));
    return descriptor;
  };
  const fsyncSync = (descriptor: number): void => {
    if (disk.isFull) throw new Error('ENOSPC');
    disk.steps.push(`flush ${paths.get(descriptor)}`);
    fs.fsyncSync(descriptor);
  };
  const named =
    (act: typeof fs.linkSync): typeof fs.linkSync =>
    (from, to) => {
      disk.steps.push(`name ${to}`);
      act(from, to);
    };
  return { ...fs, openSync, fsyncSync, linkSync: named(fs.linkSync), renameSync: named(fs.renameSync) };
});

const { makeSecret } = await import('../../../src/cli/files/secret-file.ts');
const { writeWhole } = await import('../../../src/cli/files/whole-file.ts');
const { MarkFile } = await import('../../../src/store/directory-mark.ts');
const { PageSums } = await import('../../../src/store/sqlite/page-sums.ts');
const { Database } = await import('../../../src/store/database.ts');

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-power-cut-'));
  path = join(directory, 'file');
  disk.steps.length = 0;
});
afterEach(() => {
  disk.isFull = false;
  rmSync(directory, { recursive: true });
});

/** The steps so far, without those of other files, and without temporary names. */
const steps = (file: string): string[] =>
  disk.steps
    .map((step) => step.replace(directory, 'DIR').replace(/(\.\d+)?\.new$/, ''))
    .filter((step) => step.endsWith(` DIR/${basename(file)}`) || step.endsWith(' DIR'));

const DURABLE = ['flush DIR/file', 'name DIR/file', 'flush DIR'];

test('a setting, or any other small file', () => {
  writeWhole(path, 'new\n');
  expect([steps(path), readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([
    DURABLE,
    'new\n',
    0o600,
  ]);
});

test('a secret', () => {
  makeSecret(path);
  expect(steps(path)).toEqual(DURABLE);
});

test('the mark of the data directory, and a change of what it belongs to', () => {
  const mark = {
    directoryId: '',
    nodeId: '',
    network: '',
    chain: '',
    lastCommit: 0,
    hasSimulatedJournal: false,
  };
  const file = new MarkFile(path, mark);
  expect(steps(path)).toEqual(DURABLE);
  file.setHasSimulatedJournal();
  expect(steps(path)).toEqual([...DURABLE, 'flush DIR/file']);
  file.close();
});

test('the checksums of the database', () => {
  new Database(path, []).close();
  disk.steps.length = 0;
  const sums = new PageSums(path);
  sums.rebuild();
  sums.note(new Map([[1, 0]]));
  sums.close();
  const ofSums = DURABLE.map((step) => step.replace('file', 'file.sums'));
  expect(steps(`${path}.sums`)).toEqual([...ofSums, 'flush DIR/file.sums']);
});

test('a file keeps its content if the disk is full', () => {
  writeWhole(path, 'old\n');
  disk.isFull = true;
  expect(() => writeWhole(path, 'new\n')).toThrow('ENOSPC');
  expect([readFileSync(path, 'utf8'), readdirSync(directory)]).toEqual(['old\n', ['file']]);
});
