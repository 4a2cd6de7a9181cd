/** The parsed options of `fulgurite start`. Their names and kinds are in start-option-table.ts. */
import { resolve } from 'node:path';
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import type { Setting } from '../../commands/context.ts';
import type { ObjectiveKnobs } from '../../engine/question/objective.ts';
import { busProblem } from '../../fleet/bus-address.ts';
import { parseLevelRules } from '../../log/index.ts';
import { anchor, type Delegation, type ResolverPlace, resolverPlace } from '../../names/index.ts';
import type { LndPlace } from '../../network/lnd/index.ts';
import {
  type HostPort,
  type PeerLocation,
  parseHostPort,
  parsePeerLocation,
} from '../../network/peer/index.ts';
import type { NetworkKind } from '../../network/port.ts';
import type { ProbeLimits } from '../../payments/probes/prober.ts';
import { QUOTE_LIMITS, type QuoteLimits } from '../../payments/quotes/quote-book.ts';
import { DEFAULT_LIMITS, type RpcLimits } from '../../rpc/limits.ts';
import { LOG_LEVELS } from '../../rpc/log.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import { UsageError } from '../client/client-arguments.ts';
import { LOG_FORMATS, type LogOptions } from '../daemon/open-log.ts';
import { dataDirectory, nodeSocketIn, socketPath } from '../files/paths.ts';
import { type ChainSourceOptions, chainSourceOf } from './chain-source-options.ts';
import { type Gathered, gatherOptions } from './gather-options.ts';
import { type HttpOptions, httpOptionsOf, USUAL_HTTP, usualHttp } from './http-options.ts';
import { probesOf, trialOf } from './learning-options.ts';
import { LND_OPTIONS, lndPlaceOf } from './lnd-options.ts';
import { type NodePlace, nodePlaces } from './node-options.ts';
import { oneOf, readOrRefuse, whole } from './option-values.ts';
import {
  LIMIT_OPTIONS,
  type LimitOption,
  NODE_OPTIONS,
  NOT_IN_FILES,
  OPTIONS,
  PEER_OPTIONS,
  SECRET_OPTION_NAMES,
  type StartValues,
} from './start-option-table.ts';

/** The name of a chain, as in `--chain`. */
export type ChainName = keyof typeof CHAIN_HASHES;

/** The name of a kind of network, as in `--network`. */
export type NetworkName = (typeof NETWORKS)[number];

const NETWORKS = [
  'simulated',
  'peer',
  'none',
  'cln',
  'lnd',
  'several',
] as const satisfies readonly NetworkKind[];
const CHAINS = Object.keys(CHAIN_HASHES) as ChainName[];

/** Methods forwarded to the attached node: all that we do not have, none, or those listed. */
export type ForwardChoice = 'all' | 'none' | readonly string[];

