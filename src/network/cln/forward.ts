/**
 * Forwards requests to the node, and returns its results byte for byte. Each request has its own connection, so that a
 * hung, huge or unreadable answer ends only that request, never the connection used for payments. The node's id is
 * checked first, because another node may be listening there now.
 *
 *     connect ──▶ getinfo (same node?) ──▶ notifications (if the client has them on) ──▶ the request
 */
import { isUtf8 } from 'node:buffer';
import { connect, type Socket } from 'node:net';
import { ERRORS, FulguriteError } from '../../model/errors.ts';
import type { Notification } from '../../rpc/dispatcher.ts';
import { type ForwardedAnswer, nodeMethod } from '../../rpc/forwarder.ts';
import { Framer } from '../../rpc/framer.ts';
import { InputBudget } from '../../rpc/input-budget.ts';
import { JsonSyntaxError } from '../../rpc/json-scan.ts';
import { JsonText, type JsonToken, parseJson } from '../../rpc/json-token.ts';
import { toJson } from '../../rpc/json-write.ts';
import type { Request } from '../../rpc/request.ts';
import type { Session } from '../../rpc/session.ts';
import { nodeAway } from '../kept-link.ts';
import type { NodeLink } from './node-link.ts';

/** Limits on forwarded requests. */
export interface ForwardLimits {
  /** Timeout for connecting and checking the node's id, in milliseconds. */
  readonly greetMs: number;
  /** Timeout for the answer, in milliseconds. Methods that wait for something (`LASTING`) have no timeout. */
  readonly answerMs: number;
  /** Milliseconds between checks that the client is still connected. */
  readonly lookMs: number;
  /** Maximum size of one answer or notification, in bytes. */
  readonly maxAnswerBytes: number;
  /** Maximum total size of the answers being read, in bytes. */
  readonly maxBytes: number;
  /** Maximum number of requests in progress. Each is a connection to the node. */
  readonly maxRunning: number;
}

/** The daemon's limits. Tests lower them. */
export const FORWARD_LIMITS: ForwardLimits = {
  greetMs: 10_000,
  answerMs: 60_000,
  lookMs: 1000,
  maxAnswerBytes: 128 * 1024 * 1024,
  maxBytes: 256 * 1024 * 1024,
  maxRunning: 256,
};

/**
 * Methods that wait for something outside the node, such as peers, payers or blocks. Methods whose names start with
 * `wait` do so too.
 */
const LASTING: ReadonlySet<string> = new Set(['close', 'fundchannel', 'multifundchannel', 'sendinvoice']);

/** The node that receives the requests. */
export interface ForwardTarget {
  readonly socketPath: string;
  readonly link: Pick<NodeLink, 'connection' | 'facts' | 'problem'>;
}

/** Forwards requests to one node. */
export class NodeForward {
  readonly #target: ForwardTarget;
  readonly #limits: ForwardLimits;
  readonly #budget: InputBudget;
  readonly #running = new Set<Exchange>();

  constructor(target: ForwardTarget, limits: Partial<ForwardLimits> = {}) {
    this.#target = target;
    this.#limits = { ...FORWARD_LIMITS, ...limits };
    this.#budget = new InputBudget(this.#limits.maxBytes);
  }

