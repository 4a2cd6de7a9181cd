/**
 * Turns a request into its answer: finds the command, checks filter and deprecation, parses the parameters, runs the
 * handler, and turns any exception into an error object. Each transport has a dispatcher of its own.
 *
 * The order of checks: permission, known method, well-formed filter, deprecation, valid parameters.
 */
import { createJSONRPCErrorResponse, type JSONRPCResponse, JSONRPCServer } from 'json-rpc-2.0';
import { ERRORS, FulguriteError } from '../model/errors.ts';
import type { Call, Command, CommandResult, Registry } from './command.ts';
import { applyFilter, parseFilter } from './filter.ts';
import { type Forwarder, maySpend } from './forwarder.ts';
import { JsonText, type JsonToken } from './json-token.ts';
import { jsonPieces, type Piece, toJson } from './json-write.ts';
import type { Log } from './log.ts';
import { parseParams, shown } from './params.ts';
import { RefusalLines } from './refusal-lines.ts';
import { type Malformed, type Request, readRequest } from './request.ts';
import type { RequestOutcome, Watched } from './request-watcher.ts';
import type { NotificationLevel, Session, Stage } from './session.ts';

/** The answer to one request, with members in sending order. The id is the source text of the request's id. */
export type Answer =
  | { readonly jsonrpc: '2.0'; readonly id: JsonText; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: JsonText; readonly error: ErrorObject };

/** An error as sent in an answer. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A message to the client that is not an answer. */
export type Notification = { readonly jsonrpc: '2.0'; readonly method: string; readonly params: object };

/**
 * A check that every request of a dispatcher must pass first, including each request of a batch.
 * @throws FulguriteError to refuse the request, usually notPermitted. May also reject later.
 */
export type Authorize = (
  method: string,
  params: JsonToken | undefined,
  session: Session,
) => void | Promise<void>;

/** Answers the requests of a transport. */
export interface Dispatcher {
  /** Answers one request. Never rejects: every request gets an answer. */
  answer(token: JsonToken, session: Session, send: (notification: Notification) => void): Promise<Answer>;
}

class RunningCall<C> implements Call<C> {
  readonly registry: Registry<C>;
  readonly session: Session;
  readonly request: Request;
  readonly requestId: string;
  private readonly send: ((notification: Notification) => void) | undefined;

  constructor(
    registry: Registry<C>,
    session: Session,
    request: Request,
    requestId: string,
    send: (notification: Notification) => void,
  ) {
    this.registry = registry;
    this.session = session;
    this.request = request;
    this.requestId = requestId;
    this.send = session.notifications ? send : undefined;
  }

  get id(): string {
    return this.request.id;
  }

  get params(): JsonToken | undefined {
    return this.request.params;
  }

  notify(level: NotificationLevel, message: string, details: object = {}): void {
    const params = { id: new JsonText(this.id), level, message, ...details };
    this.send?.({ jsonrpc: '2.0', method: 'message', params });
  }

  progress(num: number, total: number, stage?: Stage): void {
    const params = { id: new JsonText(this.id), num, total, stage };
    this.send?.({ jsonrpc: '2.0', method: 'progress', params });
  }
}

/** An error answer. `id` is the source text of the request's id. */
export function errorAnswer(id: string, { code, message, data }: FulguriteError): Answer {
  return { jsonrpc: '2.0', id: new JsonText(id), error: { code, message, data } };
}

/** Yields the text of an answer in pieces. */
export function* answerPieces(answer: Answer): Generator<Piece, void> {
  if (!('result' in answer)) {
    yield toJson(answer);
    return;
  }
  yield `{"jsonrpc":"2.0","id":${answer.id.text},"result":`;
  yield* jsonPieces(answer.result);
  yield '}';
}

/**
 * The JSON-RPC library always gets this id. It supports only strings and numbers, and would lose the source text of the
 * real ids.
 */
const LIBRARY_ID = 0;

/** Optional parts of a dispatcher. */
export interface DispatcherOptions {
  /** Checks whether a caller may make a request. Without it, every request is permitted. */
  readonly authorize?: Authorize | undefined;
  /** Receives a report of every well-formed request. */
  readonly watched?: Watched | undefined;
  /** Executes the methods that it accepts. Without it, methods outside the registry are unknown. */
  readonly forward?: Forwarder | undefined;
}

