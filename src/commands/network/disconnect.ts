/** `disconnect`: ends a connection to a peer. */
import { FulguriteError } from '../../model/errors.ts';
import { required, withDefault } from '../../rpc/command.ts';
import { bool, nodeId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

/**
 * Matches Core Lightning's command.
 * @throws FulguriteError unspecified when the peer is not connected, notSupported if connections cannot be
 *   ended.
 */
export const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Disconnect a peer.',
  description:
    'Closes the connection to a peer. Peers given at startup are not reconnected either. `force` has no ' +
    'effect: an attached node may refuse to disconnect a peer with which it has channels.',
  category: 'network',
  params: {
    id: required(nodeId, 'The peer.'),
    force: withDefault(bool, false, 'Accepted for compatibility and ignored.'),
  },
  result: {},
  async handler({ id }, { networkPort }) {
    if (!networkPort.capabilities.disconnects) {
      throw new FulguriteError('notSupported', 'connections of this network cannot be closed');
    }
    if (!(await networkPort.disconnect(id))) throw new FulguriteError('unspecified', 'Peer not connected');
    return {};
  },
});
