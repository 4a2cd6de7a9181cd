/**
 * Parts of the explorer without a browser: numbers for people, addresses, exact JSON, events split from a
 * stream.
 */
import { describe, expect, test } from 'vitest';
import { EventCutter } from '../../src/explorer/events.ts';
import { parseExact, writeExact } from '../../src/explorer/exact-json.ts';
import { about, duration, odds, parseAmount, sat, share, visible } from '../../src/explorer/format.ts';
import { addressOf, changed, placeOf } from '../../src/explorer/router.ts';
import { terminalCommand } from '../../src/explorer/terminal.ts';

/** Replaces thin spaces with plain ones, so that the expectations are readable. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

describe('amounts', () => {
  test.each([
    [0, '0 sat'],
    [1, '0.001 sat'],
    [1_500, '1.5 sat'],
    [412_000_000, '412 000 sat'],
    [18_446_744_073_709_551_615n, '18 446 744 073 709 551.615 sat'],
  ])('%s msat are shown as %s', (msat, text) => expect(plain(sat(msat))).toBe(text));

  test.each([
    ['1000', 1_000_000n],
    ['1 000 sat', 1_000_000n],
    ['1\u202f000\u202fsat', 1_000_000n],
    ['5msat', 5n],
    ['0.00000001 btc', 1_000n],
    ['1.5', 1_500n],
    ['2k', 2_000_000n],
    ['1.2345', undefined],
    ['-1', undefined],
    ['', undefined],
    ['1e3', undefined],
  ])('%j is read as %s msat', (text, msat) => expect(parseAmount(text)).toBe(msat));

  test('figures that need not be exact have three digits', () => {
    expect([123_456_789, 99_500_000_000, 250_000_000_000, 42_000].map((one) => plain(about(one)))).toEqual([
      '123 k sat',
      '99.5 M sat',
      '2.5 BTC',
      '42 sat',
    ]);
  });
});

test('odds claim no unjustified certainty', () => {
  const shown = [0, 40, 999_999, 1_000_000, 500_000, 12_345].map((one) => plain(odds(one)));
  expect(shown).toEqual(['< 0.1 %', '< 0.1 %', '> 99.9 %', '100 %', '50 %', '1.2 %']);
});

test('shares and lengths of time', () => {
  expect([share(1_204, 1_000_000), share(0, 5), share(1, 0)].map(plain)).toEqual(['0.12 %', '0 %', '–']);
  expect([0.5, 12, 1_500, 90_000, 7_200_000, 200_000_000].map((one) => plain(duration(one)))).toEqual([
    '0.5 ms',
    '12 ms',
    '1.5 s',
    '1 min',
    '2 h',
    '2 d',
  ]);
});

test('a hostile text cannot hide or reverse anything', () => {
  expect(visible('a\u202eb\u200bc\u0000d\u2066e\ufefff')).toBe('a□b□c□d□e□f');
  expect(visible('⚡ Ünïcode 道 🦊')).toBe('⚡ Ünïcode 道 🦊');
});

test('JSON keeps every digit, in both ways of reading it', () => {
  const text = '{"a":18446744073709551615,"b":[1,2.5,-9007199254740993,null],"c":"18446744073709551615"}';
  const value = {
    a: 18446744073709551615n,
    b: [1, 2.5, -9007199254740993n, null],
    c: '18446744073709551615',
  };
  expect(parseExact(text)).toEqual(value);
  expect(writeExact({ ...value, d: undefined })).toBe(text);
});

describe('addresses', () => {
  test('consist of a page, its path and the query', () => {
    const place = placeOf('/ui/layers/a%2Fb', '?amount=5&to=02ab');
    expect([place.page, place.rest, place.query.get('to')]).toEqual(['layers', ['a/b'], '02ab']);
    expect(addressOf(place)).toBe('/ui/layers/a%2Fb?amount=5&to=02ab');
    expect(addressOf(changed(place, { amount: undefined, to: '03' }))).toBe('/ui/layers/a%2Fb?to=03');
    expect(placeOf('/ui/', '')).toMatchObject({ page: '', rest: [] });
    expect(placeOf('/ui/x/%', '').rest).toEqual(['%']);
  });
});

describe('events of a stream', () => {
  test('are the same for any split of the text', () => {
    const text =
      'retry: 1000\n\nid: 7\n\n: quiet\n\nid: 8\nevent: stats\ndata: {"a":1}\n\nevent: reset\ndata: {}\nid: 9\n\n';
    for (let at = 0; at <= text.length; at++) {
      const cutter = new EventCutter();
      const events = [...cutter.take(text.slice(0, at)), ...cutter.take(text.slice(at))];
      expect(events).toEqual([
        { name: 'stats', text: '{"a":1}' },
        { name: 'reset', text: '{}' },
      ]);
      expect(cutter.lastId).toBe('9');
    }
  });

  test('an incomplete event at the end of a connection is dropped', () => {
    const cutter = new EventCutter();
    expect(cutter.take('id: 3\nevent: stats\ndata: {"a"')).toEqual([]);
    cutter.restart();
    expect(cutter.take('id: 4\nevent: stats\ndata: {}\n\n')).toEqual([{ name: 'stats', text: '{}' }]);
  });
});

test('the line for the terminal is valid in a shell', () => {
  const params = { source: '02ab', layers: ["it's", 'b'], amount_msat: 5n, maxparts: undefined };
  expect(terminalCommand('getroutes', params)).toBe(
    `fulgurite -k getroutes source=02ab 'layers=["it'\\''s","b"]' amount_msat=5`,
  );
  expect(terminalCommand('getinfo', {})).toBe('fulgurite getinfo');
});
