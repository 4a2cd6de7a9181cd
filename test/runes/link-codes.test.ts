/** Codes of links: each can be exchanged once for its rune, within a minute. */
import { expect, test } from 'vitest';
import { CODE_LIFE_MS, LinkCodes } from '../../src/runes/link-codes.ts';

test('a code yields its rune once', () => {
  const codes = new LinkCodes(() => 0);
  const [a, b] = [codes.issue('rune a'), codes.issue('rune b')];
  expect(a).toMatch(/^[\w-]{22}$/);
  expect([b, a, a, b, ''].map((code) => codes.redeem(code))).toEqual([
    'rune b',
    'rune a',
    undefined,
    undefined,
    undefined,
  ]);
});

test('a code works during its minute, but no longer at its end', () => {
  let now = 0;
  const codes = new LinkCodes(() => now);
  const [early, late] = [codes.issue('early'), codes.issue('late')];
  now = CODE_LIFE_MS - 1;
  expect(codes.redeem(early)).toBe('early');
  now = CODE_LIFE_MS;
  expect(codes.redeem(late)).toBeUndefined();
});

test('unused codes are limited in number: the oldest goes first', () => {
  const codes = new LinkCodes(() => 0);
  const given = Array.from({ length: 257 }, (_, number) => codes.issue(String(number)));
  expect(codes.redeem(given[0]!)).toBeUndefined();
  expect(codes.redeem(given[1]!)).toBe('1');
  expect(codes.redeem(given[256]!)).toBe('256');
});