  /**
   * Sends a request to the node, and returns the answer, which may be an error.
   * @throws FulguriteError nodeAway, with `data.sent` true if the node may have executed the request; tooLarge, busy,
   * unspecified
   */
  async answer(
    request: Request,
    session: Session,
    send: (notification: Notification) => void,
  ): Promise<ForwardedAnswer> {
    const { link } = this.#target;
    if (link.connection === undefined) throw nodeAway(link.problem ?? 'the node is unreachable');
    const { maxRunning } = this.#limits;
    if (this.#running.size >= maxRunning) {
      throw new FulguriteError('busy', `${maxRunning} forwarded requests are already waiting for the node`);
    }
    const exchange = new Exchange(this.#target, this.#limits, this.#budget, { request, session, send });
    this.#running.add(exchange);
    try {
      return await exchange.answered;
    } finally {
      this.#running.delete(exchange);
    }
  }

  /** Ends all requests in progress. */
  close(): void {
    for (const exchange of this.#running) exchange.fail('the service is stopping');
  }
}

interface ForwardedCall {
  readonly request: Request;
  readonly session: Session;
  readonly send: (notification: Notification) => void;
}

/** One call on the connection: its id as sent, its text, and the action that follows its answer. */
interface ForwardStep {
  readonly id: string;
  readonly text: string;
  readonly take: (answer: JsonToken) => void;
}

/** One connection to the node, used for one request. */
class Exchange {
  readonly answered: Promise<ForwardedAnswer>;
  readonly #target: ForwardTarget;
  readonly #limits: ForwardLimits;
  readonly #asked: ForwardedCall;
  readonly #socket: Socket;
  readonly #framer: Framer;
  readonly #steps: ForwardStep[];
  readonly #look: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #isSent = false;
  #resolve!: (answer: ForwardedAnswer) => void;
  #reject!: (error: FulguriteError) => void;

  constructor(target: ForwardTarget, limits: ForwardLimits, budget: InputBudget, asked: ForwardedCall) {
    this.#target = target;
    this.#limits = limits;
    this.#asked = asked;
    this.#framer = new Framer(limits.maxAnswerBytes, budget);
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#steps = this.#plan();
    this.#socket = connect(target.socketPath, () => this.#ask());
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.fail(`the connection to the node broke: ${error.message}`));
    this.#socket.on('close', () => this.fail('the node closed the connection'));
    this.#expireIn(limits.greetMs);
    this.#look = setInterval(() => {
      if (asked.session.isClosed === true) this.fail('the client disconnected');
    }, limits.lookMs).unref();
  }

  get #method(): string {
    return nodeMethod(this.#asked.request.method);
  }

  /** Ends the exchange without an answer. Has no effect once the exchange has ended. */
  fail(reason: string): void {
    this.#refuse('nodeAway', reason);
  }

  /** Rejects the request. `data.sent` of the error is true if the node may have executed the request. */
  #refuse(kind: 'nodeAway' | 'tooLarge' | 'busy' | 'unspecified', reason: string): void {
    this.#end();
    const { method } = this.#asked.request;
    const sent = this.#isSent ? '; the node may have executed it' : '; nothing was sent';
    this.#reject(new FulguriteError(kind, `${method}: ${reason}${sent}`, { sent: this.#isSent }));
  }

  #plan(): ForwardStep[] {
    const { request, session } = this.#asked;
    const own = '"fulgurite:forward"';
    const steps: ForwardStep[] = [
      {
        id: own,
        text: requestText(own, 'getinfo', '{}', '{"id":true}'),
        take: (token) => this.#greeted(token),
      },
    ];
    if (session.notifications) {
      const text = requestText(own, 'notifications', '{"enable":true}');
      steps.push({ id: own, text, take: () => this.#next() });
    }
    const { id, params, filter } = request;
    const text = requestText(id, this.#method, params?.raw ?? '{}', filter?.raw);
    steps.push({ id, text, take: (token) => this.#finish(token) });
    return steps;
  }

  #ask(): void {
    const step = this.#steps[0]!;
    if (this.#steps.length === 1) {
      const method = this.#method;
      this.#isSent = true;
      this.#expireIn(method.startsWith('wait') || LASTING.has(method) ? undefined : this.#limits.answerMs);
    }
    this.#socket.write(`${step.text}\n\n`);
  }

  #next(): void {
    this.#steps.shift();
    this.#ask();
  }

  #expireIn(ms: number | undefined): void {
    clearTimeout(this.#timer);
    if (ms === undefined) return;
    this.#timer = setTimeout(() => this.fail(`the node has not answered for ${ms / 1000} s`), ms);
  }

  #read(chunk: Buffer): void {
    try {
      this.#framer.push(chunk);
      for (let bytes = this.#framer.next(); bytes !== undefined; bytes = this.#framer.next()) {
        if (!isUtf8(bytes)) throw new JsonSyntaxError('not UTF-8', 0);
        this.#take(parseJson(bytes.toString('utf8')));
        if (this.#socket.destroyed) return;
      }
    } catch (error) {
      if (error instanceof JsonSyntaxError) this.#refuse('unspecified', unreadable(error.message));
      else if (!(error instanceof FulguriteError)) throw error;
      else if (error.code === ERRORS.tooLarge.code) {
        this.#refuse('tooLarge', `the node's answer exceeds ${this.#limits.maxAnswerBytes} bytes`);
      } else if (error.code === ERRORS.busy.code) {
        this.#refuse(
          'busy',
          `the answers that are being read exceed ${this.#limits.maxBytes} bytes in total`,
        );
      } else this.#refuse('unspecified', unreadable(error.message));
    }
  }

  #take(token: JsonToken): void {
    const method = member(token, 'method');
    if (method !== undefined) {
      const params = member(token, 'params');
      if (this.#steps.length > 1 || params?.kind !== 'object') return;
      this.#asked.send({ jsonrpc: '2.0', method: method.text, params: new JsonText(params.raw) });
      return;
    }
    const { id, take } = this.#steps[0]!;
    if (member(token, 'id')?.raw === id) take(token);
    else this.#refuse('unspecified', unreadable('its id does not match the request'));
  }

  /** Continues if the answer comes from the node whose channels we use. */
  #greeted(answer: JsonToken): void {
    const result = member(answer, 'result');
    const id = result === undefined ? undefined : member(result, 'id')?.text;
    if (id === this.#target.link.facts.nodeId) this.#next();
    else this.fail(`${this.#target.socketPath} now belongs to a different node`);
  }

  #finish(answer: JsonToken): void {
    const result = member(answer, 'result');
    const error = member(answer, 'error');
    if (error !== undefined && error.kind !== 'null') {
      const code = Number(member(error, 'code')?.raw);
      const message = member(error, 'message');
      if (!Number.isInteger(code) || message?.kind !== 'string') {
        this.#refuse('unspecified', unreadable('its error has no code or no message'));
        return;
      }
      const data = member(error, 'data');
      this.#end();
      this.#resolve({
        error: { code, message: message.text, ...(data !== undefined && { data: new JsonText(data.raw) }) },
      });
    } else if (result !== undefined) {
      this.#end();
      this.#resolve({ result: new JsonText(result.raw) });
    } else this.#refuse('unspecified', unreadable('it has neither result nor error'));
  }

  #end(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#look);
    this.#framer.release();
    this.#socket.destroy();
  }
}

const unreadable = (reason: string): string => `the node's answer cannot be read: ${reason}`;

const member = (token: JsonToken, name: string): JsonToken | undefined =>
  token.members().find(({ key }) => key === name)?.value;

function requestText(id: string, method: string, params: string, filter?: string): string {
  const wanted = filter === undefined ? '' : `,"filter":${filter}`;
  return `{"jsonrpc":"2.0","id":${id},"method":${toJson(method)}${wanted},"params":${params}}`;
}
