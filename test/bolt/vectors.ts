/**
 * Vectors of the Lightning specification, transcribed into `test/vectors` as lines of `path value`. A path
 * consists of names of members and numbers of elements. A value is text, `#` and a number, `true` or `false`,
 * `{}`, or quoted as in JSON when its white space matters.
 */
import { readFileSync } from 'node:fs';

type Value = string | number | boolean | object;

/** The content of `test/vectors/NAME.txt`, as nested objects and arrays. */
// biome-ignore lint/suspicious/noExplicitAny: each file has a shape of its own, and tests fail on a wrong one
export function vectors(name: string): any {
  const text = readFileSync(new URL(`../vectors/${name}.txt`, import.meta.url), 'utf8');
  const root = { all: undefined as Value | undefined };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const space = line.indexOf(' ');
    put(root, ['all', ...line.slice(0, space).split('.')], parsedValue(line.slice(space + 1)));
  }
  return root.all;
}

function put(root: object, path: readonly string[], value: Value): void {
  let at = root as Record<string, Value | undefined>;
  for (const [depth, step] of path.entries()) {
    const next = path[depth + 1];
    if (next === undefined) at[step] = value;
    else {
      at[step] ??= /^\d+$/.test(next) ? [] : {};
      at = at[step] as Record<string, Value | undefined>;
    }
  }
}

function parsedValue(text: string): Value {
  if (text === '{}') return {};
  if (text.startsWith('#')) return Number(text.slice(1));
  if (text.startsWith('"')) return JSON.parse(text) as string;
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
