/**
 * Starts a plugin as lightningd does, requests its manifest, and ends it. `init` is never sent, because it would start
 * a second engine next to that of a running node.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';

/**
 * The result of the test. `problem` and `remedy` are texts for people. Without a problem, `methods` is the number of
 * methods in the manifest.
 */
export interface PluginCheck {
  readonly problem?: string;
  readonly remedy?: string;
  readonly methods?: number;
}

/** How to start the plugin, and how long to wait for its manifest. */
export interface TrialOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** Timeout in milliseconds. Default: 60 s. lightningd waits for two minutes. */
  readonly waitMs?: number;
}

const WAIT_MS = 60_000;
/** Maximum number of characters of the plugin's output to read. A manifest has about 5,000. */
const MAX_OUTPUT = 1_000_000;
/** Maximum number of characters of the plugin's output or errors to show. */
const MAX_SHOWN = 500;
const REQUEST = {
  jsonrpc: '2.0',
  id: 'check',
  method: 'getmanifest',
  params: { 'allow-deprecated-apis': false },
};

/** Methods that a plugin must have to replace cln-askrene. */
const NEEDED_METHODS = ['getroutes', 'askrene-create-layer', 'askrene-age'];

/** Tests the plugin. Does not reject when the plugin is faulty. */
export async function tryPlugin(file: string, options: TrialOptions): Promise<PluginCheck> {
  const unfit = unfitFile(file);
  if (unfit !== undefined) return unfit;
  const { environment, cwd } = options;
  const child = spawn(file, [], {
    env: { ...environment, LIGHTNINGD_PLUGIN: '1' },
    ...(cwd !== undefined && { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    return await manifestOf(child, options.waitMs ?? WAIT_MS);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The reason why lightningd would not start the file, if any. */
function unfitFile(file: string): PluginCheck | undefined {
  const remedy = 'Run `fulgurite plugin install`.';
  try {
    if (!statSync(file).isFile()) return { problem: 'it is not a regular file', remedy };
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { problem: isMissing ? 'there is no such file' : 'it is not executable', remedy };
  }
}

/** Waits for the manifest, the end of the process, or the timeout. */
function manifestOf(child: ChildProcess, waitMs: number): Promise<PluginCheck> {
  return new Promise((resolve) => {
    let output = '';
    let errors = '';
    const timer = setTimeout(
      () =>
        done({
          problem: `no answer within ${waitMs / 1000} s`,
          remedy: 'Check whether this machine is overloaded.',
        }),
      waitMs,
    );
    const done = (check: PluginCheck): void => {
      clearTimeout(timer);
      resolve(check);
    };
    child.on('error', (error) =>
      done({ problem: `it cannot be started (${error.message})`, remedy: REINSTALL }),
    );
    child.on('close', (code) => done(ended(code, errors)));
    child.stderr!.on('data', (chunk) => {
      errors = `${errors}${chunk}`.slice(0, MAX_SHOWN);
    });
    child.stdout!.on('data', (chunk) => {
      output += chunk;
      if (output.length > MAX_OUTPUT) done({ problem: 'its output is too long', remedy: REINSTALL });
      else if (output.includes('\n\n')) done(judged(output.slice(0, output.indexOf('\n\n'))));
    });
    // Writing fails if the plugin exits without reading its input.
    child.stdin!.on('error', () => undefined);
    child.stdin!.write(`${JSON.stringify(REQUEST)}\n\n`);
  });
}

const REINSTALL = 'Build Fulgurite or install it again, then run `fulgurite plugin install`.';

function ended(code: number | null, errors: string): PluginCheck {
  const said = errors.trim().replace(/\s+/g, ' ').replace(/[.;]$/, '');
  // `env` prints this message, and exits with this code, when `node` is not on the `PATH`.
  const isNodeMissing = code === 127 || /env: .*node|node: (command )?not found/.test(said);
  return {
    problem: `${code === null ? 'it was ended by a signal' : `it ended with code ${code}`}${said === '' ? '' : ` (${said})`}`,
    remedy: isNodeMissing
      ? 'Node.js is not where the script looks for it: run `fulgurite plugin install`, which writes absolute paths.'
      : REINSTALL,
  };
}

/** Checks the plugin's first output. */
function judged(text: string): PluginCheck {
  const remedy = REINSTALL;
  try {
    const { result } = JSON.parse(text) as { result?: { rpcmethods?: readonly { name: string }[] } };
    const names = (result?.rpcmethods ?? []).map(({ name }) => name);
    const missing = NEEDED_METHODS.find((name) => !names.some((own) => own.endsWith(name)));
    if (missing !== undefined) return { problem: `it does not provide ${missing}`, remedy };
    return { methods: names.length };
  } catch {
    return { problem: `its output is not JSON (${text.slice(0, MAX_SHOWN)})`, remedy };
  }
}
