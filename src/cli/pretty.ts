/**
 * JSON for people: three spaces per level, members in the order sent, every number with all its digits.
 */
import type { JsonToken } from '../rpc/json-token.ts';
import { printable } from './printable.ts';

const INDENT = '   ';

/** Pieces of the text, without a newline at the end. */
export function* prettyJson(token: JsonToken, indent = ''): Generator<string, void> {
  const inner = indent + INDENT;
  let separator = '\n';
  if (token.kind === 'object') {
    yield '{';
    for (const { key, value } of token.members()) {
      yield `${separator}${inner}${printable(JSON.stringify(key))}: `;
      yield* prettyJson(value, inner);
      separator = ',\n';
    }
    yield separator === '\n' ? '}' : `\n${indent}}`;
  } else if (token.kind === 'array') {
    yield '[';
    for (const element of token.elements()) {
      yield separator + inner;
      yield* prettyJson(element, inner);
      separator = ',\n';
    }
    yield separator === '\n' ? ']' : `\n${indent}]`;
  } else {
    yield printable(token.raw);
  }
}
