/**
 * The client: one call, with its answer on standard output and notifications on standard error. If standard
 * error is a terminal, the attempts of a payment are a table there that is redrawn in place. Otherwise each
 * is a line.
 *
 * Exit codes: 0 answered, 1 the service answered an error, 2 there was no answer, 3 bad usage.
 */
import type { JsonToken } from '../rpc/json-token.ts';
import { chunksOf } from '../rpc/json-write.ts';
import { callOverSocket, membersOf, TransportError } from '../rpc/socket-client.ts';
import {
  NOTIFICATION_LEVELS,
  type NotificationChoice,
  parseClientArguments,
  UsageError,
} from './client-arguments.ts';
import { LiveTable, type Screen } from './live-table.ts';
import { dataDirectory, socketPath } from './paths.ts';
import { prettyJson } from './pretty.ts';
import { printable } from './printable.ts';

/** Exit status: the call was answered with a result. */
export const EXIT_ANSWERED = 0;

/** Exit status: the call was answered with an error. */
export const EXIT_ERROR = 1;

/** Exit status: there was no answer, because the connection failed. */
export const EXIT_TRANSPORT = 2;

/** Exit status: the command line cannot be understood. */
export const EXIT_USAGE = 3;

/** Where the client writes. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard error, if it is a terminal that can redraw. */
  readonly screen?: Screen | undefined;
}

/** Runs the client with the arguments after the program's name. Resolves with the exit code. */
export async function runClient(argv: readonly string[], output: Terminal): Promise<number> {
  try {
    return await callAndPrint(argv, output);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TransportError)) throw error;
    output.err(`fulgurite: ${printable(error.message)}\n`);
    return error instanceof UsageError ? EXIT_USAGE : EXIT_TRANSPORT;
  }
}

async function callAndPrint(argv: readonly string[], output: Terminal): Promise<number> {
  const { method, params, args, filter, notifications, ...given } = parseClientArguments(argv);
  if (method === 'help' && args.length === 1 && given.output === 'auto') {
    const text = await commandHelp(args[0]!);
    if (text !== undefined) {
      output.out(text);
      return EXIT_ANSWERED;
    }
  }
  const path = socketPath(given.rpcFile, dataDirectory(given.dataDir));
  const listening = listen(notifications, output);
  const { result, error } = await callOverSocket({
    path,
    method,
    params,
    filter,
    onNotification: listening.onNotification,
  }).finally(listening.close);
  const answer = (error ?? result)!;
  const raw = given.output === 'raw';
  for (const chunk of chunksOf(raw ? [printable(answer.raw)] : shown(answer, given.output)))
    output.out(chunk);
  output.out('\n');
  return error === undefined ? EXIT_ANSWERED : EXIT_ERROR;
}

/** The reference text of a command that this program knows, in the form of a manual page. */
async function commandHelp(name: string): Promise<string | undefined> {
  const { COMMANDS } = await import('../commands/index.ts');
  const { commandMarkdown } = await import('../rpc/describe.ts');
  const command = COMMANDS.find((candidate) => candidate.name === name);
  return command === undefined ? undefined : commandMarkdown(command);
}

function shown(answer: JsonToken, output: 'json' | 'human' | 'auto' | 'raw'): Iterable<string> {
  const members = membersOf(answer);
  const simple = members['format-hint']?.text === 'simple';
  if (output !== 'json' && simple && members.help !== undefined) return helpText(members.help);
  if (output === 'human') return flatText(answer, '');
  if (answer.kind === 'string' && output === 'auto') return [printable(answer.text)];
  return prettyJson(answer);
}

/** The list of commands, one line each. */
function helpText(list: JsonToken): string[] {
  const lines = list.elements().map((entry) => printable(membersOf(entry).command?.text ?? ''));
  return [...lines.sort(), '', 'More about one of them: fulgurite help COMMAND'].map((line, index) =>
    index === 0 ? line : `\n${line}`,
  );
}

/** `path=value`, one line for each scalar. */
function* flatText(token: JsonToken, path: string): Generator<string, void> {
  if (token.kind === 'object') {
    const dot = path === '' ? '' : '.';
    for (const { key, value } of token.members()) yield* flatText(value, `${path}${dot}${printable(key)}`);
  } else if (token.kind === 'array') {
    for (const [index, element] of token.elements().entries()) yield* flatText(element, `${path}[${index}]`);
  } else {
    yield `${path}=${printable(token.text)}\n`;
  }
}

interface Listening {
  readonly onNotification: ((kind: string, body: JsonToken) => void) | undefined;
  readonly close: () => void;
}

/** Shows notifications of level `choice` and above as they come, until closed. */
function listen(choice: NotificationChoice, { err, screen }: Terminal): Listening {
  if (choice === 'none') return { onNotification: undefined, close: () => undefined };
  const lowest = NOTIFICATION_LEVELS.indexOf(choice);
  const isTold = lowest <= NOTIFICATION_LEVELS.indexOf('info');
  const table = screen !== undefined && isTold ? new LiveTable(screen) : undefined;
  return {
    onNotification(kind, body) {
      const { attempt } = membersOf(body);
      if (attempt !== undefined && table?.show(attempt)) return;
      const line = notificationLine(kind, body, lowest);
      if (line === undefined) return;
      if (table === undefined) err(line);
      else table.say(line);
    },
    close: () => table?.close(),
  };
}

/** A notification as a line of text. Undefined when it is below the level asked for. */
function notificationLine(kind: string, body: JsonToken, lowest: number): string | undefined {
  const { level, message, attempt, num, total, stage } = membersOf(body);
  if (kind === 'message' && message !== undefined) {
    const sent = (NOTIFICATION_LEVELS as readonly string[]).indexOf(level?.text ?? 'info');
    // The attempts of a payment come at level `debug`, because some clients mix notifications into the
    // answer. Here they go to standard error, where whoever waits for a payment wants to see them.
    const heard = attempt === undefined ? sent : Math.max(sent, NOTIFICATION_LEVELS.indexOf('info'));
    return heard >= lowest ? `# ${printable(message.text)}\n` : undefined;
  }
  if (kind !== 'progress' || num === undefined || total === undefined) return undefined;
  const of = stage === undefined ? '' : `stage ${stepOf(membersOf(stage))}, `;
  return `# ${of}${stepOf({ num, total })}\n`;
}

/** Steps are counted from 0 on the wire, and from 1 for people. */
function stepOf({ num, total }: Readonly<Record<string, JsonToken | undefined>>): string {
  return `${Number(num?.text) + 1}/${printable(total?.text ?? '?')}`;
}
