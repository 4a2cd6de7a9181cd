#!/usr/bin/env node
/** The executable: `fulgurite start …` is the daemon, `fulgurite METHOD …` its client. */
import './first-thread.ts';
import { setFlagsFromString } from 'node:v8';
import { VERSION } from '../model/version.ts';
import type { Log } from '../rpc/log.ts';
import { EXIT_USAGE, runClient } from './client/client.ts';
import { UsageError } from './client/client-arguments.ts';
import type { Screen } from './client/live-table.ts';
import { openInBrowser } from './client/open-browser.ts';
import { printable } from './client/printable.ts';
import type { Daemon } from './daemon/daemon.ts';
import { notifyReady } from './daemon/service-manager.ts';
import { dataDirectory, socketPath as socketIn } from './files/paths.ts';
import { SECRET_OPTION_NAMES, START_OPTION_NAMES } from './options/start-option-table.ts';
import { configText, parseStartOptions } from './options/start-options.ts';
import { START_USAGE } from './options/start-usage.ts';
import { MACAROON_USAGE, USAGE } from './options/usage.ts';
import { orIdle } from './or-idle.ts';
import { programName, shellWord } from './program-name.ts';
import { firstSignal } from './signals.ts';
import { inSystemWords } from './system-errors.ts';

const EXIT_FAILED = 1;
/**
 * How much V8 lets each heap of a daemon grow, in percent of what was in use after a collection, before it collects
 * again. By default this is up to 300, so a daemon would take much more memory than it uses, and change it all the time.
 */
const HEAP_GROWTH_PERCENT = 50;
/**
 * The same for a simulated network in its own process. Its heap is small, but each answer to a request for an invoice
 * takes several arrays of 32 KB outside the heap, which count too. By default it collected after every 80 answers.
 */
const NETWORK_HEAP_GROWTH_PERCENT = 200;
/**
 * How long a start may continue after a signal to stop, in milliseconds. Usually it finishes, and then everything is
 * closed.
 */
const START_GRACE_MS = 1_000;
/**
 * Maximum length of an error message in characters. A damaged file or a wrong option may contain a value of any length.
 */
const MAX_COMPLAINT = 1_500;

async function main(argv: readonly string[]): Promise<number> {
  const [first] = argv;
  if (first === undefined) {
    process.stderr.write(USAGE);
    return EXIT_USAGE;
  }
  if (first === '--help' || first === '-h') return say(USAGE);
  if (first === '--version' || first === '-V') return say(`${VERSION}\n`);
  if (first === 'start') return started(argv.slice(1));
  if (first === 'solver') return solver(argv.slice(1));
  if (first === 'network') return network(argv.slice(1));
  if (first === 'fleet') return fleet(argv.slice(1));
  if (first === 'store') return store(argv.slice(1));
  if (first === 'plugin') return plugin(argv.slice(1));
  if (first === 'lnd-macaroon') return macaroon(argv.slice(1));
  if (first === 'simulate') return simulation(argv.slice(1));
  if (first === 'completion') return completion(argv.slice(1));
  return runClient(argv, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    screen: terminal(),
    open: process.stdout.isTTY === true ? openInBrowser : undefined,
    interrupted: interruption(),
  });
}

/** Fires at the first Ctrl-C. A second Ctrl-C ends the process immediately. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  return controller.signal;
}

/** Standard error as a screen, if it is a terminal that supports redrawing. */
function terminal(): Screen | undefined {
  const { stderr, env } = process;
  if (!stderr.isTTY || (env.TERM ?? 'dumb') === 'dumb') return undefined;
  return {
    write: (text) => void stderr.write(text),
    size: () => ({ columns: stderr.columns, rows: stderr.rows }),
  };
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

const asksForHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h');

async function simulation(argv: readonly string[]): Promise<number> {
  const { runSimulate, SIMULATE_USAGE } = await import('./simulate.ts');
  if (argv.length === 0 || asksForHelp(argv)) return say(SIMULATE_USAGE);
  return runSimulate(argv, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    screen: terminal(),
    interrupted: interruption(),
  });
}

async function completion(argv: readonly string[]): Promise<number> {
  const { COMPLETION_USAGE, completionScript, isShell, SHELLS } = await import('./client/completion.ts');
  if (asksForHelp(argv)) return say(COMPLETION_USAGE);
  const [shell] = argv;
  if (!isShell(shell)) throw new UsageError(`completion needs a shell: one of ${SHELLS.join(', ')}`);
  return say(completionScript(shell, (await import('../commands/index.ts')).COMMANDS));
}

