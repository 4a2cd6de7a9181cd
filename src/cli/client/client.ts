/**
 * The client: makes one call, and writes its answer to standard output and notifications to standard error. On a
 * terminal, the attempts of a payment are shown as a table that is redrawn in place. Elsewhere, each attempt is a line.
 *
 * Exit codes: 0 result, 1 error from the service, 2 no answer, 3 invalid command line, 4 the outcome of a payment is
 * still unknown, 130 interrupted.
 */
import { FulguriteClient } from '../../client/client.ts';
import type { JsonToken } from '../../rpc/json-token.ts';
import { chunksOf } from '../../rpc/json-write.ts';
import { CallAborted, membersOf, type SocketAnswer, TransportError } from '../../rpc/socket-client.ts';
import { dataDirectory, socketPath } from '../files/paths.ts';
import { programName } from '../program-name.ts';
import { adviceOn, adviceOnCommand } from './advice.ts';
import {
  type ClientArguments,
  NOTIFICATION_LEVELS,
  type NotificationChoice,
  parseClientArguments,
  UsageError,
} from './client-arguments.ts';
import { commandList, commandPage, type NamedCommand } from './help-pages.ts';
import { LiveTable, type Screen } from './live-table.ts';
import { mixedParams } from './mixed-arguments.ts';
import { prettyJson } from './pretty.ts';
import { printable } from './printable.ts';

/** Exit status: the service returned a result. */
export const EXIT_ANSWERED = 0;

/** Exit status: the service returned an error. */
export const EXIT_ERROR = 1;

/** Exit status: the connection failed before an answer arrived. */
export const EXIT_TRANSPORT = 2;

/** Exit status: the command line is invalid. */
export const EXIT_USAGE = 3;

/** Exit status: the outcome of a payment is still unknown. */
export const EXIT_PENDING = 4;

/** Exit status: the user interrupted the call. Shells report the same for a program ended by SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** Where the client writes its output. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard error, if it is a terminal that supports redrawing. */
  readonly screen?: Screen | undefined;
  /** Opens a link in a browser. Undefined without a terminal. */
  readonly open?: ((url: string) => Promise<boolean>) | undefined;
  /** Fires when the user presses Ctrl-C. */
  readonly interrupted?: AbortSignal | undefined;
}

/** Runs the client with the arguments after the program's name. Resolves with the exit code. */
export async function runClient(argv: readonly string[], output: Terminal): Promise<number> {
  try {
    return await callAndPrint(argv, output);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof TransportError)) throw error;
    output.err(`fulgurite: ${printable(error.message)}\n`);
    if (error instanceof UsageError) return EXIT_USAGE;
    if (error.isAbsent)
      output.err(
        `Start one: ${programName()} start. If it runs elsewhere, specify its --data-dir or --rpc-file\n`,
      );
    return EXIT_TRANSPORT;
  }
}

