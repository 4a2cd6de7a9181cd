/**
 * Keeps a connection to the node. When it breaks, another is opened as soon as the node, which must be the same, is
 * back. Callers use the current connection, or wait a bounded time for the next one.
 *
 *     up ──socket closed──▶ away ──connects, same id──▶ up
 *                             └──connects, another id──▶ away, with an error
 *     up ──no answer for a while──▶ up, with a problem ──answer──▶ up
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../../model/errors.ts';
import type { Log } from '../../rpc/log.ts';
import { type Members, NodeError } from './answer.ts';
import { HeightMemory } from './height-memory.ts';
import { factsOf, type NodeFacts, tooOld } from './node-facts.ts';
import { type NodeCallOptions, type NodeParams, NodeSocket, nodeAway } from './node-socket.ts';
import type { ClnTiming } from './timing.ts';

/** One open connection, and what is valid only while it is open. */
export class NodeConnection {
  readonly socket: NodeSocket;
  readonly #openedAtMs = performance.now();
  readonly #timing: ClnTiming;
  #fence: Promise<void> | undefined;
  #startedAt: Promise<number> | undefined;

  constructor(socket: NodeSocket, timing: ClnTiming) {
    this.socket = socket;
    this.#timing = timing;
  }

  /** Makes a call with the default timeout, unless `options` has another. */
  call(method: string, params: NodeParams = {}, options: NodeCallOptions = {}): Promise<Members> {
    return this.socket.call(method, params, { timeoutMs: this.#timing.callMs, ...options });
  }

  /**
   * The fence: resolves once no request written to an earlier connection can still be executed. The node reads the rest
   * of a broken connection before it serves further requests of others, so some time and two round trips suffice.
   */
  fence(): Promise<void> {
    this.#fence ??= this.#passFence();
    return this.#fence;
  }

  /** The start time of the node, in UNIX seconds with fractions: the creation time of its log book. */
  startedAt(): Promise<number> {
    if (this.#startedAt !== undefined) return this.#startedAt;
    const asked = this.#askStart();
    this.#startedAt = asked;
    // After a failure, the next call queries the node again.
    asked.catch(() => {
      this.#startedAt = undefined;
    });
    return asked;
  }

  async #askStart(): Promise<number> {
    const log = await this.call('getlog', { level: 'broken' }, { filter: { created_at: true } });
    const startedS = Number.parseFloat(log.get('created_at')?.text ?? '');
    if (!Number.isFinite(startedS))
      throw new FulguriteError('unspecified', 'the node does not report its uptime');
    return startedS;
  }

  async #passFence(): Promise<void> {
    const leftMs = this.#openedAtMs + this.#timing.fenceMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    for (let trips = 0; trips < 2; trips++) await this.call('getinfo', {}, { filter: { id: true } });
  }
}

/** Pause between two checks of the link's state while a caller waits for a node that can pay. */
const ABLE_LOOK_MS = 50;

/** Options of the link, and facts about its node. */
export interface LinkOptions {
  readonly socketPath: string;
  readonly timing: ClnTiming;
  readonly log: Log;
}

/** Connects to the same node over successive connections. */
export class NodeLink {
  readonly #options: LinkOptions;
  readonly #upListeners = new Set<(connection: NodeConnection) => void>();
  readonly #pulseListeners = new Set<(facts: NodeFacts) => void>();
  #connection: NodeConnection | undefined;
  #facts: NodeFacts;
  readonly #heights = new HeightMemory();
  #problem: string | undefined;
  #isClosed = false;
  readonly #closing = new AbortController();

  private constructor(options: LinkOptions, socket: NodeSocket, facts: NodeFacts) {
    this.#options = options;
    this.#facts = facts;
    this.#use(socket, facts);
  }

  /** Connects. @throws FulguriteError nodeAway when the node cannot be reached; notSupported when it is too old */
  static async open(options: LinkOptions): Promise<NodeLink> {
    const { socket, facts } = await greet(options);
    return new NodeLink(options, socket, facts);
  }

  /** The latest facts from the node. */
  get facts(): NodeFacts {
    return this.#facts;
  }

  /** Why the node cannot pay at the moment, as text. Undefined when it can. */
  get problem(): string | undefined {
    return this.#problem ?? this.#facts.warning;
  }

  /** The open connection, if any. */
  get connection(): NodeConnection | undefined {
    return this.#connection;
  }

