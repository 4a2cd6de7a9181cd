/**
 * The daemon as a process of its own, started from the sources as they are now, and asked over its socket.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RawClient } from '../rpc/support.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

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

/** Compiles into a directory of the caller's own: others may be writing `build/src` at this moment. */
export function compileDaemon(directory: string): string {
  const build = join(root, 'build', directory);
  const options = ['-p', join(root, 'tsconfig.json'), '--noCheck', '--outDir', build];
  execFileSync(join(root, 'node_modules/.bin/tsc'), options);
  const kernel = join(root, 'build/kernel.wasm');
  if (existsSync(kernel)) copyFileSync(kernel, join(build, 'kernel.wasm'));
  return join(build, 'src/cli/main.js');
}

export class DaemonProcess {
  readonly #process: ChildProcess;
  readonly #socketPath: string;

  private constructor(process: ChildProcess, socketPath: string) {
    this.#process = process;
    this.#socketPath = socketPath;
  }

  /** Starts it in the data directory and waits until it serves. */
  static async start(
    main: string,
    dataDirectory: string,
    options: readonly string[],
  ): Promise<DaemonProcess> {
    const argv = [main, 'start', '--data-dir', dataDirectory, '--workers', '1', ...options];
    const process_ = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    process_.stderr.on('data', (text: Buffer) => {
      said += text;
    });
    const ready = once(process_.stdout, 'data');
    const ended = once(process_, 'exit').then(([code]) => {
      throw new Error(`the daemon ended with ${code}: ${said}`);
    });
    ended.catch(() => undefined);
    await Promise.race([ready, ended]);
    return new DaemonProcess(process_, join(dataDirectory, 'fulgurite-rpc'));
  }

  /** Over a connection of its own, so that calls may be made at once. */
  async call(method: string, params: object = {}): Promise<Answer> {
    const client = new RawClient(this.#socketPath);
    const text = await client.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    client.close();
    if (text === undefined) throw new Error(`no answer to ${method}`);
    return JSON.parse(text) as Answer;
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

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exit;
  }
}
