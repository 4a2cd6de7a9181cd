/** Parameter types of the commands for runes. */
import type { FulguriteError } from '../../model/errors.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { BadToken, type ParamType } from '../../rpc/param-types.ts';
import { badParameter } from '../../rpc/params.ts';
import { type Alternative, parseAlternative, type Restriction } from '../../runes/restriction.ts';
import { decodeRune, type Rune, runeName } from '../../runes/rune.ts';
import { uniqueIdOf } from '../../runes/rune-check.ts';

/** A rune given as a parameter, and its text. */
export interface GivenRune {
  readonly rune: Rune;
  readonly text: string;
}

/**
 * A rune with a numeric unique id. Errors never repeat the given text, because a rune is a secret, and even a mistyped
 * one contains most of it.
 */
export const runeParam: ParamType<GivenRune> = {
  name: 'rune',
  schema: { type: 'string' },
  parse(token) {
    const text = token.text;
    const rune = token.kind === 'string' ? decodeRune(text) : undefined;
    if (rune === undefined) throw badRune('should be base64 string');
    if (uniqueIdOf(rune) === undefined) {
      throw badRune(
        runeName(rune) === undefined ? 'should have a unique_id' : 'should have valid numeric unique_id',
      );
    }
    return { rune, text };
  },
};

function badRune(reason: string): FulguriteError {
  return badParameter('rune', reason);
}

/**
 * The restrictions that Core Lightning calls `readonly`: any `list…` or `get…` command and `summary`, but not
 * `listdatastore`.
 */
const READ_ONLY: readonly Restriction[] = [
  [
    { field: 'method', condition: '^', value: 'list' },
    { field: 'method', condition: '^', value: 'get' },
    { field: 'method', condition: '=', value: 'summary' },
  ],
  [{ field: 'method', condition: '/', value: 'listdatastore' }],
];

/**
 * Restrictions: `readonly`, or an array of arrays of alternatives. Special characters in alternatives are not escaped.
 */
export const restrictionsParam: ParamType<readonly Restriction[]> = {
  name: 'readonly|array of array of string',
  schema: {
    oneOf: [
      { type: 'string', enum: ['readonly'] },
      { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 1 } },
    ],
  },
  parse(token) {
    if (token.kind === 'string' && token.text === 'readonly') return READ_ONLY;
    if (token.kind !== 'array') throw notRestriction(token);
    return token.elements().map(restrictionOf);
  },
};

function restrictionOf(token: JsonToken): Restriction {
  const alternatives = token.elements().map((element): Alternative => {
    const alternative = element.kind === 'string' ? parseAlternative(element.text) : undefined;
    if (alternative === undefined || alternative.field === '') throw notRestriction(element);
    return alternative;
  });
  if (alternatives.length === 0) throw notRestriction(token);
  return alternatives;
}

const notRestriction = (token: JsonToken): BadToken =>
  new BadToken('not a valid restriction (should be array)', token);
