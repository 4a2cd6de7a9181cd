/**
 * JSON for people: three spaces per level, members in the order received, and numbers with all their digits.
 *
 * One pass over the source text, without recursion. Time is linear in the length of the text.
 */
import { endOfString, skipSpace } from '../../rpc/json-scan.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { isPrintable, printable } from './printable.ts';

const INDENT = '   ';
/** Approximate number of characters per piece of output. */
const PIECE = 64 * 1024;
const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
/** The only bit that differs between `{` and `[`, and between `}` and `]`. */
const BRACE_BIT = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];
/** The end of a number, `true`, `false` or `null`. */
const END_OF_SCALAR = /[\s,\]}]|$/g;

/** Yields the indented text in pieces, without a newline at the end. */
export function* prettyJson(token: JsonToken): Generator<string, void> {
  const source = token.raw;
  // Most answers contain nothing unsafe for a terminal. Checking the whole source once avoids checking each string.
  const shown = isPrintable(source) ? (text: string) => text : printable;
  let text = '';
  let line = '\n';
  for (let at = skipSpace(source, 0); at < source.length; at = skipSpace(source, at)) {
    const code = source.charCodeAt(at);
    const kind = code | BRACE_BIT;
    const start = at++;
    if (code === QUOTE) {
      at = endOfString(source, start);
      text += shown(source.slice(start, at));
    } else if (code === COMMA) {
      text += `,${line}`;
    } else if (code === COLON) {
      text += ': ';
    } else if (kind === OPENING) {
      at = skipSpace(source, at);
      text += source[start];
      if ((source.charCodeAt(at) | BRACE_BIT) === CLOSING) {
        text += source[at++];
      } else {
        line += INDENT;
        text += line;
      }
    } else if (kind === CLOSING) {
      line = line.slice(0, -INDENT.length);
      text += line + source[start];
    } else {
      END_OF_SCALAR.lastIndex = at;
      at = END_OF_SCALAR.exec(source)!.index;
      text += source.slice(start, at);
    }
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}