/** The parsed and checked options of `start`. */
export interface StartOptions {
  readonly network: NetworkName;
  /** Peers to stay connected to. Only on the peer network. */
  readonly connect: readonly PeerLocation[];
  /** Where to accept connections from peers. Only on the peer network. */
  readonly listen: HostPort | undefined;
  /** Where to get block heights and verify channels. Only on the peer network. */
  readonly chainSource: ChainSourceOptions | undefined;
  /** The `lightning-rpc` socket of the attached Core Lightning node. Only on the cln network. */
  readonly nodeSocket: string | undefined;
  /** How to reach the attached LND node. Only on the lnd network. */
  readonly lnd: LndPlace | undefined;
  /** Our nodes, if there are two or more. */
  readonly nodes: readonly NodePlace[];
  /**
   * Address of the simulated network that several daemons share. Undefined if the simulated network runs in this
   * process.
   */
  readonly sharedNetwork: HostPort | undefined;
  /** Whether to connect to announced private and loopback addresses. Undefined means only on regtest. */
  readonly allowPrivateAddresses: boolean | undefined;
  /**
   * The source of the channel graph: `synthetic[:NODES]`, `none`, `node` (the attached node's graph), `shared`, or the
   * path of a file in a format of src/gossip/source.ts.
   */
  readonly graph: string;
  /** Whether to leave htlc_maximum_msat uncorrected in compressed snapshots, where it is 1000 times too small. */
  readonly exactUnits: boolean;
  /** Seed of the synthetic graph and of the simulated network. */
  readonly seed: bigint;
  readonly dataDirectory: string;
  /** Address of the PostgreSQL database that several daemons share. May contain a password. */
  readonly store: string | undefined;
  /** Address of the NATS server that connects solvers on other machines. May contain a password. */
  readonly bus: string | undefined;
  readonly socketPath: string;
  /** The chain. `getinfo` shows it as `network`. */
  readonly chain: ChainName;
  /** Whether the chain was given. If not, the chain of an attached node is used. */
  readonly isChainGiven: boolean;
  readonly log: LogOptions;
  /** Number of threads that search routes. Undefined means the engine's default. */
  readonly workers: number | undefined;
  /** Maximum number of queued route queries, and of queued payment searches. Undefined means the engine's default. */
  readonly queueSize: number | undefined;
  /** Days after which finished payments are deleted from a shared database. Undefined if they are kept. */
  readonly keepPaymentsDays: number | undefined;
  /** Whether to serve developer commands and parameters. */
  readonly developer: boolean;
  /** Whether a new connection allows deprecated commands. The command `deprecations` changes this for a connection. */
  readonly allowDeprecated: boolean;
  /** Whether `fetchinvoice` uses only existing connections. */
  readonly fetchinvoiceNoconnect: boolean;
  /** Whether `xpay` pays static invoices (bolts#1149, which is not merged). */
  readonly payStaticInvoices: boolean;
  /** Whether to correct predicted probabilities by the outcomes of past attempts. */
  readonly learnedOdds: boolean;
  /** Whether to import knowledge from our node's past payments and forwards at the start. */
  readonly nodeHistory: boolean;
  /** Limits on probing. Undefined if no probes are sent. */
  readonly probes: ProbeLimits | undefined;
  /** Prices of the objective that half of the payments try. Undefined if there is no trial. */
  readonly trial: ObjectiveKnobs | undefined;
  readonly limits: RpcLimits;
  /** The limits on quotes that were given. All other limits have their defaults. */
  readonly quoteLimits: Partial<QuoteLimits>;
  /** Hosts to which events may be posted, optionally with a port. */
  readonly webhookHosts: readonly string[];
  /** Where to look up names (BIP 353). */
  readonly nameResolver: ResolverPlace | undefined;
  /** Trust anchors of a DNS root other than the internet's, to verify proofs of names. */
  readonly nameAnchors: readonly Delegation[] | undefined;
  /** How to serve HTTP, if requested. */
  readonly http: HttpOptions | undefined;
  /**
   * How to serve HTTP if it was not requested: on loopback for the simulated network, so that newcomers see the page.
   * Undefined elsewhere, and with `--no-http`. If it cannot be served, the program starts without it.
   */
  readonly usualHttp: HttpOptions | undefined;
  /** Whether to start despite missing or outdated files in the data directory. Unusable ones are set aside. */
  readonly recover: boolean;
  /**
   * Whether to replace the node's cln-askrene. If so, each of its layers is imported once, layers are listed as
   * cln-askrene lists them, and layers are created only on request.
   */
  readonly replaceAskrene: boolean;
  /**
   * Whether to fetch invoices under the node's id. Our plugin in that node then writes the onion messages that the node
   * receives to our standard input, one JSON object per line.
   */
  readonly nodeMessages: boolean;
  /** Which methods are forwarded to the attached node. Only on the cln network. */
  readonly forward: ForwardChoice;
  /** Whether to stop when standard input closes, because the program that started the daemon is gone. */
  readonly stopOnEof: boolean;
  /** Whether to print the options and their origins instead of starting. */
  readonly printConfig: boolean;
  /** All given options and their origins. */
  readonly given: Gathered;
}

const DEFAULT_GRAPHS: Readonly<Record<NetworkName, string>> = {
  simulated: 'synthetic',
  peer: 'none',
  none: 'synthetic',
  cln: 'node',
  lnd: 'node',
  several: 'node',
};

/** Reads the name of a chain. @throws UsageError */
export const chainNamed = (given: string): ChainName => oneOf('chain', given, CHAINS);

/** The highest valid `--max-request-bytes`. A request is parsed as a single string, whose length Node.js limits. */
const MAX_REQUEST_BYTES = 256 * 1024 * 1024;
const MAX_LIMIT = 2 ** 40;

