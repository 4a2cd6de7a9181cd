/**
 * Requests over HTTP as the dispatcher knows them, and its answers with their HTTP status.
 *
 * rest   `POST /v1/METHOD`, as clnrest of Core Lightning: the body is an object of parameters or empty, and
 *        members that are null are absent. 201 with the bare result, or an error {code, message, data}.
 * rpc    `POST /`: a JSON-RPC 2.0 request or a batch, answered as such. 200, also for errors of commands.
 *
 * In both, 403 says that there is no rune, and 401 that the rune does not permit the request. Of a batch,
 * each member is judged by itself; it is answered 401 when none is permitted.
 */
import { ERRORS, type ErrorName, FulguriteError } from '../model/errors.ts';
import { type Answer, answerPieces, type Dispatcher, errorAnswer } from '../rpc/dispatcher.ts';
import { JsonSyntaxError } from '../rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../rpc/json-token.ts';
import { jsonPieces, type Piece, toJson } from '../rpc/json-write.ts';
import type { RpcLimits } from '../rpc/limits.ts';
import type { Log } from '../rpc/log.ts';
import type { Registry } from '../rpc/registry.ts';
import type { Turns } from '../rpc/turns.ts';
import { type HttpCaller, HttpSession, verdictOf } from './authorize.ts';
import type { CallMessage, RuneVerdict } from './messages.ts';

/** An answer, ready to be written. */
export interface CallAnswer {
  readonly status: number;
  readonly pieces: Iterable<Piece>;
  readonly verdict: RuneVerdict;
}

/** What calls work with. */
export interface CallServices<C> {
  readonly dispatcher: Dispatcher;
  readonly registry: Registry<C>;
  readonly limits: RpcLimits;
  /** Shared with the socket, so that requests of all transports begin in turns. */
  readonly turns: Turns;
  readonly allowDeprecated: boolean;
  readonly log: Log;
}

/** Requests of one batch that run at once. */
const BATCH_WIDTH = 16;
const CREATED = 201;
const OK = 200;
const BAD_REQUEST = 400;

/** One answer of the dispatcher, and the session that was judged. */
interface Judged {
  readonly answer: Answer;
  readonly session: HttpSession;
}

/** The errors of the door, which say nothing about errors of commands with the same number. */
const OF_THE_DOOR: readonly ErrorName[] = [
  'notAuthorized',
  'runeMissing',
  'runeMalformed',
  'runeBlacklisted',
  'notPermitted',
];

/** HTTP status of an error of a command, by its number. Every other one is 500. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(
  (Object.keys(ERRORS) as ErrorName[])
    .filter((name) => !OF_THE_DOOR.includes(name))
    .map((name) => [ERRORS[name].code, ERRORS[name].httpStatus]),
);

/** Answers the calls of clients over HTTP. */
export class Calls<C> {
  readonly #services: CallServices<C>;
  /** Sessions of calls under way, so that they learn when their client leaves. */
  readonly #sessions = new Map<number, HttpSession[]>();

  constructor(services: CallServices<C>) {
    this.#services = services;
  }

