/** `connect`: opens a connection to a peer. */
import { FulguriteError } from '../../model/errors.ts';
import {
  formatHostPort,
  type PeerLocation,
  parseHostPort,
  parsePeerLocation,
} from '../../network/peer/index.ts';
import { field, optional, optionalField, required } from '../../rpc/command.ts';
import { shortText, u16 } from '../../rpc/param-types.ts';
import { refuse, refusedParameter } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';
import { addressEntry } from './peer-address.ts';

/** Matches Core Lightning's command, with its error numbers. Concurrent calls for the same peer share an attempt. */
export const connect = defineCommand({
  name: 'connect',
  summary: 'Connect to a peer.',
  description:
    'Connects to the node `id` at `host` and `port`. Without them, tries the addresses that the node ' +
    'announced. `id` may also be `ID@HOST:PORT`. Succeeds immediately if the peer is already connected. ' +
    'Errors: 400 no address is known. 401 could not connect to any address (see `data.attempts`). 402 the ' +
    'peer disconnected during connection setup.',
  category: 'network',
  params: {
    id: required(shortText, 'The node id, or `ID@HOST:PORT`.'),
    host: optional(shortText, 'Host name or address.'),
    port: optional(u16, 'TCP port, default 9735.'),
  },
  result: {
    id: field('pubkey', 'The peer.'),
    features: field('hex', 'Feature bits (BOLT 9) of the peer.'),
    direction: field('string', 'Who opened the connection: `out` we did, `in` the peer did.'),
    address: optionalField(
      'object',
      "The peer's end of the connection: type, address, port. On a simulated network it is derived from the node id.",
    ),
  },
  async handler({ id, host, port }, { networkPort }) {
    const { nodeId, address } = locate(id, host, port);
    const addresses = address === undefined ? [] : [formatHostPort(address)];
    // The address is valid here, so the network can only refuse the id.
    const peer = await networkPort.connect(nodeId, addresses).catch((error) => {
      throw naming('id', error);
    });
    return {
      id: peer.nodeId,
      features: Buffer.from(peer.features).toString('hex'),
      direction: peer.direction ?? 'out',
      ...(peer.address !== undefined && { address: addressEntry(peer.address) }),
    };
  },
});

/**
 * Determines the node id and address to connect to.
 * @throws FulguriteError invalidParams when the parameters are not a valid address or contradict each other
 */
function locate(id: string, host: string | undefined, port: number | undefined): PeerLocation {
  const location = readOrRefuse('id', id, parsePeerLocation);
  if (host === undefined) {
    if (port !== undefined) refuse('port', 'port without host');
    return location;
  }
  if (location.address !== undefined) refuse('host', 'two hosts given');
  const named = readOrRefuse('host', host, parseHostPort);
  return { nodeId: location.nodeId, address: port === undefined ? named : { host: named.host, port } };
}

/** Parses the text of a parameter. @throws FulguriteError invalidParams that names the parameter */
function readOrRefuse<T>(parameter: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    throw naming(parameter, error);
  }
}

/** Adds the parameter to an error that says only what is wrong with its value. Other errors stay as they are. */
function naming(parameter: string, error: unknown): unknown {
  if (!(error instanceof FulguriteError) || error.name !== 'invalidParams') return error;
  return refusedParameter(parameter, error.message);
}
