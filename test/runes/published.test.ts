/** Runes are read, derived and checked as in the published cases of the rune library. */
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/rpc/json-token.ts';
import { complaintAbout, type Usage } from '../../src/runes/judge.ts';
import { parseRestrictions, type Restriction } from '../../src/runes/restriction.ts';
import {
  decodeRune,
  encodeRune,
  isDerived,
  issueRune,
  narrowRune,
  testedRestrictions,
} from '../../src/runes/rune.ts';
import { PUBLISHED, PUBLISHED_FORGED, PUBLISHED_MALFORMED, PUBLISHED_SECRET } from './published.ts';

const NEVER: Usage = { isKnown: true, lastUsedNs: undefined, spentMsat: 0n };

const textOf = (authcode: string, text: string): string =>
  Buffer.concat([Buffer.from(authcode, 'hex'), Buffer.from(text)]).toString('base64url');

/** Turns the field names of restrictions into parameters, because the cases have no commands. */
const onParameters = (restrictions: readonly Restriction[]): Restriction[] =>
  restrictions.map((one) =>
    one.map((alternative) => ({ ...alternative, field: `pname${alternative.field}` })),
  );

/** Whether a request with these values passes. Values that look like numbers are numbers. */
function passes(restrictions: readonly Restriction[], values: string): boolean {
  const members = values === '' ? [] : values.split(',').map((one) => /^(\w+)=(.*)$/s.exec(one)!);
  const params = members.map(
    ([, name, value]) => `${JSON.stringify(name)}:${/^-?\d+$/.test(value!) ? value : JSON.stringify(value)}`,
  );
  const asked = { method: undefined, params: parseJson(`{${params.join(',')}}`) };
  return complaintAbout(onParameters(restrictions), asked, NEVER, 0) === undefined;
}

describe.each(PUBLISHED)('$text', ({ text, authcode, passing, failing }) => {
  const rune = decodeRune(textOf(authcode, text))!;

  it('belongs to the secret, and can be derived from it again', () => {
    expect(isDerived(PUBLISHED_SECRET, rune)).toBe(true);
    expect(encodeRune(issueRune(PUBLISHED_SECRET, parseRestrictions(text)!))).toBe(encodeRune(rune));
  });

  it('permits what it should, and nothing else', () => {
    const restrictions = testedRestrictions(rune);
    expect(passing.filter((values) => !passes(restrictions, values))).toEqual([]);
    expect(failing.filter((values) => passes(restrictions, values))).toEqual([]);
  });
});

it('narrowing a rune without the secret gives the published one', () => {
  const [before, after] = PUBLISHED.slice(-2).map(
    ({ authcode, text }) => decodeRune(textOf(authcode, text))!,
  );
  expect(encodeRune(narrowRune(before!, after!.restrictions.at(-1)!))).toBe(encodeRune(after!));
});

it.each(PUBLISHED_MALFORMED)('%s is not the text of a rune', (text) => {
  expect(decodeRune(textOf('00'.repeat(32), text))).toBeUndefined();
});

it.each(PUBLISHED_FORGED)('%s is not the authcode of %s', (authcode, text) => {
  expect(isDerived(PUBLISHED_SECRET, decodeRune(textOf(authcode, text))!)).toBe(false);
});
