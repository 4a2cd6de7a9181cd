/** `setconfig`: changes an option at runtime. */
import { field, optional, type ParsedParams, required, withDefault } from '../../rpc/command.ts';
import { BadToken, bool, shortText } from '../../rpc/param-types.ts';
import { badParameter, parameterError } from '../../rpc/params.ts';
import { defineCommand, type NodeContext, type NodeParamType } from '../context.ts';
import { settingObject } from './listconfigs.ts';

const dynamicOption: NodeParamType<string> = {
  name: 'string',
  schema: { type: 'string' },
  parse(token, { settings }) {
    const setting = settings.all.get(token.text);
    if (setting === undefined) throw new BadToken('Unknown config option', token);
    if (!setting.isDynamic) throw new BadToken('Not a dynamic config option', token);
    return token.text;
  },
};

const PARAMS = {
  config: required(dynamicOption, 'Name of the option: `askrene-timeout` or `log-level`.'),
  val: optional(
    shortText,
    'The new value. For `askrene-timeout`, the maximum number of seconds per route query; 0 refuses all ' +
      'queries. For `log-level`, `debug`, `info`, `unusual` or `broken`, for all areas of the service or for ' +
      'one: `info,debug:payments`.',
  ),
  transient: withDefault(bool, false, 'Whether to discard the value when the service stops.'),
};

/** Matches Core Lightning's command. @throws FulguriteError storeFailed when the value cannot be stored. */
export const setconfig = defineCommand({
  name: 'setconfig',
  summary: 'Change an option while the service runs.',
  description:
    'The new value takes effect immediately. Unless transient, it is stored in `config.setconfig` in the ' +
    'data directory and survives a restart. At startup, the command line and the environment take ' +
    'precedence over it.',
  category: 'utility',
  since: 'Core Lightning v23.08',
  params: PARAMS,
  check: (params, context) => void newValue(params, context),
  result: {
    config: field(
      'object',
      'config (its name), value_int or value_str, source and dynamic, as in `listconfigs`.',
    ),
  },
  handler(params, context) {
    const { config, transient } = params;
    const setting = context.settings.set(config, newValue(params, context), transient);
    return { config: { config, ...settingObject(setting) } };
  },
});

/** @throws FulguriteError -32602 when there is no value, or an invalid one. */
function newValue({ config, val }: ParsedParams<typeof PARAMS>, { settings }: NodeContext): string {
  if (val === undefined) {
    throw parameterError('val', 'missing', `${config} requires a value`);
  }
  const fault = settings.faultOf(config, val);
  if (fault !== undefined) throw badParameter('val', fault, val);
  return val;
}