/** Environment variables by name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Parses the command line, the environment and the configuration files. @throws UsageError */
export function parseStartOptions(argv: readonly string[], env: EnvironmentVariables = {}): StartOptions {
  const given = gatherOptions({
    kinds: OPTIONS,
    argv,
    env,
    directoryOf: dataDirectory,
    notInFiles: NOT_IN_FILES,
    secrets: SECRET_OPTION_NAMES,
  });
  for (const [option, value] of Object.entries(given.values)) {
    // An empty value probably comes from a variable that a script did not set. As a directory, it would mean the
    // current one.
    if (value === '') throw new UsageError(`--${option} is empty`);
  }
  const { values, nodes } = withNodes(given.values as StartValues);
  const directory = dataDirectory(values['data-dir']);
  const network = oneOf('network', values.network ?? 'simulated', NETWORKS);
  if (network === 'several' && nodes.length === 0) {
    throw new UsageError('--network several requires --node, once for each node');
  }
  const chain = chainNamed(values.chain ?? 'bitcoin');
  requireNetwork(values, network);
  const sharedNetwork = sharedNetworkOf(values, network, nodes);
  const limits = limitsOf(values);
  whole('askrene-timeout', values['askrene-timeout'], 0, 2 ** 32 - 1);
  const http = httpOptionsOf(values, whole);
  const isHttpUsual = network === 'simulated' && http === undefined && values['no-http'] !== true;
  const graph = graphOf(values.graph, network, values.store);
  const socket = socketPath(values['rpc-file'], directory);
  return {
    network,
    connect: (values.connect ?? []).map((peer) => readOrRefuse('connect', peer, parsePeerLocation)),
    listen: values.listen === undefined ? undefined : readOrRefuse('listen', values.listen, parseHostPort),
    chainSource: chainSourceOf(values),
    allowPrivateAddresses: values['allow-private-addresses'],
    nodeSocket: network === 'cln' ? nodeSocketOf(values, chain) : undefined,
    lnd: network === 'lnd' ? lndPlaceOf(values, chain) : undefined,
    nodes,
    sharedNetwork,
    graph,
    exactUnits: values['exact-units'] ?? false,
    seed: seedOf(values.seed),
    dataDirectory: directory,
    store: storeOf(values.store),
    bus: busOf(values),
    socketPath: socket,
    chain,
    isChainGiven: values.chain !== undefined,
    log: logOf(values),
    workers: whole('workers', values.workers, 1, 256),
    keepPaymentsDays: keepPaymentsOf(values),
    queueSize: whole('queue-size', values['queue-size'], 0, 1_000_000),
    developer: values.developer ?? false,
    allowDeprecated: !(values['refuse-deprecated'] ?? false),
    fetchinvoiceNoconnect: values['fetchinvoice-noconnect'] ?? false,
    payStaticInvoices: values['pay-static-invoices'] ?? false,
    learnedOdds: values['no-learned-odds'] !== true,
    nodeHistory: values['no-node-history'] !== true,
    probes: probesOf(values),
    trial: trialOf(values.trial),
    quoteLimits: quoteLimitsOf(values),
    webhookHosts: values['webhook-host'] ?? [],
    nameResolver: nameResolverOf(values['name-resolver']),
    nameAnchors: values['name-anchor']?.map(anchorOf),
    limits,
    http,
    usualHttp: isHttpUsual ? usualHttp() : undefined,
    recover: values.recover ?? false,
    replaceAskrene: values['replace-askrene'] ?? false,
    nodeMessages: values['node-messages'] ?? false,
    forward: forwardOf(values),
    stopOnEof: values['stop-on-eof'] ?? false,
    printConfig: values['print-config'] ?? false,
    given: withDefaults(given, {
      network,
      // With attached nodes, the default is their chain.
      ...(network !== 'cln' && network !== 'lnd' && network !== 'several' && { chain }),
      graph,
      'data-dir': directory,
      'rpc-file': socket,
      'log-format': LOG_FORMATS[0],
      ...(isHttpUsual && { http: USUAL_HTTP }),
      ...Object.fromEntries(
        Object.entries(LIMIT_OPTIONS).map(([name, limit]) => [name, String(limits[limit])]),
      ),
    }),
  };
}

/** Checks that each option of a single network is given for that network only. @throws UsageError */
function requireNetwork(values: StartValues, network: NetworkName): void {
  const owned = [
    ['peer', PEER_OPTIONS],
    ['cln', NODE_OPTIONS],
    ['lnd', LND_OPTIONS],
  ] as const;
  for (const [owner, options] of owned) {
    const given = options.find((option) => values[option] !== undefined);
    if (given !== undefined && network !== owner) {
      throw new UsageError(`--${given} requires --network ${owner}`);
    }
  }
}