  /** Answers one call. Never rejects. */
  async answer(call: CallMessage, asker: HttpCaller): Promise<CallAnswer> {
    const sessions: HttpSession[] = [];
    this.#sessions.set(call.id, sessions);
    const open = (): HttpSession => {
      const session = new HttpSession(asker, this.#services.allowDeprecated);
      sessions.push(session);
      return session;
    };
    try {
      return call.form === 'rest' ? await this.#rest(call, open) : await this.#rpc(call, open);
    } finally {
      this.#sessions.delete(call.id);
    }
  }

  /** The client of a call has left. The command goes on, but for queries that have not begun. */
  leave(id: number): void {
    for (const session of this.#sessions.get(id) ?? []) session.isClosed = true;
  }

  async #rest({ method, body }: CallMessage, open: () => HttpSession): Promise<CallAnswer> {
    let token: JsonToken;
    try {
      const params = body.trim() === '' ? '{}' : withoutNulls(this.#parse(body));
      token = parseJson(`{"id":0,"method":${JSON.stringify(method)},"params":${params}}`);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return restError(ERRORS[error.name].httpStatus, error);
    }
    const { answer, session } = await this.#judge(token, open());
    if ('result' in answer)
      return { status: CREATED, pieces: jsonPieces(answer.result), verdict: verdictOf(session) };
    return { ...restError(statusOf(answer, session), answer.error), verdict: verdictOf(session) };
  }

  async #rpc({ body }: CallMessage, open: () => HttpSession): Promise<CallAnswer> {
    let token: JsonToken;
    try {
      token = this.#parse(body);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return rpcError(BAD_REQUEST, error);
    }
    if (token.kind === 'array') return this.#batch(token.elements(), open);
    const judged = await this.#judge(token, open());
    return {
      status: judged.session.refusal === undefined ? OK : statusOf(judged.answer, judged.session),
      pieces: answerPieces(judged.answer),
      verdict: verdictOf(judged.session),
    };
  }

  async #batch(requests: readonly JsonToken[], open: () => HttpSession): Promise<CallAnswer> {
    const { maxBatch } = this.#services.limits;
    if (requests.length === 0) {
      return rpcError(BAD_REQUEST, new FulguriteError('invalidRequest', 'Empty batch'));
    }
    if (requests.length > maxBatch) {
      const message = `A batch exceeds ${maxBatch} requests`;
      return rpcError(
        ERRORS.tooLarge.httpStatus,
        new FulguriteError('tooLarge', message, { limit: maxBatch }),
      );
    }
    const judged: Judged[] = [];
    let next = 0;
    const runOneByOne = async (): Promise<void> => {
      while (next < requests.length) {
        const index = next++;
        judged[index] = await this.#judge(requests[index]!, open());
      }
    };
    await Promise.all(Array.from({ length: Math.min(BATCH_WIDTH, requests.length) }, runOneByOne));
    const [first] = judged;
    const isRefused = judged.every(({ session }) => session.refusal !== undefined);
    return {
      status: isRefused ? statusOf(first!.answer, first!.session) : OK,
      pieces: batchPieces(judged),
      verdict: verdictOf(first!.session),
    };
  }

  async #judge(token: JsonToken, session: HttpSession): Promise<Judged> {
    const { dispatcher, turns } = this.#services;
    if (!turns.take()) await new Promise<void>((proceed) => turns.wait(proceed));
    return { answer: await dispatcher.answer(token, session, () => undefined), session };
  }

  /** @throws FulguriteError parseError */
  #parse(body: string): JsonToken {
    const { maxDepth, maxValues } = this.#services.limits;
    try {
      return parseJson(body, maxDepth, maxValues);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new FulguriteError('parseError', `The body is not JSON: ${error.message}`, {
        reason: error.message,
      });
    }
  }
}

/**
 * The parameters of a body as text, without members that are null, however deep.
 * @throws FulguriteError invalidParams when the body is no object.
 */
function withoutNulls(body: JsonToken): string {
  if (body.kind !== 'object') {
    throw new FulguriteError('invalidParams', 'The body must be an object of parameters');
  }
  return body.raw.includes('null') ? pruned(body) : body.raw;
}

function pruned(token: JsonToken): string {
  if (token.kind === 'array') return `[${token.elements().map(pruned).join(',')}]`;
  if (token.kind !== 'object') return token.raw;
  const kept = token.members().filter(({ value }) => value.kind !== 'null');
  return `{${kept.map(({ key, value }) => `${JSON.stringify(key)}:${pruned(value)}`).join(',')}}`;
}

function statusOf(answer: Answer, { refusal }: HttpSession): number {
  if (refusal !== undefined) return ERRORS[refusal.name].httpStatus;
  return 'error' in answer ? (STATUS_OF_CODE.get(answer.error.code) ?? ERRORS.internal.httpStatus) : OK;
}

/** An error in the form of clnrest: all three members, null where there is nothing. */
function restError(
  status: number,
  { code, message, data }: { code: number; message: string; data?: unknown },
): CallAnswer {
  return { status, pieces: [toJson({ code, message, data: data ?? null })], verdict: 'unjudged' };
}

function rpcError(status: number, error: FulguriteError): CallAnswer {
  return { status, pieces: answerPieces(errorAnswer('null', error)), verdict: 'unjudged' };
}

function* batchPieces(judged: readonly Judged[]): Generator<Piece, void> {
  let separator = '[';
  for (const { answer } of judged) {
    yield separator;
    yield* answerPieces(answer);
    separator = ',';
  }
  yield ']';
}
