/**
 * Executes HTTP calls, and keeps the answers to those with an `Idempotency-Key`. call-forms.ts defines the forms of
 * calls and answers.
 */
import { ERRORS, FulguriteError } from '../model/errors.ts';
import type { Registry } from '../rpc/command.ts';
import { type Answer, type Authorize, type Dispatcher, errorAnswer } from '../rpc/dispatcher.ts';
import { type JsonToken, parseJson } from '../rpc/json-token.ts';
import type { RpcLimits } from '../rpc/limits.ts';
import type { Log } from '../rpc/log.ts';
import { type Request, readRequest } from '../rpc/request.ts';
import type { Turns } from '../rpc/turns.ts';
import { decodeRune } from '../runes/rune.ts';
import { uniqueIdOf } from '../runes/rune-check.ts';
import { type HttpCaller, HttpSession } from './authorize.ts';
import {
  batchReply,
  type CallAnswer,
  errorReply,
  isBatch,
  type Judged,
  loneReply,
  requestsOf,
} from './call-forms.ts';
import { digestOf, KeptAnswers } from './kept-answers.ts';
import type { CallMessage } from './messages.ts';

/** The services that calls need. */
export interface CallServices<C> {
  readonly dispatcher: Dispatcher;
  /** Called by the dispatcher before it executes a request. */
  readonly authorize: Authorize;
  readonly registry: Registry<C>;
  /** Whether the attached node executes a method. */
  readonly isForwarded: (method: string) => boolean;
  readonly limits: RpcLimits;
  /** Shared with the socket, so that requests of all transports take turns. */
  readonly turns: Turns;
  readonly allowDeprecated: boolean;
  readonly log: Log;
}

/** The parameter that ensures that a payment is made only once, even across restarts. */
const KEY_PARAMETER = 'idempotency_key';
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;
const CONFLICT = ERRORS.keyUsed.httpStatus;
/** Codes of errors that refuse a request before anything is done. */
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
/**
 * Codes of errors of payments that did not begin, in addition to those above. Errors of payments that began and failed
 * list their attempts.
 */
const NOTHING_SENT: readonly number[] = (
  [
    'quoteUnusable',
    'nameUnresolved',
    'staticInvoice',
    'hashUsed',
    'routeFailed',
    'routeNotFound',
    'routeTooExpensive',
    'invoiceExpired',
    'invoiceRequestUnusable',
    'sourceCapacity',
    'destinationCapacity',
    'maxdelayTooLarge',
    'alreadyPaid',
    'offerExpired',
    'offerUnreachable',
    'issuerError',
    'offerTimedOut',
  ] as const
).map((name) => ERRORS[name].code);
/** Maximum number of concurrent requests of one batch. */
const BATCH_WIDTH = 16;

/** Answers the calls of clients over HTTP. */
export class Calls<C> {
  readonly #services: CallServices<C>;
  readonly #kept = new KeptAnswers();
  /** Sessions of calls in progress. They are marked as closed when their client disconnects. */
  readonly #sessions = new Map<number, HttpSession[]>();

  constructor(services: CallServices<C>) {
    this.#services = services;
  }