/** Writes or tests the script that starts the plugin of a Core Lightning node. @returns its exit code */
async function plugin(argv: readonly string[]): Promise<number> {
  const { PLUGIN_USAGE, runPluginCommand } = await import('./plugin/plugin-command.ts');
  if (argv.length === 0 || asksForHelp(argv)) return say(PLUGIN_USAGE);
  const { text, code } = await runPluginCommand(argv);
  say(text);
  return code;
}

/** Prints the command that bakes the macaroon for `--network lnd`. */
async function macaroon(argv: readonly string[]): Promise<number> {
  if (asksForHelp(argv)) return say(MACAROON_USAGE);
  const { bakeCommand, MORE_PERMISSIONS } = await import('../network/lnd/index.ts');
  const more = argv.map((argument) => {
    const one = MORE_PERMISSIONS.find((option) => `--${option}` === argument);
    if (one !== undefined) return one;
    throw new UsageError(`lnd-macaroon takes ${MORE_PERMISSIONS.map((option) => `--${option}`).join(', ')}`);
  });
  return say(bakeCommand(more));
}

/** Prepares a PostgreSQL database, or moves a data directory into one. */
async function store(argv: readonly string[]): Promise<number> {
  const { runStoreCommand, STORE_USAGE } = await import('./fleet/store-command.ts');
  if (argv.length === 0 || asksForHelp(argv)) return say(STORE_USAGE);
  return say(await runStoreCommand(argv, process.env));
}

/**
 * Runs the daemon.
 * @returns its exit code, even if it fails to start
 */
async function started(argv: readonly string[]): Promise<number> {
  let isServing = false;
  try {
    return await start(argv, () => {
      isServing = true;
    });
  } catch (error) {
    if (isServing) throw error;
    complain(error);
    return (await import('./exit-code.ts')).startExitCode(error);
  }
}

/**
 * Starts the daemon and waits for its end.
 * @param onServing called once the daemon serves requests
 */
async function start(argv: readonly string[], onServing: () => void): Promise<number> {
  if (asksForHelp(argv)) return say(START_USAGE);
  const options = parseStartOptions(argv, process.env);
  if (options.printConfig) {
    const { Settings } = await import('./daemon/settings.ts');
    const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
    return say(configText(new Settings(options.dataDirectory, options.given, names).all));
  }
  const { openLog } = await import('./daemon/open-log.ts');
  const log = openLog(options.log);
  const parentPid = process.ppid;
  const closed = options.stopOnEof ? endOfInput(log) : undefined;
  const signalled = firstSignal(log, options.log.file);
  const asked = closed === undefined ? signalled : Promise.race([signalled, closed]);
  const { startDaemon } = await import('./daemon/daemon.ts');
  const starting = startDaemon(options, log, { servesUsualHttp: !options.stopOnEof });
  const daemon = await unlessStopped(starting, signalled, log);
  onServing();
  // Not earlier: the compiled code of Node.js's own modules is only used as long as no flag is changed.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  // A signal that arrived during the start stops the daemon now.
  void asked.then(() => daemon.stop());
  const { nodeSocket } = options;
  if (nodeSocket !== undefined) void closed?.then(() => revive(nodeSocket, parentPid, log));
  process.stdout.write(`ready ${daemon.socketPath}\n`);
  // A program that starts the daemon with `--stop-on-eof` expects only the log on standard error.
  if (!options.stopOnEof) process.stderr.write(hints(daemon, await daemon.pageLink()));
  notifyReady(daemon.graphDescription, (reason) => log.unusual(`cannot notify systemd: ${reason}`));
  await orIdle(daemon.stopped);
  return 0;
}

/** If this daemon is the engine of a plugin whose process was killed, restarts the plugin. */
async function revive(nodeSocket: string, parentPid: number, log: Log): Promise<void> {
  const { PACKAGED_PLUGIN, PLUGIN_FILE_VARIABLE, revivePlugin } = await import('./daemon/revive-plugin.ts');
  const pluginFile = process.env[PLUGIN_FILE_VARIABLE] ?? PACKAGED_PLUGIN;
  const isBack = await revivePlugin({ parentPid, currentParent: () => process.ppid, nodeSocket, pluginFile });
  if (isBack) log.unusual('the plugin was killed, and lightningd has started it again');
}

