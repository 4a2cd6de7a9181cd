/**
 * The connection to the node: JSON-RPC 2.0 on standard input and output, each object followed by two newlines. The node
 * is the client. It ends a plugin that writes anything else, so this class writes all output. Ids are returned
 * unchanged.
 */
import type { Readable, Writable } from 'node:stream';
import { FulguriteError } from '../model/errors.ts';
import { Framer } from '../rpc/framer.ts';
import { InputBudget } from '../rpc/input-budget.ts';
import { JsonSyntaxError } from '../rpc/json-scan.ts';
import { JsonText, type JsonToken, parseJson } from '../rpc/json-token.ts';
import { toJson } from '../rpc/json-write.ts';
import { membersOf } from '../rpc/socket-client.ts';

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

/** Levels of the node's log, from least to most important. The node shows `error` as BROKEN, and `warn` as UNUSUAL. */
export type NodeLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** A request from the node. */
export interface NodeRequest {
  /** Source text of the id, with its quotes. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonToken | undefined;
  readonly filter: JsonToken | undefined;
}

/** Handles messages from the node. */
export interface NodeListener {
  request(request: NodeRequest): void;
  notification(method: string, params: JsonToken | undefined): void;
  /** The node closed the pipe, or sent something unreadable. No more messages follow. */
  ended(reason: string): void;
}

/** Reads messages from the node, and writes answers and log lines. */
export class PluginPipe {
  readonly #output: Writable;
  readonly #listener: NodeListener;
  readonly #framer = new Framer(MAX_MESSAGE_BYTES, new InputBudget(MAX_MESSAGE_BYTES));
  #hasEnded = false;

  constructor(input: Readable, output: Writable, listener: NodeListener) {
    this.#output = output;
    this.#listener = listener;
    input.on('data', (chunk: Buffer) => this.#read(chunk));
    input.on('end', () => this.#end('the node closed the pipe'));
    input.on('error', (error) => this.#end(error.message));
    output.on('error', (error) => this.#end(error.message));
  }

  result(id: string, result: unknown): void {
    this.#write({ jsonrpc: '2.0', id: new JsonText(id), result });
  }

  /** Answers with a result that is JSON text already. */
  resultText(id: string, result: string): void {
    this.result(id, new JsonText(result));
  }

  error(id: string, { code, message, data }: FulguriteError): void {
    this.#write({ jsonrpc: '2.0', id: new JsonText(id), error: { code, message, data } });
  }

  /** Answers with an error that is JSON text already. */
  errorText(id: string, error: string): void {
    this.#write({ jsonrpc: '2.0', id: new JsonText(id), error: new JsonText(error) });
  }

  notify(method: string, params: object): void {
    this.#write({ jsonrpc: '2.0', method, params });
  }

  /** Writes a line into the node's log. */
  log(level: NodeLogLevel, message: string): void {
    this.notify('log', { level, message });
  }

  #write(message: object): void {
    if (!this.#hasEnded) this.#output.write(`${toJson(message)}\n\n`);
  }

  #read(chunk: Buffer): void {
    if (this.#hasEnded) return;
    try {
      this.#framer.push(chunk);
      for (let bytes = this.#framer.next(); bytes !== undefined; bytes = this.#framer.next()) {
        this.#take(parseJson(bytes.toString('utf8')));
      }
    } catch (error) {
      if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
      this.log('error', `cannot read data from the node: ${error.message}`);
      this.#end(error.message);
    }
  }

  #take(message: JsonToken): void {
    const { id, method, params, filter } = membersOf(message);
    if (method === undefined) return;
    if (id === undefined) this.#listener.notification(method.text, params);
    else this.#listener.request({ id: id.raw, method: method.text, params, filter });
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener.ended(reason);
  }
}
