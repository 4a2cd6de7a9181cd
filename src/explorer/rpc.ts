/**
 * Calls the node over `POST /rpc` (JSON-RPC 2.0). Parameters and results have the types of the client library, which
 * are generated from the declarations of the commands. So a renamed field breaks the build instead of the page.
 */
import type { Methods } from '../client/methods.ts';
import { parseExact, writeExact } from './exact-json.ts';

/** The node returned an error: `code` for decisions, `message` for display, `data` with reason and remedy. */
export class CallRefused extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** There was no usable response: the node is unreachable, the connection failed, or the response is not JSON-RPC. */
export class NoAnswer extends Error {}

/** The name of a command of this release. */
export type MethodName = keyof Methods;
/** The parameters of a command. */
export type MethodParams<M extends MethodName> = Methods[M]['params'];
/** The result of a command. */
export type MethodResult<M extends MethodName> = Methods[M]['result'];

/** Options of a call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** A rune other than this tab's, such as one that may pay. */
  readonly rune?: string | undefined;
}

const ENDPOINT = '/rpc';
/** HTTP statuses for a missing or unacceptable rune. */
const REFUSED = [401, 403];
/** Error code for a valid rune that does not permit the command. The page then stays open and shows the refusal. */
const NOT_PERMITTED = 1502;

/** Calls the node with the rune of this tab. */
export class Rpc {
  readonly #rune: () => string | undefined;
  readonly #onRefused: () => void;
  #lastId = 0;

  /** @param onRefused called when the node does not accept the rune */
  constructor(rune: () => string | undefined, onRefused: () => void) {
    this.#rune = rune;
    this.#onRefused = onRefused;
  }

  /** Calls a command with named parameters. @throws CallRefused, NoAnswer; AbortError when aborted */
  async call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    { signal, rune }: CallOptions = {},
  ): Promise<MethodResult<M>> {
    const body = writeExact({ jsonrpc: '2.0', id: ++this.#lastId, method, params });
    const headers = { 'Content-Type': 'application/json', Rune: rune ?? this.#rune() ?? '' };
    const { status, text } = await this.#send({ method: 'POST', headers, body, signal: signal ?? null });
    const answer = answerOf(text, status);
    if (answer.error === undefined) return answer.result as MethodResult<M>;
    const { code, message, data } = answer.error;
    if (rune === undefined) this.#noteRefusal(status, code);
    throw new CallRefused(code, message, data);
  }

  /**
   * Calls a read-only command with many sets of parameters in one request.
   * @returns the results in the order of the parameters; undefined for those that the node refused
   * @throws CallRefused, NoAnswer; AbortError when aborted
   */
  async callEach<M extends MethodName>(
    method: M,
    each: readonly MethodParams<M>[],
    signal: AbortSignal,
  ): Promise<(MethodResult<M> | undefined)[]> {
    const first = this.#lastId + 1;
    this.#lastId += each.length;
    const body = writeExact(
      each.map((params, place) => ({ jsonrpc: '2.0', id: first + place, method, params })),
    );
    const headers = { 'Content-Type': 'application/json', Rune: this.#rune() ?? '' };
    const { status, text } = await this.#send({ method: 'POST', headers, body, signal });
    const answers = parsedAnswer(text, status);
    if (!Array.isArray(answers)) {
      const { code, message } = answerOf(text, status).error ?? { code: 0, message: '' };
      this.#noteRefusal(status, code);
      throw new CallRefused(code, message, undefined);
    }
    // If the node does not accept the rune, each call of the batch is answered with the same error.
    this.#noteRefusal(status, answers[0]?.error?.code);
    const byId = new Map(answers.map(({ id, result }) => [Number(id), result]));
    return each.map((_, place) => byId.get(first + place) as MethodResult<M> | undefined);
  }

  /** Reads a file that needs the rune, such as the columns of the graph. @throws CallRefused, NoAnswer; AbortError */
  async bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
    try {
      const headers = { Rune: this.#rune() ?? '' };
      const response = await fetch(path, { headers, signal: signal ?? null });
      if (response.ok) return await response.arrayBuffer();
      const { code, message } = JSON.parse(await response.text());
      this.#noteRefusal(response.status, code);
      throw new CallRefused(code, message, undefined);
    } catch (error) {
      throw told(error);
    }
  }

  /** Reports an error that means that the node does not accept the rune of this tab. */
  #noteRefusal(status: number, code: number | undefined): void {
    if (REFUSED.includes(status) && code !== NOT_PERMITTED) this.#onRefused();
  }

  async #send(request: RequestInit): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(ENDPOINT, request);
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw told(error);
    }
  }
}

/** The message if requests do not reach the service. */
export const NOT_THERE =
  'The service does not answer: it was stopped, or the connection to it is gone. Start it with: fulgurite start';

/** The error to throw for an error of `fetch`. */
function told(error: unknown): unknown {
  const isOurs = error instanceof CallRefused || (error as Error).name === 'AbortError';
  return isOurs ? error : new NoAnswer(NOT_THERE);
}

interface MethodAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

function answerOf(text: string, status: number): MethodAnswer {
  const answer = parsedAnswer(text, status) as MethodAnswer & { code?: number; message?: string };
  // An error of the HTTP server itself, such as too many requests, is not wrapped in a JSON-RPC response.
  if (answer.code !== undefined) return { error: { code: answer.code, message: answer.message ?? '' } };
  if (answer.result !== undefined || answer.error !== undefined) return answer;
  throw notJsonRpc(status);
}

function parsedAnswer(text: string, status: number): unknown {
  try {
    const answer = parseExact(text);
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // The error is thrown after the `catch`.
  }
  throw notJsonRpc(status);
}

const notJsonRpc = (status: number): NoAnswer =>
  new NoAnswer(`The node's answer is not JSON-RPC (status ${status})`);
