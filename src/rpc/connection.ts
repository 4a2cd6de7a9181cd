/**
 * One client on a stream. Answers are sent in order of completion, each followed by two newlines.
 *
 * Memory is bounded, regardless of what the client does. Reading stops while `maxInFlight` requests (or
 * `maxRequestBytes` of them) run, while a long list is written, and while more than `maxUnsentBytes` of answers wait
 * for the client. Data that the client sends meanwhile stays in the operating system's buffers. When these are full,
 * the client must wait.
 *
 * Connections take turns in starting requests (turns.ts). The requests of a batch take turns too. Long lists are
 * written as fast as the client reads them. Each turn of the event loop writes one piece of one client's list, which
 * takes at most a few milliseconds (list-turns.ts). Answers completed in the same turn are written together.
 *
 * A client that closes only its sending side gets all its answers before the connection closes. A disconnected client
 * is noticed once all its requests have started. The route queries that it has queued can then be dropped.
 */
import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { FulguriteError } from '../model/errors.ts';
import { type Answer, answerPieces, type Dispatcher, errorAnswer, type Notification } from './dispatcher.ts';
import { Framer, unparsable } from './framer.ts';
import type { InputBudget } from './input-budget.ts';
import { JsonSyntaxError } from './json-scan.ts';
import { type JsonToken, parseJson } from './json-token.ts';
import { chunksOf, hasList, inTurns, type Piece, toJson } from './json-write.ts';
import type { RpcLimits } from './limits.ts';
import { listTurn } from './list-turns.ts';
import type { Log } from './log.ts';
import type { Session } from './session.ts';
import type { Turns } from './turns.ts';

/** Maximum number of requests that a connection starts before other connections have their turn. */
const SHARE = 4;

/**
 * Milliseconds for which a closed connection still reads and discards input. Without this, the client could lose the
 * last answer.
 */
const LINGER_MS = 500;

/** What a connection needs from its server. The budget and the turns are those of all connections. */
export interface ConnectionServices {
  readonly dispatcher: Dispatcher;
  readonly session: Session;
  readonly limits: RpcLimits;
  readonly budget: InputBudget;
  readonly turns: Turns;
  readonly log: Log;
}

/** Serves one client: reads its requests, runs them, and writes the answers. */
export class ClientConnection {
  private readonly socket: Socket;
  private readonly dispatcher: Dispatcher;
  private readonly session: Session;
  private readonly limits: RpcLimits;
  private readonly log: Log;
  private readonly budget: InputBudget;
  private readonly turns: Turns;
  private readonly framer: Framer;
  private inFlight = 0;
  private runningBytes = 0;
  /** Text of the answers and notifications of this turn of the event loop, which are written together. */
  private gathered = '';
  private flushScheduled = false;
  /** Answers that are written in pieces, in order of completion. The first is being written. */
  private readonly streams: Generator<Piece, void>[] = [];
  /** Whether no more is read until `pump` runs again. */
  private waiting = false;
  /** Whether the connection has requests to start and waits for its turn. */
  private queued = false;
  /** Whether the client has sent its last byte. Earlier bytes may still be in the framer. */
  private clientEnded = false;
  private batchTurn: Promise<void> = Promise.resolve();
  /**
   * Whether no more input is read, because all requests have started, the input was unreadable, or the service is
   * stopping.
   */
  private inputEnded = false;
  private lastAnswer: Answer | undefined;
  private closed = false;
  private lastActivityMs = performance.now();

  constructor(socket: Socket, { dispatcher, session, limits, budget, turns, log }: ConnectionServices) {
    this.socket = socket;
    this.dispatcher = dispatcher;
    this.session = session;
    this.limits = limits;
    this.log = log;
    this.budget = budget;
    this.turns = turns;
    this.framer = new Framer(limits.maxRequestBytes, budget);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('end', () => {
      this.clientEnded = true;
      this.pump();
    });
    socket.on('drain', () => this.pump());
    socket.on('error', (error) => this.log.debug(`connection: ${error.message}`));
    socket.on('close', () => {
      this.closed = true;
      this.session.isClosed = true;
      this.streams.length = 0;
      this.framer.release();
    });
  }

  /** Stops reading. Closes once the answers to all started requests have been sent. */
  finish(): void {
    this.inputEnded = true;
    this.closeWhenDone();
  }

  /**
   * Milliseconds since the client last sent data or got an answer. Undefined while a request is being served, and after
   * the connection has closed.
   */
  idleMs(nowMs: number): number | undefined {
    const isServing = this.runningBytes > 0 || this.streams.length > 0 || this.gathered !== '';
    return isServing || this.closed ? undefined : nowMs - this.lastActivityMs;
  }

