/**
 * `check`: checks whether a command would accept parameters. It only parses them, and runs the command's own check if
 * there is one.
 */
import { FulguriteError } from '../../model/errors.ts';
import { field, type InnerRequest, required } from '../../rpc/command.ts';
import { type JsonToken, parseJson } from '../../rpc/json-token.ts';
import { string } from '../../rpc/param-types.ts';
import { parseParams, shown } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';

const NAME = 'command_to_check';

/** Matches Core Lightning's command. */
export const check = defineCommand({
  name: 'check',
  summary: 'Check the parameters of a command without running it.',
  description:
    'Takes the name of a command and its parameters, positional or by name. Returns the name if the command ' +
    'would accept them. Otherwise fails with the error of that command, including the offending value.',
  category: 'utility',
  readOnly: true,
  params: { [NAME]: required(string, 'The command to check.') },
  extraParams: true,
  inside: innerRequest,
  result: { [NAME]: field('string', 'The command whose parameters are valid.') },
  async handler({ command_to_check }, context, { registry, session, params }) {
    const command = registry.commands.get(command_to_check);
    if (command === undefined)
      throw new FulguriteError('unknownMethod', `Unknown command '${shown(command_to_check)}'`);
    if (command.deprecated !== undefined && !session.deprecations) {
      throw new FulguriteError('unknownMethod', `Command "${command.name}" is deprecated`);
    }
    const parsed = parseParams(command, remaining(params!), context, 'check', registry.isDeveloper);
    await command.check?.(parsed, context);
    return { command_to_check };
  },
});

function innerRequest(params: JsonToken | undefined): InnerRequest | undefined {
  const named = params?.members().find(({ key }) => key === NAME)?.value;
  const method = named ?? params?.elements()[0];
  return method && { method: method.text, params: remaining(params!) };
}

/** The parameters without the name of the command. */
function remaining(params: JsonToken): JsonToken {
  if (params.kind === 'array') {
    return parseJson(
      `[${params
        .elements()
        .slice(1)
        .map(({ raw }) => raw)
        .join(',')}]`,
    );
  }
  const members = params.members().filter(({ key }) => key !== NAME);
  return parseJson(`{${members.map(({ key, value }) => `${JSON.stringify(key)}:${value.raw}`).join(',')}}`);
}
