/** Commands in groups: the client's output for `help`, and the index of the reference. */
import type { Command } from '../../rpc/command.ts';
import { commandMarkdown } from '../../rpc/describe.ts';

/** A command as the help shows it. */
// biome-ignore lint/suspicious/noExplicitAny: help needs no context
export type NamedCommand = Command<any>;

/** The headings of the groups, in display order. */
const GROUPS = {
  payments: 'Pay and list payments',
  offers: 'Offers and invoices',
  routes: 'Routes and knowledge of the network',
  network: 'This node, its peers and the network',
  utility: 'The service itself',
} as const satisfies Record<NamedCommand['category'], string>;

/** Width of the column of names. After a longer name, the summary follows one space later. */
const NAME_WIDTH = 28;

/**
 * The commands listed by the service, in groups, one per line. `usages` are the service's lines `NAME PARAMETERS`.
 * Commands unknown to this program come last.
 */
export function commandList(
  usages: readonly string[],
  commands: readonly NamedCommand[],
  program: string,
): string {
  const served = new Set(usages.map((usage) => usage.split(' ')[0]!));
  const known = new Set(commands.map(({ name }) => name));
  const groups = Object.entries(GROUPS).map(([category, heading]) =>
    commands
      .filter((command) => command.category === category && served.has(command.name))
      .map((command) => line(command.name, summaryOf(command)))
      .sort()
      .reduce((text, next) => `${text}\n${next}`, `${heading}:`),
  );
  const others = [...served].filter((name) => !known.has(name)).sort();
  if (others.length > 0) groups.push(`Other commands, unknown to this client:\n  ${others.join('\n  ')}`);
  return `${groups.join('\n\n')}\n\nDetails of a command: ${program} help COMMAND`;
}

const line = (name: string, summary: string): string => `  ${name.padEnd(NAME_WIDTH)} ${summary}`;

const summaryOf = ({ summary, deprecated }: NamedCommand): string =>
  deprecated === undefined ? summary : `${summary} (deprecated)`;

/** The index of the reference: a heading for each group, and a link to the page of each of its commands. */
export function referenceIndex(commands: readonly NamedCommand[]): string {
  const groups = Object.entries(GROUPS).map(([category, heading]) => {
    const links = commands
      .filter((command) => command.category === category)
      .map((command) => `- [${command.name}](${command.name}.md): ${summaryOf(command)}`);
    return `## ${heading}\n\n${links.sort().join('\n')}\n`;
  });
  return `# Commands\n\n${groups.join('\n')}\n[Errors](errors.md)\n`;
}

/** The reference page of one command. Undefined when there is no such command. */
export function commandPage(name: string, commands: readonly NamedCommand[]): string | undefined {
  const command = commands.find((candidate) => candidate.name === name);
  return command && commandMarkdown(command);
}
