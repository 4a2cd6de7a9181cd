/**
 * The options that the daemon was started with, and those that can change while it runs.
 *
 * A change is written to `config.setconfig` in the data directory, in the format of Core Lightning's file of
 * that name, unless it is transient. At the next start, the command line wins over the file, and the file
 * over the default.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSettings, Setting } from '../commands/context.ts';
import { FulguriteError } from '../model/errors.ts';

/** Name of the file, within the data directory, that holds changed options. */
export const SETTINGS_FILE = 'config.setconfig';
const COMMENT = '# Written by setconfig';
const U32_MAX = 2 ** 32 - 1;

/** Options that can change, with their defaults. All are whole numbers of 32 bits. */
const DYNAMIC = { 'askrene-timeout': 10 } as const;

/** The name of an option that can be changed while the daemon runs. */
export type DynamicName = keyof typeof DYNAMIC;

/** The file contains something other than settings. */
export class SettingsError extends Error {}

/** Options as they were given to `start`, by name. */
export type GivenOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The options of a running daemon. It lists them, changes them, and writes changes to the file. */
export class Settings implements NodeSettings {
  readonly #file: string;
  readonly #settings = new Map<string, Setting>();
  readonly #stored: Map<DynamicName, number>;

  /**
   * @param names of all options that exist.
   * @throws SettingsError when the file of changes cannot be read.
   */
  constructor(directory: string, given: GivenOptions, names: readonly string[]) {
    this.#file = join(directory, SETTINGS_FILE);
    this.#stored = readStored(this.#file);
    for (const name of [...names].sort()) {
      const value = given[name];
      if (isDynamic(name)) this.#settings.set(name, this.#atStart(name, value as string | undefined));
      else
        this.#settings.set(name, {
          value,
          source: value === undefined ? 'default' : 'cmdline',
          isDynamic: false,
        });
    }
  }

  #atStart(name: DynamicName, given: string | undefined): Setting {
    if (given !== undefined) return { value: Number(given), source: 'cmdline', isDynamic: true };
    const stored = this.#stored.get(name);
    if (stored !== undefined) return { value: stored, source: this.#sourceOf(name), isDynamic: true };
    return { value: DYNAMIC[name], source: 'default', isDynamic: true };
  }

  /** File and line of an option. The first line of the file is a comment. */
  #sourceOf(name: DynamicName): string {
    return `${this.#file}:${[...this.#stored.keys()].indexOf(name) + 2}`;
  }

  get all(): ReadonlyMap<string, Setting> {
    return this.#settings;
  }

  valueOf(name: DynamicName): number {
    return this.#settings.get(name)!.value as number;
  }

  parse(name: string, text: string): number | undefined {
    return isDynamic(name) ? parseU32(text) : undefined;
  }

  set(name: string, value: number, isTransient: boolean): Setting {
    if (!isDynamic(name)) throw new TypeError(`${name} cannot be changed`);
    if (!isTransient) this.#store(name, value);
    const source = isTransient ? 'setconfig' : this.#sourceOf(name);
    const setting = { value, source, isDynamic: true };
    this.#settings.set(name, setting);
    return setting;
  }

  /** Writes the file under another name and renames it. So it is complete whatever happens. */
  #store(name: DynamicName, value: number): void {
    const lines = [...new Map(this.#stored).set(name, value)].map(([known, each]) => `${known}=${each}`);
    const unfinished = `${this.#file}.new`;
    try {
      const descriptor = openSync(unfinished, 'w', 0o600);
      try {
        writeSync(descriptor, `${[COMMENT, ...lines].join('\n')}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(unfinished, this.#file);
    } catch (error) {
      removeIfThere(unfinished);
      throw new FulguriteError(
        'storeFailed',
        `${this.#file}: ${(error as Error).message}; nothing was changed`,
      );
    }
    this.#stored.set(name, value);
  }
}

/** The number that a text of decimal digits stands for. `undefined` when it is none or exceeds 32 bits. */
export function parseU32(text: string): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= U32_MAX ? value : undefined;
}

const isDynamic = (name: string): name is DynamicName => Object.hasOwn(DYNAMIC, name);

/** Reads the file of changes. @throws SettingsError */
function readStored(file: string): Map<DynamicName, number> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new SettingsError(`${file}: ${(error as Error).message}`);
  }
  const stored = new Map<DynamicName, number>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [name = '', ...rest] = line.split('=');
    const value = parseU32(rest.join('='));
    if (!isDynamic(name) || value === undefined) {
      throw new SettingsError(`${file}:${index + 1}: not a setting: ${line.slice(0, 100)}`);
    }
    stored.set(name, value);
  }
  return stored;
}

function removeIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // The file was never made.
  }
}