/** Makes the dispatcher of a registry. */
export function createDispatcher<C>(
  registry: Registry<C>,
  context: C,
  log: Log,
  { authorize, watched, forward }: DispatcherOptions = {},
): Dispatcher {
  let requests = 0;
  const refusals = new RefusalLines(log);
  const server = new JSONRPCServer<RunningCall<C>>({ errorListener: () => undefined });
  server.mapErrorToJSONRPCErrorResponse = (id, error) => {
    const { code, message, data } = clientError(error, log);
    return createJSONRPCErrorResponse(id, code, message, data);
  };
  for (const command of registry.commands.values()) {
    server.addMethod(command.name, (_params, call) => run(command, context, call, refusals));
  }
  const answer = async (
    request: Request,
    session: Session,
    send: (notification: Notification) => void,
  ): Promise<readonly [Answer, RequestOutcome]> => {
    const refusal = authorize === undefined ? undefined : await refusalOf(authorize, request, session, log);
    if (refusal !== undefined) return [errorAnswer(request.id, refusal), 'refused'];
    if (forward?.takes(request.method)) {
      return forwarded(forward, request, session, send, log);
    }
    const call = new RunningCall(registry, session, request, String(++requests), send);
    const response = registry.commands.has(request.method)
      ? await server.receive({ jsonrpc: '2.0', id: LIBRARY_ID, method: request.method }, call)
      : unknownMethod(request.method);
    return [withId(request.id, response), outcomeOf(response?.error?.code)];
  };
  return {
    async answer(token, session, send) {
      const request = readRequest(token);
      if (isMalformed(request)) return errorAnswer(request.id, request.error);
      if (watched === undefined) return (await answer(request, session, send))[0];
      const { watcher, transport } = watched;
      const beganMs = performance.now();
      watcher.began();
      const [answered, outcome] = await answer(request, session, send);
      watcher.ended(request.method, transport, outcome, performance.now() - beganMs);
      return answered;
    },
  };
}

/** Forwards a request. Its parameters may contain secrets, so only the method is logged. */
async function forwarded(
  forward: Forwarder,
  request: Request,
  session: Session,
  send: (notification: Notification) => void,
  log: Log,
): Promise<readonly [Answer, RequestOutcome]> {
  const line = `${session.caller ?? 'a client of the socket'} calls ${shown(request.method)} of the node`;
  if (maySpend(request.method)) log.info(line);
  else log.debug(line);
  const head = { jsonrpc: '2.0', id: new JsonText(request.id) } as const;
  try {
    const answer = await forward.answer(request, session, send);
    if ('result' in answer) return [{ ...head, result: answer.result }, 'ok'];
    return [{ ...head, error: answer.error }, outcomeOf(answer.error.code)];
  } catch (error) {
    const refusal = clientError(error, log);
    return [errorAnswer(request.id, refusal), outcomeOf(refusal.code)];
  }
}

/** Codes of errors that mean that the service could not do its work. */
const FAULTS: ReadonlySet<number> = new Set(
  (['internal', 'busy', 'storeFailed', 'workerDied', 'nodeAway', 'engineAway', 'graphSource'] as const).map(
    (name) => ERRORS[name].code,
  ),
);

function outcomeOf(code: number | undefined): RequestOutcome {
  if (code === undefined) return 'ok';
  return FAULTS.has(code) ? 'fault' : 'error';
}

function isMalformed(request: Request | Malformed): request is Malformed {
  return 'error' in request;
}

/**
 * The error for a request that is not permitted. Undefined if it is permitted. If `authorize` itself fails, nothing is
 * permitted.
 */
async function refusalOf(
  authorize: Authorize,
  { method, params }: Request,
  session: Session,
  log: Log,
): Promise<FulguriteError | undefined> {
  try {
    await authorize(method, params, session);
    return undefined;
  } catch (error) {
    return clientError(error, log);
  }
}

async function run<C>(
  command: Command<C>,
  context: C,
  call: RunningCall<C>,
  refusals: RefusalLines,
): Promise<unknown> {
  try {
    return await answered(command, context, call);
  } catch (error) {
    refusals.note(command, call.requestId, error);
    throw error;
  }
}

async function answered<C>(command: Command<C>, context: C, call: RunningCall<C>): Promise<unknown> {
  const { filter } = call.request;
  const wanted = filter === undefined ? undefined : parseFilter(filter);
  if (command.deprecated !== undefined && !call.session.deprecations) {
    throw new FulguriteError('unknownMethod', `Command "${command.name}" is deprecated`);
  }
  const params = parseParams(command, call.params, context, 'run', call.registry.isDeveloper);
  const result = await command.handler(params, context, call);
  const spentMsat = command.outgo && spentBy(command, result);
  if (spentMsat !== undefined) call.session.settle?.(spentMsat);
  return wanted === undefined ? result : applyFilter(wanted, result);
}

/** The msat that a command spent, from its whole result. Undefined if the result does not say, or if it is not final. */
function spentBy<C>({ spent }: Command<C>, result: CommandResult): bigint | undefined {
  if (typeof result !== 'object') return undefined;
  if (spent !== undefined) return spent(result);
  const { amount_sent_msat: sent } = result as { readonly amount_sent_msat?: unknown };
  return typeof sent === 'bigint' ? sent : undefined;
}

function clientError(error: unknown, log: Log): FulguriteError {
  if (error instanceof FulguriteError) return error;
  log.broken(`A command failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new FulguriteError('internal', ERRORS.internal.meaning);
}

function unknownMethod(method: string): JSONRPCResponse {
  const { code } = ERRORS.unknownMethod;
  return createJSONRPCErrorResponse(LIBRARY_ID, code, `Unknown command '${shown(method)}'`);
}

function withId(id: string, response: JSONRPCResponse | null): Answer {
  const { result, error } = response as JSONRPCResponse;
  if (error !== undefined) return { jsonrpc: '2.0', id: new JsonText(id), error };
  return { jsonrpc: '2.0', id: new JsonText(id), result };
}
