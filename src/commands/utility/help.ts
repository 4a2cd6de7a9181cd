/** `help`: what commands there are, and what one of them takes. */
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, usageOf } from '../../rpc/command.ts';
import { string } from '../../rpc/param-types.ts';
import { shown } from '../../rpc/params.ts';
import { defineCommand, type NodeCommand } from '../context.ts';

export const help = defineCommand({
  name: 'help',
  summary: 'List available commands, or show one of them.',
  description:
    'Without a parameter: every command with its parameters, in order of names. With one: that command. ' +
    'Parameters in brackets are optional. Deprecated commands are marked, and hidden on connections that ' +
    'disallow them.',
  category: 'utility',
  readOnly: true,
  params: { command: optional(string, 'The command to show.') },
  result: {
    help: field('array', 'One object per command, its member `command` being the usage.'),
    'format-hint': field('string', 'Always `simple`: clients show the list as text.'),
  },
  handler({ command }, _context, { registry, session }) {
    const visible = (candidate: NodeCommand) => session.deprecations || candidate.deprecated === undefined;
    if (command === undefined) {
      const all = registry.names.map((name) => registry.commands.get(name)!).filter(visible);
      return {
        help: all.map((one) => ({ command: usageOf(one, registry.isDeveloper) })),
        'format-hint': 'simple',
      };
    }
    const one = registry.commands.get(command);
    if (one === undefined) throw new FulguriteError('unknownMethod', `Unknown command ${shown(command)}`);
    if (!visible(one)) throw new FulguriteError('unknownMethod', `Deprecated command ${command}`);
    return { help: [{ command: usageOf(one, registry.isDeveloper) }], 'format-hint': 'simple' };
  },
});