async function network(argv: readonly string[]): Promise<number> {
  const { NETWORK_USAGE, parseNetworkOptions, startNetwork } = await import('./network-command.ts');
  if (argv.length === 0 || asksForHelp(argv)) return say(NETWORK_USAGE);
  const options = parseNetworkOptions(argv);
  const { openLog } = await import('./daemon/open-log.ts');
  const log = openLog({ rules: [], format: 'text', file: undefined, isPrivate: false }).of('network');
  const asked = firstSignal(log);
  const running = await unlessStopped(startNetwork(options, log), asked, log);
  setFlagsFromString(`--heap-growing-percent=${NETWORK_HEAP_GROWTH_PERCENT}`);
  process.stdout.write(`ready ${running.place}\n`);
  process.stderr.write(`No real money is used.\n${printable(running.describe)}\n`);
  await asked;
  running.stop();
  return 0;
}

async function fleet(argv: readonly string[]): Promise<number> {
  const { FLEET_USAGE, runFleetCommand } = await import('./fleet/fleet-command.ts');
  if (argv.length === 0 || asksForHelp(argv)) return say(FLEET_USAGE);
  return say(await runFleetCommand(argv, process.env));
}

async function solver(argv: readonly string[]): Promise<number> {
  const { parseSolverOptions, SOLVER_USAGE } = await import('./options/solver-options.ts');
  if (asksForHelp(argv)) return say(SOLVER_USAGE);
  const options = parseSolverOptions(argv, process.env);
  const { openLog } = await import('./daemon/open-log.ts');
  const log = openLog({ rules: [], format: 'text', file: undefined, isPrivate: false }).of('solver');
  const asked = firstSignal(log);
  const { startSolver } = await import('./fleet/solver-process.ts');
  const running = await unlessStopped(startSolver(options, log), asked, log);
  process.stdout.write(`ready ${running.id}\n`);
  await asked;
  await running.stop();
  return 0;
}

/**
 * Waits for a start. If the start has not finished shortly after a signal to stop, for example because a node does not
 * answer, ends the process immediately. The next start copes with this as with a crash.
 */
async function unlessStopped<T>(starting: Promise<T>, signalled: Promise<void>, log: Log): Promise<T> {
  let isStarting = true;
  void signalled.then(() => {
    setTimeout(() => {
      if (!isStarting) return;
      log.unusual('stopped before the start was finished');
      process.exit(0);
    }, START_GRACE_MS).unref();
  });
  try {
    return await starting;
  } finally {
    isStarting = false;
  }
}

/** Resolves when standard input closes. This wait alone does not keep the process alive. */
function endOfInput(log: Log): Promise<void> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const heard = (): void => {
      log.info('standard input closed: stopping');
      resolve();
    };
    stdin.once('end', heard);
    stdin.once('error', heard);
    stdin.resume();
    if ('unref' in stdin) stdin.unref();
  });
}

/** The text shown after the start, with commands to try. The commands work from any folder, exactly as printed. */
function hints(
  { socketPath, httpUrl, graphDescription, isSimulated }: Daemon,
  pageLink: string | undefined,
): string {
  const isUsual = socketPath === socketIn(undefined, dataDirectory(undefined));
  const at = isUsual ? programName() : `${programName()} --rpc-file ${shellWord(socketPath)}`;
  const money = isSimulated ? 'The network is simulated: no real money is used.\n' : '';
  const http = httpUrl === undefined ? '' : `HTTP on ${httpUrl}\n`;
  const page =
    pageLink === undefined
      ? ''
      : `Open this single-use link in a browser within a minute (\`${at} explorer\` creates another):\n  ${pageLink}\n`;
  return `${money}${printable(graphDescription)}\n${http}${page}Try:\n  ${at} help\n  ${at} getinfo\n  ${at} listnodes\n`;
}

function complain(error: unknown): void {
  const message = inSystemWords(error instanceof Error ? error.message : String(error));
  process.stderr.write(`fulgurite: ${shortened(printable(message))}\n`);
}

/** Cuts the middle of a long message, because its end may contain a remedy. */
function shortened(message: string): string {
  if (message.length <= MAX_COMPLAINT) return message;
  const half = MAX_COMPLAINT / 2;
  return `${message.slice(0, half)} … ${message.slice(-half)}`;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe, perhaps because it has read enough (`| head`).
  if (error.code === 'EPIPE') process.exit(EXIT_FAILED);
  throw error;
});

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    complain(error);
    process.exitCode = error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED;
  },
);
