/** `rpc.discover`: the description of all commands, for programs (OpenRPC service discovery). */
import { field } from '../../rpc/command.ts';
import { openRpc } from '../../rpc/describe.ts';
import { defineCommand } from '../context.ts';

export const rpcDiscover = defineCommand({
  name: 'rpc.discover',
  summary: 'Describe all commands as an OpenRPC document.',
  description:
    'Names, types, defaults and meanings of all parameters and results, for generators of clients.',
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