async function callAndPrint(argv: readonly string[], output: Terminal): Promise<number> {
  const asked = parseClientArguments(argv);
  const { method, args, filter, notifications, isHelp, ...given } = asked;
  if (isHelp || (method === 'help' && args.length === 1 && given.output === 'auto')) {
    const page = commandPage(method === 'help' ? (args[0] ?? 'help') : method, await commands());
    if (page !== undefined) {
      output.out(page);
      return EXIT_ANSWERED;
    }
    if (isHelp) throw new UsageError(`Unknown command ${method}. ${await unknownAdvice(method)}`);
  }
  const params = asked.mayMix ? await paramsWithNames(asked) : asked.params;
  const path = socketPath(given.rpcFile, dataDirectory(given.dataDir));
  const listening = listen(notifications, output);
  const call = { method, params, filter, onNotification: listening.onNotification };
  let answered: SocketAnswer;
  try {
    answered = await new FulguriteClient(path).ask({ ...call, abort: output.interrupted });
  } catch (error) {
    listening.close(false);
    const isAborted = error instanceof CallAborted;
    const mayGoOn = error instanceof TransportError && !error.isAbsent && PAYING.has(method);
    if (isAborted || mayGoOn) output.err(await interruptionText(method, listening.paymentHash()));
    if (!isAborted) throw error;
    return EXIT_INTERRUPTED;
  }
  const { result, error } = answered;
  listening.close(result?.kind === 'object' && isPaid(method, result));
  const answer = (error ?? result)!;
  if (error === undefined && method === 'explorer' && given.output === 'auto') {
    await openExplorer(membersOf(answer).url?.text ?? '', output);
    return EXIT_ANSWERED;
  }
  const pieces = given.output === 'raw' ? [printable(answer.raw)] : await shown(answer, method, given.output);
  for (const chunk of chunksOf(pieces)) output.out(chunk);
  output.out('\n');
  if (error === undefined) return EXIT_ANSWERED;
  output.err(await adviceText(error, method === 'help' ? (args[0] ?? method) : method));
  return isPending(error) ? EXIT_PENDING : EXIT_ERROR;
}

/** The parameters of a call in which named arguments may follow positional ones. */
async function paramsWithNames({ method, args, params }: ClientArguments): Promise<string> {
  const all = await commands();
  const command = all.find(({ name }) => name === method);
  // Only the attached node knows the parameters of a forwarded command.
  if (command === undefined) return params;
  const others = new Set(all.flatMap((one) => Object.keys(one.params)));
  return mixedParams(args, Object.keys(command.params), others) ?? params;
}

/** Whether the outcome of a payment is still unknown after an error. */
function isPending(error: JsonToken): boolean {
  const { data } = membersOf(error);
  return data?.kind === 'object' && membersOf(data).status?.text === 'pending';
}

/** Prints the link to the page, and opens it if run from a terminal. */
async function openExplorer(url: string, { out, err, open }: Terminal): Promise<void> {
  out(`${printable(url)}\n`);
  if (open === undefined) return;
  err('This single-use link expires in a minute and gives read access to this node. Opening it …\n');
  if (!(await open(url))) err('No browser could be opened. Open the link yourself.\n');
}

/** The commands known to this program. Loaded only when a help or error text needs them. */
async function commands(): Promise<readonly NamedCommand[]> {
  return (await import('../../commands/index.ts')).COMMANDS;
}

/** Whether a command's result shows that its payment arrived. Only then does the result contain a preimage. */
const isPaid = (method: string, result: JsonToken): boolean =>
  PAYING.has(method) && membersOf(result).payment_preimage !== undefined;

const PAYING: ReadonlySet<string> = new Set(['keysend', 'xkeysend', 'pay', 'xpay', 'sendpay', 'sendonion']);

const unknownAdvice = async (name: string): Promise<string> =>
  adviceOnCommand(name, await commands(), programName());

async function adviceText(error: JsonToken, method: string): Promise<string> {
  const { code, data } = membersOf(error);
  const { parameter, reason, value } = data === undefined ? {} : membersOf(data);
  const told = { code: Number(code?.text), parameter: parameter?.text, reason: reason?.text };
  const advice = adviceOn({ ...told, value: value?.text }, method, await commands(), programName());
  return advice === undefined ? '' : `${printable(advice)}\n`;
}

/** The message after Ctrl-C: that the call may continue in the service, and how to find out the result. */
async function interruptionText(method: string, paymentHash: string | undefined): Promise<string> {
  const program = programName();
  if (PAYING.has(method)) {
    return paymentHash === undefined
      ? `\nInterrupted. If the payment has started, it continues. See: ${program} listpays\n`
      : `\nInterrupted. The payment continues in the service.\npayment_hash ${printable(paymentHash)}\n` +
          `To see the result: ${program} waitsendpay ${printable(paymentHash)}\n`;
  }
  const isReading = (await commands()).some(({ name, readOnly }) => name === method && readOnly === true);
  return isReading
    ? '\nInterrupted.\n'
    : `\nInterrupted. The service may still execute ${printable(method)}.\n`;
}

