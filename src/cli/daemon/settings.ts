/**
 * The options that the daemon was started with, and those that can change while it runs.
 *
 * A change that is not transient is written to `config.setconfig` in the data directory, in the format of Core
 * Lightning's file of that name. At the next start, the command line and the environment take precedence over this
 * file. This file takes precedence over the files that the operator wrote, and over defaults.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSettings, Setting } from '../../commands/context.ts';
import { DEFAULT_LEVEL, parseLevelRules } from '../../log/index.ts';
import { FulguriteError } from '../../model/errors.ts';
import { writeWhole } from '../files/whole-file.ts';
import type { Gathered, GivenOptions } from '../options/gather-options.ts';

/** Name of the file in the data directory that contains changed options. */
export const SETTINGS_FILE = 'config.setconfig';
const COMMENT = '# Written by setconfig';
const U32_MAX = 2 ** 32 - 1;
/** Shown instead of a secret. */
const CONCEALED = '...';

/** An option that can change while the daemon runs: its default, its parser, and a description of its valid values. */
interface Dynamic<T extends number | string> {
  readonly initial: T;
  /** Returns the value of the text. Undefined when the text is not a valid value. */
  readonly parse: (text: string) => T | undefined;
  readonly expected: string;
}

const dynamic = <T extends number | string>(option: Dynamic<T>): Dynamic<T> => option;

/** The options that can change while the daemon runs. */
const DYNAMIC = {
  'askrene-timeout': dynamic<number>({
    initial: 10,
    parse: parseU32,
    expected: 'should be an unsigned 32 bit integer',
  }),
  'log-level': dynamic<string>({
    initial: DEFAULT_LEVEL,
    parse: (text) => (parseLevelRules(text) === undefined ? undefined : text),
    expected: 'should be a LEVEL or LEVEL:PART, or several of them separated by commas',
  }),
};

/** The name of an option that can change while the daemon runs. */
export type DynamicName = keyof typeof DYNAMIC;
type ValueOf<N extends DynamicName> = (typeof DYNAMIC)[N]['initial'];

/** The file of settings cannot be read, or has a line that is not a setting. */
export class SettingsError extends Error {}

/** A path segment of at least this many characters may be a token. */
const TOKEN_LENGTH = 12;

/** A value without the secrets that URLs may contain: passwords, queries, and path segments that look like tokens. */
function withoutSecrets<T>(value: T): T | string {
  if (typeof value !== 'string' || !URL.canParse(value) || !/^[a-z]+:\/\//.test(value)) return value;
  const url = new URL(value);
  const path = url.pathname.split('/');
  const shown = path.map((part) => (part.length >= TOKEN_LENGTH ? CONCEALED : part)).join('/');
  const user = url.username === '' && url.password === '' ? '' : `${CONCEALED}@`;
  const query = url.search === '' && url.hash === '' ? '' : `?${CONCEALED}`;
  const isWhole = user === '' && query === '' && shown === url.pathname;
  return isWhole ? value : `${url.protocol}//${user}${url.host}${shown}${query}`;
}

/** The names of all options, and of the secret ones. */
export interface OptionNames {
  readonly all: readonly string[];
  readonly secret: readonly string[];
}

/** The options of a running daemon. Lists and changes them, and stores changes in the file. */
export class Settings implements NodeSettings {
  readonly #file: string;
  readonly #settings = new Map<string, Setting>();
  readonly #stored: Map<DynamicName, number | string>;
  readonly #listeners = new Map<DynamicName, () => void>();

  /** @throws SettingsError when `config.setconfig` cannot be used */
  constructor(directory: string, { values, sources }: Gathered, { all, secret }: OptionNames) {
    this.#file = join(directory, SETTINGS_FILE);
    this.#stored = readStored(this.#file);
    for (const name of [...all].sort()) {
      const value = values[name];
      const from = sources.get(name) ?? [];
      if (isDynamic(name)) this.#settings.set(name, this.#atStart(name, value, from));
      else {
        const shown = value !== undefined && secret.includes(name) ? CONCEALED : withoutSecrets(value);
        this.#settings.set(name, { value: shown, sources: from, isDynamic: false });
      }
    }
  }

  #atStart(name: DynamicName, given: GivenOptions[string], from: readonly string[]): Setting {
    const isFromFile = from.every((source) => source !== 'cmdline' && !source.startsWith('environment '));
    const stored = this.#stored.get(name);
    if (stored !== undefined && isFromFile) {
      return { value: stored, sources: [this.#sourceOf(name)], isDynamic: true };
    }
    const option = DYNAMIC[name];
    if (given === undefined) return { value: option.initial, sources: ['default'], isDynamic: true };
    const text = Array.isArray(given) ? given.join(',') : String(given);
    const last = from.at(-1)!;
    return { value: option.parse(text) ?? option.initial, sources: [last], isDynamic: true };
  }

  /** The file and line that contain an option's stored value. The first line of the file is a comment. */
  #sourceOf(name: DynamicName): string {
    return `${this.#file}:${[...this.#stored.keys()].indexOf(name) + 2}`;
  }

  get all(): ReadonlyMap<string, Setting> {
    return this.#settings;
  }

  valueOf<N extends DynamicName>(name: N): ValueOf<N> {
    return this.#settings.get(name)!.value as ValueOf<N>;
  }

  /** Sets the listener that is called when the option changes. */
  onChange(name: DynamicName, listener: () => void): void {
    this.#listeners.set(name, listener);
  }

  faultOf(name: string, text: string): string | undefined {
    if (!isDynamic(name)) throw new TypeError(`${name} cannot be changed while the daemon runs`);
    const { parse, expected } = DYNAMIC[name];
    return parse(text) === undefined ? expected : undefined;
  }

  set(name: string, text: string, isTransient: boolean): Setting {
    const value = isDynamic(name) ? DYNAMIC[name].parse(text) : undefined;
    if (!isDynamic(name) || value === undefined) throw new TypeError(`${name} cannot be ${text}`);
    if (!isTransient) this.#store(name, value);
    const source = isTransient ? 'setconfig' : this.#sourceOf(name);
    const setting = { value, sources: [source], isDynamic: true };
    this.#settings.set(name, setting);
    this.#listeners.get(name)?.();
    return setting;
  }

  #store(name: DynamicName, value: number | string): void {
    const lines = [...new Map(this.#stored).set(name, value)].map(([known, each]) => `${known}=${each}`);
    try {
      writeWhole(this.#file, `${[COMMENT, ...lines].join('\n')}\n`);
    } catch (error) {
      throw new FulguriteError(
        'storeFailed',
        `${this.#file}: ${(error as Error).message}; nothing was changed`,
      );
    }
    this.#stored.set(name, value);
  }
}

/** Parses a decimal number of up to 32 bits. Undefined for other text. */
export function parseU32(text: string): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value <= U32_MAX ? value : undefined;
}

const isDynamic = (name: string): name is DynamicName => Object.hasOwn(DYNAMIC, name);

/** Reads `config.setconfig`. @throws SettingsError */
function readStored(file: string): Map<DynamicName, number | string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // A directory that is not one is refused later.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return new Map();
    throw new SettingsError(`${file}: ${(error as Error).message}`);
  }
  const stored = new Map<DynamicName, number | string>();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [name = '', ...rest] = line.split('=');
    const value = isDynamic(name) ? DYNAMIC[name].parse(rest.join('=')) : undefined;
    if (!isDynamic(name) || value === undefined) {
      throw new SettingsError(`${file}:${index + 1}: not a setting: ${line.slice(0, 100)}`);
    }
    stored.set(name, value);
  }
  return stored;
}
