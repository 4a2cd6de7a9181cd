/**
 * Values to compact JSON text: bigint as integers, strings with `"`, `\`, control characters and 0x7f escaped
 * and everything else as it is, members that are undefined left out.
 *
 * Long lists are `JsonList`s over an iterator: `jsonPieces` writes them element by element, so that neither the
 * list nor its text is ever in memory as a whole. The elements may have to be waited for, as those of a store are.
 */
import { JsonText } from './json-token.ts';

/** A JSON array whose elements are made while it is written. Can be written once. */
export class JsonList {
  readonly elements: Iterable<unknown> | AsyncIterable<unknown>;

  constructor(elements: Iterable<unknown> | AsyncIterable<unknown>) {
    this.elements = elements;
  }

  /** The list with each element changed, while it is written. */
  map(change: (element: unknown) => unknown): JsonList {
    const { elements } = this;
    return new JsonList(isAsync(elements) ? eachLater(elements, change) : each(elements, change));
  }
}

function* each(elements: Iterable<unknown>, change: (element: unknown) => unknown): Generator<unknown, void> {
  for (const element of elements) yield change(element);
}

async function* eachLater(
  elements: AsyncIterable<unknown>,
  change: (element: unknown) => unknown,
): AsyncGenerator<unknown, void> {
  for await (const element of elements) yield change(element);
}

const isAsync = (elements: Iterable<unknown> | AsyncIterable<unknown>): elements is AsyncIterable<unknown> =>
  Symbol.asyncIterator in elements;

/** A piece of text, or something to wait for before the next piece is asked for. */
export type Piece = string | Promise<void>;

/** Text gathered before a chunk is handed over, in characters. */
const CHUNK_CHARACTERS = 64 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON has to escape
const NEEDS_ESCAPE = /["\\\x00-\x1f\x7f\ud800-\udfff]/;

/** @throws TypeError for what JSON cannot say: a number that is not finite, a function, undefined alone. */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`no JSON for ${value}`);
      return String(value);
    case 'object':
      return value === null ? 'null' : objectToJson(value);
    default:
      throw new TypeError(`no JSON for a ${typeof value}`);
  }
}

function objectToJson(value: object): string {
  if (value instanceof JsonText) return value.text;
  if (value instanceof JsonList) return listToJson(atOnce(value));
  if (Array.isArray(value)) return listToJson(value);
  let text = '{';
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) text += `${text.length > 1 ? ',' : ''}${quoted(key)}:${toJson(member)}`;
  }
  return `${text}}`;
}

function listToJson(elements: Iterable<unknown>): string {
  let text = '[';
  for (const element of elements) text += `${text.length > 1 ? ',' : ''}${toJson(element)}`;
  return `${text}]`;
}

function atOnce({ elements }: JsonList): Iterable<unknown> {
  if (isAsync(elements)) throw new TypeError('no JSON at once for a list whose elements must be waited for');
  return elements;
}

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text).replaceAll('\x7f', '\\u007f') : `"${text}"`;
}

/** Whether a value holds a `JsonList`, itself or as a direct member. */
export function hasList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof JsonList) return true;
  for (const key in value) if ((value as Record<string, unknown>)[key] instanceof JsonList) return true;
  return false;
}

/** Joins pieces of text into chunks of about 64 KiB. */
export function chunksOf(pieces: Iterable<string>): Generator<string, void>;
export function chunksOf(pieces: Iterable<Piece>): Generator<Piece, void>;
export function* chunksOf(pieces: Iterable<Piece>): Generator<Piece, void> {
  let chunk = '';
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece;
      continue;
    }
    chunk += piece;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** The text of `toJson` in pieces, made one by one; only the lists that `hasList` finds are cut. */
export function* jsonPieces(value: unknown): Generator<Piece, void> {
  if (!hasList(value)) {
    yield toJson(value);
    return;
  }
  if (value instanceof JsonList) {
    yield '[';
    yield* isAsync(value.elements) ? piecesLater(value.elements) : elementPieces(value.elements);
    yield ']';
    return;
  }
  let separator = '';
  yield '{';
  for (const key in value as object) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    yield `${separator}${quoted(key)}:`;
    yield* jsonPieces(member);
    separator = ',';
  }
  yield '}';
}

function* elementPieces(elements: Iterable<unknown>): Generator<Piece, void> {
  let separator = '';
  for (const element of elements) {
    yield separator;
    yield* jsonPieces(element);
    separator = ',';
  }
}

function* piecesLater(elements: AsyncIterable<unknown>): Generator<Piece, void> {
  const iterator = elements[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (let separator = ''; ; separator = ',') {
      let element: unknown;
      yield iterator.next().then((next) => {
        isDone = next.done === true;
        element = next.value;
      });
      if (isDone) return;
      yield separator;
      yield* jsonPieces(element);
    }
  } finally {
    // Nobody reads on: what the list holds open is given back. It has nobody to tell of a failure any more.
    if (!isDone) iterator.return?.().catch(() => undefined);
  }
}
