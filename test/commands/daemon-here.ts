/**
 * The daemon inside the process of the test. It starts in a fraction of the time of a separate process, and
 * cannot be killed.
 */

import { printable } from '../../src/cli/client/printable.ts';
import { type Daemon, startDaemon } from '../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { createNodeLog, textFormat } from '../../src/log/index.ts';
import { Served } from './daemon-process.ts';

export class DaemonHere extends Served {
  readonly #daemon: Daemon;

  private constructor(daemon: Daemon) {
    super(daemon.socketPath);
    this.#daemon = daemon;
  }

  /**
   * Starts the daemon in the data directory. `shown` receives log lines of level `unusual` and above, even if
   * the start fails.
   * @throws the error that prevents the start
   */
  static async start(
    dataDirectory: string,
    options: readonly string[],
    shown: string[] = [],
  ): Promise<DaemonHere> {
    const argv = ['--data-dir', dataDirectory, '--workers', '1', ...options];
    const sink = { write: (text: string) => void shown.push(text), reopen: () => undefined };
    const level = options.includes('--log-level') ? [] : ['--log-level', 'unusual'];
    const parsed = parseStartOptions([...argv, ...level]);
    const log = createNodeLog({ sink, rules: parsed.log.rules, format: textFormat(printable) });
    return new DaemonHere(await startDaemon(parsed, log));
  }

  /** The daemon's HTTP address, if HTTP is on. */
  get httpUrl(): string {
    return this.#daemon.httpUrl!;
  }

  /** Resolves when the daemon has stopped, for any reason except a fault. Rejects if a fault stopped it. */
  get stopped(): Promise<void> {
    return this.#daemon.stopped;
  }

  async stop(): Promise<void> {
    await this.#daemon.stop();
  }
}
