/** `help`: lists the commands, or shows what one of them takes. */
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, usageOf } from '../../rpc/command.ts';
import { string } from '../../rpc/param-types.ts';
import { shown } from '../../rpc/params.ts';
import { defineCommand, type NodeCommand } from '../context.ts';

/** As Core Lightning's command. */
export const help = defineCommand({
  name: 'help',
  summary: 'List available commands, or show one of them.',
  description:
    'Without a parameter, lists every command with its parameters, sorted by name. With a parameter, ' +
    'shows that command. Parameters in brackets are optional. Deprecated commands are marked. Connections ' +
    'that refuse deprecated commands do not see them.',
  category: 'utility',
  readOnly: true,
  params: { command: optional(string, 'The command to show.') },
  result: {
    help: field('array', 'One object per command. Its member `command` is the usage.'),
    'format-hint': field('string', 'Always `simple`, so that clients show the list as text.'),
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
