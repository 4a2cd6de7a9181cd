/**
 * Which room may import which. The table is `src/rooms.json`: for each folder of `src`, the rooms that it may
 * use. Every room may use itself. Nothing in `src` may use `test` or `bench`, and the kernel uses only
 * itself.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** For each room, the other rooms that it may use. */
export type RoomTable = Readonly<Record<string, readonly string[]>>;

/** A source text and its path from the top of the tree, with `/` between folders. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Matches `from '…'`, `import '…'`, `import('…')` and `typeof import('…')` of our own files. */
const IMPORT = /\b(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** The paths, from the top of the tree, that a source imports. */
export function importsOf({ path, text }: SourceText): string[] {
  return [...text.matchAll(IMPORT)].map(([, target]) => posix.join(dirname(path), target!));
}

/**
 * The room in which a path lies: the folder below `src`, or the folder at the top. Undefined for a file
 * beside these.
 */
function roomOf(path: string): string | undefined {
  const [top, below, ...rest] = path.split('/');
  if (top !== 'src') return top;
  return rest.length === 0 ? undefined : below;
}

/** The door of the library. It may name every room, since it is nothing but exports of theirs. */
export const DOOR = 'src/index.ts';

/** One sentence for each import that the table does not allow, and for each room that is missing in it. */
export function forbiddenImports(sources: readonly SourceText[], table: RoomTable): string[] {
  return sources.flatMap((source) => {
    if (source.path === DOOR) return [];
    const room = roomOf(source.path);
    const allowed = room === 'assembly' ? [] : room === undefined ? undefined : table[room];
    if (allowed === undefined) return [`${source.path} lies in no room of src/rooms.json`];
    return importsOf(source)
      .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target) ?? ''))
      .map(
        (target) =>
          `${source.path} imports ${target}, but ${room} may use ` +
          `${allowed.length === 0 ? 'itself alone' : allowed.join(', ')} (src/rooms.json)`,
      );
  });
}

/**
 * Matches an import of types alone, which leaves nothing behind at run time. AssemblyScript cannot write one. There the
 * record that has every part of the kernel's state (assembly/workspace.ts) is imported as a type alone.
 */
const TYPE_IMPORT = /\bimport (?:type [^;]*|\{ Workspace \} from '[./]+\/workspace');/g;

/**
 * What each source imports at run time, by path. Types may be imported in a circle within a room: a noun then need not
 * be split into files only for that. The kernel's imports leave out the `.ts`.
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

/** A round of rooms or of files, each of which uses the next. Undefined when there is none, as there should be. */
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

/** All sources below folders of the tree at `root`. */
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
