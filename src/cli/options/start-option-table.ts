/**
 * The options of `fulgurite start`: names and kinds, and which of them set limits, need a certain network, or are secret.
 * start-options.ts reads their values.
 */
import type { RpcLimits } from '../../rpc/limits.ts';
import type { OptionKinds } from './command-line.ts';
import { HTTP_OPTIONS } from './http-options.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** The options and their kinds. */
export const OPTIONS = {
  graph: text,
  'exact-units': flag,
  seed: text,
  'data-dir': text,
  store: text,
  bus: text,
  'bus-plaintext': flag,
  'rpc-file': text,
  network: text,
  node: { type: 'string', multiple: true },
  'simulated-network': text,
  chain: text,
  'lightning-dir': text,
  'lightning-rpc-file': text,
  forward: { type: 'string', multiple: true },
  'no-forward': flag,
  'lnd-rpc': text,
  'lnd-cert': text,
  'lnd-macaroon': text,
  'lnd-connect': text,
  connect: { type: 'string', multiple: true },
  listen: text,
  'allow-private-addresses': flag,
  'bitcoin-rpcurl': text,
  'bitcoin-rpcuser': text,
  'bitcoin-rpcpassword': text,
  'bitcoin-rpccookie': text,
  esplora: text,
  'log-level': { type: 'string', multiple: true },
  'log-format': text,
  'log-file': text,
  'log-private': flag,
  conf: text,
  'print-config': flag,
  workers: text,
  'queue-size': text,
  'keep-payments': text,
  'askrene-timeout': text,
  developer: flag,
  'refuse-deprecated': flag,
  recover: flag,
  'replace-askrene': flag,
  'node-messages': flag,
  'stop-on-eof': flag,
  'fetchinvoice-noconnect': flag,
  'pay-static-invoices': flag,
  'no-learned-odds': flag,
  'no-node-history': flag,
  'probes-per-hour': text,
  'probe-max-sat': text,
  trial: { type: 'string', multiple: true },
  'webhook-host': { type: 'string', multiple: true },
  'name-resolver': { type: 'string' },
  'name-anchor': { type: 'string', multiple: true },
  'max-holding-quotes': text,
  'max-held-percent': text,
  'max-request-bytes': text,
  'max-input-bytes': text,
  'max-depth': text,
  'max-values': text,
  'max-batch': text,
  'max-in-flight': text,
  'max-unsent-bytes': text,
  'max-connections': text,
  ...HTTP_OPTIONS,
} as const satisfies OptionKinds;

/** The values of the options by name, typed by kind. */
export type StartValues = {
  readonly [K in keyof typeof OPTIONS]?: (typeof OPTIONS)[K] extends { readonly multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[K] extends { readonly type: 'boolean' }
      ? boolean
      : string;
};

/** Options that set a limit, and the limit that each one sets. */
export const LIMIT_OPTIONS = {
  'max-request-bytes': 'maxRequestBytes',
  'max-input-bytes': 'maxInputBytes',
  'max-depth': 'maxDepth',
  'max-values': 'maxValues',
  'max-batch': 'maxBatch',
  'max-in-flight': 'maxInFlight',
  'max-unsent-bytes': 'maxUnsentBytes',
  'max-connections': 'maxConnections',
} as const satisfies Record<string, keyof RpcLimits>;

/** The name of an option that sets a limit. */
export type LimitOption = keyof typeof LIMIT_OPTIONS;

/** Options that are refused without `--network peer`. */
export const PEER_OPTIONS = [
  'connect',
  'listen',
  'allow-private-addresses',
  'bitcoin-rpcurl',
  'bitcoin-rpcuser',
  'bitcoin-rpcpassword',
  'bitcoin-rpccookie',
  'esplora',
] as const;

/** Options that are refused without `--network cln`. */
export const NODE_OPTIONS = [
  'lightning-dir',
  'lightning-rpc-file',
  'forward',
  'no-forward',
  'replace-askrene',
  'node-messages',
] as const;

/** Options that files cannot set, because they locate files or request a one-time action. */
export const NOT_IN_FILES = ['conf', 'data-dir', 'print-config', 'recover'];

/** Names of all options of `fulgurite start`. */
export const START_OPTION_NAMES = Object.keys(OPTIONS);

/** Names of options whose values are not shown. */
export const SECRET_OPTION_NAMES: readonly string[] = ['bitcoin-rpcpassword', 'store', 'bus'];
