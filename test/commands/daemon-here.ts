/** The daemon in the process of the test. It starts in a fraction of the time, and cannot be killed. */

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
   * Starts it in the data directory. `shown` gets the lines of the log from `unusual` on, even when it does
   * not start.
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

  /** Its HTTP address, if HTTP is on. */
  get httpUrl(): string {
    return this.#daemon.httpUrl!;
  }

  /** Resolves when it has stopped, for whatever reason. Rejects when it stopped because of a fault. */
  get stopped(): Promise<void> {
    return this.#daemon.stopped;
  }

  async stop(): Promise<void> {
    await this.#daemon.stop();
  }
}
