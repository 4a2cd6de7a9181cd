/**
 * The places from which `start` takes options, from lowest to highest precedence:
 *
 *     DIR/config  <  DIR/CHAIN/config  <  environment  <  command line
 *
 * Files use Core Lightning's format: `name=value`, or `name` alone for a switch; `#` begins a line that is a comment;
 * `include FILE` reads another file, whose path is relative to the file that includes it. Environment variables use the
 * name in upper case: `FULGURITE_LOG_LEVEL` for `log-level`. Later values win, except that the values of an option that
 * may be repeated are collected from all places. Unknown names are errors everywhere, because silently ignoring an
 * option is worse than refusing to start.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../client/client-arguments.ts';
import { type OptionKinds, readCommandLine, unknownName } from './command-line.ts';
import { nearest } from './nearest.ts';

/** Given options, and the origin of each value: `cmdline`, `environment NAME`, or `FILE:LINE`. */
export interface Gathered {
  readonly values: GivenOptions;
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

/** The arguments of `gatherOptions`. */
export interface GatherOptions {
  readonly kinds: OptionKinds;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the data directory for a value of `--data-dir`, which files cannot set. */
  readonly directoryOf: (given: string | undefined) => string;
  /** Options that files cannot set, because they locate files or request a one-time action. */
  readonly notInFiles: readonly string[];
  /** Options with secret values. A file that sets one must be readable by its owner only. */
  readonly secrets: readonly string[];
}

/** An error in a configuration file or an environment variable. The message contains the place of the error. */
export class ConfigError extends UsageError {}

interface Entry {
  readonly name: string;
  readonly value: string | undefined;
  readonly source: string;
}

const VARIABLE = 'FULGURITE_';
/**
 * Variables that do not set options: an older name for the data directory, the script that started the plugin
 * (revive-plugin.ts), and the variables of the project's tests.
 */
const OTHER_VARIABLES =
  /^(?:DIR|PLUGIN_FILE|TEST_\w+|SNAPSHOT_\w+|LIGHTNINGD|PYLN|NPM_CLIENTS|CLN_HELP|LND|LNCLI|BTCD|LDK_STATIC|CLOTH|FAILOVER)$/;
/** Maximum nesting depth of included files, and maximum bytes per file. */
const MAX_DEPTH = 10;
const MAX_BYTES = 1_000_000;

/** Gathers the options from all places. @throws UsageError for the command line, ConfigError for files and variables */
export function gatherOptions(options: GatherOptions): Gathered {
  const { kinds, argv, env, directoryOf } = options;
  const onLine = commandLine(kinds, argv);
  const inEnvironment = variables(kinds, env);
  const stronger = [...inEnvironment, ...onLine];
  const directory = directoryOf(lastOf(stronger, 'data-dir'));
  const conf = lastOf(stronger, 'conf');
  const reader = new FileReader(options);
  const general = reader.read(
    conf === undefined ? join(directory, 'config') : resolve(conf),
    conf !== undefined,
  );
  const chain = lastOf([...general, ...stronger], 'chain') ?? 'bitcoin';
  const ofChain = reader.read(join(directory, chain, 'config'), false);
  const misplaced = ofChain.find(({ name }) => name === 'chain');
  if (misplaced !== undefined)
    throw new ConfigError(`${misplaced.source}: chain is not allowed in the file of a particular chain`);
  return merged(kinds, [...general, ...ofChain, ...stronger]);
}

const lastOf = (entries: readonly Entry[], option: string): string | undefined =>
  entries.findLast(({ name }) => name === option)?.value;

function commandLine(kinds: OptionKinds, argv: readonly string[]): Entry[] {
  const { options, words } = readCommandLine(kinds, argv);
  if (words.length > 0) throw new UsageError(`start takes options only, not ${words[0]}`);
  return options.map((option) => ({ ...option, source: 'cmdline' }));
}

function variables(kinds: OptionKinds, env: GatherOptions['env']): Entry[] {
  const entries: Entry[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(VARIABLE) || value === undefined) continue;
    const suffix = variable.slice(VARIABLE.length);
    const name = suffix.toLowerCase().replaceAll('_', '-');
    if (OTHER_VARIABLES.test(suffix)) continue;
    if (!Object.hasOwn(kinds, name)) {
      const meant = nearest(name, Object.keys(kinds));
      const hint = meant === undefined ? '' : `; did you mean ${VARIABLE}${variableOf(meant)}?`;
      throw new ConfigError(`${variable} is not an option${hint}`);
    }
    entries.push(...entryOf(kinds, name, value, `environment ${variable}`));
  }
  return entries;
}

