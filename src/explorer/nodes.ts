/**
 * The nodes of the graph, shared by all pages: positions and links from `graph.bin`, and ids and names from files that
 * are fetched at the first search.
 */
import { decodeColumns, decodeIds, decodeNames, type MapColumns } from '../map-files/columns.ts';
import type { Rpc } from './rpc.ts';

const ID_BYTES = 33;
/** Milliseconds after which a map with the quick layout is requested again. */
const AGAIN_MS = 15_000;

/** A node found by a search. */
export interface FoundNode {
  readonly index: number;
  readonly id: string;
  readonly alias: string;
  /** Number of neighbours. */
  readonly degree: number;
}

/** Ids and names of nodes, in the order of the columns. */
export class Directory {
  readonly columns: MapColumns;
  readonly #ids: Uint8Array;
  readonly #aliases: readonly string[];
  readonly #degree: Uint32Array;
  readonly #byId: IdTable;
  /** Aliases in lower case, created at the first search. */
  #lower: readonly string[] | undefined;

  constructor(columns: MapColumns, ids: Uint8Array, aliases: readonly string[]) {
    this.columns = columns;
    this.#ids = ids;
    this.#aliases = aliases;
    this.#degree = degreesOf(columns);
    this.#byId = new IdTable(ids);
  }

  /** The id of a node as hex. */
  id(index: number): string {
    let text = '';
    for (let at = index * ID_BYTES; at < (index + 1) * ID_BYTES; at++) {
      text += this.#ids[at]!.toString(16).padStart(2, '0');
    }
    return text;
  }

  /** The index of a node. Undefined if it is not in the graph. */
  indexOf(id: string): number | undefined {
    return this.#byId.indexOf(id);
  }

  alias(id: string): string | undefined {
    const index = this.indexOf(id);
    return index === undefined ? undefined : this.#aliases[index] || undefined;
  }

