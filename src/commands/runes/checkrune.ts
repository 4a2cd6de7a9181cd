/** `checkrune`: checks whether a rune permits a request, for services that act on behalf of others. */
import { field, optional, required } from '../../rpc/command.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { BadToken, nodeId, type ParamType, shortText } from '../../rpc/param-types.ts';
import { defineCommand } from '../context.ts';
import { nodesOf } from '../nodes-of.ts';
import { outgoOf } from '../outgo.ts';
import { runeParam } from './rune-params.ts';

const parameters: ParamType<JsonToken> = {
  name: 'object or array',
  schema: { oneOf: [{ type: 'object' }, { type: 'array' }] },
  parse(token) {
    if (token.kind !== 'object' && token.kind !== 'array') {
      throw new BadToken('must be object or array', token);
    }
    return token;
  },
};

/** Matches Core Lightning's command. @throws FulguriteError 1503, 1501, 1502, in the order of the checks */
export const checkrune = defineCommand({
  name: 'checkrune',
  summary: 'Check whether a rune permits a request.',
  description:
    'For programs that serve requests for others. The check counts as a use of the rune for `rate`, `per` ' +
    'and `outgoday`. If `nodeid`, `method` or `params` is omitted, restrictions on it are tested as if the request had none. Errors: 1503 the rune is blacklisted. 1501 this ' +
    'node did not create it. 1502 it does not permit the request; the message names the restriction.',
  category: 'utility',
  since: 'Core Lightning v23.08',
  params: {
    rune: required(runeParam, 'The rune.'),
    nodeid: optional(nodeId, 'The node that sends the request.'),
    method: optional(shortText, 'The command to be called.'),
    params: optional(parameters, 'Its parameters.'),
  },
  result: { valid: field('boolean', 'Always `true`.') },
  async handler({ rune, nodeid, method, params }, context, { registry }) {
    const aliases = method === undefined ? undefined : registry.commands.get(method)?.aliases;
    const outgo = () => outgoOf(registry, context)(method ?? '', params);
    const ourNodes = () => nodesOf(registry, context)(method ?? '', params);
    const use = context.runes.check(rune.rune, { nodeId: nodeid, method, params, aliases, outgo, ourNodes });
    await use?.durable;
    return { valid: true };
  },
});
