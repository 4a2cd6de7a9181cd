/** Imports point only downward: every source obeys the table of rooms, and the table has no cycles. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  DOOR,
  forbiddenImports,
  importsByFile,
  importsOf,
  type RoomTable,
  roundOf,
  sourcesBelow,
} from './rooms.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const table: RoomTable = JSON.parse(readFileSync(join(root, 'src/rooms.json'), 'utf8'));

it('every source obeys the table', () => {
  expect(forbiddenImports(sourcesBelow(root, ['src', 'assembly']), table)).toEqual([]);
});

it('existing imports are found', () => {
  const sources = sourcesBelow(root, ['src']);
  const edges = new Set(
    sources.flatMap((source) =>
      importsOf(source).map((to) => `${source.path.split('/')[1]} ${to.split('/')[1]}`),
    ),
  );
  expect(edges).toContain('engine layers');
  expect(edges).toContain('cli commands');
});

it('the library’s entry file contains only exports', () => {
  const text = readFileSync(join(root, DOOR), 'utf8').replace(/\/\*.*?\*\//gs, '');
  expect(text.replace(/export (?:type )?\{[^}]*\} from '[^']+';/g, '').trim()).toBe('');
});

it('the table has one entry for each folder of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(Object.keys(table).toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

it('no folder has more than 30 files', () => {
  const counts = new Map<string, number>();
  for (const { path } of sourcesBelow(root, ['src', 'assembly'])) {
    const folder = dirname(path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([, count]) => count > 30)).toEqual([]);
});

it('the rooms have no import cycles', () => {
  expect(roundOf(table)).toBeUndefined();
  expect(roundOf({ a: ['b'], b: ['c'], c: ['b'] })).toEqual(['b', 'c', 'b']);
});

it('files within a room have no import cycles either', () => {
  expect(roundOf(importsByFile(sourcesBelow(root, ['src', 'assembly'])))).toBeUndefined();
  const files = [
    { path: 'assembly/graph/a.ts', text: "import { b } from './b';" },
    { path: 'assembly/graph/b.ts', text: "import { A } from './a';" },
  ];
  expect(roundOf(importsByFile(files))).toEqual([
    'assembly/graph/a.ts',
    'assembly/graph/b.ts',
    'assembly/graph/a.ts',
  ]);
  const typed = [files[0]!, { path: 'assembly/graph/b.ts', text: "import type {\n  A,\n} from './a';" }];
  expect(roundOf(importsByFile(typed))).toBeUndefined();
  const workspace = [
    { path: 'assembly/workspace.ts', text: "import { A } from './graph/a';" },
    { path: 'assembly/graph/a.ts', text: "import { Workspace } from '../workspace';" },
  ];
  expect(roundOf(importsByFile(workspace))).toBeUndefined();
});

it('a refusal names the file, its import, and the allowed rooms', () => {
  const text = (line: string) => [{ path: 'src/low/deep/file.ts', text: line }];
  const small = { low: [], high: ['low'] };
  const refusal = 'src/low/deep/file.ts imports src/high/a.ts, but low may use only itself (src/rooms.json)';
  for (const line of [
    "import { a } from '../../high/a.ts';",
    "import type { A } from '../../high/a.ts';",
    "import '../../high/a.ts';",
    "export * from '../../high/a.ts';",
    "const a = await import('../../high/a.ts');",
    "type A = typeof import('../../high/a.ts');",
    "import {\n  a,\n} from '../../high/a.ts';",
  ]) {
    expect(forbiddenImports(text(line), small)).toEqual([refusal]);
  }
  expect(forbiddenImports(text("import { b } from '../b.ts';"), small)).toEqual([]);
  expect(forbiddenImports(text("import { readFileSync } from 'node:fs';"), small)).toEqual([]);
  const test = "import { x } from '../../../test/x.ts';";
  expect(forbiddenImports(text(test), small)[0]).toContain('imports test/x.ts');
  expect(forbiddenImports([{ path: 'src/new/file.ts', text: '' }], small)).toEqual([
    'src/new/file.ts belongs to no room of src/rooms.json',
  ]);
});