const variableOf = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/**
 * Converts a line or variable to an entry. A switch may have a value, so that a place with higher precedence can turn
 * it off.
 */
function entryOf(kinds: OptionKinds, name: string, value: string | undefined, source: string): Entry[] {
  const { type } = kinds[name]!;
  if (type === 'string' && value === undefined) throw new ConfigError(`${source}: ${name} needs a value`);
  if (type === 'boolean' && value !== undefined && !['true', 'false'].includes(value)) {
    throw new ConfigError(`${source}: ${name} is a switch: give true, false, or the name alone`);
  }
  return [{ name, value, source }];
}

/** Reads files and the files that they include. */
class FileReader {
  readonly #options: GatherOptions;

  constructor(options: GatherOptions) {
    this.#options = options;
  }

  read(path: string, mustExist: boolean, depth = 0): Entry[] {
    if (depth >= MAX_DEPTH) throw new ConfigError(`${path}: includes are nested more than ${MAX_DEPTH} deep`);
    const text = textOf(path, mustExist);
    if (text === undefined) return [];
    const entries = text.split('\n').flatMap((line, index) => {
      const source = `${path}:${index + 1}`;
      const bare = line.trim();
      if (bare === '' || bare.startsWith('#')) return [];
      const [, included] = /^include\s+(.+)$/.exec(bare) ?? [];
      if (included !== undefined) return this.read(resolve(dirname(path), included), true, depth + 1);
      return this.#entry(bare, source);
    });
    this.#requireClosed(path, entries);
    return entries;
  }

  #entry(line: string, source: string): Entry[] {
    const { kinds, notInFiles } = this.#options;
    const [written = '', ...rest] = line.split('=');
    const name = written.trim();
    if (!Object.hasOwn(kinds, name)) {
      throw new ConfigError(`${source}: ${unknownName(name.slice(0, 100), name, kinds, '')}`);
    }
    if (notInFiles.includes(name)) throw new ConfigError(`${source}: ${name} is not allowed in a file`);
    return entryOf(kinds, name, rest.length === 0 ? undefined : rest.join('=').trim(), source);
  }

  #requireClosed(path: string, entries: readonly Entry[]): void {
    const secret = entries.find(
      ({ name, source }) => this.#options.secrets.includes(name) && source.startsWith(`${path}:`),
    );
    if (secret === undefined) return;
    const mode = statSync(path).mode & 0o777;
    if ((mode & 0o077) === 0) return;
    throw new ConfigError(
      `${secret.source}: ${secret.name} is a secret, and others can read the file (mode ${mode.toString(8)}): chmod 600 ${path}`,
    );
  }
}

function textOf(path: string, mustExist: boolean): string | undefined {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new ConfigError(`${path} is longer than ${MAX_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!mustExist && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw error instanceof ConfigError ? error : new ConfigError(`${path}: ${message}`);
  }
}

/** The values of each option and their origins. Of an option with a single value, the last entry wins. */
function merged(kinds: OptionKinds, entries: readonly Entry[]): Gathered {
  const values: Record<string, string | boolean | string[]> = {};
  const sources = new Map<string, string[]>();
  for (const { name, value, source } of entries) {
    const { type, multiple } = kinds[name]!;
    if (multiple === true && type === 'string') {
      values[name] = [...((values[name] as string[] | undefined) ?? []), value!];
      sources.set(name, [...(sources.get(name) ?? []), source]);
      continue;
    }
    values[name] = type === 'boolean' ? value !== 'false' : value!;
    sources.set(name, [source]);
  }
  return { values, sources };
}

/** Options as given to `start`, by name. */
export type GivenOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
