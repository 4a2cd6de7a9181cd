/**
 * A JSON value as its place in the source text. Nothing is decoded before it is asked for, nothing is lost:
 * numbers keep their digits, objects their order and their repeated keys.
 *
 * Tokens come from `parseJson`, which has checked the whole text; the accessors therefore never fail on
 * syntax. Each of them scans the value once.
 */
import { endOfString, endOfValue, JsonSyntaxError, skipSpace, startOfMember } from './json-scan.ts';

/** The six kinds of JSON values (RFC 8259). */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Source text of a JSON value, to be written out as it stands. */
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

/** One JSON value within a text that `parseJson` has checked. */
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
      const end = endOfValue(this.source, at);
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
      const end = endOfValue(this.source, start);
      found.push({ key, value: new JsonToken(this.source, start, end) });
      at = skipSpace(this.source, skipSpace(this.source, end) + 1);
    }
    return found;
  }
}

/**
 * The one JSON value a text consists of.
 * @throws JsonSyntaxError when the text is anything else, nests deeper than `maxDepth`, or has more values.
 */
export function parseJson(source: string, maxDepth = 1000, maxValues?: number): JsonToken {
  const start = skipSpace(source, 0);
  const end = endOfValue(source, start, maxDepth, maxValues);
  if (skipSpace(source, end) < source.length) throw new JsonSyntaxError('expected the end', end);
  return new JsonToken(source, start, end);
}

/** What a checked string literal, quotes included, stands for. */
function decodeString(literal: string): string {
  return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
}
