/**
 * The link to a running engine: two connections to its socket. One permits deprecated commands and the other refuses
 * them, because the node decides for each call whether they are permitted. Requests are sent in order of arrival.
 * Answers arrive in order of completion, and are matched by id.
 */
import { connect, type Socket } from 'node:net';
import { FulguriteError } from '../model/errors.ts';
import { Framer } from '../rpc/framer.ts';
import { InputBudget } from '../rpc/input-budget.ts';
import { JsonSyntaxError } from '../rpc/json-scan.ts';
import { JsonText, type JsonToken, parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';

const MAX_ANSWER_BYTES = 512 * 1024 * 1024 - 1024;

/** A request for the engine. `id`, `params` and `filter` are JSON text. */
export interface EngineRequest {
  readonly id: string;
  readonly method: string;
  readonly params: string;
  readonly filter: string | undefined;
  /** Whether this caller may use deprecated commands. */
  readonly mayDeprecated: boolean;
}

/** The engine's answer, as JSON text. */
export type EngineAnswer = { readonly result: string } | { readonly error: string };

/** Receives messages from the engine. */
export interface EngineTalk {
  answered(id: string, answer: EngineAnswer): void;
  /** A notification about a request in progress. */
  notified(id: string, method: string, params: JsonToken): void;
  /** The connection is lost, and with it the answers to all open requests. */
  lost(reason: string): void;
}

/** An open connection to the engine. It does not reconnect. */
export class EngineLink {
  readonly #serving: Socket;
  readonly #refusing: Socket;
  readonly #talk: EngineTalk;
  #isLost = false;

  private constructor(serving: Socket, refusing: Socket, talk: EngineTalk) {
    this.#serving = serving;
    this.#refusing = refusing;
    this.#talk = talk;
    for (const socket of [serving, refusing]) this.#listen(socket);
    serving.write(setting('notifications', true) + setting('deprecations', true));
    refusing.write(setting('notifications', true) + setting('deprecations', false));
  }

  /** Connects. Rejects with the error of the socket. */
  static async open(path: string, talk: EngineTalk): Promise<EngineLink> {
    const serving = await connected(path);
    try {
      return new EngineLink(serving, await connected(path), talk);
    } catch (error) {
      serving.destroy();
      throw error;
    }
  }

  /** Sends a request. The response, or the loss of the connection, is reported to the `EngineTalk` later. */
  send({ id, method, params, filter, mayDeprecated }: EngineRequest): void {
    const text = toJson({
      jsonrpc: '2.0',
      id: new JsonText(id),
      method,
      params: new JsonText(params),
      ...(filter !== undefined && { filter: new JsonText(filter) }),
    });
    (mayDeprecated ? this.#serving : this.#refusing).write(`${text}\n\n`);
  }

  close(): void {
    this.#lose('the connection to the engine was closed');
  }

  #listen(socket: Socket): void {
    const framer = new Framer(MAX_ANSWER_BYTES, new InputBudget(MAX_ANSWER_BYTES));
    socket.on('data', (chunk: Buffer) => {
      if (this.#isLost) return;
      try {
        framer.push(chunk);
        for (let bytes = framer.next(); bytes !== undefined; bytes = framer.next()) {
          this.#take(parseJson(bytes.toString('utf8')));
        }
      } catch (error) {
        if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
        this.#lose(`cannot parse data from the engine: ${error.message}`);
      }
    });
    socket.on('error', (error) => this.#lose(`the connection to the engine broke: ${error.message}`));
    socket.on('close', () => this.#lose('the engine closed the connection'));
  }

  #take(message: JsonToken): void {
    const { id, method, params, result, error } = membersOf(message);
    if (id === undefined) {
      const about = params === undefined ? undefined : membersOf(params).id?.raw;
      if (about !== undefined && method !== undefined) this.#talk.notified(about, method.text, params!);
      return;
    }
    if (error !== undefined) this.#talk.answered(id.raw, { error: error.raw });
    else if (result !== undefined) this.#talk.answered(id.raw, { result: result.raw });
  }

  #lose(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#serving.destroy();
    this.#refusing.destroy();
    this.#talk.lost(reason);
  }
}

/** The request that sets a flag of a connection. Its response is not awaited. */
function setting(method: string, enable: boolean): string {
  return `${toJson({ jsonrpc: '2.0', id: `fulgurite:${method}`, method, params: { enable } })}\n\n`;
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
