/** `fulgurite network simulated`: a simulated network as a process of its own, which several daemons can share. */
import { join } from 'node:path';
import { graphHash } from '../fleet/graph-hash.ts';
import { openGraphSource } from '../gossip/source.ts';
import { formatHostPort, type HostPort, parseHostPort } from '../network/peer/index.ts';
import { networkMapOf, SharedHost } from '../network/simulated/index.ts';
import type { Log } from '../rpc/log.ts';
import { openIssuers } from '../simulated-issuers/index.ts';
import { UsageError } from './client/client-arguments.ts';
import { SIMULATED_FILE } from './files/data-directory.ts';
import { identityOf, loadSecretKey } from './files/identity.ts';
import { dataDirectory } from './files/paths.ts';
import { parseOnlyOptions } from './options/command-line.ts';
import { seedOf } from './options/start-options.ts';

/** What `fulgurite network --help` prints. */
export const NETWORK_USAGE = `fulgurite network simulated --listen HOST:PORT --data-dir DIR [options]
  Runs a simulated network for several daemons, which are started with --simulated-network HOST:PORT. The network
  treats all daemons as one node, so a daemon can take over payments of the others. Anyone who can connect can
  spend the network's money, which is not real.
  --listen HOST:PORT      address on which daemons connect
  --data-dir DIR          directory that keeps the node's key, balances and outcomes across restarts; must
                          not be the directory of a daemon
  --graph SOURCE          graph of the network (default synthetic); must be the same for the daemons
  --exact-units           do not correct htlc_maximum_msat in .compressed snapshots; must be the same for the
                          daemons
  --seed N                seed of the network (default 1); must be the same for the daemons
`;

const text = { type: 'string' } as const;

const OPTIONS = {
  listen: text,
  'data-dir': text,
  graph: text,
  'exact-units': { type: 'boolean' },
  seed: text,
} as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const NETWORK_OPTION_NAMES = Object.keys(OPTIONS);

/** The parsed and checked options. */
export interface NetworkCommandOptions {
  readonly listen: HostPort;
  readonly directory: string;
  readonly graph: string;
  readonly exactUnits: boolean;
  readonly seed: bigint;
}

/** A network that is serving daemons. */
export interface RunningNetwork {
  /** The address on which it listens: HOST:PORT. */
  readonly place: string;
  readonly describe: string;
  stop(): void;
}

/** Parses the command line after `network`. @throws UsageError */
export function parseNetworkOptions(argv: readonly string[]): NetworkCommandOptions {
  const [kind, ...args] = argv;
  if (kind !== 'simulated') throw new UsageError('network has only one command: fulgurite network simulated');
  const values = parseOnlyOptions(args, OPTIONS);
  const { listen, graph = 'synthetic' } = values;
  if (listen === undefined || !/:\d+$/.test(listen)) {
    throw new UsageError('fulgurite network simulated needs --listen HOST:PORT');
  }
  if (values['data-dir'] === undefined || values['data-dir'] === '') {
    throw new UsageError(
      'fulgurite network simulated needs --data-dir DIR, which must not be the directory of a daemon',
    );
  }
  return {
    listen: placeOf(listen),
    directory: dataDirectory(values['data-dir']),
    graph,
    exactUnits: values['exact-units'] ?? false,
    seed: seedOf(values.seed),
  };
}

/**
 * Creates the network and accepts connections of daemons.
 * @throws FulguriteError graphSource, storeFailed; IdentityError; a system error when it cannot listen
 */
export async function startNetwork(options: NetworkCommandOptions, log: Log): Promise<RunningNetwork> {
  const { listen, directory, seed } = options;
  const { graph, describe } = await openGraphSource(options.graph, { ...options, log });
  const secretKey = loadSecretKey(directory);
  const { id } = identityOf(secretKey);
  // The source is not followed, so the graph never changes.
  const map = networkMapOf(graph, true);
  const journalPath = join(directory, SIMULATED_FILE);
  const issuers = await openIssuers(map, journalPath);
  const shared = new SharedHost({
    data: {
      map,
      options: { ownNodeId: id, ownSecretKey: secretKey, seed },
      journalPath,
    },
    greeting: { graph: graphHash(graph), secretKey },
    onProblem: (message) => log.unusual(message),
  });
  shared.host.simulation.setMessageHandler(issuers.handle);
  shared.host.simulation.onReceived = issuers.received;
  try {
    const port = await shared.listen(listen);
    const place = formatHostPort({ ...listen, port });
    log.info(`the simulated network serves daemons at ${place}`, { node: id });
    return { place, describe, stop: () => shared.close() };
  } catch (error) {
    shared.close();
    throw error;
  }
}

function placeOf(listen: string): HostPort {
  try {
    return parseHostPort(listen);
  } catch (error) {
    throw new UsageError(`--listen: ${(error as Error).message}`);
  }
}
