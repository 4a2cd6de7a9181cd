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
import {
  type Answer,
  type Authorize,
  answerPieces,
  type Dispatcher,
  errorAnswer,
} from '../rpc/dispatcher.ts';
import { JsonSyntaxError } from '../rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../rpc/json-token.ts';
import { jsonPieces, type Piece, toJson } from '../rpc/json-write.ts';
import type { RpcLimits } from '../rpc/limits.ts';
import type { Log } from '../rpc/log.ts';
import type { Registry } from '../rpc/registry.ts';
import { type Request, readRequest } from '../rpc/request.ts';
import type { Turns } from '../rpc/turns.ts';
import { decodeRune } from '../runes/rune.ts';
import { uniqueIdOf } from '../runes/rune-book.ts';
import { type HttpCaller, HttpSession, verdictOf } from './authorize.ts';
import { digestOf, KeptAnswers } from './kept-answers.ts';
import type { CallMessage, RuneVerdict } from './messages.ts';

/** An answer, ready to be written. */
export interface CallAnswer {
  readonly status: number;
  readonly pieces: Iterable<Piece>;
  readonly verdict: RuneVerdict;
  /** Whether the request was carried out. It may have failed. */
  readonly isCarriedOut: boolean;
}

/** What calls work with. */
export interface CallServices<C> {
  readonly dispatcher: Dispatcher;
  /** What the dispatcher asks before it carries a request out. */
  readonly authorize: Authorize;
  readonly registry: Registry<C>;
  readonly limits: RpcLimits;
  /** Shared with the socket, so that requests of all transports begin in turns. */
  readonly turns: Turns;
  readonly allowDeprecated: boolean;
  readonly log: Log;
}

const BAD_REQUEST = 400;

/** The parameter by which a payment is made only once, even after a restart. */
const KEY_PARAMETER = 'idempotency_key';
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;
const CONFLICT = ERRORS.keyUsed.httpStatus;
/** Numbers of the errors by which a request is refused before anything is done. */
const NOTHING_DONE: readonly number[] = (
  [
    'invalidParams',
    'unknownMethod',
    'invalidRequest',
    'busy',
    'shuttingDown',
    'nodeAway',
    'notSupported',
  ] as const
).map((name) => ERRORS[name].code);
/** Requests of one batch that run at once. */
const BATCH_WIDTH = 16;
const CREATED = 201;
const OK = 200;

/** One answer of the dispatcher, and the session that was judged. */
interface Judged {
  readonly answer: Answer;
  readonly session: HttpSession;
}

/** Errors of the rune check and of keys. Errors of commands with the same number do not get their HTTP status. */
const OF_THE_DOOR: readonly ErrorName[] = [
  'notAuthorized',
  'runeMissing',
  'runeMalformed',
  'runeBlacklisted',
  'notPermitted',
  'keyUsed',
];

/** HTTP status for each error number of a command. A number that is not here gets 500. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(
  (Object.keys(ERRORS) as ErrorName[])
    .filter((name) => !OF_THE_DOOR.includes(name))
    .map((name) => [ERRORS[name].code, ERRORS[name].httpStatus]),
);

/** Answers the calls of clients over HTTP. */
export class Calls<C> {
  readonly #services: CallServices<C>;
  readonly #kept = new KeptAnswers();
  /** Sessions of calls under way, so that they learn when their client leaves. */
  readonly #sessions = new Map<number, HttpSession[]>();

  constructor(services: CallServices<C>) {
    this.#services = services;
  }

