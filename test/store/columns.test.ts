import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeText, decodeU64, encodeText, encodeU64 } from '../../src/store/columns.ts';
import { Database } from '../../src/store/database.ts';
import { temporaryDirectory } from '../rpc/support.ts';

test('values survive the database: full 64-bit integers, any text, null', () => {
  const directory = temporaryDirectory();
  const database = new Database(`${directory.path}/db`, ['CREATE TABLE pair (number INTEGER, text TEXT)']);
  const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
  const pair = fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.option(anyText, { nil: undefined }));
  fc.assert(
    fc.property(fc.array(pair, { minLength: 50, maxLength: 50 }), (pairs) => {
      database.transaction(() => {
        database.run('DELETE FROM pair');
        for (const [number, text] of pairs) {
          database.run('INSERT INTO pair VALUES (?, ?)', encodeU64(number), encodeText(text));
        }
      });
      const rows = [...database.iterateBig('SELECT * FROM pair ORDER BY rowid')];
      expect(rows.map((row) => [decodeU64(row.number), decodeText(row.text)])).toEqual(pairs);
    }),
    { numRuns: 10 },
  );
  database.close();
  directory.remove();
  expect(encodeU64(undefined)).toBeNull();
});
