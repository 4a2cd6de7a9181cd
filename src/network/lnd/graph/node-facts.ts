/** The facts that an LND node reports about itself in `GetInfo`. */
import { CHAIN_HASHES } from '../../../bolt/invoice/bolt12-offer.ts';
import { FulguriteError } from '../../../model/errors.ts';
import { type NodeId, parseNodeId } from '../../../model/node-id.ts';
import type { GetInfo } from '../answers.ts';
import { featureBytes } from './feature-bytes.ts';

/** The node behind the connection. */
export interface LndFacts {
  readonly nodeId: NodeId;
  readonly alias: string;
  /** Red, green, blue as six hex digits. */
  readonly color: string;
  readonly version: string;
  /** Addresses that the node announces, `host:port`. */
  readonly addresses: readonly string[];
  /** Name of the chain, as in `--chain`. */
  readonly chain: keyof typeof CHAIN_HASHES;
  /** Feature bits of its `init`. */
  readonly features: Uint8Array;
  readonly height: number;
  readonly isGraphSynced: boolean;
  /** Why the node's block height is unreliable. Undefined when the height is reliable. */
  readonly warning: string | undefined;
}

/** The oldest release whose answers have all the members that we need. */
const OLDEST = { major: 0, minor: 19 };

/** LND's chain names that differ from the names in `--chain`. */
const CHAIN_NAMES: Readonly<Record<string, string>> = { mainnet: 'bitcoin' };

/** @throws FulguriteError notSupported for an unknown chain, or a release that is too old; unspecified */
export function factsOf(info: GetInfo): LndFacts {
  const told = info.chains[0]?.network ?? '';
  const chain = CHAIN_NAMES[told] ?? told;
  if (!Object.hasOwn(CHAIN_HASHES, chain)) {
    throw new FulguriteError('notSupported', `the node is on the unknown chain ${told}`);
  }
  const nodeId = parseNodeId(info.identity_pubkey);
  if (nodeId === undefined) throw new FulguriteError('unspecified', 'the node does not report its id');
  if (isBefore(info.version, OLDEST)) {
    throw new FulguriteError(
      'notSupported',
      `the node runs LND ${info.version}; the oldest supported release is 0.19: upgrade it`,
    );
  }
  return {
    nodeId,
    alias: info.alias,
    color: info.color.replace('#', ''),
    version: info.version,
    addresses: info.uris.map((uri) => uri.slice(uri.indexOf('@') + 1)),
    chain: chain as keyof typeof CHAIN_HASHES,
    features: featureBytes(info.features),
    height: info.block_height,
    isGraphSynced: info.synced_to_graph,
    warning: info.synced_to_chain
      ? undefined
      : 'LND is not synced to the chain yet: wait until `lncli getinfo` reports synced_to_chain as true',
  };
}

/** False for a version that cannot be parsed, such as that of a custom build. */
function isBefore(version: string, { major, minor }: typeof OLDEST): boolean {
  const match = /^v?(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [ofMajor, ofMinor] = [Number(match[1]), Number(match[2])];
  return ofMajor < major || (ofMajor === major && ofMinor < minor);
}
