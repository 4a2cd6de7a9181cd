/**
 * `fulgurite plugin install` and `fulgurite plugin check`: set up and test the plugin before a Core Lightning node
 * depends on it. A node with `cln-askrene` disabled stops if this plugin cannot start. So the script that `install`
 * writes needs no `PATH`, and `check` starts that script as lightningd would.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../client/client-arguments.ts';
import { PACKAGED_PLUGIN, PLUGIN_FILE_VARIABLE } from '../daemon/revive-plugin.ts';
import { dataDirectory, nodeSocketIn } from '../files/paths.ts';
import { parseOptions } from '../options/command-line.ts';
import { shellWord } from '../program-name.ts';
import { type PluginCheck, tryPlugin } from './plugin-trial.ts';

/** What `fulgurite plugin --help` prints. */
export const PLUGIN_USAGE = `Usage:
  fulgurite plugin install [FILE]
      write a script that starts the plugin with this Node.js, by absolute paths. Default FILE: fulgurite-plugin
      in the data directory. Then put plugin=FILE into the node's configuration
  fulgurite plugin check [FILE] [--lightning-dir DIR] [--chain CHAIN] [--path PATH]
      start the plugin in the environment of the running lightningd, and request its manifest. Changes nothing.
      Exits with code 1 if lightningd could not use the plugin

Options of check:
  --lightning-dir DIR   directory of the node, used to find its process (default ~/.lightning)
  --chain CHAIN         chain of the node (default bitcoin)
  --path PATH           PATH to use instead of that of the running lightningd
`;

/**
 * Name of the script. Nodes disable plugins by this name, so it must differ from the names of Core Lightning's plugins.
 */
const SCRIPT_NAME = 'fulgurite-plugin';

/** The `PATH` of a systemd service that sets none. */
const SERVICE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The output of a plugin command, and its exit code. */
export interface PluginOutcome {
  readonly text: string;
  readonly code: number;
}

/** Runs a plugin command. @throws UsageError; a file system error */
export async function runPluginCommand(argv: readonly string[]): Promise<PluginOutcome> {
  const [verb, ...rest] = argv;
  if (verb === 'install') return install(rest);
  if (verb === 'check') return check(rest);
  throw new UsageError('plugin needs install or check; see fulgurite plugin --help');
}

const OPTIONS = {
  'lightning-dir': { type: 'string' },
  chain: { type: 'string' },
  path: { type: 'string' },
} as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const PLUGIN_OPTION_NAMES = Object.keys(OPTIONS);

const usualScript = (): string => join(dataDirectory(undefined), SCRIPT_NAME);

/**
 * The text of the script. Because of `exec`, no shell stays between the node and the plugin: the node kills only the
 * process that it started.
 */
export const scriptText = (node: string, plugin: string): string =>
  `#!/bin/sh
# Starts Fulgurite as a plugin of lightningd. Written by \`fulgurite plugin install\`.
${PLUGIN_FILE_VARIABLE}="$0"
export ${PLUGIN_FILE_VARIABLE}
exec ${shellWord(node)} ${shellWord(plugin)} "$@"
`;

function install(argv: readonly string[]): PluginOutcome {
  const { values, positionals } = parseOptions(argv, OPTIONS);
  if (positionals.length > 1 || Object.keys(values).length > 0)
    throw new UsageError(
      'plugin install takes at most one file, and no options; see fulgurite plugin --help',
    );
  const file = resolve(positionals[0] ?? usualScript());
  requireName(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The node may read the file at any moment, so it must never be incomplete.
  const part = `${file}.new`;
  writeFileSync(part, scriptText(process.execPath, realpathSync(PACKAGED_PLUGIN)), { mode: 0o755 });
  renameSync(part, file);
  return {
    text: `${file} starts the plugin with ${process.execPath}.
Check it, then add these lines to the node's configuration and restart the node:
  disable-plugin=cln-askrene
  plugin=${file}
Run \`fulgurite plugin install\` again after you move or upgrade Node.js or Fulgurite.
`,
    code: 0,
  };
}

/**
 * Checks the name of the script.
 * @throws UsageError when the node would confuse the script with one of its own plugins
 */
function requireName(file: string): void {
  if (
    /^cln-|^(bcli|chanbackup|commando|funder|keysend|offers|pay|recover|spenderp|topology|txprepare)$/.test(
      basename(file),
    )
  )
    throw new UsageError(
      `${basename(file)} is the name of a plugin of Core Lightning: choose a different name`,
    );
}

async function check(argv: readonly string[]): Promise<PluginOutcome> {
  const { values, positionals } = parseOptions(argv, OPTIONS);
  if (positionals.length > 1)
    throw new UsageError('plugin check takes at most one file; see fulgurite plugin --help');
  const file = resolve(positionals[0] ?? usualScript());
  const socket = nodeSocketIn(values['lightning-dir'], values.chain ?? 'bitcoin');
  const running = runningNode(dirname(socket), values.chain ?? 'bitcoin');
  const environment = running?.environment ?? { PATH: SERVICE_PATH };
  if (values.path !== undefined) environment.PATH = values.path;
  const trial = await tryPlugin(file, { environment, cwd: running?.cwd });
  return { text: told(file, trial, whence(values.path, running)), code: trial.problem === undefined ? 0 : 1 };
}

/** Describes the environment of the test, for messages. */
function whence(path: string | undefined, running: RunningNode | undefined): string {
  if (path !== undefined) return 'with the PATH given';
  if (running !== undefined) return `in the environment of lightningd (process ${running.pid})`;
  return `with the PATH of a systemd service (${SERVICE_PATH}), because no running lightningd was found`;
}

function told(file: string, { problem, remedy, methods }: PluginCheck, environment: string): string {
  if (problem === undefined) return `${file} works ${environment}: it answered with ${methods} methods.\n`;
  return `${file} does not work ${environment}: ${problem}.\n${remedy}\nWith disable-plugin=cln-askrene and this plugin, lightningd would not start.\n`;
}

/** A running lightningd, as far as we are allowed to inspect it. */
interface RunningNode {
  readonly pid: number;
  readonly environment: Record<string, string>;
  /** The working directory, in which lightningd starts plugins. */
  readonly cwd: string;
}

/**
 * The lightningd that uses a directory, found through its pid file and `/proc`. Undefined when none is running or the
 * system hides the process.
 */
function runningNode(directory: string, chain: string): RunningNode | undefined {
  // The pid file is in the folder above the chain's directory, and its name contains the chain.
  for (const folder of [directory, dirname(directory)]) {
    try {
      const pid = Number.parseInt(readFileSync(join(folder, `lightningd-${chain}.pid`), 'utf8'), 10);
      if (!Number.isSafeInteger(pid)) continue;
      const text = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return { pid, environment: variablesOf(text), cwd: directory };
    } catch {
      // lightningd is not running, or belongs to another user.
    }
  }
  return undefined;
}

function variablesOf(environ: string): Record<string, string> {
  const pairs = environ.split('\0').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}
