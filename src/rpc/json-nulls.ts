/**
 * Drops null members from JSON text, as Core Lightning's clnrest does with parameters.
 *
 * It makes one pass over the text without recursion, and copies what remains in long pieces. So its time depends only
 * on the length of the text, however deeply values are nested.
 */
import { endOfScalar, endOfString, skipSpace } from './json-scan.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const NULL = 'null';

/**
 * Returns the text of a JSON value without the null members at any depth. @param source text accepted by `parseJson`
 */
export function withoutNullMembers(source: string): string {
  const kept: string[] = [];
  const isObject: boolean[] = [];
  let keptTo = 0;
  let keyAt = -1;
  for (let at = skipSpace(source, 0); at < source.length; at = skipSpace(source, at)) {
    const code = source.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      isObject.push(code === OPEN_BRACE);
      keyAt = -1;
      at++;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      isObject.pop();
      at++;
    } else if (code === COMMA || code === COLON) {
      at++;
    } else if (code === QUOTE && keyAt < 0 && isObject.at(-1) === true) {
      keyAt = at;
      at = endOfString(source, at);
    } else {
      const end = endOfScalar(source, at, code);
      if (keyAt >= 0 && source.startsWith(NULL, at)) {
        if (keyAt > keptTo) kept.push(source.slice(keptTo, keyAt));
        const next = skipSpace(source, end);
        const isLast = source.charCodeAt(next) !== COMMA;
        if (isLast) dropComma(kept);
        keptTo = isLast ? next : next + 1;
        at = keptTo;
      } else {
        at = end;
      }
      keyAt = -1;
    }
  }
  kept.push(source.slice(keptTo));
  return kept.join('');
}

/** Removes the comma at the end of the kept text, and the white space after it. Called if no member follows. */
function dropComma(kept: string[]): void {
  for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
    const text = last.trimEnd();
    if (text === '') continue;
    kept.push(text.endsWith(',') ? text.slice(0, -1) : text);
    return;
  }
}