  node(index: number): FoundNode {
    const id = this.id(index);
    return { index, id, alias: this.#aliases[index] ?? '', degree: this.#degree[index]! };
  }

  /**
   * Nodes whose alias contains the text or whose id begins with it. Aliases that equal or begin with the text are
   * first, then the best-connected.
   */
  search(text: string, limit = 8): FoundNode[] {
    const wanted = text.trim().toLowerCase();
    if (wanted === '') return [];
    if (/^0[23][0-9a-f]{4,}$/.test(wanted)) return this.#startingWith(wanted, limit);
    const ranked: { index: number; rank: number }[] = [];
    this.#lower ??= this.#aliases.map((alias) => alias.toLowerCase());
    for (const [index, alias] of this.#lower.entries()) {
      const at = alias.indexOf(wanted);
      if (at < 0 || this.#degree[index] === 0) continue;
      ranked.push({ index, rank: alias === wanted ? 0 : at === 0 ? 1 : 2 });
    }
    ranked.sort((a, b) => a.rank - b.rank || this.#degree[b.index]! - this.#degree[a.index]!);
    return ranked.slice(0, limit).map(({ index }) => this.node(index));
  }

  #startingWith(id: string, limit: number): FoundNode[] {
    const found: FoundNode[] = [];
    // Whole bytes are compared first. Creating a text for each id would block the page for a moment at every key press.
    const wanted = bytesOf(id.slice(0, id.length & ~1));
    for (let index = 0; index < this.#aliases.length && found.length < limit; index++) {
      const begin = index * ID_BYTES;
      if (!wanted.every((byte, at) => this.#ids[begin + at] === byte)) continue;
      if (this.id(index).startsWith(id)) found.push(this.node(index));
    }
    return found;
  }
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16));

/**
 * A hash table (open addressing) from ids to node indexes. A `Map` would need a text for each node before the first
 * search. The hash is the last four bytes of an id, which are effectively random.
 */
class IdTable {
  readonly #ids: Uint8Array;
  readonly #slots: Int32Array;

  constructor(ids: Uint8Array) {
    this.#ids = ids;
    const count = ids.length / ID_BYTES;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1))).fill(-1);
    for (let index = 0; index < count; index++) {
      let slot = this.#slotOf(ids, index * ID_BYTES);
      while (this.#slots[slot]! >= 0) slot = this.#after(slot);
      this.#slots[slot] = index;
    }
  }

  /** The index of an id. Undefined if absent. */
  indexOf(id: string): number | undefined {
    if (!/^[0-9a-f]{66}$/.test(id)) return undefined;
    const wanted = bytesOf(id);
    for (let slot = this.#slotOf(wanted, 0); this.#slots[slot]! >= 0; slot = this.#after(slot)) {
      const begin = this.#slots[slot]! * ID_BYTES;
      if (wanted.every((byte, at) => this.#ids[begin + at] === byte)) return this.#slots[slot];
    }
    return undefined;
  }

  #slotOf(bytes: Uint8Array, begin: number): number {
    let word = 0;
    for (let at = begin + ID_BYTES - 4; at < begin + ID_BYTES; at++) word = (word << 8) | bytes[at]!;
    return (word >>> 0) % this.#slots.length;
  }

  #after(slot: number): number {
    return (slot + 1) % this.#slots.length;
  }
}

interface Degrees {
  readonly degree: Uint32Array;
  /** Number of nodes with a neighbour. */
  readonly connected: number;
}

/** Counts are cached, because pages redraw often and a graph may have a million links. */
const counted = new WeakMap<MapColumns, Degrees>();

/** Number of neighbours of each node. */
export const degreesOf = (columns: MapColumns): Uint32Array => degreesIn(columns).degree;

/** Number of nodes with a neighbour. */
export const connectedNodes = (columns: MapColumns): number => degreesIn(columns).connected;

function degreesIn(columns: MapColumns): Degrees {
  const known = counted.get(columns);
  if (known !== undefined) return known;
  const { x, from, to } = columns;
  const degree = new Uint32Array(x.length);
  let connected = 0;
  for (const ends of [from, to]) {
    for (const node of ends) if (degree[node]!++ === 0) connected++;
  }
  counted.set(columns, { degree, connected });
  return { degree, connected };
}

let columns: { readonly got: Promise<MapColumns>; readonly atMs: number } | undefined;
let directory: Promise<Directory> | undefined;

/**
 * The columns of the graph. A map with the quick layout is requested again after a while. @throws CallRefused, NoAnswer
 */
export async function mapColumns(rpc: Rpc): Promise<MapColumns> {
  const before = columns;
  if (before !== undefined) {
    const known = await before.got;
    if (known.isSettled || performance.now() - before.atMs < AGAIN_MS) return known;
  }
  const got = rpc.bytes('/ui/graph.bin').then(decodeColumns);
  columns = { got, atMs: performance.now() };
  got.catch(() => {
    columns = before;
  });
  return got;
}

/** Ids and names. @throws CallRefused, NoAnswer; Error if the graph changes too fast */
export function nodeDirectory(rpc: Rpc): Promise<Directory> {
  directory ??= loadDirectory(rpc);
  directory.catch(() => {
    directory = undefined;
  });
  return directory;
}

/** Loads the three files, up to four times, until their versions match. @throws Error if they still differ */
async function loadDirectory(rpc: Rpc): Promise<Directory> {
  for (let tries = 0; ; tries++) {
    const [graph, { version, ids }, names] = await Promise.all([
      tries === 0 ? mapColumns(rpc) : rpc.bytes('/ui/graph.bin').then(decodeColumns),
      rpc.bytes('/ui/ids.bin').then(decodeIds),
      rpc.bytes('/ui/names.bin').then((bytes) => decodeNames(new TextDecoder().decode(bytes))),
    ]);
    const isOne = graph.version === version && names.version === version;
    if (isOne) return new Directory(graph, ids, names.aliases);
    if (tries >= 3) throw new Error('the graph changes faster than it can be read');
  }
}