  /** Closes immediately. Running requests continue, but their answers are lost. */
  destroy(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.lastActivityMs = performance.now();
    if (this.inputEnded) return;
    this.framer.push(chunk);
    this.pump();
  }

  /**
   * Starts as many requests as the limits and the connection's turn allow. Then it continues reading, or waits until it
   * is called again.
   * @param mayBegin whether it is already the connection's turn.
   */
  private pump(mayBegin = false): void {
    if (this.queued) return;
    this.waiting = false;
    let hasTurn = mayBegin;
    for (let begun = 0; !this.inputEnded && !this.closed; begun++) {
      if (this.mustWait()) {
        if (hasTurn) this.turns.giveBack();
        this.waiting = true;
        this.socket.pause();
        return;
      }
      hasTurn ||= begun < SHARE && this.turns.take();
      if (!hasTurn) {
        this.pumpInTurn();
        return;
      }
      if (!this.beginNext()) break;
      hasTurn = false;
    }
    if (hasTurn) this.turns.giveBack();
    if (this.clientEnded && !this.inputEnded) this.endInput();
    this.socket.resume();
  }

  private pumpInTurn(): void {
    this.queued = true;
    this.socket.pause();
    this.turns.wait(() => {
      this.queued = false;
      this.pump(true);
    });
  }

  private endInput(): void {
    if (this.framer.unfinished) this.refuse(unparsable('', 'the input ends within a request'));
    this.noticeGone();
    this.finish();
  }

  /**
   * A disconnected client and a client that closed only its sending side look the same to a reader: the input ends.
   * Only a write distinguishes them, and the first answer may take long, so an empty text is written immediately. If
   * the client is gone, that write fails and the connection closes.
   */
  private noticeGone(): void {
    if (!this.socket.writableEnded) this.socket.write('');
  }

  private mustWait(): boolean {
    return (
      this.inFlight >= this.limits.maxInFlight ||
      this.runningBytes >= this.limits.maxRequestBytes ||
      this.streams.length > 0 ||
      this.unsentIsMuch()
    );
  }

  private unsentIsMuch(): boolean {
    return this.socket.writableLength + this.gathered.length > this.limits.maxUnsentBytes;
  }

  /** Starts the next request. Returns false if there is no complete request, or the input is unreadable. */
  private beginNext(): boolean {
    try {
      const bytes = this.framer.next();
      if (bytes === undefined) return false;
      const token = parseRequest(bytes, this.limits);
      void this.run(token, bytes.length);
      return true;
    } catch (error) {
      if (!(error instanceof FulguriteError)) throw error;
      this.refuse(error);
      return false;
    }
  }

  private async run(token: JsonToken, bytes: number): Promise<void> {
    this.budget.hold(bytes);
    this.runningBytes += bytes;
    const answer = await (token.kind === 'array' ? this.answerBatch(token) : this.answer(token));
    this.runningBytes -= bytes;
    this.budget.release(bytes);
    this.lastActivityMs = performance.now();
    this.sendAnswer(answer);
  }

  private async answer(token: JsonToken): Promise<Answer> {
    this.inFlight++;
    const answer = await this.dispatcher.answer(token, this.session, (message) => this.sendMessage(message));
    this.inFlight--;
    return answer;
  }

  /** Answers all requests of a batch, together and in order. At most `maxInFlight` of them run at once. */
  private async answerBatch(token: JsonToken): Promise<Answer | Answer[]> {
    const requests = token.elements();
    const { maxBatch } = this.limits;
    if (requests.length === 0) {
      return errorAnswer('null', new FulguriteError('invalidRequest', 'Empty batch'));
    }
    if (requests.length > maxBatch) {
      const message = `A batch exceeds ${maxBatch} requests`;
      return errorAnswer('null', new FulguriteError('tooLarge', message, { limit: maxBatch }));
    }
    return this.runBatch(requests);
  }

