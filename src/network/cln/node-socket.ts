/**
 * One connection to the JSON-RPC socket of a Core Lightning node. Each request is written immediately. Answers arrive
 * in the order in which the node completes them, and are matched by id.
 *
 * A written request may be executed even if the connection breaks, because the node reads its buffer before it notices
 * that the connection has ended. So a missing answer proves nothing. Callers that need proof query again (see `fence`
 * in node-link.ts).
 */
import { connect, type Socket } from 'node:net';
import { FulguriteError } from '../../model/errors.ts';
import { Framer } from '../../rpc/framer.ts';
import { InputBudget } from '../../rpc/input-budget.ts';
import { JsonSyntaxError } from '../../rpc/json-scan.ts';
import { type JsonToken, parseJson } from '../../rpc/json-token.ts';
import { toJson } from '../../rpc/json-write.ts';
import { nodeAway } from '../kept-link.ts';
import { Members, NodeError } from './answer.ts';

/** Parameters of a method by name. Undefined members are omitted. */
export type NodeParams = Readonly<Record<string, unknown>>;

/** Options of one call. */
export interface NodeCallOptions {
  /** Timeout for the answer in milliseconds. Undefined for a call that waits for an event. */
  readonly timeoutMs?: number | undefined;
  /** The required members of the result, in the form of the node's `filter`. */
  readonly filter?: object;
}

interface OpenCall {
  readonly method: string;
  readonly resolve: (result: Members) => void;
  readonly reject: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Maximum size of an answer, in bytes. The answer of `listchannels` on the main network has tens of millions of bytes.
 */
const MAX_ANSWER_BYTES = 400 * 1024 * 1024;
/** Maximum number of unanswered calls. Each HTLC in flight has one. */
const MAX_PENDING = 100_000;
/** Maximum length of an error that is not an object, in characters. */
const MAX_ERROR_TEXT = 300;

/** An open connection. Once closed, it stays closed. */
export class NodeSocket {
  readonly #socket: Socket;
  readonly #framer = new Framer(MAX_ANSWER_BYTES, new InputBudget(MAX_ANSWER_BYTES));
  readonly #pending = new Map<string, OpenCall>();
  #nextId = 1;
  #closedBecause: string | undefined;
  #heardAtMs = performance.now();
  #slowMs = Number.POSITIVE_INFINITY;
  #onSlow: (method: string, leftMs: number) => void = () => undefined;
  /** Methods whose slow calls have been reported. */
  readonly #slow = new Set<string>();
  /** Called once, with the reason, when the connection has ended. */
  onClosed: (reason: string) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#end(`the connection to the node broke: ${error.message}`));
    socket.on('close', () => this.#end('the node closed the connection'));
  }

  /** Connects. @throws FulguriteError nodeAway if the socket refuses connections or does not respond in time. */
  static open(path: string, timeoutMs: number): Promise<NodeSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect(path);
      const timer = setTimeout(() => socket.destroy(new Error('it does not accept connections')), timeoutMs);
      socket.once('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(nodeAway(`the node's socket ${path}: ${whyNotOpen(error)}`));
      });
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.removeAllListeners('error');
        resolve(new NodeSocket(socket));
      });
    });
  }

  get isOpen(): boolean {
    return this.#closedBecause === undefined;
  }

  /** When the node last sent anything, on the clock of `performance.now()`. */
  get heardAtMs(): number {
    return this.#heardAtMs;
  }

  /**
   * Reports the first call of each method that is unanswered after `slowMs`, with the milliseconds until its timeout.
   * Calls with a shorter timeout, or without one, are not reported.
   */
  watchSlowCalls(slowMs: number, onSlow: (method: string, leftMs: number) => void): void {
    this.#slowMs = slowMs;
    this.#onSlow = onSlow;
  }

  /**
   * Makes a call. The request is written before the function returns.
   * @throws NodeError with the node's error.
   * @throws FulguriteError nodeAway when the connection ended, or the timeout was reached, before the answer; busy.
   */
  call(method: string, params: NodeParams = {}, options: NodeCallOptions = {}): Promise<Members> {
    if (this.#closedBecause !== undefined) return Promise.reject(nodeAway(this.#closedBecause));
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(new FulguriteError('busy', `${MAX_PENDING} calls are waiting for the node`));
    }
    const id = `fulgurite:${method}#${this.#nextId++}`;
    const { timeoutMs, filter } = options;
    return new Promise((resolve, reject) => {
      const timer = timeoutMs === undefined ? undefined : this.#limit(id, timeoutMs);
      this.#pending.set(id, { method, resolve, reject, timer });
      this.#socket.write(`${toJson({ jsonrpc: '2.0', id, method, filter, params })}\n\n`);
    });
  }

