/**
 * Manual pages in roff (the `man` macros), from the declarations of the commands: `fulgurite(1)`, and
 * `fulgurite-COMMAND(7)` for each command.
 *
 * In roff a backslash starts an escape, a line that begins with a dot or a quote is a request, a plain hyphen may
 * become a dash, and a non-ASCII character is written as its code point.
 */

import { VERSION } from '../../model/version.ts';
import { type Param, shownParams, usageOf } from '../../rpc/command.ts';
import type { NamedCommand } from './help-pages.ts';

const PROGRAM_SECTION = 1;
/** The manual section of command pages: conventions and protocols, as in Core Lightning. */
const COMMAND_SECTION = 7;

/** Escapes a text for roff. */
export function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  const named = escaped.replace(/[^\x20-\x7e\n]/gu, (character) => `\\[u${codeOf(character)}]`);
  return named.replace(/^(?=[.'])/gm, '\\&');
}

/** The code point of a character as roff writes it: at least four hexadecimal digits, in upper case. */
const codeOf = (character: string): string =>
  character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');

/** The page of one command: `fulgurite-NAME.7`. */
export function commandManPage(command: NamedCommand): string {
  const { name, summary, description, result, since, deprecated, readOnly } = command;
  const params = shownParams(command, false);
  const fields = Object.entries(result as NamedCommand['result']);
  return page(`fulgurite-${name}`, COMMAND_SECTION, [
    section('NAME', `fulgurite\\-${roff(name)} \\- ${roff(summary)}`),
    section('SYNOPSIS', `.B fulgurite\n${roff(usageOf(command))}`),
    section('DESCRIPTION', roff(description)),
    readOnly === true ? '.PP\nRead-only: changes nothing and pays nothing.' : '',
    since === undefined ? '' : `.PP\nSince ${roff(since)}.`,
    deprecated === undefined
      ? ''
      : `.PP\nDeprecated since ${roff(deprecated.since)}, removed after ${roff(deprecated.removed)}.`,
    params.length === 0
      ? ''
      : section(
          'PARAMETERS',
          params
            .map(([name, param]) => entry(name, param.type.name, needOf(param), param.description))
            .join('\n'),
        ),
    fields.length === 0
      ? ''
      : section(
          'RESULT',
          fields
            .map(([member, { type, optional, description: meaning }]) =>
              entry(member, type, optional === true ? 'may be absent' : '', meaning),
            )
            .join('\n'),
        ),
    section('SEE ALSO', '.BR fulgurite (1)'),
  ]);
}

/** The page of the program: `fulgurite.1`. `usage` and `startUsage` are the texts of `--help`. */
export function programManPage(usage: string, startUsage: string, commands: readonly NamedCommand[]): string {
  return page('fulgurite', PROGRAM_SECTION, [
    section('NAME', 'fulgurite \\- a Lightning Network payment engine'),
    section('SYNOPSIS', verbatim(usage)),
    section(
      'DESCRIPTION',
      roff(
        'fulgurite start runs the daemon, which serves JSON-RPC on a UNIX socket as a Core Lightning node does. ' +
          'The subcommands solver, network, fleet, store, plugin, simulate, lnd-macaroon and completion run without ' +
          'a daemon. Any other word, such as explorer, is a command that is sent to a running daemon.',
      ),
    ),
    section('OPTIONS OF START', verbatim(startUsage)),
    section(
      'COMMANDS',
      commands
        .map(({ name, summary }) => `.TP\n.BR fulgurite\\-${roff(name)} (7)\n${roff(summary)}`)
        .join('\n'),
    ),
    section(
      'FILES',
      `.TP\n.I ~/.fulgurite\nThe data directory, unless \\-\\-data\\-dir or FULGURITE_DIR names a different one.`,
    ),
    section(
      'EXIT STATUS',
      '0 success; 1 the service returned an error, or a subcommand failed; 2 no response from the service; ' +
        '3 invalid command line; 4 the outcome of a payment is unknown; 130 interrupted. fulgurite start: 78 if the ' +
        'options, the files that they name, or the data directory must be corrected first.',
    ),
  ]);
}

function page(name: string, number: number, parts: readonly string[]): string {
  const heading = `.TH "${name.toUpperCase()}" ${number} "" "fulgurite ${VERSION}" "Fulgurite"`;
  return `${[heading, ...parts.filter((part) => part !== '')].join('\n')}\n`;
}

const section = (heading: string, body: string): string => `.SH ${heading}\n${body}`;

const verbatim = (text: string): string => `.nf\n${roff(text.trimEnd())}\n.fi`;

/** Whether a parameter is required, or its default if it has one, as text. */
function needOf({ required, unless, absent }: Param<unknown, unknown>): string {
  if (unless !== undefined) return `required unless ${unless}`;
  return required ? 'required' : defaultText(absent);
}

const defaultText = (absent: unknown): string => (absent === undefined ? '' : `default ${String(absent)}`);

function entry(name: string, type: string, note: string, meaning: string): string {
  const tail = note === '' ? '' : `, ${roff(note)}`;
  return `.TP\n.BR ${roff(name)} " (${roff(type)}${tail})"\n${roff(meaning)}`;
}
