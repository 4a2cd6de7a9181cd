/** `listconfigs`: shows options, their values and the origins of the values. */
import { field, optional } from '../../rpc/command.ts';
import { BadToken } from '../../rpc/param-types.ts';
import { defineCommand, type NodeParamType, type Setting } from '../context.ts';

/** The name of any option; the handler receives the name. */
const anyOption: NodeParamType<string> = {
  name: 'string',
  schema: { type: 'string' },
  parse(token, { settings }) {
    if (!settings.all.has(token.text)) throw new BadToken('Unknown config option', token);
    return token.text;
  },
};

/** Matches Core Lightning's command, for the options of this service. */
export const listconfigs = defineCommand({
  name: 'listconfigs',
  summary: 'List options, or one of them.',
  description:
    'Shows the options that `setconfig` can change and those given at startup. Options with neither a value ' +
    'nor a default are omitted.',
  category: 'utility',
  readOnly: true,
  params: { config: optional(anyOption, 'Name of a single option to show.') },
  result: {
    configs: field(
      'object',
      'Objects by name of option. value_int, value_str, values_str or set is the value. source or sources ' +
        'is its origin: default, cmdline, environment NAME, setconfig, or file:line. dynamic means that ' +
        '`setconfig` can change it. Secrets are shown as `...`.',
    ),
  },
  handler({ config }, { settings }) {
    const shown = [...settings.all].filter(
      ([name, { value }]) => value !== undefined && (config === undefined || name === config),
    );
    return { configs: Object.fromEntries(shown.map(([name, setting]) => [name, settingObject(setting)])) };
  },
});

/** An option with Core Lightning's members. The type of the value determines the member that contains it. */
export function settingObject({ value, sources, isDynamic }: Setting) {
  const dynamic = isDynamic ? { dynamic: true } : {};
  if (typeof value === 'object') return { values_str: value, sources, ...dynamic };
  const [source] = sources;
  if (typeof value === 'number') return { value_int: value, source, ...dynamic };
  if (typeof value === 'boolean') return { set: value, source, ...dynamic };
  return { value_str: value, source, ...dynamic };
}