  private async runBatch(requests: readonly JsonToken[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    let next = 0;
    const runOneByOne = async (): Promise<void> => {
      while (next < requests.length) {
        const index = next++;
        await this.nextTurn();
        answers[index] = await this.answer(requests[index]!);
      }
    };
    const width = Math.max(1, Math.min(requests.length, this.limits.maxInFlight - this.inFlight));
    await Promise.all(Array.from({ length: width }, runOneByOne));
    return answers;
  }

  /** Waits until one request of a batch may start. The requests of a batch queue one by one, like single requests. */
  private nextTurn(): Promise<void> {
    this.batchTurn = this.batchTurn.then(() => {
      if (this.turns.take()) return undefined;
      return new Promise((proceed) => this.turns.wait(proceed));
    });
    return this.batchTurn;
  }

  /** Sends an error as the last answer, after the answers of all started requests. Nothing more is read. */
  refuse(error: FulguriteError): void {
    this.inputEnded = true;
    this.framer.release();
    this.lastAnswer = errorAnswer('null', error);
    this.closeWhenDone();
  }

  private sendMessage(notification: Notification): void {
    // A client that does not read, or is reading a long list, misses notifications, but never misses an answer.
    if (this.closed || this.streams.length > 0 || this.unsentIsMuch()) return;
    this.gather(`${toJson(notification)}\n\n`);
  }

  private sendAnswer(answer: Answer | readonly Answer[]): void {
    if (this.closed) return;
    if (Array.isArray(answer)) this.stream(batchPieces(answer));
    else if (isStreamed(answer as Answer) || this.streams.length > 0) this.stream(lone(answer as Answer));
    else this.gather(`${this.answerText(answer as Answer)}\n\n`);
  }

  private answerText(answer: Answer): string {
    try {
      return toJson(answer);
    } catch (error) {
      this.log.broken(`An answer cannot be written: ${String(error)}`);
      return toJson(
        errorAnswer(answer.id.text, new FulguriteError('internal', 'The answer cannot be written')),
      );
    }
  }

  private gather(text: string): void {
    this.gathered += text;
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush();
      if (this.waiting) this.pump();
      this.closeWhenDone();
    });
  }

  private flush(): void {
    const text = this.gathered;
    this.gathered = '';
    if (text !== '' && !this.closed) this.socket.write(text);
  }

  private stream(pieces: Iterable<Piece>): void {
    this.streams.push(chunksOf(inTurns(pieces)));
    if (this.streams.length === 1) void this.writeStreams();
  }

  /** Writes long answers one by one. Each chunk is written once the client has read the previous one. */
  private async writeStreams(): Promise<void> {
    try {
      for (let chunks = this.streams[0]; chunks !== undefined; chunks = this.streams[0]) {
        for (const chunk of chunks) {
          if (typeof chunk !== 'string') await chunk;
          else {
            await this.write(chunk);
            await listTurn();
          }
          if (this.closed) return;
        }
        this.streams.shift();
      }
    } catch (error) {
      this.log.broken(`A response was aborted: ${String(error)}`);
      this.socket.destroy();
      return;
    }
    this.pump();
    this.closeWhenDone();
  }

  /** Writes text. Resolves once there is room for more, or the connection has ended. */
  private write(text: string): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      if (this.closed || this.socket.write(text)) {
        resolve();
        return;
      }
      const proceed = () => {
        this.socket.off('drain', proceed);
        this.socket.off('close', proceed);
        resolve();
      };
      this.socket.on('drain', proceed);
      this.socket.on('close', proceed);
    });
  }

  private closeWhenDone(): void {
    const busy = this.runningBytes > 0 || this.streams.length > 0 || this.gathered !== '';
    if (!this.inputEnded || busy || this.closed || this.socket.writableEnded) return;
    if (this.lastAnswer !== undefined) {
      const last = this.lastAnswer;
      this.lastAnswer = undefined;
      this.sendAnswer(last);
      return;
    }
    this.socket.end();
    this.socket.resume();
    const linger = setTimeout(() => this.socket.destroy(), LINGER_MS).unref();
    this.socket.once('close', () => clearTimeout(linger));
  }
}

/** Parses the bytes of one request. @throws FulguriteError parseError */
function parseRequest(bytes: Buffer, { maxDepth, maxValues }: RpcLimits): JsonToken {
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes)) throw unparsable(text, 'not UTF-8');
  try {
    return parseJson(text, maxDepth, maxValues);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw unparsable(text, error.message);
    throw error;
  }
}

function isStreamed(answer: Answer): boolean {
  return 'result' in answer && hasList(answer.result);
}

function* lone(answer: Answer): Generator<Piece, void> {
  yield* answerPieces(answer);
  yield '\n\n';
}

function* batchPieces(answers: readonly Answer[]): Generator<Piece, void> {
  let separator = '[';
  for (const answer of answers) {
    yield separator;
    yield* answerPieces(answer);
    separator = ',';
  }
  yield ']\n\n';
}
