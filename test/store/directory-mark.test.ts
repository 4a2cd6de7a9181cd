/** The mark of a data directory, as written and as read by releases that know fewer formats. */
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MarkFile, readMark } from '../../src/store/directory-mark.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const MARK = {
  directoryId: 'ab',
  nodeId: '02',
  network: 'simulated',
  chain: 'regtest',
  lastCommit: 7,
  hasSimulatedJournal: false,
};

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory.path, 'directory-mark');
});
afterEach(() => directory.remove());

test('the mark is read as it was written, after each commit, in the same number of bytes', () => {
  const file = new MarkFile(path, MARK);
  const { length } = readFileSync(path);
  expect(readMark(path)).toEqual(MARK);
  file.setLastCommit(8);
  file.setHasSimulatedJournal();
  expect(readMark(path)).toEqual({ ...MARK, lastCommit: 8, hasSimulatedJournal: true });
  expect(readFileSync(path)).toHaveLength(length);
  file.close();
});

test('the mark of a later release is refused', () => {
  new MarkFile(path, MARK).close();
  const { check: _, ...fields } = JSON.parse(readFileSync(path, 'utf8'));
  const later = JSON.stringify({ ...fields, format: fields.format + 1 });
  const check = hash('sha256', later, 'hex').slice(0, 16);
  writeFileSync(path, `${later.slice(0, -1)},"check":"${check}"}\n`);
  expect(() => readMark(path)).toThrow(
    expect.objectContaining({ problem: 'newer-schema', fault: expect.stringContaining('upgrade') }),
  );
});

test('the mark counts as damaged if a character was changed, and as absent without the file', () => {
  expect(readMark(path)).toBeUndefined();
  new MarkFile(path, MARK).close();
  writeFileSync(path, readFileSync(path, 'utf8').replace('regtest', 'bitcoin'));
  expect(() => readMark(path)).toThrow(expect.objectContaining({ problem: 'corrupt', fault: 'is damaged' }));
});
