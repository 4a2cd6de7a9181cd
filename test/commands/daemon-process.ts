/**
 * The daemon as a separate process, called over its socket. It runs the program in `build/program`, which is
 * up to date when the first test begins (`test/fresh-build.ts`) and which no test changes. Tests that need
 * not kill the daemon use `daemon-here.ts`, which starts in a fraction of the time.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RawClient } from '../rpc/support.ts';
import { withListedError } from './books/listed-errors.ts';

/** Path of the program. */
export const MAIN = fileURLToPath(new URL('../../build/program/cli/main.js', import.meta.url));
/**
 * The program as the unbundled files that it is built from, for a test that replaces something in one of
 * them.
 */
export const UNBUNDLED_MAIN = fileURLToPath(new URL('../../build/src/cli/main.js', import.meta.url));

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: results have the shape that each test expects
  readonly result?: any;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    readonly data?: any;
  };
}

/**
 * Calls a method over a new connection.
 * @throws Error if the connection ends without an answer, or if the method does not list the error that it returns
 */
export async function callAt(socketPath: string, method: string, params: object = {}): Promise<Answer> {
  const client = new RawClient(socketPath);
  const text = await client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  client.close();
  if (text === undefined) throw new Error(`no answer to ${method}`);
  return withListedError(method, JSON.parse(text) as Answer);
}

/** The result of a call over a new connection, or its error if it fails. */
export async function answerAt(
  socketPath: string,
  method: string,
  params: object = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
): Promise<any> {
  const { result, error } = await callAt(socketPath, method, params);
  return error ?? result;
}

/** A process that serves requests on a socket. */
export class Served {
  readonly socketPath: string;

  protected constructor(socketPath: string) {
    this.socketPath = socketPath;
  }

  /** Calls over a new connection, so that several calls can run at once. */
  call(method: string, params: object = {}): Promise<Answer> {
    return callAt(this.socketPath, method, params);
  }

  /** The result of a call, or its error if it fails. */
  answer(method: string, params: object = {}): ReturnType<typeof answerAt> {
    return answerAt(this.socketPath, method, params);
  }

  /** The result of a call that must succeed. */
  async result(method: string, params: object = {}): Promise<NonNullable<Answer['result']>> {
    const { result, error } = await this.call(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  /** The error of a call that must fail. */
  async error(method: string, params: object = {}): Promise<NonNullable<Answer['error']>> {
    const { error } = await this.call(method, params);
    if (error === undefined) throw new Error(`${method} did not fail`);
    return error;
  }
}

export class DaemonProcess extends Served {
  readonly #process: ChildProcess;
  /** The exit code of the process, and what it has written to standard error. Resolves when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;

  private constructor(process: ChildProcess, ended: DaemonProcess['ended'], socketPath: string) {
    super(socketPath);
    this.#process = process;
    this.ended = ended;
  }

  /**
   * Starts the daemon in the data directory and waits until it serves requests.
   * @param environment variables added to those of this process
   */
  static async start(
    dataDirectory: string,
    options: readonly string[],
    main = MAIN,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<DaemonProcess> {
    // Tests run in parallel and would find the default port in use.
    const http = options.includes('--http') ? [] : ['--no-http'];
    const argv = [main, 'start', '--data-dir', dataDirectory, '--workers', '1', ...http, ...options];
    const process_ = spawn(process.execPath, argv, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let said = '';
    process_.stderr.on('data', (text: Buffer) => {
      said += text;
    });
    const ready = once(process_.stdout, 'data');
    const ended = once(process_, 'close').then(([code]) => ({ code, said }));
    const failed = ended.then(({ code }) => {
      throw new Error(`the daemon ended with ${code}: ${said}`);
    });
    failed.catch(() => undefined);
    await Promise.race([ready, failed]);
    return new DaemonProcess(process_, ended, join(dataDirectory, 'fulgurite-rpc'));
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): void {
    this.#process.kill(signal);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }
}
