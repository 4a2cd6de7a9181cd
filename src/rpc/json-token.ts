/**
 * A JSON value as a position in the source text. Values are decoded only on request, and nothing is lost: numbers keep
 * their digits, and objects keep their order and repeated keys.
 *
 * Tokens come from `parseJson`, which has checked the whole text. So the accessors never fail on syntax. An accessor
 * examines only its own elements, because the check recorded where longer containers end. So visiting every value of a
 * text takes time proportional to its length, however deeply values are nested.
 */
import { endOfString, endOfValue, JsonSyntaxError, skipSpace, startOfMember } from './json-scan.ts';

/** The six kinds of JSON values (RFC 8259). */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Source text of a JSON value, which is written out unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** One member of an object. */
export interface JsonMember {
  readonly key: string;
  readonly value: JsonToken;
}

const KINDS: Readonly<Record<string, JsonKind>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
};

/** One JSON value within a text checked by `parseJson`. */
export class JsonToken {
  readonly kind: JsonKind;
  private readonly source: string;
  private readonly start: number;
  private readonly end: number;
  /** Ends of the longer containers in the source text, by their starts. */
  private readonly ends: ReadonlyMap<number, number>;

  constructor(source: string, start: number, end: number, ends: ReadonlyMap<number, number>) {
    this.kind = KINDS[source.charAt(start)] ?? 'number';
    this.source = source;
    this.start = start;
    this.end = end;
    this.ends = ends;
  }

  /** Position of the value in the source text, in characters from 0. */
  get offset(): number {
    return this.start;
  }

  /** The value exactly as sent. */
  get raw(): string {
    return this.source.slice(this.start, this.end);
  }

  /** The characters of a string, or the source text of any other value. Parameters are parsed from this. */
  get text(): string {
    return this.kind === 'string' ? decodeString(this.raw) : this.raw;
  }

  /** The elements of an array. Empty for any other value. */
  elements(): JsonToken[] {
    const found: JsonToken[] = [];
    if (this.kind !== 'array') return found;
    let at = skipSpace(this.source, this.start + 1);
    while (at < this.end - 1) {
      const element = this.inner(at);
      found.push(element);
      at = skipSpace(this.source, skipSpace(this.source, element.end) + 1);
    }
    return found;
  }

  /** The members of an object in source order, including repeated keys. Empty for any other value. */
  members(): JsonMember[] {
    const found: JsonMember[] = [];
    if (this.kind !== 'object') return found;
    let at = skipSpace(this.source, this.start + 1);
    while (at < this.end - 1) {
      const key = decodeString(this.source.slice(at, endOfString(this.source, at)));
      const start = startOfMember(this.source, at);
      const value = this.inner(start);
      found.push({ key, value });
      at = skipSpace(this.source, skipSpace(this.source, value.end) + 1);
    }
    return found;
  }

  /** The members of an object by name. If a name is repeated, its last member counts. */
  membersByName(): Map<string, JsonToken> {
    return new Map(this.members().map(({ key, value }) => [key, value]));
  }

  /** The nested value that starts at an offset. */
  private inner(start: number): JsonToken {
    const end = this.ends.get(start) ?? endOfValue(this.source, start);
    return new JsonToken(this.source, start, end, this.ends);
  }
}

/**
 * The single JSON value of a text.
 * @throws JsonSyntaxError when the text is not a single JSON value, is nested deeper than `maxDepth`, or contains more
 * than `maxValues` values.
 */
export function parseJson(source: string, maxDepth = 1000, maxValues?: number): JsonToken {
  const start = skipSpace(source, 0);
  const ends = new Map<number, number>();
  const end = endOfValue(source, start, maxDepth, maxValues, ends);
  if (skipSpace(source, end) < source.length) throw new JsonSyntaxError('expected the end', end);
  return new JsonToken(source, start, end, ends);
}

/**
 * The decoded value of a token. @param integer converts the digits of an integer, because not every integer fits a
 * JavaScript number.
 */
export function plainValue(token: JsonToken, integer: (digits: string) => number | bigint): unknown {
  switch (token.kind) {
    case 'object':
      return Object.fromEntries(token.members().map(({ key, value }) => [key, plainValue(value, integer)]));
    case 'array':
      return token.elements().map((element) => plainValue(element, integer));
    case 'number':
      return /^-?\d+$/.test(token.raw) ? integer(token.raw) : Number(token.raw);
    case 'string':
      return token.text;
    case 'boolean':
      return token.raw === 'true';
    case 'null':
      return null;
  }
}

/** The characters of a checked string literal, given with its quotes. */
function decodeString(literal: string): string {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
}
