/**
 * Lists of an application, as CSV: a list written as RFC 4180 prescribes is read back, and errors name their
 * line.
 */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseApplicationList } from '../../src/commands/payments/books/application-list.ts';
import { FulguriteError } from '../../src/model/errors.ts';

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

test('a list written as RFC 4180 prescribes is read back, with any column order and line ending', () => {
  const key = fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((text) => text.trim() === text);
  const row = fc.record({ key, amount: fc.bigInt(0n, 10n ** 18n), note: fc.string({ maxLength: 20 }) });
  const rows = fc.uniqueArray(row, { selector: (one) => one.key, maxLength: 20 });
  fc.assert(
    fc.property(
      rows,
      fc.boolean(),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (list, isTurned, end, isEnded) => {
        const order = isTurned ? [2, 0, 1] : [0, 1, 2];
        const lines = [
          ['key', 'amount_msat', 'note'],
          ...list.map((one) => [quoted(one.key), `${one.amount}`, quoted(one.note)]),
        ];
        const text =
          lines.map((cells) => order.map((place) => cells[place]).join(',')).join(end) + (isEnded ? end : '');
        const read = parseApplicationList(text, 'csv');
        expect([...read]).toEqual(list.map(({ key: name, amount }) => [name, amount]));
      },
    ),
  );
});

describe('an error names its line', () => {
  it.each([
    ['', 1, 'the header should have the columns key and amount_msat'],
    ['key,amount\n', 1, 'there is no column amount_msat in the header'],
    ['key,key,amount_msat\n', 1, 'two columns are named key'],
    ['key,amount_msat\na,1\n\nb,1.5\n', 4, 'amount_msat should be a whole number of msat'],
    ['key,amount_msat\na,-1', 2, 'amount_msat should be a whole number of msat'],
    ['key,amount_msat\na\n', 2, 'amount_msat should be a whole number of msat'],
    ['key,amount_msat\n,5\n', 2, 'key should have 1 to 1024 characters'],
    ['key,amount_msat\n"a\nb",1\nc,x', 4, 'amount_msat should be a whole number of msat'],
    ['key,amount_msat\na,1\nb,2\na,1\n', 4, 'the key of line 2 is repeated'],
    ['key,amount_msat\n"a,1\n', 2, 'a quotation mark is not closed'],
    ['key,amount_msat\n"a"b,1\n', 2, 'text follows a closing quotation mark'],
  ])('%j', (text, line, reason) => {
    const read = (): unknown => parseApplicationList(text, 'list.csv');
    expect(read).toThrow(FulguriteError);
    expect(read).toThrow(`list.csv, line ${line}: ${reason}`);
  });

  it('any text yields a list or a typed error', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', ',', '\n', '\r', 'a', '1', 'key,amount_msat\n'),
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, (one) => {
        try {
          parseApplicationList(one, 'csv');
        } catch (error) {
          expect(error).toBeInstanceOf(FulguriteError);
        }
      }),
    );
  });
});

test('a million rows are accepted, and a million and one are refused', () => {
  const rows = Array.from({ length: 1_000_000 }, (_, n) => `k${n},${n}`).join('\n');
  const text = `key,amount_msat\n${rows}`;
  expect(parseApplicationList(text, 'csv').get('k999999')).toBe(999_999n);
  expect(() => parseApplicationList(`${text}\nmore,1`, 'csv')).toThrow('more than 1000000 rows');
});
