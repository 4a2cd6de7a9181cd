/**
 * Finds words of the interface in a source: sentences, and names in snake_case, as members and parameters
 * have.
 *
 * A string counts as a sentence if it contains two words in a row. Comments do not count. Neither do texts
 * that no client sees: texts of internal errors (`new Error(…)`) and of the log.
 */

/** A text or a name that a client could see, and the number of its first line. */
export interface WireWord {
  readonly line: number;
  readonly text: string;
}

interface Literal extends WireWord {
  /** The preceding source, without spaces. */
  readonly before: string;
}

const SENTENCE = /\p{L}{2,},?\s+\p{L}{2,}/u;
const SNAKE_CASE = /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g;
/** A text after one of these is for developers, or for readers of the log. */
const FOR_US = /(?:new (?:Range|Type)?Error\(|\.(?:debug|info|unusual|broken)\()$/;

/** @param known names in snake_case that we cannot choose, such as those of BOLTs */
export function wireWords(source: string, known: ReadonlySet<string>): WireWord[] {
  const { code, literals } = takenApart(source);
  const found: WireWord[] = literals.filter(
    ({ text, before }) => !FOR_US.test(before) && SENTENCE.test(text.replaceAll(/\$\{[^}]*\}/g, 'X')),
  );
  for (const { line, text } of [...literals.filter(({ before }) => !FOR_US.test(before)), ...code]) {
    for (const [name] of text.matchAll(SNAKE_CASE)) if (!known.has(name)) found.push({ line, text: name });
  }
  return found.map(({ line, text }) => ({ line, text }));
}

/**
 * The code without comments, line by line and without its strings, and separately its strings. Imports are
 * omitted.
 */
function takenApart(source: string): { code: WireWord[]; literals: Literal[] } {
  const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
  const literals: Literal[] = [];
  const lineOf = (index: number): number => source.slice(0, index).split('\n').length;
  const bare = source.replaceAll(TOKEN, (token, index: number) => {
    const blank = token.replaceAll(/[^\n]/g, ' ');
    if (token.startsWith('/')) return blank;
    const before = source.slice(Math.max(0, index - 200), index).trimEnd();
    if (!/(?:from|import)$/.test(before)) {
      literals.push({ line: lineOf(index), text: token.slice(1, -1), before });
    }
    return blank;
  });
  return { code: bare.split('\n').map((text, index) => ({ line: index + 1, text })), literals };
}
