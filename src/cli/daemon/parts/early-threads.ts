/**
 * The threads of a daemon that take longest until they are of use. They start first, and load their code while the main
 * thread opens the database and reads the graph. The thread of the database starts even earlier (first-thread.ts).
 */
import { LocalSolvers } from '../../../engine/host/local-solvers.ts';
import { prepareHttpServer } from '../../../http/http-server.ts';
import { prepareSimulatedNetwork } from '../../../network/simulated/index.ts';
import type { StartOptions } from '../../options/start-options.ts';
import type { Closers } from './closers.ts';

/**
 * Starts the threads of a simulated network, of route searches and of the HTTP server, if the options ask for them.
 * @returns the solvers in the threads of route searches
 */
export function startEarlyThreads(
  { network, sharedNetwork, workers }: StartOptions,
  servesHttp: boolean,
  closers: Closers,
): LocalSolvers {
  if (network === 'simulated' && sharedNetwork === undefined) prepareSimulatedNetwork();
  const solvers = new LocalSolvers(workers === undefined ? {} : { workers });
  closers.add(() => solvers.close());
  if (servesHttp) prepareHttpServer();
  return solvers;
}
