/**
 * A client of a running node: makes calls over the node's UNIX socket, and returns each result as a JavaScript value.
 *
 * Integers are exact: one that a JavaScript number cannot hold (beyond 2^53 − 1) becomes a bigint.
 */
import { type JsonToken, plainValue } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { callOverSocket, membersOf, type SocketAnswer, type SocketCall } from '../rpc/socket-client.ts';
import type { Methods } from './methods.ts';

/**
 * The service returned an error. Use `code` for decisions and `message` for display; `data` contains the reason and a
 * remedy, if known.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Parameters of a command. They may be omitted if no parameter is required. */
type ParamsOf<M extends keyof Methods> =
  Record<never, never> extends Methods[M]['params']
    ? [params?: Methods[M]['params']]
    : [params: Methods[M]['params']];

/** Calls a node. Each call has its own connection, so calls can run concurrently. */
export class FulguriteClient {
  readonly #path: string;

  /** @param path path of the node's socket: `DIR/fulgurite-rpc`, where DIR is its data directory */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Calls a command of this release, with parameters by their names. Amounts may be bigint, or text such as `10sat`.
   * @throws RpcError when the service returns an error; TransportError when there is no response
   */
  async call<M extends keyof Methods>(method: M, ...[params]: ParamsOf<M>): Promise<Methods[M]['result']> {
    return (await this.callByName(method, params)) as Methods[M]['result'];
  }

  /** Calls a command by name, for commands that these types do not contain. @throws RpcError, TransportError */
  async callByName(method: string, params: object = {}): Promise<unknown> {
    const { result, error } = await this.ask({ method, params: toJson(params) });
    if (error === undefined) return toValue(result!);
    const { code, message, data } = membersOf(error);
    throw new RpcError(Number(code?.text), message?.text ?? '', data && toValue(data));
  }

  /** Makes a call. Returns the result or the error as JSON text, as received. @throws TransportError, CallAborted */
  ask(call: Omit<SocketCall, 'path'>): Promise<SocketAnswer> {
    return callOverSocket({ ...call, path: this.#path });
  }
}

/** Converts JSON to a JavaScript value, with every integer exact. */
function toValue(token: JsonToken): unknown {
  return plainValue(token, (digits) => {
    const value = Number(digits);
    return Number.isSafeInteger(value) ? value : BigInt(digits);
  });
}
