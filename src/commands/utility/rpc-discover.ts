/** `rpc.discover`: describes all commands for programs (OpenRPC service discovery). */
import { field } from '../../rpc/command.ts';
import { openRpc } from '../../rpc/describe.ts';
import { defineCommand } from '../context.ts';

/** Service discovery of OpenRPC 1.3.2. The document is made from the declarations of the commands. */
export const rpcDiscover = defineCommand({
  name: 'rpc.discover',
  summary: 'Describe all commands as an OpenRPC document.',
  description:
    'Contains names, types, defaults and descriptions of all parameters and results, for client generators.',
  category: 'utility',
  readOnly: true,
  params: {},
  result: {
    openrpc: field('string', 'Version of the OpenRPC specification.'),
    info: field('object', 'Title and version of this service.'),
    methods: field('array', 'The commands.'),
  },
  handler: (_params, { version }, { registry }) => openRpc(registry, version),
});
