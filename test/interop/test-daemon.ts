/** Starts the daemon in the test's process, with one search thread and a log in memory. */
import { type Daemon, startDaemon } from '../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { memoryLog } from '../rpc/support.ts';

/** @param options those of `start` @throws the error that prevents the start */
export const startTestDaemon = (options: readonly string[], log = memoryLog()): Promise<Daemon> =>
  startDaemon(parseStartOptions(['--workers', '1', ...options]), log);
