/** The hash of a CSV file is that of its content, however many blocks were written. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CsvFile } from '../../src/laboratory/results/csv-file.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const directory = temporaryDirectory();
afterAll(() => directory.remove());

// Rows of 100 bytes: less than a block of 65,536 bytes, just about one, and several with a rest.
test.each([0, 10, 655, 656, 5000])('%i rows', (rows) => {
  const path = join(directory.path, `${rows}.csv`);
  const file = new CsvFile(path, ['a']);
  for (let row = 0; row < rows; row++) file.row(['x'.repeat(99)]);
  const hash = file.close();
  const content = readFileSync(path);
  expect(content.length).toBe('a\n'.length + 100 * rows);
  expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
});
