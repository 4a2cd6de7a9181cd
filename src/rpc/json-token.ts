/**
 * A JSON value as its place in the source text. Nothing is decoded before it is asked for, nothing is lost:
 * numbers keep their digits, objects their order and their repeated keys.
 *
 * Tokens come from `parseJson`, which has checked the whole text; the accessors therefore never fail on
 * syntax. Each of them scans the value once.
 */
import { endOfString, endOfValue, JsonSyntaxError, skipSpace, startOfMember } from './json-scan.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Plain data out of JSON: integers as bigint, other numbers as their text, objects without prototype. */
export type JsonValue =
  | null
  | boolean
  | bigint
  | string
  | JsonText
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Source text of a JSON value, to be written out as it stands. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

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

/** Integers in this form become bigint; a longer one stays text, for BigInt() is quadratic in its length. */
const INTEGER = /^-?\d{1,64}$/;

export class JsonToken {
  readonly kind: JsonKind;
  private readonly source: string;
  private readonly start: number;
  private readonly end: number;

  constructor(source: string, start: number, end: number) {
    this.kind = KINDS[source.charAt(start)] ?? 'number';
    this.source = source;
    this.start = start;
    this.end = end;
  }

  /** The value exactly as it was sent. */
  get raw(): string {
    return this.source.slice(this.start, this.end);
  }

  /** A string's characters, any other value's source text: what parameters are parsed from. */
  get text(): string {
    return this.kind === 'string' ? decodeString(this.raw) : this.raw;
  }

  /** Elements of an array; empty for anything else. */
  elements(): JsonToken[] {
    const found: JsonToken[] = [];
    if (this.kind !== 'array') return found;
    let at = skipSpace(this.source, this.start + 1);
    while (at < this.end - 1) {
      const end = endOfValue(this.source, at, Number.POSITIVE_INFINITY);
      found.push(new JsonToken(this.source, at, end));
      at = skipSpace(this.source, skipSpace(this.source, end) + 1);
    }
    return found;
  }

  /** Members of an object in the order sent, repeated keys included; empty for anything else. */
  members(): JsonMember[] {
    const found: JsonMember[] = [];
    if (this.kind !== 'object') return found;
    let at = skipSpace(this.source, this.start + 1);
    while (at < this.end - 1) {
      const key = decodeString(this.source.slice(at, endOfString(this.source, at)));
      const start = startOfMember(this.source, at);
      const end = endOfValue(this.source, start, Number.POSITIVE_INFINITY);
      found.push({ key, value: new JsonToken(this.source, start, end) });
      at = skipSpace(this.source, skipSpace(this.source, end) + 1);
    }
    return found;
  }

  /** The value as plain data; of repeated keys the first one wins. */
  value(): JsonValue {
    if (this.kind === 'null') return null;
    if (this.kind === 'string') return this.text;
    if (this.kind === 'boolean') return this.raw === 'true';
    if (this.kind === 'number') return INTEGER.test(this.raw) ? BigInt(this.raw) : new JsonText(this.raw);
    if (this.kind === 'array') return this.elements().map((element) => element.value());
    const object: Record<string, JsonValue> = Object.create(null);
    for (const { key, value } of this.members()) if (!(key in object)) object[key] = value.value();
    return object;
  }
}

/**
 * The one JSON value a text consists of.
 * @throws JsonSyntaxError when the text is anything else, or nests deeper than `maxDepth`.
 */
export function parseJson(source: string, maxDepth = 1000): JsonToken {
  const start = skipSpace(source, 0);
  const end = endOfValue(source, start, maxDepth);
  if (skipSpace(source, end) < source.length) throw new JsonSyntaxError('expected the end', end);
  return new JsonToken(source, start, end);
}

/** What a checked string literal, quotes included, stands for. */
function decodeString(literal: string): string {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
}