  close(): void {
    this.#end('the connection was closed');
  }

  #limit(id: string, timeoutMs: number): NodeJS.Timeout {
    if (timeoutMs <= this.#slowMs) return setTimeout(() => this.#expire(id, timeoutMs), timeoutMs);
    return setTimeout(() => {
      const call = this.#pending.get(id)!;
      const leftMs = timeoutMs - this.#slowMs;
      call.timer = setTimeout(() => this.#expire(id, timeoutMs), leftMs);
      if (this.#slow.has(call.method)) return;
      this.#slow.add(call.method);
      this.#onSlow(call.method, leftMs);
    }, this.#slowMs);
  }

  #expire(id: string, timeoutMs: number): void {
    const { method, reject } = this.#pending.get(id)!;
    this.#pending.delete(id);
    reject(nodeAway(`the node has not answered ${method} for ${timeoutMs / 1000} s`));
  }

  #read(chunk: Buffer): void {
    this.#heardAtMs = performance.now();
    try {
      this.#framer.push(chunk);
      for (let bytes = this.#framer.next(); bytes !== undefined; bytes = this.#framer.next()) {
        this.#answer(new Members(parseJson(bytes.toString('utf8')), 'answer'));
      }
    } catch (error) {
      if (!(error instanceof FulguriteError || error instanceof JsonSyntaxError)) throw error;
      this.#end(`cannot read data from the node: ${error.message}`);
    }
  }

  /** Processes an answer. Ignores notifications and responses to abandoned calls. */
  #answer(answer: Members): void {
    const id = answer.text('id') ?? '';
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    const error = answer.get('error');
    if (error !== undefined) {
      pending.reject(errorOf(error));
      return;
    }
    const result = answer.get('result');
    if (result === undefined) pending.reject(new NodeError(-1, `${pending.method}: no result`, undefined));
    else pending.resolve(new Members(result, pending.method));
  }

  #end(reason: string): void {
    if (this.#closedBecause !== undefined) return;
    this.#closedBecause = reason;
    this.#socket.destroy();
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(nodeAway(reason));
    }
    this.#pending.clear();
    this.onClosed(reason);
  }
}

/** The node's error. A program between the node and us may send a text instead of the object of JSON-RPC. */
function errorOf(token: JsonToken): NodeError {
  if (token.kind !== 'object') {
    const text = (token.kind === 'string' ? token.text : token.raw).slice(0, MAX_ERROR_TEXT);
    return new NodeError(-1, text, undefined);
  }
  const error = new Members(token, 'error');
  const code = Number(error.get('code')?.raw ?? Number.NaN);
  const message = error.text('message') ?? 'an error without a message';
  return new NodeError(Number.isInteger(code) ? code : -1, message, error.object('data'));
}

function whyNotOpen({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'no such file; is lightningd running, and --lightning-dir right?';
  if (code === 'ECONNREFUSED') return 'connection refused; is lightningd running?';
  if (code === 'EACCES') return 'permission denied; see rpc-file-mode of lightningd';
  return message;
}
