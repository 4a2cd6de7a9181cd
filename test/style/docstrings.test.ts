/** Each export has a docstring, so that users of a room find its meaning at the declaration. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = join(ROOT, 'src');
const KERNEL = join(ROOT, 'assembly');
const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) (\w+)/;
/**
 * The line before a declaration, where its docstring ends. A linter directive or a decorator may come in
 * between.
 */
const DOCSTRING_END = /\*\/$/;
const BETWEEN = /^(\/\/ biome-ignore |@)/;

/** Names of the exports of a source that lack a docstring. Overloads of a function share the first one's. */
function undocumented(source: string): string[] {
  const lines = source.split('\n');
  const documented = new Set<string>();
  const missing: string[] = [];
  for (const [index, line] of lines.entries()) {
    const [, name] = EXPORT.exec(line) ?? [];
    if (name === undefined) continue;
    const before = BETWEEN.test(lines[index - 1] ?? '') ? index - 2 : index - 1;
    if (DOCSTRING_END.test(lines[before] ?? '')) documented.add(name);
    else if (!documented.has(name)) missing.push(name);
  }
  return missing;
}

it('every kind of export without a docstring is found', () => {
  const source = `/** A docstring. */
export function known(a: string): string;
export function known(a: string | number): string {
  return String(a);
}
export interface Shape {}

export const LIMIT = 1;
/** Another. */
// biome-ignore lint/some/rule: a reason
export type Any = unknown;
export abstract class Bare {}
export type Name = string;
export async function later() {}
export function* pieces() {}
export let counted = 0;
/** A record of the kernel. */
@unmanaged
export class Recorded {}
`;
  expect(undocumented(source)).toEqual(['Shape', 'LIMIT', 'Bare', 'Name', 'later', 'pieces', 'counted']);
});

const foldersOf = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));

const FOLDERS = [...foldersOf(SOURCES), ...foldersOf(KERNEL)].map((path) => relative(ROOT, path));

it.each(FOLDERS)('every export of %s has a docstring', (folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  expect(files.length).toBeGreaterThan(0);
  const missing = files.flatMap((file) =>
    undocumented(readFileSync(join(ROOT, folder, file), 'utf8')).map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it('every file of src and assembly begins with its description', () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );
  const headless = files.filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(headless).toEqual([]);
});