/** The limits on what clients may use. @throws UsageError */
function limitsOf(values: StartValues): RpcLimits {
  const limits: Record<keyof RpcLimits, number> = { ...DEFAULT_LIMITS };
  for (const option of Object.keys(LIMIT_OPTIONS) as LimitOption[]) {
    const maximum = option === 'max-request-bytes' ? MAX_REQUEST_BYTES : MAX_LIMIT;
    const limit = whole(option, values[option], 1, maximum);
    if (limit !== undefined) limits[LIMIT_OPTIONS[option]] = limit;
  }
  return limits;
}

/**
 * Adds the network that `--node` implies. A single `--node` has the same effect as `--network cln` or `--network lnd`
 * with its location.
 * @throws UsageError for bad nodes, and for options that contradict them
 */
function withNodes(values: StartValues): { values: StartValues; nodes: readonly NodePlace[] } {
  const { node: given, ...others } = values;
  if (given === undefined) return { values, nodes: [] };
  const chain = chainNamed(values.chain ?? 'bitcoin');
  const nodes = nodePlaces(given, (address, cert, macaroon) =>
    lndPlaceOf({ 'lnd-rpc': address, 'lnd-cert': cert, 'lnd-macaroon': macaroon }, chain),
  );
  const stray = [...NODE_OPTIONS, ...LND_OPTIONS].find(
    (option) => !option.endsWith('forward') && option !== 'node-messages' && values[option] !== undefined,
  );
  if (stray !== undefined) throw new UsageError(`give --node or --${stray}, not both`);
  const [only] = nodes;
  const network = nodes.length === 1 ? only!.kind : only!.kind === 'simulated' ? 'simulated' : 'several';
  if (values.network !== undefined && values.network !== network) {
    throw new UsageError(`--node implies --network ${network}, not ${values.network}`);
  }
  if (nodes.length > 1) return { values: { ...others, network }, nodes };
  return { values: { ...others, network, ...placeOptions(only!) }, nodes: [] };
}

/** A single `--node` as the options of its network, such as `--lightning-dir`. */
function placeOptions(node: NodePlace): StartValues {
  if (node.kind === 'simulated') return {};
  if (node.kind === 'cln') {
    return node.isSocket ? { 'lightning-rpc-file': node.directory } : { 'lightning-dir': node.directory };
  }
  const { place } = node;
  if ('connectPath' in place) return { 'lnd-connect': place.connectPath };
  return { 'lnd-rpc': place.address, 'lnd-cert': place.certPath, 'lnd-macaroon': place.macaroonPath };
}

function withDefaults({ values, sources }: Gathered, defaults: Readonly<Record<string, string>>): Gathered {
  const added = Object.entries(defaults).filter(([name]) => values[name] === undefined);
  return {
    values: { ...Object.fromEntries(added), ...values },
    sources: new Map([...added.map(([name]) => [name, ['default']] as const), ...sources]),
  };
}

const quoteLimitsOf = (values: StartValues): Partial<QuoteLimits> => {
  const maxHolding = whole('max-holding-quotes', values['max-holding-quotes'], 0, QUOTE_LIMITS.maxQuotes);
  const maxHeldPercent = whole('max-held-percent', values['max-held-percent'], 0, 100);
  return {
    ...(maxHolding !== undefined && { maxHolding }),
    ...(maxHeldPercent !== undefined && { maxHeldPercent }),
  };
};

/** @throws UsageError */
function nameResolverOf(given: string | undefined): ResolverPlace | undefined {
  const place = given === undefined ? undefined : resolverPlace(given);
  if (typeof place === 'string') throw new UsageError(`--name-resolver ${place}`);
  return place;
}

/** @throws UsageError */
function anchorOf(text: string): Delegation {
  if (!/^\s*\d{1,5}\s+\d{1,3}\s+[24]\s+([0-9a-fA-F]{64}|[0-9a-fA-F]{96})\s*$/.test(text)) {
    throw new UsageError(
      '--name-anchor must be "TAG ALGORITHM DIGESTTYPE DIGEST", with a digest of type 2 or 4',
    );
  }
  return anchor(text);
}

/** Which methods are forwarded to the attached node. @throws UsageError */
function forwardOf({ forward, 'no-forward': isOff = false }: StartValues): ForwardChoice {
  if (isOff && forward !== undefined) throw new UsageError('give --forward or --no-forward, not both');
  if (isOff) return 'none';
  if (forward === undefined) return 'all';
  const methods = forward.flatMap((given) => given.split(',')).filter((method) => method !== '');
  const wrong = methods.find((method) => !/^[a-zA-Z0-9_-]{1,64}$/.test(method));
  if (wrong !== undefined) throw new UsageError(`--forward takes names of methods, not ${wrong}`);
  return methods;
}

