/** A whole node inside a program that uses this package as a library. */
import { FulguriteClient } from '../client/client.ts';
import { startDaemon } from './daemon/daemon.ts';
import { logTo } from './daemon/open-log.ts';
import { parseStartOptions } from './options/start-options.ts';

/** A node running in this process. */
export interface NodeInProcess {
  /** The socket on which it serves requests, also for other processes. */
  readonly socketPath: string;
  /** Calls the node, as a client in another process would. */
  readonly client: FulguriteClient;
  /** Finishes the requests in progress, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts a node.
 * @param options as on the command line: `['--data-dir', DIR, '--graph', 'synthetic:300']`.
 * @param log called with log lines, often several at once. Default: standard error. Without `--log-level`, only lines
 *   of level unusual or broken are written.
 * @throws UsageError for invalid options, and the errors of `startDaemon`
 */
export async function startNode(
  options: readonly string[],
  log: (line: string) => void = (line) => void process.stderr.write(line),
): Promise<NodeInProcess> {
  const parsed = parseStartOptions(['--log-level', 'unusual', ...options]);
  const lines = logTo({ write: log, reopen: () => undefined }, parsed.log);
  const daemon = await startDaemon(parsed, lines);
  const { socketPath } = daemon;
  const stop = (): Promise<void> => daemon.stop().finally(() => lines.flush());
  return { socketPath, client: new FulguriteClient(socketPath), stop };
}
