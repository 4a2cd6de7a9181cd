/**
 * The command line of the client: options, a method, and its parameters as JSON.
 *
 * An argument that is JSON on its own (a number, true, false, null, an array, an object, a quoted string) is passed
 * unchanged. Anything else becomes a string. Arguments are `NAME=VALUE` with `-k`, or when the first one contains a `=`
 * (unless `-o` is given). Named arguments may also follow positional ones (mixed-arguments.ts). Arguments after `--` are
 * never options.
 */
import { JsonSyntaxError } from '../../rpc/json-scan.ts';
import { parseJson } from '../../rpc/json-token.ts';
import { nearest } from '../options/nearest.ts';

/** The command line is invalid. The message gives the reason. */
export class UsageError extends Error {}

/** The levels of notifications. The client shows those of the chosen level and above; `none` shows nothing. */
export const NOTIFICATION_LEVELS = ['trace', 'debug', 'info', 'unusual', 'broken', 'none'] as const;

/** A notification level that users can choose. */
export type NotificationChoice = (typeof NOTIFICATION_LEVELS)[number];

/** The client's parsed command line. */
export interface ClientArguments {
  readonly method: string;
  /** JSON text: an array, or an object when parameters are named. */
  readonly params: string;
  /** The words after the method, as typed. */
  readonly args: readonly string[];
  /** Whether arguments after the first one may be named. Then `params` takes all of them as positional. */
  readonly mayMix: boolean;
  /** Whether to show the method's help instead of calling it. */
  readonly isHelp: boolean;
  readonly rpcFile?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly filter?: string | undefined;
  /**
   * `raw` is JSON as the server sent it, `json` is indented JSON, and `human` is a line `path=value` for each scalar.
   * `auto` is like `json`, but a string is shown without quotes. Except with `raw` and `json`, the list of commands
   * and, with `human`, metrics are shown as text.
   */
  readonly output: 'raw' | 'json' | 'human' | 'auto';
  /** Minimum level of the notifications shown. */
  readonly notifications: NotificationChoice;
}

interface OptionKind {
  readonly name: string;
  readonly takesValue: boolean;
}

const flag = (name: string): OptionKind => ({ name, takesValue: false });
const valued = (name: string): OptionKind => ({ name, takesValue: true });

const OPTIONS: Readonly<Record<string, OptionKind>> = {
  '--rpc-file': valued('rpcFile'),
  '--data-dir': valued('dataDir'),
  '-F': valued('filter'),
  '--filter': valued('filter'),
  '-N': valued('notifications'),
  '--notifications': valued('notifications'),
  '-k': flag('keywords'),
  '--keywords': flag('keywords'),
  '-o': flag('order'),
  '--order': flag('order'),
  '-R': flag('raw'),
  '--raw': flag('raw'),
  '-J': flag('json'),
  '--json': flag('json'),
  '-H': flag('human'),
  '--human': flag('human'),
  '-h': flag('help'),
  '--help': flag('help'),
};

/** All client options, with their dashes. */
export const CLIENT_OPTIONS: readonly string[] = Object.keys(OPTIONS);

/** The options that take a value. */
export const VALUED_OPTIONS: readonly string[] = CLIENT_OPTIONS.filter((name) => OPTIONS[name]!.takesValue);

/** Parses the command line. @throws UsageError */
export function parseClientArguments(argv: readonly string[]): ClientArguments {
  const { options, words } = splitOptions(argv);
  const [method, ...args] = words;
  if (method === undefined) throw new UsageError('No method given');
  const named = options.has('keywords') || (!options.has('order') && args[0]?.includes('=') === true);
  const notifications = options.get('notifications') ?? 'info';
  if (!isLevel(notifications)) throw new UsageError(`No such notification level: ${notifications}`);
  const filter = options.get('filter');
  if (filter !== undefined && !isJson(filter)) throw new UsageError(`The filter is not JSON: ${filter}`);
  return {
    method,
    params: named ? namedParams(args) : `[${args.map(jsonArgument).join(',')}]`,
    args,
    mayMix: !named && !options.has('order') && args.slice(1).some((arg) => arg.includes('=')),
    isHelp: options.has('help'),
    rpcFile: options.get('rpcFile'),
    dataDir: options.get('dataDir'),
    filter,
    output: options.has('raw')
      ? 'raw'
      : options.has('json')
        ? 'json'
        : options.has('human')
          ? 'human'
          : 'auto',
    notifications,
  };
}

/**
 * Separates options from words. A known option may appear anywhere. An unknown option is an error before the method,
 * but an argument after it.
 */
function splitOptions(argv: readonly string[]): { options: Map<string, string>; words: string[] } {
  const options = new Map<string, string>();
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === '--') return { options, words: [...words, ...argv.slice(index + 1)] };
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const kind = OPTIONS[equals < 0 ? word : word.slice(0, equals)];
    if (kind === undefined) {
      if (word.startsWith('-') && words.length === 0) throw unknownOption(word);
      words.push(word);
    } else if (!kind.takesValue) {
      if (equals >= 0) throw new UsageError(`${word.slice(0, equals)} takes no value`);
      options.set(kind.name, '');
    } else {
      const value = equals < 0 ? argv[++index] : word.slice(equals + 1);
      if (!value) throw new UsageError(`${word} needs a value`);
      options.set(kind.name, value);
    }
  }
  return { options, words };
}

function unknownOption(word: string): UsageError {
  const meant = nearest(word.split('=')[0]!, Object.keys(OPTIONS));
  return new UsageError(`Unknown option ${word}${meant === undefined ? '' : `. Did you mean ${meant}?`}`);
}

function isLevel(text: string): text is NotificationChoice {
  return (NOTIFICATION_LEVELS as readonly string[]).includes(text);
}

function namedParams(args: readonly string[]): string {
  const members = args.map((arg) => {
    const equals = arg.indexOf('=');
    if (equals < 0) throw new UsageError(`Expected key=value in '${arg}'`);
    return `${JSON.stringify(arg.slice(0, equals))}:${jsonArgument(arg.slice(equals + 1))}`;
  });
  return `{${members.join(',')}}`;
}

/** An argument as JSON text: itself if it is JSON, otherwise a string. */
export function jsonArgument(text: string): string {
  return isJson(text) ? text : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
