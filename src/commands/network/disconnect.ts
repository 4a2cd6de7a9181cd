/** `disconnect`: the end of a connection to a peer. */
import { FulguriteError } from '../../model/errors.ts';
import { required, withDefault } from '../../rpc/command.ts';
import { bool, nodeId } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';

export const disconnect = defineCommand({
  name: 'disconnect',
  summary: 'Disconnect a peer.',
  description:
    'Ends the connection to a peer, and the attempts to reach it again where it was given at the start. ' +
    '`force` makes no difference: there are no channels that a disconnection could disturb.',
  category: 'network',
  params: {
    id: required(nodeId, 'The peer.'),
    force: withDefault(bool, false, 'Disconnect although there is a channel.'),
  },
  result: {},
  async handler({ id }, { networkPort }) {
    if (!networkPort.capabilities.disconnects) {
      throw new FulguriteError('notSupported', 'connections of this network cannot be ended');
    }
    if (!(await networkPort.disconnect(id))) throw new FulguriteError('unspecified', 'Peer not connected');
    return {};
  },
});