function logOf(values: StartValues): LogOptions {
  const rules = (values['log-level'] ?? []).flatMap((given) => {
    const read = parseLevelRules(given);
    if (read !== undefined) return read;
    throw new UsageError(
      `--log-level must be one of ${LOG_LEVELS.join(', ')}, optionally with :PART, not ${given}`,
    );
  });
  const file = values['log-file'];
  return {
    rules,
    format: oneOf('log-format', values['log-format'] ?? 'text', LOG_FORMATS),
    file: file === undefined ? undefined : resolve(file),
    isPrivate: values['log-private'] ?? false,
  };
}

function storeOf(given: string | undefined): string | undefined {
  if (given === undefined || isPostgresAddress(given)) return given;
  throw new UsageError('--store must be the address of a PostgreSQL database: postgres://ROLE@HOST/DATABASE');
}

function busOf({ bus, store, 'bus-plaintext': isPlainAllowed = false }: StartValues): string | undefined {
  if (bus === undefined) {
    if (isPlainAllowed) throw new UsageError('--bus-plaintext requires --bus nats://HOST');
    return undefined;
  }
  const problem = busProblem(bus, isPlainAllowed);
  if (problem !== undefined) throw new UsageError(`--bus ${problem}`);
  if (store !== undefined) return bus;
  throw new UsageError('--bus also requires --store postgres://…, because a bus stores nothing');
}

function graphOf(given: string | undefined, network: NetworkName, store: string | undefined): string {
  if (given === 'node' && DEFAULT_GRAPHS[network] !== 'node') {
    throw new UsageError('--graph node requires --network cln, lnd or several');
  }
  if (given === 'shared' && store === undefined) {
    throw new UsageError(
      '--graph shared requires --store postgres://…, because the graph is kept in that database',
    );
  }
  return given ?? DEFAULT_GRAPHS[network];
}

interface NodeValues {
  readonly 'lightning-dir'?: string | undefined;
  readonly 'lightning-rpc-file'?: string | undefined;
}

/** The node's socket: the given one, or the one in its directory for the chain. */
function nodeSocketOf(values: NodeValues, chain: ChainName): string {
  const { 'lightning-dir': directory, 'lightning-rpc-file': file } = values;
  if (file === undefined) return nodeSocketIn(directory, chain);
  if (directory !== undefined) throw new UsageError('give --lightning-dir or --lightning-rpc-file, not both');
  return resolve(file);
}

function sharedNetworkOf(
  { 'simulated-network': given }: StartValues,
  network: NetworkName,
  nodes: readonly NodePlace[],
): HostPort | undefined {
  if (given === undefined) return undefined;
  if (network !== 'simulated') throw new UsageError('--simulated-network requires --network simulated');
  if (nodes.length > 0) throw new UsageError('give --simulated-network or --node, not both');
  const place = readOrRefuse('simulated-network', given, parseHostPort);
  if (!/:\d+$/.test(given)) throw new UsageError('--simulated-network must be HOST:PORT');
  return place;
}

function keepPaymentsOf(values: StartValues): number | undefined {
  const days = whole('keep-payments', values['keep-payments'], 1, 36_500);
  if (days !== undefined && values.store === undefined) {
    throw new UsageError('--keep-payments requires --store postgres://…');
  }
  return days;
}

/**
 * Reads the 64-bit seed. The default is fixed, so that fresh installations have the same synthetic network.
 * @throws UsageError
 */
export function seedOf(given: string | undefined): bigint {
  const value = /^\d{1,20}$/.test(given ?? '1') ? BigInt(given ?? 1) : -1n;
  if (BigInt.asUintN(64, value) !== value)
    throw new UsageError(`--seed must be an unsigned 64-bit number, not ${given}`);
  return value;
}

/** The output of `--print-config`: every option that has a value, and the origin of the value. */
export function configText(settings: ReadonlyMap<string, Setting>): string {
  const lines = [...settings].flatMap(([name, { value, sources }]) => {
    if (value === undefined || name === 'print-config') return [];
    const all = Array.isArray(value) ? value : [value];
    return all.map((each, index) => `${name}=${each}  # ${sources[index]}\n`);
  });
  return lines.join('');
}
