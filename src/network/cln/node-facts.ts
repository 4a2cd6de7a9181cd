/** The facts that a Core Lightning node reports about itself in `getinfo`. */
import { CHAIN_HASHES } from '../../bolt/invoice/bolt12-offer.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import type { Members } from './answer.ts';

/** The node behind the socket. */
export interface NodeFacts {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** Red, green, blue as six hex digits. */
  readonly color: string;
  readonly version: string;
  /** Name of the chain, as in `--chain`. */
  readonly chain: keyof typeof CHAIN_HASHES;
  /** Directory of the node's files for this chain. */
  readonly directory: string;
  /** Feature bits of its `init`. */
  readonly features: Uint8Array;
  /** Addresses on which the node listens, `host:port`. */
  readonly bindings: readonly string[];
  /** Addresses that the node announces, `host:port`. */
  readonly addresses: readonly string[];
  readonly height: number;
  /** Why the node's block height is unreliable, as the node reports it. Undefined when the height is reliable. */
  readonly warning: string | undefined;
}

/** The oldest release whose answers have all the members that we need. */
const OLDEST = { year: 25, month: 2 };
/** A member of our own `getinfo` that no Core Lightning node has. */
const FULGURITE_MEMBER = 'network_kind';

/**
 * @throws FulguriteError unspecified when a member is not as documented; notSupported for an unknown chain, and when
 *   Fulgurite answers instead of a node
 */
export function factsOf(info: Members): NodeFacts {
  if (info.text(FULGURITE_MEMBER) !== undefined) {
    throw new FulguriteError(
      'notSupported',
      'Fulgurite answers at this socket: give the lightning-rpc socket of the node itself',
    );
  }
  const chain = info.requireText('network');
  if (!Object.hasOwn(CHAIN_HASHES, chain)) {
    throw new FulguriteError('notSupported', `the node is on the unknown chain ${chain}`);
  }
  return {
    nodeId: info.requireNodeId('id'),
    alias: info.text('alias') ?? '',
    color: info.text('color') ?? '000000',
    version: info.text('version') ?? 'unknown',
    chain: chain as keyof typeof CHAIN_HASHES,
    directory: info.requireText('lightning-dir'),
    features: info.object('our_features')?.bytes('init') ?? new Uint8Array(0),
    bindings: info.objects('binding').flatMap(hostPortOf),
    addresses: info.objects('address').flatMap(hostPortOf),
    height: info.requireNumber('blockheight'),
    warning: info.text('warning_bitcoind_sync') ?? info.text('warning_lightningd_sync'),
  };
}

/**
 * An error text for releases that are too old. Undefined for supported releases, and for a version that cannot be
 * parsed.
 */
export function tooOld(version: string): string | undefined {
  const match = /^v(\d{2,})\.(\d{2})/.exec(version);
  if (match === null) return undefined;
  const [year, month] = [Number(match[1]), Number(match[2])];
  const isOld = year < OLDEST.year || (year === OLDEST.year && month < OLDEST.month);
  return isOld ? `the node runs ${version}; the oldest supported release is v25.02` : undefined;
}

/** The `host:port` of an address in the node's answers. Empty for an address of another kind, such as a local socket. */
export function hostPortOf(entry: Members): string[] {
  const host = entry.text('address');
  const port = entry.number('port');
  if (host === undefined || port === undefined) return [];
  return [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`];
}
