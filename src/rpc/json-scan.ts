/**
 * A strict JSON scanner (RFC 8259). It finds where values end, and validates them, without building anything. So the
 * source text of every value stays available: numbers keep all digits, and ids are repeated byte for byte.
 *
 * It makes one pass over the text without recursion. The caller limits the nesting depth.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The value that `codeAt` returns past the end of a text. */
const BEHIND = -1;
/**
 * The ends of containers of at least this many UTF-16 units are recorded. Rescanning a shorter container costs little.
 */
const RECORDED_FROM = 64;
/** Difference between the ASCII codes of a closing bracket or brace and its opening one. */
const TO_CLOSING = 2;

/**
 * The text is not JSON, is nested too deeply, or contains too many values. `offset` counts UTF-16 units from the start
 * of the text.
 */
export class JsonSyntaxError extends Error {
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at offset ${offset}`);
    this.offset = offset;
  }
}

/**
 * The UTF-16 unit at an offset, or `BEHIND`. A plain `charCodeAt` past the end returns NaN, after which V8 compiles
 * every scanner for floating-point numbers, and each scan takes twice as long.
 */
function codeAt(source: string, at: number): number {
  return at < source.length ? source.charCodeAt(at) : BEHIND;
}

/** The first offset from `start` on that is not JSON white space. */
export function skipSpace(source: string, start: number): number {
  let at = start;
  for (;;) {
    const code = codeAt(source, at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/**
 * Offset just after the value at `start`, which must not be white space.
 * @param ends records the end of each longer container by its start, so that its contents need not be scanned again.
 * @throws JsonSyntaxError when there is no value, when it is nested too deeply, or when it contains more than
 *   `maxValues` values.
 */
export function endOfValue(
  source: string,
  start: number,
  maxDepth = Number.POSITIVE_INFINITY,
  maxValues = Number.POSITIVE_INFINITY,
  ends?: Map<number, number>,
): number {
  const closings: number[] = [];
  const starts: number[] = [];
  let at = start;
  for (let values = 1; ; values++) {
    if (values > maxValues) throw new JsonSyntaxError(`more than ${maxValues} values`, at);
    const code = codeAt(source, at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (closings.length >= maxDepth) throw new JsonSyntaxError(`nested deeper than ${maxDepth}`, at);
      const closing = code + TO_CLOSING;
      const opened = at;
      at = skipSpace(source, at + 1);
      if (codeAt(source, at) !== closing) {
        closings.push(closing);
        starts.push(opened);
        if (closing === CLOSE_BRACE) at = startOfMember(source, at);
        continue;
      }
      at++;
    } else {
      at = endOfScalar(source, at, code);
    }
    at = closeContainers(source, at, closings, starts, ends);
    if (closings.length === 0) return at;
  }
}

/**
 * Closes the containers that end after the value that ends at `end`.
 * @returns the offset of the next value, or just after the outermost value if no container is left open
 */
function closeContainers(
  source: string,
  end: number,
  closings: number[],
  starts: number[],
  ends: Map<number, number> | undefined,
): number {
  let at = end;
  while (closings.length > 0) {
    at = skipSpace(source, at);
    const code = codeAt(source, at);
    const closing = closings[closings.length - 1];
    if (code === COMMA) {
      at = skipSpace(source, at + 1);
      return closing === CLOSE_BRACE ? startOfMember(source, at) : at;
    }
    if (code !== closing) throw new JsonSyntaxError(`expected , or ${String.fromCharCode(closing!)}`, at);
    closings.pop();
    const start = starts.pop()!;
    at++;
    if (at - start >= RECORDED_FROM) ends?.set(start, at);
  }
  return at;
}

/** Offset of a member's value. @param start offset of the member's key @throws JsonSyntaxError */
export function startOfMember(source: string, start: number): number {
  if (codeAt(source, start) !== QUOTE) throw new JsonSyntaxError('expected a key', start);
  const at = skipSpace(source, endOfString(source, start));
  if (codeAt(source, at) !== COLON) throw new JsonSyntaxError('expected :', at);
  return skipSpace(source, at + 1);
}

/** Offset just after a scalar value that starts with `code`. @throws JsonSyntaxError */
export function endOfScalar(source: string, start: number, code: number): number {
  if (code === QUOTE) return endOfString(source, start);
  if (code === MINUS || isDigit(code)) return endOfNumber(source, start);
  for (const word of ['true', 'false', 'null'])
    if (source.startsWith(word, start)) return start + word.length;
  throw new JsonSyntaxError(code === BEHIND ? 'unexpected end' : 'expected a value', start);
}

/** Offset just after the string whose opening quote is at `start`. @throws JsonSyntaxError */
export function endOfString(source: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = codeAt(source, at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at = endOfEscape(source, at + 1);
    else if (code < 0x20)
      throw new JsonSyntaxError('control character in a string, or string without an end', at);
  }
}

/** Offset of the last character of an escape sequence. @param at offset of the letter after the backslash */
function endOfEscape(source: string, at: number): number {
  const letter = source.charAt(at);
  if (letter === 'u' && /^[0-9a-fA-F]{4}$/.test(source.slice(at + 1, at + 5))) return at + 4;
  if (letter === '' || !'"\\/bfnrt'.includes(letter)) throw new JsonSyntaxError('unknown escape', at);
  return at;
}

function endOfNumber(source: string, start: number): number {
  let at = codeAt(source, start) === MINUS ? start + 1 : start;
  at = source.charAt(at) === '0' ? at + 1 : endOfDigits(source, at);
  if (source.charAt(at) === '.') at = endOfDigits(source, at + 1);
  if (source.charAt(at) === 'e' || source.charAt(at) === 'E') {
    const sign = source.charAt(at + 1);
    at = endOfDigits(source, sign === '+' || sign === '-' ? at + 2 : at + 1);
  }
  return at;
}

function endOfDigits(source: string, start: number): number {
  let at = start;
  while (isDigit(codeAt(source, at))) at++;
  if (at === start) throw new JsonSyntaxError('expected a digit', at);
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
