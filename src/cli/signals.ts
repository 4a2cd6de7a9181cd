/**
 * Signals to the daemon, a solver or a simulated network.
 *
 * SIGTERM and SIGINT stop it. SIGHUP has two meanings. It reopens the log file, if there is one (`openLog`). Otherwise
 * it reports that the terminal was closed, and stops a program that was started in a terminal. `nohup` and service
 * managers connect no stream to a terminal, so there SIGHUP without a log file is ignored. Whether `nohup` asked to
 * ignore SIGHUP cannot be read, because Node.js resets that at its start.
 */
import { isatty } from 'node:tty';
import type { Log } from '../rpc/log.ts';

const STANDARD_STREAMS = [0, 1, 2];
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Resolves at the first signal to stop. A second SIGTERM or SIGINT ends the process immediately.
 * @param logFile the file that SIGHUP reopens
 */
export function firstSignal(log: Log, logFile?: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const one of STOP_SIGNALS) process.off(one, stop);
      log.info(`${signal}: stopping`);
      resolve();
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    if (logFile !== undefined) return;
    if (!STANDARD_STREAMS.some((stream) => isatty(stream))) {
      process.on('SIGHUP', () => log.info('SIGHUP: ignored, there is no log file to reopen'));
      return;
    }
    process.once('SIGHUP', (signal) => {
      // The system and the shell may each send one.
      process.on('SIGHUP', () => undefined);
      process.once('exit', endByHangup);
      stop(signal);
    });
  });
}

/** Ends the process as SIGHUP does by default. Node.js 20 aborts if it exits normally without its terminal. */
function endByHangup(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}
