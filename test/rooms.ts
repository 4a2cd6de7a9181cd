/**
 * The permitted imports between rooms. The table is `src/rooms.json`: for each folder of `src`, it lists the
 * rooms that it may use. Every room may use itself. Nothing in `src` may use `test` or `bench`, and the
 * kernel uses only itself.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** For each room, the other rooms that it may use. */
export type RoomTable = Readonly<Record<string, readonly string[]>>;

/** The text of a source, and its path from the root of the tree, with `/` between folders. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Matches `from '…'`, `import '…'`, `import('…')` and `typeof import('…')` of our own files. */
const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** The paths that a source imports, from the root of the tree. */
export function importsOf({ path, text }: SourceText): string[] {
  return [...text.matchAll(IMPORT)].map(([, target]) => posix.join(dirname(path), target!));
}

/** The room of a path: the folder below `src`, or the top-level folder. Undefined for a file directly in `src`. */
function roomOf(path: string): string | undefined {
  const [top, below, ...rest] = path.split('/');
  if (top !== 'src') return top;
  return rest.length === 0 ? undefined : below;
}

/** The library's entry file. It may name every room, since it only exports from them. */
export const DOOR = 'src/index.ts';

/** One sentence for each import that the table does not allow, and for each room missing from it. */
export function forbiddenImports(sources: readonly SourceText[], table: RoomTable): string[] {
  return sources.flatMap((source) => {
    if (source.path === DOOR) return [];
    const room = roomOf(source.path);
    const allowed = room === 'assembly' ? [] : room === undefined ? undefined : table[room];
    if (allowed === undefined) return [`${source.path} belongs to no room of src/rooms.json`];
    return importsOf(source)
      .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target) ?? ''))
      .map(
        (target) =>
          `${source.path} imports ${target}, but ${room} may use ` +
          `${allowed.length === 0 ? 'only itself' : allowed.join(', ')} (src/rooms.json)`,
      );
  });
}

/**
 * Matches an import of types only, which has no effect at run time. AssemblyScript has no such imports. There, only
 * the record of the kernel's whole state (assembly/workspace.ts) is imported just as a type.
 */
const TYPE_IMPORT = /\bimport (?:type [^;]*|\{ Workspace \} from '[./]+\/workspace');/g;

/**
 * What each source imports at run time, by path. Types may be imported in a cycle within a room, so that a
 * concept need not be split into several files just to avoid a cycle. The kernel's imports omit the `.ts`.
 */
export const importsByFile = (sources: readonly SourceText[]): RoomTable =>
  Object.fromEntries(
    sources.map(({ path, text }) => [
      path,
      importsOf({ path, text: text.replaceAll(TYPE_IMPORT, '') }).map((target) =>
        target.endsWith('.ts') ? target : `${target}.ts`,
      ),
    ]),
  );

/** The first cycle of rooms or of files, each of which uses the next. Undefined if there is none. */
export function roundOf(table: RoomTable): readonly string[] | undefined {
  const done = new Set<string>();
  const walk = (room: string, way: readonly string[]): readonly string[] | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room];
    if (done.has(room)) return undefined;
    for (const next of table[room] ?? []) {
      const round = walk(next, [...way, room]);
      if (round !== undefined) return round;
    }
    done.add(room);
    return undefined;
  };
  for (const room of Object.keys(table)) {
    const round = walk(room, []);
    if (round !== undefined) return round;
  }
  return undefined;
}

/** All sources below the folders `folders` of the tree at `root`. */
export function sourcesBelow(root: string, folders: readonly string[]): SourceText[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        path: posix.join(folder, name.replaceAll('\\', '/')),
        text: readFileSync(join(root, folder, name), 'utf8'),
      })),
  );
}
