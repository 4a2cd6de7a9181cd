/**
 * Writes values as compact JSON text. Bigints are integers. In strings, `"`, `\`, control characters, 0x7f and unpaired
 * surrogates are escaped, and everything else is unchanged. Undefined members are left out.
 *
 * A long list is a `JsonList` over an iterator. `jsonPieces` writes it element by element, so neither the list nor its
 * text is ever in memory as a whole. `jsonPieces` can also wait for elements, for example from a store.
 */
import { JsonText } from './json-token.ts';
import { listTurn } from './list-turns.ts';

/**
 * A JSON array whose elements are created while it is written. A list can be written only once. It owns its elements,
 * so the code that writes them may add members.
 */
export class JsonList<T = unknown> {
  readonly elements: Iterable<T> | AsyncIterable<T>;
  /** The elements in pages, for a list made by `inPages`. */
  readonly pages: AsyncIterable<Iterable<T>> | undefined;

  constructor(elements: Iterable<T> | AsyncIterable<T>, pages?: AsyncIterable<Iterable<T>>) {
    this.elements = elements;
    this.pages = pages;
  }

  /**
   * A list that waits for its elements one page at a time, because waiting for each element would take several times as
   * long as writing it. The elements contain no `JsonList`. A page is requested once the whole previous page has been
   * read.
   */
  static inPages<T>(pages: AsyncIterable<Iterable<T>>): JsonList<T> {
    return new JsonList(elementsOf(pages), pages);
  }

  /** A list that creates each element while it is written. */
  static of<T, U>(entries: Iterable<T>, toElement: (entry: T) => U): JsonList<U> {
    return new JsonList(each(entries, toElement));
  }

  /** The list with each element converted while it is written. */
  map<U>(change: (element: T) => U): JsonList<U | Awaited<U>> {
    const { elements, pages } = this;
    if (pages !== undefined) return JsonList.inPages(eachLater(pages, (page) => each(page, change)));
    return new JsonList(isAsync(elements) ? eachLater(elements, change) : each(elements, change));
  }
}

function* each<T, U>(elements: Iterable<T>, change: (element: T) => U): Generator<U, void> {
  for (const element of elements) yield change(element);
}

async function* elementsOf<T>(pages: AsyncIterable<Iterable<T>>): AsyncGenerator<Awaited<T>, void> {
  for await (const page of pages) yield* page;
}

async function* eachLater<T, U>(
  elements: AsyncIterable<T>,
  change: (element: T) => U,
): AsyncGenerator<Awaited<U>, void> {
  for await (const element of elements) yield change(element);
}

const isAsync = <T>(elements: Iterable<T> | AsyncIterable<T>): elements is AsyncIterable<T> =>
  Symbol.asyncIterator in elements;

/** A piece of text, or a promise to await before requesting the next piece. */
export type Piece = string | Promise<void>;

/** Number of characters to collect before a chunk is passed on. */
const CHUNK_CHARACTERS = 64 * 1024;
const BLOCK_CHARACTERS = 4 * 1024;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON has to escape
const NEEDS_ESCAPE = /["\\\x00-\x1f\x7f\ud800-\udfff]/;

/**
 * The JSON text of a value. @throws TypeError for values without JSON form: a number that is not finite, a function, or
 * undefined by itself; and for a list whose elements must be awaited.
 */
export function toJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`JSON has no number ${value}`);
      return String(value);
    case 'object':
      return value === null ? 'null' : objectToJson(value);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function objectToJson(value: object): string {
  if (value instanceof JsonText) return value.text;
  if (value instanceof JsonList) return listToJson(atOnce(value));
  if (Array.isArray(value)) return listToJson(value);
  let text = '';
  let opening = '{';
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += opening + keyText(key) + toJson(member);
    opening = ',';
  }
  return opening === '{' ? '{}' : `${text}}`;
}

/**
 * Maximum number of keys whose text is cached. Results have only a few hundred member names, but objects keyed by ids
 * have arbitrarily many.
 */
const MAX_KEYS = 4096;
const keyTexts = new Map<string, string>();

/** The JSON text of a key, with its colon. */
function keyText(key: string): string {
  const known = keyTexts.get(key);
  if (known !== undefined) return known;
  const text = `${quoted(key)}:`;
  if (keyTexts.size >= MAX_KEYS) keyTexts.clear();
  keyTexts.set(key, text);
  return text;
}

function listToJson(elements: Iterable<unknown>): string {
  let text = '';
  let opening = '[';
  for (const element of elements) {
    text += opening + toJson(element);
    opening = ',';
  }
  return opening === '[' ? '[]' : `${text}]`;
}