  /** Calls back with the current connection and each new one. Returns a function that unsubscribes. */
  onUp(listener: (connection: NodeConnection) => void): () => void {
    this.#upListeners.add(listener);
    if (this.#connection !== undefined) listener(this.#connection);
    return () => void this.#upListeners.delete(listener);
  }

  /** Calls back each time the node has reported its state. Returns a function that unsubscribes. */
  onPulse(listener: (facts: NodeFacts) => void): () => void {
    this.#pulseListeners.add(listener);
    return () => void this.#pulseListeners.delete(listener);
  }

  /** Makes a call over the current connection. @throws NodeError; FulguriteError nodeAway */
  async call(method: string, params?: NodeParams, options?: NodeCallOptions): Promise<Members> {
    const connection = this.#connection;
    if (connection === undefined) throw nodeAway(this.#problem ?? 'the node is unreachable');
    return connection.call(method, params, options);
  }

  /**
   * The current connection, or the next one if it opens in time.
   * @throws FulguriteError nodeAway, shuttingDown
   */
  async up(waitMs: number): Promise<NodeConnection> {
    if (this.#isClosed) throw new FulguriteError('shuttingDown', 'the network is closed');
    if (this.#connection !== undefined) return this.#connection;
    return new Promise((resolve, reject) => {
      const done = this.onUp((connection) => {
        clearTimeout(timer);
        done();
        resolve(connection);
      });
      const timer = setTimeout(() => {
        done();
        reject(nodeAway(this.#problem ?? 'the node is unreachable'));
      }, waitMs);
    });
  }

  /**
   * Waits up to `waitMs` for a node that can pay, and returns the connection to it.
   * @throws FulguriteError nodeAway, shuttingDown
   */
  async able(waitMs: number): Promise<NodeConnection> {
    const endMs = performance.now() + waitMs;
    for (;;) {
      const connection = await this.up(Math.max(0, endMs - performance.now()));
      if (this.problem === undefined) return connection;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw nodeAway(this.problem);
      await this.#pause(Math.min(leftMs, ABLE_LOOK_MS));
    }
  }

  /** Closes the link for good. */
  close(): void {
    this.#isClosed = true;
    this.#closing.abort();
    this.#upListeners.clear();
    this.#pulseListeners.clear();
    this.#connection?.socket.close();
  }

  #use(socket: NodeSocket, facts: NodeFacts): void {
    const connection = new NodeConnection(socket, this.#options.timing);
    this.#connection = connection;
    this.#problem = undefined;
    this.#note(facts);
    socket.onClosed = (reason) => this.#lost(reason);
    if (!socket.isOpen) {
      this.#lost('the node closed the connection');
      return;
    }
    for (const listener of this.#upListeners) listener(connection);
    void this.#feelPulse(connection);
  }

  #note(told: NodeFacts): void {
    const behind = this.#heights.note(told.height, performance.now());
    const facts = { ...told, warning: told.warning ?? behind };
    if (facts.warning !== undefined && facts.warning !== this.#facts.warning) {
      this.#options.log.unusual(`the node warns: ${facts.warning}`);
    }
    this.#facts = facts;
    for (const listener of this.#pulseListeners) listener(facts);
  }

  #lost(reason: string): void {
    this.#connection = undefined;
    if (this.#isClosed) return;
    this.#trouble(`the node is unreachable: ${reason}`);
    void this.#reconnect();
  }

  #trouble(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.log.unusual(problem);
  }

  async #reconnect(): Promise<void> {
    const { firstRetryMs, lastRetryMs } = this.#options.timing;
    for (let pauseMs = firstRetryMs; !this.#isClosed; pauseMs = Math.min(2 * pauseMs, lastRetryMs)) {
      await this.#pause(pauseMs);
      if (this.#isClosed) return;
      try {
        if (await this.#connectAgain()) return;
      } catch (error) {
        if (!(error instanceof FulguriteError || error instanceof NodeError)) throw error;
        this.#trouble(`the node is unreachable: ${error.message}`);
      }
    }
  }

  /** Reconnects. False when another node is listening there now. */
  async #connectAgain(): Promise<boolean> {
    const { socket, facts } = await greet(this.#options);
    if (this.#isClosed) {
      socket.close();
      return true;
    }
    const { nodeId } = this.#facts;
    if (facts.nodeId !== nodeId) {
      socket.close();
      this.#trouble(
        `${this.#options.socketPath} now belongs to node ${facts.nodeId} instead of ${nodeId}: not used`,
      );
      return false;
    }
    this.#options.log.unusual(`the node is back: ${facts.version}, block ${facts.height}`);
    this.#use(socket, facts);
    return true;
  }

  /** Queries the node's state at intervals (its pulse). Only this detects a hung node, which keeps its socket open. */
  async #feelPulse({ socket }: NodeConnection): Promise<void> {
    const { pulseMs, troubledMs, silenceMs } = this.#options.timing;
    for (;;) {
      await this.#pause(this.problem === undefined ? pulseMs : troubledMs);
      if (!socket.isOpen) return;
      const silence = setTimeout(
        () => this.#trouble(`the node has not responded for ${silenceMs / 1000} s`),
        silenceMs,
      );
      try {
        const facts = factsOf(await socket.call('getinfo'));
        if (socket.isOpen) this.#recovered(facts);
      } catch (error) {
        if (!(error instanceof FulguriteError || error instanceof NodeError)) throw error;
        if (socket.isOpen) this.#trouble(`the node's getinfo: ${error.message}`);
      } finally {
        clearTimeout(silence);
      }
    }
  }

  #recovered(facts: NodeFacts): void {
    if (this.#problem !== undefined) this.#options.log.unusual('the node responds again');
    this.#problem = undefined;
    this.#note(facts);
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }
}

async function greet({ socketPath, timing }: LinkOptions): Promise<{ socket: NodeSocket; facts: NodeFacts }> {
  const socket = await NodeSocket.open(socketPath, timing.callMs);
  try {
    const facts = factsOf(await socket.call('getinfo', {}, { timeoutMs: timing.callMs }));
    const old = tooOld(facts.version);
    if (old !== undefined) throw new FulguriteError('notSupported', old);
    return { socket, facts };
  } catch (error) {
    socket.close();
    throw error;
  }
}