  async answer(call: CallMessage, asker: HttpCaller): Promise<CallAnswer> {
    const sessions: HttpSession[] = [];
    this.#sessions.set(call.id, sessions);
    const open = (): HttpSession => {
      const session = new HttpSession(asker, this.#services.allowDeprecated);
      sessions.push(session);
      return session;
    };
    try {
      const asked = requestsOf(call, this.#services.limits);
      if (call.idempotencyKey !== undefined) return await this.#once(call, asked, open);
      return isBatch(asked) ? await this.#batch(asked, open) : await this.#lone(call, asked, open);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      return { ...errorReply(call.form, error), isCarriedOut: false };
    } finally {
      this.#sessions.delete(call.id);
    }
  }

  /** Called when a call's client has left. The command continues, but its queued queries are dropped. */
  leave(id: number): void {
    for (const session of this.#sessions.get(id) ?? []) session.isClosed = true;
  }

  async #lone(
    { form, idempotencyKey }: CallMessage,
    token: JsonToken,
    open: () => HttpSession,
  ): Promise<CallAnswer> {
    const judged = await this.#judge(token, open());
    const { answer, session } = judged;
    const isConflict = idempotencyKey !== undefined && isOtherRequest(answer);
    const reply = loneReply(form, judged, isConflict ? CONFLICT : undefined);
    return { ...reply, isCarriedOut: isCarriedOut(answer, session) };
  }

  /**
   * Executes a request with an `Idempotency-Key` only once, unless its command only reads. A repetition gets the answer
   * to the first request, if its rune still permits the request.
   * @throws FulguriteError invalidRequest
   */
  async #once(
    call: CallMessage,
    asked: JsonToken | readonly JsonToken[],
    open: () => HttpSession,
  ): Promise<CallAnswer> {
    const key = call.idempotencyKey!;
    if (!IDEMPOTENCY_KEY.test(key))
      throw new FulguriteError(
        'invalidRequest',
        'The Idempotency-Key must have 1 to 64 printable ASCII characters, and no spaces',
      );
    if (isBatch(asked))
      throw new FulguriteError('invalidRequest', 'An Idempotency-Key cannot be used with a batch');
    const request = readRequest(asked);
    const { registry, isForwarded } = this.#services;
    const command = 'error' in request ? undefined : registry.commands.get(request.method);
    const rune = call.rune === undefined ? undefined : decodeRune(call.rune);
    if ('error' in request || rune === undefined) return this.#lone(call, asked, open);
    const isOnce = command === undefined ? isForwarded(request.method) : command.readOnly !== true;
    if (!isOnce) return this.#lone(call, asked, open);
    const name = `${uniqueIdOf(rune)} ${key}`;
    const digest = digestOf(call.form, call.method, call.body);
    const kept = this.#kept.find(name);
    if (kept === undefined) {
      const knowsKey = command !== undefined && Object.hasOwn(command.params, KEY_PARAMETER);
      const keyed = knowsKey ? withKey(request, key) : asked;
      return this.#kept.keep(name, digest, () => this.#lone(call, keyed, open));
    }
    const session = open();
    try {
      await this.#services.authorize(request.method, request.params, session);
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      const judged = { answer: errorAnswer(request.id, error), session };
      return { ...loneReply(call.form, judged), isCarriedOut: false };
    }
    if (kept.digest === digest) return kept.answer;
    const conflict = new FulguriteError('keyUsed', 'The Idempotency-Key was used for another request');
    return { ...errorReply(call.form, conflict, CONFLICT), isCarriedOut: false };
  }

  async #batch(requests: readonly JsonToken[], open: () => HttpSession): Promise<CallAnswer> {
    const judged: Judged[] = [];
    let next = 0;
    const runOneByOne = async (): Promise<void> => {
      while (next < requests.length) {
        const index = next++;
        judged[index] = await this.#judge(requests[index]!, open());
      }
    };
    await Promise.all(Array.from({ length: Math.min(BATCH_WIDTH, requests.length) }, runOneByOne));
    return { ...batchReply(judged), isCarriedOut: true };
  }

  async #judge(token: JsonToken, session: HttpSession): Promise<Judged> {
    const { dispatcher, turns } = this.#services;
    if (!turns.take()) await new Promise<void>((proceed) => turns.wait(proceed));
    const answer = await dispatcher.answer(token, session, () => undefined);
    if (hasSentNothing(answer, session)) session.settle(0n);
    return { answer, session };
  }
}

/** Whether the answer is an error that says that nothing was sent, or that nothing will arrive. */
function hasSentNothing(answer: Answer, session: HttpSession): boolean {
  if (!('error' in answer)) return false;
  const data = answer.error.data as { attempts?: unknown } | undefined;
  if (!isCarriedOut(answer, session) || NOTHING_SENT.includes(answer.error.code)) return true;
  // The error of a payment lists its attempts, and is sent once all of them have failed.
  return Array.isArray(data?.attempts);
}

/** Whether a request was executed, so that it must not be executed again. */
function isCarriedOut(answer: Answer, { refusal }: HttpSession): boolean {
  if (refusal !== undefined) return false;
  if (!('error' in answer)) return true;
  const data = answer.error.data as { retry?: unknown; sent?: unknown } | undefined;
  // A node that became unreachable may already have executed the request.
  if (data?.sent === true) return true;
  return !NOTHING_DONE.includes(answer.error.code) && data?.retry !== true;
}

/**
 * The request with the key added as the parameter `idempotency_key`. A parameter of that name in the request stays
 * unchanged, unless it is null, which means absent.
 * @throws FulguriteError invalidRequest when parameters are positional, because the key parameter can only be given by
 *   name.
 */
function withKey({ id, method, params, filter }: Request, key: string): JsonToken {
  if (params?.kind === 'array') {
    throw new FulguriteError('invalidRequest', 'With an Idempotency-Key, parameters must be given by name');
  }
  const given = (params?.members() ?? []).filter(
    ({ key: name, value }) => name !== KEY_PARAMETER || value.kind !== 'null',
  );
  const isGiven = given.some(({ key: name }) => name === KEY_PARAMETER);
  const members = given.map(({ key: name, value }) => `${JSON.stringify(name)}:${value.raw}`);
  const own = isGiven ? members : [...members, `"${KEY_PARAMETER}":${JSON.stringify(key)}`];
  const filtered = filter === undefined ? '' : `,"filter":${filter.raw}`;
  return parseJson(`{"id":${id},"method":${JSON.stringify(method)},"params":{${own.join(',')}}${filtered}}`);
}

/** Whether the answer reports that the payment journal has this key for a different request. */
function isOtherRequest(answer: Answer): boolean {
  const data = 'error' in answer ? (answer.error.data as { parameter?: unknown } | undefined) : undefined;
  return data?.parameter === KEY_PARAMETER;
}