function atOnce({ elements }: JsonList): Iterable<unknown> {
  if (isAsync(elements))
    throw new TypeError('a list whose elements must be awaited cannot be written at once');
  return elements;
}

function quoted(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text).replaceAll('\x7f', '\\u007f') : `"${text}"`;
}

/** Whether a value is a `JsonList`, or has one as a direct member. */
export function hasList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof JsonList) return true;
  for (const key in value) if ((value as Record<string, unknown>)[key] instanceof JsonList) return true;
  return false;
}

/**
 * Milliseconds for which the writer of a list may block the event loop. A list whose elements are all filtered out can
 * take long without producing output.
 */
const TURN_MS = 2;
/** Number of pieces between two checks of the clock. */
const PIECES_PER_LOOK = 8;

/**
 * Yields the same pieces, and between them promises that the caller must await, so that other work gets its turn.
 * @param turn resolves when the next pieces may be made
 * @param turnMs milliseconds for which making pieces may block the event loop
 */
export function* inTurns(
  pieces: Iterable<Piece>,
  turn: () => Promise<void> = listTurn,
  turnMs = TURN_MS,
): Generator<Piece, void> {
  let turnEndsMs = performance.now() + turnMs;
  let left = PIECES_PER_LOOK;
  for (const piece of pieces) {
    yield piece;
    if (--left > 0) continue;
    left = PIECES_PER_LOOK;
    if (performance.now() < turnEndsMs) continue;
    yield turn();
    turnEndsMs = performance.now() + turnMs;
  }
}

/**
 * Joins pieces of text into chunks of about 64 KiB. Blocks and chunks are flat strings. A string made by concatenation
 * would keep all its parts, and each garbage collection would copy them for as long as the string waits for its reader.
 */
export function chunksOf(pieces: Iterable<string>): Generator<string, void>;
export function chunksOf(pieces: Iterable<Piece>): Generator<Piece, void>;
export function* chunksOf(pieces: Iterable<Piece>): Generator<Piece, void> {
  let blocks: string[] = [];
  let gathered: string[] = [];
  let inBlock = 0;
  let inChunk = 0;
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece;
      continue;
    }
    gathered.push(piece);
    inBlock += piece.length;
    if (inBlock < BLOCK_CHARACTERS) continue;
    blocks.push(gathered.join(''));
    gathered = [];
    inChunk += inBlock;
    inBlock = 0;
    if (inChunk < CHUNK_CHARACTERS) continue;
    const chunk = blocks.join('');
    // The blocks are released before the chunk is yielded, because everything held here stays in memory until the
    // client has read it.
    blocks = [];
    inChunk = 0;
    yield chunk;
  }
  yield blocks.join('') + gathered.join('');
}

/** Yields the same text as `toJson`, in pieces. Only the lists found by `hasList` are split. */
export function* jsonPieces(value: unknown): Generator<Piece, void> {
  if (!hasList(value)) {
    yield toJson(value);
    return;
  }
  if (value instanceof JsonList) {
    yield '[';
    yield* listPieces(value);
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

function listPieces({ elements, pages }: JsonList): Generator<Piece, void> {
  if (pages !== undefined) return piecesLater(pages, pagePieces);
  return isAsync(elements) ? piecesLater(elements, onePiece) : elementPieces(elements);
}

function* elementPieces(elements: Iterable<unknown>): Generator<Piece, void> {
  let separator = '';
  for (const element of elements) {
    yield separator;
    yield* jsonPieces(element);
    separator = ',';
  }
}

/** @returns the separator before the next element. */
function* onePiece(element: unknown, separator: string): Generator<Piece, string> {
  yield separator;
  yield* jsonPieces(element);
  return ',';
}

function* pagePieces(page: Iterable<unknown>, before: string): Generator<Piece, string> {
  let separator = before;
  for (const element of page) {
    yield separator + toJson(element);
    separator = ',';
  }
  return separator;
}

function* piecesLater<T>(
  entries: AsyncIterable<T>,
  write: (entry: T, separator: string) => Generator<Piece, string>,
): Generator<Piece, void> {
  const iterator = entries[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (let separator = ''; ; ) {
      let entry: T | undefined;
      yield iterator.next().then((next) => {
        isDone = next.done === true;
        entry = next.value;
      });
      if (isDone) return;
      separator = yield* write(entry as T, separator);
    }
  } finally {
    // If the reader has stopped early, the list releases its resources. A failure to do so is ignored, since nothing
    // awaits it.
    if (!isDone) iterator.return?.().catch(() => undefined);
  }
}
