/**
 * The RPC side of lightningd (`lightningd/jsonrpc.c`): a Unix socket that carries out requests one after the other
 * and sends each answer as soon as it is ready. Text that is not a request, requests that lack a member, and unknown
 * commands are refused with the node's own messages.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { FulguriteError } from '../../src/model/errors.ts';
import { applyFilter, type Filter, parseFilter } from '../../src/rpc/filter.ts';
import { Framer } from '../../src/rpc/framer.ts';
import { InputBudget } from '../../src/rpc/input-budget.ts';
import { JsonSyntaxError } from '../../src/rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../../src/rpc/json-token.ts';
import { toJson } from '../../src/rpc/json-write.ts';
import { member, raw } from './json.ts';
import { CODE, Refusal } from './refusal.ts';

const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/** One request, and the connection that waits for its answer. */
export interface RpcCall {
  readonly method: string;
  readonly request: JsonToken;
  /** The id without quotes. Ids of calls made for this request begin with it. */
  readonly id: string;
  readonly connection: RpcConnection;
  /** Sends a notification about the call, if the caller enabled notifications. */
  readonly notified: (method: string, params: JsonToken) => void;
}

/** The flags of a connection. */
export interface RpcConnection {
  wantsNotifications: boolean;
}

/** The result of the node's own command, or a plugin's message with its `result` or `error`. */
export type RpcAnswer = { readonly result: unknown } | { readonly message: JsonToken };

/** Carries out one call. @throws Refusal */
export type CarryOut = (call: RpcCall) => Promise<RpcAnswer>;

/** Serves a socket. */
export class RpcServer {
  readonly #path: string;
  readonly #carryOut: CarryOut;
  readonly #knows: (method: string) => boolean;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #isHung = false;

  constructor(path: string, knows: (method: string) => boolean, carryOut: CarryOut) {
    this.#path = path;
    this.#knows = knows;
    this.#carryOut = carryOut;
  }

  async open(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#path, resolve);
    });
  }

  /** Closes the socket as SIGKILL does: answers already written arrive, the rest is lost. */
  async close(): Promise<void> {
    this.#isHung = false;
    this.loseConnections();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  /** Breaks all connections. Requests that have already arrived are still carried out. */
  loseConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Suspends or resumes the process, as SIGSTOP and SIGCONT do. */
  hang(isHung: boolean): void {
    this.#isHung = isHung;
    for (const socket of this.#sockets) isHung ? socket.pause() : socket.resume();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const framer = new Framer(MAX_REQUEST_BYTES, new InputBudget(2 * MAX_REQUEST_BYTES));
    const connection: RpcConnection = { wantsNotifications: false };
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#isHung) socket.pause();
    socket.on('data', (chunk: Buffer) => {
      framer.push(chunk);
      try {
        for (let text = framer.next(); text !== undefined; text = framer.next()) {
          void this.#take(socket, connection, parseJson(text.toString('utf8')));
        }
      } catch (error) {
        if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
        write(socket, malformed(error.message));
        socket.end();
      }
    });
  }

  async #take(socket: Socket, connection: RpcConnection, request: JsonToken): Promise<void> {
    const id = member(request, 'id');
    const problem = whyNoRequest(request, id);
    if (problem !== undefined || id === undefined) {
      write(socket, malformed(problem ?? 'No id'));
      return;
    }
    const head = { jsonrpc: '2.0', id: raw(id) };
    try {
      const method = this.#methodOf(request);
      const filter = filterOf(request);
      const notified = (name: string, params: JsonToken): void => {
        if (!connection.wantsNotifications) return;
        const members = params.members().map(({ key, value }) => [key, raw(key === 'id' ? id : value)]);
        write(socket, { jsonrpc: '2.0', method: name, params: Object.fromEntries(members) });
      };
      const answer = await this.#carryOut({ method, request, id: id.text, connection, notified });
      write(socket, { ...head, ...bodyOf(answer, filter) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, data } = error;
      write(socket, { ...head, error: { code, message, data } });
    }
  }

  /** @throws Refusal */
  #methodOf(request: JsonToken): string {
    const [method, params] = [member(request, 'method'), member(request, 'params')];
    if (method === undefined) throw new Refusal(CODE.invalidRequest, 'No method');
    if (params === undefined) throw new Refusal(CODE.invalidRequest, 'No params');
    if (method.kind !== 'string') throw new Refusal(CODE.invalidRequest, 'Expected string for method');
    if (!this.#knows(method.text)) {
      throw new Refusal(CODE.unknownMethod, `Unknown command '${method.text}'`);
    }
    return method.text;
  }
}

function whyNoRequest(request: JsonToken, id: JsonToken | undefined): string | undefined {
  if (request.kind !== 'object') return 'Expected {} for json command';
  if (id === undefined) return 'No id';
  if (id.kind === 'object' || id.kind === 'array') return 'Expected string/primitive for id';
  const version = member(request, 'jsonrpc');
  if (version?.raw !== '"2.0"') return 'jsonrpc: "2.0" must be specified in the request';
  return undefined;
}

const malformed = (message: string): object => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: CODE.invalidRequest, message },
});

/** @throws Refusal */
function filterOf(request: JsonToken): Filter | undefined {
  const token = member(request, 'filter');
  if (token === undefined) return undefined;
  try {
    return parseFilter(token);
  } catch (error) {
    if (!(error instanceof FulguriteError)) throw error;
    throw new Refusal(CODE.invalidParams, error.message);
  }
}

/** A plugin's own answer is forwarded unchanged, since the plugin has applied the filter. */
function bodyOf(answer: RpcAnswer, filter: Filter | undefined): object {
  if ('result' in answer) {
    return { result: filter === undefined ? answer.result : applyFilter(filter, answer.result) };
  }
  const { message } = answer;
  const parts = ['result', 'error'].flatMap((key) => {
    const value = member(message, key);
    return value === undefined ? [] : [[key, raw(value)]];
  });
  return Object.fromEntries(parts);
}

function write(socket: Socket, message: object): void {
  if (!socket.destroyed) socket.write(`${toJson(message)}\n\n`);
}
