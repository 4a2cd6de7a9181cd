/** `help`: lists the commands, or shows the usage of a command. */
import { FulguriteError } from '../../model/errors.ts';
import { field, optional, usageOf } from '../../rpc/command.ts';
import { string } from '../../rpc/param-types.ts';
import { shown } from '../../rpc/params.ts';
import { defineCommand, type NodeCommand, type NodeContext } from '../context.ts';

/** Matches Core Lightning's command. */
export const help = defineCommand({
  name: 'help',
  summary: 'List available commands, or show one of them.',
  description:
    'Without a parameter, lists every command with its parameters, sorted by name. With a parameter, shows ' +
    'that command. Parameters in brackets are optional. Deprecated commands are marked, and hidden on connections ' +
    'that refuse them. Commands that the attached Core Lightning node executes follow, marked `forwarded`, if the ' +
    'node responds.',
  category: 'utility',
  readOnly: true,
  params: { command: optional(string, 'The command to show.') },
  result: {
    help: field(
      'array',
      'One object per command. Its member `command` is the usage. `forwarded` is true if the attached node executes the command.',
    ),
    'format-hint': field('string', 'Always `simple`, so that clients show the list as text.'),
  },
  async handler({ command }, context, { registry, session }) {
    const ofNode = await nodeUsages(context);
    const forwarded = ofNode.map((usage) => entry(usage, true));
    const visible = (candidate: NodeCommand) =>
      (session.deprecations || candidate.deprecated === undefined) &&
      context.forwarded?.takes(candidate.name) !== true;
    if (command === undefined) {
      const all = registry.names.map((name) => registry.commands.get(name)!).filter(visible);
      return {
        help: [...all.map((one) => entry(usageOf(one, registry.isDeveloper))), ...forwarded],
        'format-hint': 'simple',
      };
    }
    const found = forwarded.filter((entry) => nameOf(entry.command) === command);
    if (found.length > 0) return { help: found, 'format-hint': 'simple' };
    const one = registry.commands.get(command);
    if (one === undefined) throw new FulguriteError('unknownMethod', `Unknown command ${shown(command)}`);
    if (!visible(one)) throw new FulguriteError('unknownMethod', `Deprecated command ${command}`);
    return { help: [entry(usageOf(one, registry.isDeveloper))], 'format-hint': 'simple' };
  },
});

const entry = (command: string, forwarded?: true) => ({ command, forwarded });

const nameOf = (usage: string): string => usage.split(' ')[0]!;

/**
 * The usage lines of the attached node's commands. Empty if the node is unreachable, so that our own commands can still
 * be listed.
 */
async function nodeUsages({ forwarded }: NodeContext): Promise<readonly string[]> {
  if (forwarded === undefined) return [];
  try {
    return (await forwarded.usages()).filter((usage) => forwarded.takes(nameOf(usage)));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [];
  }
}
