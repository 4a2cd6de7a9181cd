/** The node's key-value store (`datastore`, `listdatastore`, `deldatastore`). It outlives the node process. */
import type { Values } from './parameters.ts';
import { CODE, Refusal } from './refusal.ts';

interface Entry {
  readonly key: readonly string[];
  hex: string;
  generation: number;
}

const nameOf = (key: readonly string[]): string => JSON.stringify(key);
const isWithin = (key: readonly string[], parent: readonly string[]): boolean =>
  parent.length <= key.length && parent.every((part, i) => key[i] === part);

/** Keeps entries by key. */
export class Datastore {
  readonly #entries = new Map<string, Entry>();

  put({ key, string, hex, mode = 'must-create', generation }: Values): object {
    if (string !== undefined && hex !== undefined) throw invalid('Cannot have both hex and string');
    const data: string | undefined = hex ?? (string && Buffer.from(string, 'utf8').toString('hex'));
    if (data === undefined) throw invalid('Must have either hex or string');
    const mustExist = mode.startsWith('must-') && mode !== 'must-create';
    if (generation !== undefined && !mustExist) {
      throw invalid('generation only valid with must-replace or must-append');
    }
    const known = this.#entries.get(nameOf(key));
    if (known === undefined) this.#requireAlone(key);
    if (known !== undefined && mode === 'must-create') {
      throw new Refusal(CODE.updateExists, 'Key already exists');
    }
    if (known === undefined && mustExist) throw new Refusal(CODE.updateMissing, 'Key does not exist');
    if (known !== undefined && generation !== undefined && BigInt(known.generation) !== generation) {
      throw new Refusal(CODE.updateGeneration, 'generation is different');
    }
    const before = mode.endsWith('append') ? (known?.hex ?? '') : '';
    const entry = { key, hex: before + data, generation: known === undefined ? 0 : known.generation + 1 };
    this.#entries.set(nameOf(key), entry);
    return shown(entry);
  }

  list({ key = [] }: Values): object {
    const rows: object[] = [];
    const folders = new Set<string>();
    for (const entry of this.#sorted()) {
      if (!isWithin(entry.key, key)) continue;
      if (entry.key.length <= key.length + 1) {
        rows.push(shown(entry));
        continue;
      }
      const folder = entry.key.slice(0, key.length + 1);
      if (folders.has(nameOf(folder))) continue;
      folders.add(nameOf(folder));
      rows.push({ key: folder });
    }
    return { datastore: rows };
  }

  delete({ key, generation }: Values): object {
    const entry = this.#entries.get(nameOf(key));
    if (entry === undefined) throw new Refusal(CODE.deleteMissing, 'Key does not exist');
    if (generation !== undefined && BigInt(entry.generation) !== generation) {
      throw new Refusal(CODE.deleteGeneration, 'generation is different');
    }
    this.#entries.delete(nameOf(key));
    return shown(entry);
  }

  /** A key has either a value or children, never both. */
  #requireAlone(key: readonly string[]): void {
    for (const entry of this.#entries.values()) {
      if (isWithin(entry.key, key)) throw new Refusal(CODE.updateChildren, 'Key has children already');
      if (isWithin(key, entry.key)) {
        throw new Refusal(CODE.updateParent, `Parent key [${entry.key.join(',')}] exists`);
      }
    }
  }

  #sorted(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => (a.key.join('\0') < b.key.join('\0') ? -1 : 1));
  }
}

const invalid = (message: string): Refusal => new Refusal(CODE.invalidParams, message);

/** An entry, with its value as text if it is valid text. */
function shown({ key, hex, generation }: Entry): object {
  const text = Buffer.from(hex, 'hex').toString('utf8');
  const isText = Buffer.from(text, 'utf8').toString('hex') === hex && !text.includes('\0');
  return { key, generation, hex, ...(isText && { string: text }) };
}
