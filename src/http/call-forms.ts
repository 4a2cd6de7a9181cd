/**
 * The two forms of a call over HTTP: how its body becomes requests, and how answers become a body with an HTTP status.
 * The server's thread uses this module for the requests that it refuses itself, and the main thread for all others, so
 * both answer in the same way.
 *
 * rest   `POST /v1/METHOD`, like Core Lightning's clnrest: the body is an object of parameters or empty, and
 *        null members count as absent. The answer is the bare result with status 201, or an error {code, message,
 *        data}.
 * rpc    `POST /`: a JSON-RPC 2.0 request or a batch. The answer is JSON-RPC too, with status 200 even for errors of
 *        commands.
 *
 * In both forms, 403 means that there is no rune, and 401 that the rune is invalid or does not permit the request. Each
 * request of a batch is checked separately. If none of them is permitted, the batch gets the status of the first.
 */
import { ERRORS, type ErrorName, FulguriteError } from '../model/errors.ts';
import { type Answer, answerPieces, errorAnswer } from '../rpc/dispatcher.ts';
import { withoutNullMembers } from '../rpc/json-nulls.ts';
import { JsonSyntaxError } from '../rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../rpc/json-token.ts';
import { jsonPieces, type Piece, toJson } from '../rpc/json-write.ts';
import type { RpcLimits } from '../rpc/limits.ts';
import type { HttpSession } from './authorize.ts';

/** A call as received: the parameters of a method, or JSON-RPC. */
export interface CallText {
  readonly form: 'rpc' | 'rest';
  /** The command named in the path. Empty for JSON-RPC. */
  readonly method: string;
  readonly body: string;
}

/** An answer's body, and its HTTP status. */
export interface CallReply {
  readonly status: number;
  readonly pieces: Iterable<Piece>;
}

/** The reply to a call that reached the main thread. */
export interface CallAnswer extends CallReply {
  /** Whether the request was executed, successfully or not. */
  readonly isCarriedOut: boolean;
}

/** The answer to a request, and the session whose rune was checked. */
export interface Judged {
  readonly answer: Answer;
  readonly session: HttpSession;
}

/** Limits on the JSON of a call. */
export type CallLimits = Pick<RpcLimits, 'maxDepth' | 'maxValues' | 'maxBatch'>;

const BAD_REQUEST = 400;
const CREATED = 201;
const OK = 200;

/**
 * Errors of the rune check and of idempotency keys. An answer of a command with the same error code does not get the
 * HTTP status of these errors.
 */
const OF_THE_DOOR: readonly ErrorName[] = [
  'notAuthorized',
  'runeMissing',
  'runeMalformed',
  'runeBlacklisted',
  'notPermitted',
  'keyUsed',
];

/** HTTP status for each error code of a command. Other codes get 500. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(
  (Object.keys(ERRORS) as ErrorName[])
    .filter((name) => !OF_THE_DOOR.includes(name))
    .map((name) => [ERRORS[name].code, ERRORS[name].httpStatus]),
);

/**
 * The call with its parameters in the form that the main thread expects: an object without null members. JSON-RPC stays
 * unchanged.
 * @throws FulguriteError parseError, invalidParams
 */
export function normalized(call: CallText, limits: CallLimits): CallText {
  if (call.form === 'rpc') return call;
  if (call.body.trim() === '') return { ...call, body: '{}' };
  if (parse(call.body, limits).kind !== 'object') {
    throw new FulguriteError('invalidParams', 'The body must be an object of parameters');
  }
  return call.body.includes('null') ? { ...call, body: withoutNullMembers(call.body) } : call;
}

/**
 * The requests of a normalized call: a single one, or a batch.
 * @throws FulguriteError parseError; invalidRequest or tooLarge for a batch
 */
export function requestsOf(call: CallText, limits: CallLimits): JsonToken | readonly JsonToken[] {
  if (call.form === 'rest') {
    return parseJson(`{"id":0,"method":${JSON.stringify(call.method)},"params":${call.body}}`);
  }
  const token = parse(call.body, limits);
  if (token.kind !== 'array') return token;
  const requests = token.elements();
  const { maxBatch } = limits;
  if (requests.length === 0) throw new FulguriteError('invalidRequest', 'Empty batch');
  if (requests.length > maxBatch) {
    throw new FulguriteError('tooLarge', `A batch exceeds ${maxBatch} requests`, { limit: maxBatch });
  }
  return requests;
}

/** Whether the call is a batch. */
export const isBatch = (asked: JsonToken | readonly JsonToken[]): asked is readonly JsonToken[] =>
  Array.isArray(asked);

/** @throws FulguriteError parseError */
function parse(body: string, { maxDepth, maxValues }: CallLimits): JsonToken {
  try {
    return parseJson(body, maxDepth, maxValues);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new FulguriteError('parseError', `The body is not JSON: ${error.message}`, {
      reason: error.message,
    });
  }
}

/** The reply to one request. @param status HTTP status that replaces the usual status of an error */
export function loneReply(form: CallText['form'], { answer, session }: Judged, status?: number): CallReply {
  const ofError = status ?? statusOf(answer, session);
  if (form === 'rpc') {
    const isTold = status !== undefined || session.refusal !== undefined;
    return { status: isTold ? ofError : OK, pieces: answerPieces(answer) };
  }
  if ('result' in answer) return { status: CREATED, pieces: jsonPieces(answer.result) };
  return restError(ofError, answer.error);
}

/** The reply to a batch. */
export function batchReply(judged: readonly Judged[]): CallReply {
  const [first] = judged;
  const isRefused = judged.every(({ session }) => session.refusal !== undefined);
  return { status: isRefused ? statusOf(first!.answer, first!.session) : OK, pieces: batchPieces(judged) };
}

/** The reply to a call that is refused as a whole. */
export function errorReply(form: CallText['form'], error: FulguriteError, status?: number): CallReply {
  const own = ERRORS[error.name].httpStatus;
  if (form === 'rest') return restError(status ?? own, error);
  const rpcStatus = status ?? (error.name === 'tooLarge' ? own : BAD_REQUEST);
  return { status: rpcStatus, pieces: answerPieces(errorAnswer('null', error)) };
}

function statusOf(answer: Answer, { refusal }: HttpSession): number {
  if (refusal !== undefined) return ERRORS[refusal.name].httpStatus;
  return 'error' in answer ? (STATUS_OF_CODE.get(answer.error.code) ?? ERRORS.internal.httpStatus) : OK;
}

/** An error in clnrest's form, in which `data` is null if there is none. */
function restError(
  status: number,
  { code, message, data }: { code: number; message: string; data?: unknown },
): CallReply {
  return { status, pieces: [toJson({ code, message, data: data ?? null })] };
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
