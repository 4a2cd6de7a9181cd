/**
 * The options of the plugin. The node lists them, and can change some of them while it runs.
 *
 * `askrene-timeout` and `askrene-max-threads` belong to cln-askrene. All plugins share one set of option names, and a
 * clash prevents the node from starting. So we declare these two only if we replace cln-askrene.
 */
import { FulguriteError } from '../model/errors.ts';
import type { JsonToken } from '../rpc/json-token.ts';
import { parameterError } from '../rpc/params.ts';
import { TAKE_OVER_METHODS } from './take-over.ts';

/** The values of the options. */
export interface PluginOptions {
  /** The data directory, relative to the node's directory for its chain. */
  readonly directory: string;
  /** Methods of the node whose calls the engine serves. */
  readonly takeOver: ReadonlySet<string>;
  /** Number of threads that search routes. Undefined for the engine's default. */
  readonly workers: number | undefined;
  /** Maximum number of seconds that a route query may take. */
  readonly timeoutS: number;
  /** Maximum number of concurrent route queries. */
  readonly maxThreads: number;
}

/** Default values. */
export const DEFAULT_OPTIONS: PluginOptions = {
  directory: 'fulgurite',
  takeOver: new Set(),
  workers: undefined,
  timeoutS: 10,
  maxThreads: 4,
};

const U32_MAX = 2 ** 32 - 1;

/** One option as the manifest declares it. */
export interface OptionDeclaration {
  readonly name: string;
  readonly type: 'string' | 'int';
  readonly default?: string | number;
  readonly description: string;
  readonly dynamic?: true;
}

/** An option: its declaration, and how its text changes the values. `read` throws if the text is invalid. */
interface Option extends OptionDeclaration {
  readonly read: (text: string) => Partial<PluginOptions>;
}

const OWN: readonly Option[] = [
  {
    name: 'fulgurite-dir',
    type: 'string',
    default: DEFAULT_OPTIONS.directory,
    description:
      "Fulgurite's data directory: layers, journal, socket. Relative to the node's directory for its chain.",
    read: (directory) => ({ directory }),
  },
  {
    name: 'fulgurite-take-over',
    type: 'string',
    default: '',
    description:
      'Commands of the node that Fulgurite serves in its place, separated by commas: ' +
      `${TAKE_OVER_METHODS.join(', ')}. None by default. Needs v25.12 or later.`,
    dynamic: true,
    read: (text) => ({ takeOver: takeOverOf(text) }),
  },
  {
    name: 'fulgurite-workers',
    type: 'int',
    description: 'Number of threads that search routes. Default: 2.',
    read: (text) => ({ workers: whole('fulgurite-workers', text, 1, 256) }),
  },
];

const ASKRENE: readonly Option[] = [
  {
    name: 'askrene-timeout',
    type: 'int',
    default: DEFAULT_OPTIONS.timeoutS,
    description: 'Maximum number of seconds per route query. 0 refuses all queries.',
    dynamic: true,
    read: (text) => ({ timeoutS: whole('askrene-timeout', text, 0, U32_MAX) }),
  },
  {
    name: 'askrene-max-threads',
    type: 'int',
    default: DEFAULT_OPTIONS.maxThreads,
    description: 'Maximum number of concurrent route queries. Further queries wait.',
    dynamic: true,
    read: (text) => ({ maxThreads: whole('askrene-max-threads', text, 1, U32_MAX) }),
  },
];

/** The facts about the node on which the options depend. */
export interface OptionScope {
  /** Whether the plugin replaces cln-askrene. */
  readonly isInPlace: boolean;
  /** Whether the node can limit which of its commands it passes to us. */
  readonly mayTakeOver: boolean;
}

/** The options that the plugin declares. */
export function declaredOptions(isInPlace: boolean): OptionDeclaration[] {
  return optionsOf(isInPlace).map(({ read: _, ...declaration }) => declaration);
}

/**
 * Reads the options that the node passes at startup. An invalid text is skipped and reported to `refused`. It is not an
 * error, because a plugin that stops during startup could stop the node.
 */
export function readOptions(
  given: JsonToken | undefined,
  scope: OptionScope,
  refused: (why: string) => void,
): PluginOptions {
  let options = DEFAULT_OPTIONS;
  for (const { key, value } of given?.members() ?? []) {
    try {
      options = changedOption(options, scope, key, value.text);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      refused(error.message);
    }
  }
  return options;
}

/** The options after a change. @throws FulguriteError invalidParams for an unknown option or an invalid text */
export function changedOption(
  options: PluginOptions,
  { isInPlace, mayTakeOver }: OptionScope,
  name: string,
  text: string,
): PluginOptions {
  const option = optionsOf(isInPlace).find((one) => one.name === name);
  if (option === undefined) throw parameterError(name, 'unknown option');
  const changed = { ...options, ...option.read(text) };
  if (changed.takeOver.size > 0 && !mayTakeOver) {
    throw parameterError(
      name,
      'this node is older than v25.12 and would call us before each of its own commands',
    );
  }
  return changed;
}

const optionsOf = (isInPlace: boolean): readonly Option[] => (isInPlace ? [...OWN, ...ASKRENE] : OWN);

function whole(name: string, text: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw parameterError(name, `should be a number from ${least} to ${most}`);
  return value;
}

function takeOverOf(text: string): ReadonlySet<string> {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const unknown = names.find((name) => !TAKE_OVER_METHODS.includes(name));
  if (unknown !== undefined) {
    throw parameterError('fulgurite-take-over', `${unknown} is not one of ${TAKE_OVER_METHODS.join(', ')}`);
  }
  return new Set(names);
}
