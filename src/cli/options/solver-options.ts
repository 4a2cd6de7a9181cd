/** The options of `fulgurite solver`. */
import { busProblem } from '../../fleet/bus-address.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import { UsageError } from '../client/client-arguments.ts';
import { parseOnlyOptions } from './command-line.ts';
import { whole } from './option-values.ts';
import { type ChainName, chainNamed, seedOf } from './start-options.ts';

/** The parsed and checked options of `solver`. */
export interface SolverProcessOptions {
  readonly bus: string;
  /** The address of the PostgreSQL database in which daemons store the layer log. */
  readonly store: string;
  readonly chain: ChainName;
  readonly graph: string;
  readonly exactUnits: boolean;
  readonly seed: bigint;
  readonly workers: number;
  readonly capacity: number;
  /** Where to serve health and metrics. Undefined if they are not served. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
}

const text = { type: 'string' } as const;

const OPTIONS = {
  bus: text,
  'bus-plaintext': { type: 'boolean' },
  store: text,
  chain: text,
  graph: text,
  'exact-units': { type: 'boolean' },
  seed: text,
  workers: text,
  capacity: text,
  health: text,
} as const;

/** Names of all options, for the test that checks the options named in the documentation. */
export const SOLVER_OPTION_NAMES = Object.keys(OPTIONS);

/**
 * Default maximum number of requests per solver thread: one runs, and the others wait some milliseconds. With fewer, the
 * thread runs out of searches while answers and new requests are on their way.
 */
const CAPACITY_PER_WORKER = 32;

/** What `fulgurite solver --help` prints. */
export const SOLVER_USAGE = `fulgurite solver --bus URL --store URL [options]
  A solver searches routes for daemons on other machines. It has no persistent state and can be killed at any time.
  --bus URL               the NATS server: tls://[USER:PASSWORD@]HOST[:PORT], or nats://… in plain text on this
                          machine (or FULGURITE_BUS)
  --bus-plaintext         allow an unencrypted --bus to another machine (or FULGURITE_BUS_PLAINTEXT=true)
  --store URL             the database of the daemons: postgres://ROLE[:PASSWORD]@HOST[:PORT]/DATABASE, with a
                          role that can only read the layer log (or FULGURITE_STORE)
  --chain NAME            chain of the daemons (default bitcoin)
  --graph SOURCE          the same graph as the daemons (default synthetic): synthetic[:NODES], or the path of
                          a .compressed snapshot, the JSON of LND's describegraph, a snapshot of LDK's rapid
                          gossip sync, or a recording of gossip. If their graph comes from a gossip_store, a node
                          or peers, it changes while they run: use shared, which reads it from the database
  --exact-units           if the daemons were started with it
  --seed N                the daemons' seed (default 1)
  --workers N             number of threads that search routes (default 2)
  --capacity N            maximum number of searches in progress or waiting; others are refused (default 32 per
                          thread)
  --health HOST:PORT      serve /healthz, /readyz and /metrics on this address over plain HTTP
                          (or FULGURITE_HEALTH)
`;

/** Parses the command line and the environment. @throws UsageError */
export function parseSolverOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): SolverProcessOptions {
  const values = parseOnlyOptions(argv, OPTIONS);
  const bus = values.bus ?? env.FULGURITE_BUS;
  if (bus === undefined) throw new UsageError('a solver needs --bus tls://HOST');
  const problem = busProblem(bus, values['bus-plaintext'] ?? env.FULGURITE_BUS_PLAINTEXT === 'true');
  if (problem !== undefined) throw new UsageError(`--bus ${problem}`);
  const store = values.store ?? env.FULGURITE_STORE;
  if (store === undefined) throw new UsageError('a solver needs --store postgres://ROLE@HOST/DATABASE');
  if (!isPostgresAddress(store)) throw new UsageError('--store must be postgres://ROLE@HOST/DATABASE');
  const workers = whole('workers', values.workers, 1, 256) ?? 2;
  return {
    bus,
    store,
    chain: chainNamed(values.chain ?? 'bitcoin'),
    graph: values.graph ?? 'synthetic',
    exactUnits: values['exact-units'] ?? false,
    seed: seedOf(values.seed),
    workers,
    health: healthOf(values.health ?? env.FULGURITE_HEALTH),
    capacity: whole('capacity', values.capacity, 1, 100_000) ?? CAPACITY_PER_WORKER * workers,
  };
}

function healthOf(given: string | undefined): SolverProcessOptions['health'] {
  if (given === undefined) return undefined;
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(given) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new UsageError(`--health must be HOST:PORT, not ${given}`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}
