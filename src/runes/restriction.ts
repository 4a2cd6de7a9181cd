/**
 * Converts a rune's restrictions between text and conditions.
 *
 *   restriction  = alternative *( "|" alternative )      passes if one alternative passes
 *   alternative  = field condition value                 such as `method=getinfo` or `time<1900000000`
 *
 * A field's name is the longest run without ASCII punctuation other than `_`. In the value, `\`, `|` and `&` are
 * escaped with `\`. Source: the rune library of Core Lightning (ccan/rune). Where its C code and its Python library
 * differ, we follow the C code: `_` belongs to names.
 */

/** The test that a field must pass. `!` requires that the field is absent. `#` is a comment and always passes. */
export type Condition = '!' | '=' | '/' | '^' | '$' | '~' | '<' | '>' | '{' | '}' | '#';

const CONDITIONS = '!=/^$~<>{}#';
/** Matches a character that ends the name of a field. */
const NAME_END = /[!-/:-@[-^`{-~]/;
const NEEDS_ESCAPE = /[\\|&]/g;

/** One condition on one field. `value` is unescaped. */
export interface Alternative {
  readonly field: string;
  readonly condition: Condition;
  readonly value: string;
}

/** One or more alternatives, of which at least one must pass. */
export type Restriction = readonly Alternative[];

function isCondition(symbol: string): symbol is Condition {
  return symbol.length === 1 && CONDITIONS.includes(symbol);
}

/** An alternative with an unescaped value, as passed to commands. Undefined if malformed. */
export function parseAlternative(text: string): Alternative | undefined {
  const at = text.search(NAME_END);
  const condition = at < 0 ? '' : text.charAt(at);
  if (!isCondition(condition) || text.includes('\0')) return undefined;
  return { field: text.slice(0, at), condition, value: text.slice(at + 1) };
}

/** The restrictions of a rune, from its text. Undefined if malformed. */
export function parseRestrictions(text: string): Restriction[] | undefined {
  if (text === '') return [];
  const restrictions: Alternative[][] = [[]];
  for (const { escaped, end } of pieces(text)) {
    const alternative = parsePiece(escaped);
    if (alternative === undefined) return undefined;
    restrictions[restrictions.length - 1]!.push(alternative);
    if (end === '&') restrictions.push([]);
  }
  return restrictions;
}

/** The pieces between unescaped `|` and `&`, each with the character that ends it. */
function* pieces(text: string): Generator<{ escaped: string; end: string }, void> {
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const symbol = text.charAt(at);
    if (symbol === '\\') at++;
    else if (symbol === '|' || symbol === '&' || symbol === '') {
      yield { escaped: text.slice(start, at), end: symbol };
      start = at + 1;
    }
  }
  // A `\` at the very end escapes nothing, and makes the loop skip the end. This empty piece makes the text malformed.
  if (start <= text.length) yield { escaped: '', end: '' };
}

function parsePiece(escaped: string): Alternative | undefined {
  const raw = parseAlternative(escaped);
  return raw && { ...raw, value: raw.value.replace(/\\(.)/gsu, '$1') };
}

/** The escaped text of a restriction, over which the rune's authcode is computed. */
export function restrictionText(restriction: Restriction): string {
  return restriction
    .map(({ field, condition, value }) => `${field}${condition}${value.replace(NEEDS_ESCAPE, '\\$&')}`)
    .join('|');
}

const ENGLISH: Readonly<Record<Exclude<Condition, '!' | '#'>, string>> = {
  '=': 'equal to',
  '/': 'unequal to',
  '^': 'starts with',
  $: 'ends with',
  '~': 'contains',
  '<': '<',
  '>': '>',
  '{': 'sorts before',
  '}': 'sorts after',
};

/** An alternative in words, as `showrunes` shows it. */
export function inEnglish({ field, condition, value }: Alternative): string {
  if (condition === '!') return `${field} is missing`;
  if (condition === '#') return `comment: ${field} ${value}`;
  return `${field} ${ENGLISH[condition]} ${value}`;
}

/** A restriction in English, as in Core Lightning's `showrunes` and `decode`. */
export const restrictionInEnglish = (alternatives: Restriction): string =>
  alternatives.map(inEnglish).join(' OR ');
