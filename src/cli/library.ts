/** A whole node in the process of whoever uses the library. */
import { FulguriteClient } from '../client/client.ts';
import { startDaemon } from './daemon.ts';
import { createLogger } from './logger.ts';
import { parseStartOptions } from './start-options.ts';

/** A node that runs in this process. */
export interface NodeInProcess {
  /** Where it serves requests, also those of other processes. */
  readonly socketPath: string;
  /** Calls it, as a client in another process would. */
  readonly client: FulguriteClient;
  /** Answers what has begun, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts a node. @param options as on the command line: `['--data-dir', DIR, '--graph', 'synthetic:300']`.
 * @param log gets each line of the log. Default: standard error.
 * @throws UsageError, DataDirectoryError, IdentityError, StoreError, FulguriteError, SocketPathError
 */
export async function startNode(
  options: readonly string[],
  log: (line: string) => void = (line) => void process.stderr.write(line),
): Promise<NodeInProcess> {
  const parsed = parseStartOptions(options);
  const daemon = await startDaemon(parsed, createLogger(parsed.logLevel, log));
  const { socketPath } = daemon;
  return { socketPath, client: new FulguriteClient(socketPath), stop: () => daemon.stop() };
}
