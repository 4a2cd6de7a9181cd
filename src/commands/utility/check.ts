/**
 * `check`: tells whether a command would accept parameters. It parses them, asks the command for its further
 * checks, and does nothing else.
 */
import { FulguriteError } from '../../model/errors.ts';
import { field, type InnerRequest, required } from '../../rpc/command.ts';
import { type JsonToken, parseJson } from '../../rpc/json-token.ts';
import { string } from '../../rpc/param-types.ts';
import { parseParams, shown } from '../../rpc/params.ts';
import { defineCommand } from '../context.ts';

const NAME = 'command_to_check';

/** As Core Lightning's command. The checks beyond parsing are those of the command's `check`. */
export const check = defineCommand({
  name: 'check',
  summary: 'Check the parameters of a command without running it.',
  description:
    'Give the name of a command and then its parameters, positional or by name. If the command would ' +
    'accept them, the answer repeats the name. Otherwise the error is the one that the command would ' +
    'give, with the offending value in it.',
  category: 'utility',
  readOnly: true,
  params: { [NAME]: required(string, 'The command that would be called.') },
  extraParams: true,
  inside: innerRequest,
  result: { [NAME]: field('string', 'The command whose parameters are fine.') },
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

/** The request that would be made. */
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