  /** Answers one call. */
  async answer(call: CallMessage, asker: HttpCaller): Promise<CallAnswer> {
    const sessions: HttpSession[] = [];
    this.#sessions.set(call.id, sessions);
    const open = (): HttpSession => {
      const session = new HttpSession(asker, this.#services.allowDeprecated);
      sessions.push(session);
      return session;
    };
    try {
      const token = this.#requestOf(call);
      if (call.idempotencyKey !== undefined) return await this.#once(call, token, open);
      return token.kind === 'array'
        ? await this.#batch(token.elements(), open)
        : await this.#lone(call, token, open);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return call.form === 'rest'
        ? restError(ERRORS[error.name].httpStatus, error)
        : rpcError(error.name === 'tooLarge' ? ERRORS.tooLarge.httpStatus : BAD_REQUEST, error);
    } finally {
      this.#sessions.delete(call.id);
    }
  }

  /** The client of a call has left. Its command continues, but its queries that have not begun are dropped. */
  leave(id: number): void {
    for (const session of this.#sessions.get(id) ?? []) session.isClosed = true;
  }

  /** The request that a call makes. @throws FulguriteError parseError, invalidParams */
  #requestOf({ form, method, body }: CallMessage): JsonToken {
    if (form === 'rpc') return this.#parse(body);
    const params = body.trim() === '' ? '{}' : withoutNulls(this.#parse(body));
    return parseJson(`{"id":0,"method":${JSON.stringify(method)},"params":${params}}`);
  }

  async #lone(
    { form, idempotencyKey }: CallMessage,
    token: JsonToken,
    open: () => HttpSession,
  ): Promise<CallAnswer> {
    const { answer, session } = await this.#judge(token, open());
    const judged = { verdict: verdictOf(session), isCarriedOut: isCarriedOut(answer, session) };
    const isConflict = idempotencyKey !== undefined && isOtherRequest(answer);
    if (form === 'rpc') {
      const status = isConflict ? CONFLICT : session.refusal === undefined ? OK : statusOf(answer, session);
      return { status, pieces: answerPieces(answer), ...judged };
    }
    if ('result' in answer) return { status: CREATED, pieces: jsonPieces(answer.result), ...judged };
    return { ...restError(isConflict ? CONFLICT : statusOf(answer, session), answer.error), ...judged };
  }

  /**
   * Carries out a request with an `Idempotency-Key` once. When it is sent again, it gets the first answer, if its
   * rune still permits it.
   * @throws FulguriteError invalidRequest
   */
  async #once(call: CallMessage, token: JsonToken, open: () => HttpSession): Promise<CallAnswer> {
    const key = call.idempotencyKey!;
    if (!IDEMPOTENCY_KEY.test(key))
      throw new FulguriteError('invalidRequest', 'Idempotency-Key: 1 to 64 printable characters');
    if (token.kind === 'array')
      throw new FulguriteError('invalidRequest', 'A batch takes no Idempotency-Key');
    const request = readRequest(token);
    const command = 'error' in request ? undefined : this.#services.registry.commands.get(request.method);
    const rune = call.rune === undefined ? undefined : decodeRune(call.rune);
    if ('error' in request || command === undefined || command.readOnly === true || rune === undefined) {
      return this.#lone(call, token, open);
    }
    const name = `${uniqueIdOf(rune)} ${key}`;
    const digest = digestOf(call.form, call.method, call.body);
    const kept = this.#kept.find(name);
    if (kept === undefined) {
      const keyed = Object.hasOwn(command.params, KEY_PARAMETER) ? withKey(request, key) : token;
      return this.#kept.keep(name, digest, () => this.#lone(call, keyed, open));
    }
    const session = open();
    try {
      await this.#services.authorize(request.method, request.params, session);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      const answer = errorAnswer(request.id, error);
      const status = statusOf(answer, session);
      const refused =
        call.form === 'rest'
          ? restError(status, error)
          : { ...rpcError(status, error), pieces: answerPieces(answer) };
      return { ...refused, verdict: verdictOf(session) };
    }
    if (kept.digest === digest) return kept.answer;
    const conflict = new FulguriteError('keyUsed', 'The Idempotency-Key was used for another request');
    return call.form === 'rest' ? restError(CONFLICT, conflict) : rpcError(CONFLICT, conflict);
  }

  async #batch(requests: readonly JsonToken[], open: () => HttpSession): Promise<CallAnswer> {
    const { maxBatch } = this.#services.limits;
    if (requests.length === 0) throw new FulguriteError('invalidRequest', 'Empty batch');
    if (requests.length > maxBatch) {
      const message = `A batch exceeds ${maxBatch} requests`;
      throw new FulguriteError('tooLarge', message, { limit: maxBatch });
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
      isCarriedOut: true,
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

/** Whether a request was carried out, so that it must not be carried out again. */
function isCarriedOut(answer: Answer, { refusal }: HttpSession): boolean {
  return refusal === undefined && !('error' in answer && NOTHING_DONE.includes(answer.error.code));
}

/**
 * The request with the key added as the parameter that payments know. A key in its own parameters stays.
 * @throws FulguriteError invalidRequest when parameters are positional, because the key has no position.
 */
function withKey({ id, method, params, filter }: Request, key: string): JsonToken {
  if (params?.kind === 'array') {
    throw new FulguriteError('invalidRequest', 'With an Idempotency-Key, parameters must be given by name');
  }
  const members =
    params?.members().map(({ key: name, value }) => `${JSON.stringify(name)}:${value.raw}`) ?? [];
  const isGiven = params
    ?.members()
    .some(({ key: name, value }) => name === KEY_PARAMETER && value.kind !== 'null');
  const own = isGiven ? members : [...members, `"${KEY_PARAMETER}":${JSON.stringify(key)}`];
  const filtered = filter === undefined ? '' : `,"filter":${filter.raw}`;
  return parseJson(`{"id":${id},"method":${JSON.stringify(method)},"params":{${own.join(',')}}${filtered}}`);
}

/** Whether the answer says that the journal of payments holds this key for a different request. */
function isOtherRequest(answer: Answer): boolean {
  const data = 'error' in answer ? (answer.error.data as { parameter?: unknown } | undefined) : undefined;
  return data?.parameter === KEY_PARAMETER;
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
  return {
    status,
    pieces: [toJson({ code, message, data: data ?? null })],
    verdict: 'unjudged',
    isCarriedOut: false,
  };
}

function rpcError(status: number, error: FulguriteError): CallAnswer {
  return {
    status,
    pieces: answerPieces(errorAnswer('null', error)),
    verdict: 'unjudged',
    isCarriedOut: false,
  };
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