async function shown(
  answer: JsonToken,
  method: string,
  output: 'json' | 'human' | 'auto',
): Promise<Iterable<string>> {
  if (output !== 'json' && method === 'help') {
    const { help, 'format-hint': hint } = membersOf(answer);
    if (hint?.text === 'simple' && help !== undefined) return [await helpText(help)];
  }
  if (output === 'human' && method === 'getmetrics') {
    // The text format of Prometheus consists of lines.
    const lines = membersOf(answer).metrics?.text.trimEnd().split('\n');
    if (lines !== undefined) return [lines.map(printable).join('\n')];
  }
  if (output === 'human') return flatText(answer, '');
  if (answer.kind === 'string' && output === 'auto') return [printable(answer.text)];
  return prettyJson(answer);
}

/** The text of `help`: the commands listed by the service, in groups. */
async function helpText(list: JsonToken): Promise<string> {
  const usages = list.elements().map((entry) => printable(membersOf(entry).command?.text ?? ''));
  return commandList(usages, await commands(), programName());
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
  /** Ends the table. `hasArrived`: whether the result shows that the payment arrived. */
  readonly close: (hasArrived: boolean) => void;
  /** The payment hash, if a notification contained one. */
  readonly paymentHash: () => string | undefined;
}

/** Shows notifications of level `choice` and above as they arrive, until closed. */
function listen(choice: NotificationChoice, { err, screen }: Terminal): Listening {
  if (choice === 'none') {
    return { onNotification: undefined, close: () => undefined, paymentHash: () => undefined };
  }
  const lowest = NOTIFICATION_LEVELS.indexOf(choice);
  const isTold = lowest <= NOTIFICATION_LEVELS.indexOf('info');
  const table = screen !== undefined && isTold ? new LiveTable(screen) : undefined;
  let paymentHash: string | undefined;
  return {
    onNotification(kind, body) {
      const { attempt, payment_hash } = membersOf(body);
      paymentHash = payment_hash?.text ?? paymentHash;
      if (attempt !== undefined && table?.show(attempt)) return;
      const line = notificationLine(kind, body, lowest);
      if (line === undefined) return;
      if (table === undefined) err(line);
      else table.say(line);
    },
    close(hasArrived) {
      if (hasArrived) table?.arrive();
      table?.close();
    },
    paymentHash: () => paymentHash,
  };
}

/**
 * A notification as a line of text. Undefined for a message below the level `lowest`, and for an unknown notification.
 */
function notificationLine(kind: string, body: JsonToken, lowest: number): string | undefined {
  const { level, message, attempt, num, total, stage } = membersOf(body);
  if (kind === 'message' && message !== undefined) {
    const sent = (NOTIFICATION_LEVELS as readonly string[]).indexOf(level?.text ?? 'info');
    // The service reports attempts at level `debug`, because some clients mix notifications into the result. This
    // client writes them to standard error, and users who wait for a payment want to see them, so they count as `info`.
    const heard = attempt === undefined ? sent : Math.max(sent, NOTIFICATION_LEVELS.indexOf('info'));
    return heard >= lowest ? `# ${printable(message.text)}\n` : undefined;
  }
  if (kind !== 'progress' || num === undefined || total === undefined) return undefined;
  const of = stage === undefined ? '' : `stage ${stepOf(membersOf(stage))}, `;
  return `# ${of}${stepOf({ num, total })}\n`;
}

/** A step of a progress notification as text. Steps are numbered from 0 on the wire and from 1 for people. */
function stepOf({ num, total }: Readonly<Record<string, JsonToken | undefined>>): string {
  return `${Number(num?.text) + 1}/${printable(total?.text ?? '?')}`;
}
