/**
 * Keeps a connection to a node in another process. When the connection breaks, the link reconnects as soon as the same
 * node is back. Callers use the current connection, or wait a bounded time for the next one.
 *
 *     up ──connection ends──▶ away ──connects, same id──▶ up
 *                               └──connects, different id──▶ away, with an error
 *     up ──no answer for a while──▶ up, with a problem ──answer──▶ up
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { FulguriteError } from '../model/errors.ts';
import type { Log } from '../rpc/log.ts';
import type { NodeTiming } from './node-timing.ts';

/** Pause between two checks of the link's state while a caller waits for a node that can pay. */
const ABLE_LOOK_MS = 50;

/** Reason for refusing an HTLC that `send` was not allowed to hand over. */
export const MAY_NOT_LEAVE =
  'Not sent: while it waited for the node, this daemon lost the permission to send it';

/** The error of a call when the node is unreachable or does not answer. */
export const nodeAway = (message: string): FulguriteError => new FulguriteError('nodeAway', message);

/** One open connection to the node. */
export interface OpenConnection {
  readonly isOpen: boolean;
  /** When the node last sent anything, on the clock of `performance.now()`. Absent if this is unknown. */
  readonly heardAtMs?: number;
}

/** Facts about the node that the link uses. `warning` is the reason why the node cannot pay. */
export interface LinkFacts {
  readonly version: string;
  readonly height: number;
  readonly warning: string | undefined;
}

/** Words for log lines and error messages. */
export interface LinkWords {
  /** How messages refer to the node, as the subject of a sentence. */
  readonly node: string;
  /** The name of the call that returns the facts. */
  readonly factsCall: string;
  /** The text before a warning of the node, and the text before the reason why it cannot be reached. */
  readonly warns: string;
  readonly away: string;
}

/** Connects to the same node over successive connections. */
export abstract class KeptLink<Connection extends OpenConnection, Facts extends LinkFacts> {
  readonly #timing: NodeTiming;
  readonly #log: Log;
  readonly #words: LinkWords;
  readonly #upListeners = new Set<(connection: Connection) => void>();
  readonly #factsListeners = new Set<(facts: Facts) => void>();
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #facts: Facts;
  #problem: string | undefined;

  protected constructor(
    facts: Facts,
    { timing, log }: { readonly timing: NodeTiming; readonly log: Log },
    words: LinkWords,
  ) {
    this.#facts = facts;
    this.#timing = timing;
    this.#log = log;
    this.#words = words;
  }

  /** Opens a connection and calls `connected` and `serve`. False when a different node is listening there now. */
  protected abstract connectAgain(): Promise<boolean>;

  protected abstract askFacts(connection: Connection): Promise<Facts>;

  /** The message of an error that means the node is unreachable. @throws any other error */
  protected abstract whyAway(error: unknown): string;

  /** Whether the error of `askFacts` only means that the answer did not arrive in time. The next poll asks again. */
  protected isLostAnswer(_error: unknown): boolean {
    return false;
  }

  get facts(): Facts {
    return this.#facts;
  }

  /** Why the node cannot pay at the moment, as text. Undefined when it can. */
  get problem(): string | undefined {
    return this.#problem ?? this.#facts.warning;
  }

  /** The open connection, if any. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Calls back with the current connection and each new one. Returns a function that unsubscribes. */
  onUp(listener: (connection: Connection) => void): () => void {
    this.#upListeners.add(listener);
    if (this.#connection !== undefined) listener(this.#connection);
    return () => void this.#upListeners.delete(listener);
  }

  /** Calls back each time the node has reported its state. Returns a function that unsubscribes. */
  onFacts(listener: (facts: Facts) => void): () => void {
    this.#factsListeners.add(listener);
    return () => void this.#factsListeners.delete(listener);
  }

  /** The error when there is no connection. */
  protected away(): FulguriteError {
    return nodeAway(this.#problem ?? 'the node is unreachable');
  }

  /**
   * The current connection, or the next connection if it opens in time.
   * @throws FulguriteError nodeAway, shuttingDown
   */
  async up(waitMs: number): Promise<Connection> {
    if (this.isClosed) throw new FulguriteError('shuttingDown', 'the network is closed');
    if (this.#connection !== undefined) return this.#connection;
    return new Promise((resolve, reject) => {
      const done = this.onUp((connection) => {
        clearTimeout(timer);
        done();
        resolve(connection);
      });
      const timer = setTimeout(() => {
        done();
        reject(this.away());
      }, waitMs);
    });
  }

  /**
   * Waits up to `waitMs` for a node that can pay, and returns the connection to it.
   * @throws FulguriteError nodeAway, shuttingDown
   */
  async able(waitMs: number): Promise<Connection> {
    const endMs = performance.now() + waitMs;
    for (;;) {
      const connection = await this.up(Math.max(0, endMs - performance.now()));
      if (this.problem === undefined) return connection;
      const leftMs = endMs - performance.now();
      if (leftMs <= 0) throw nodeAway(this.problem);
      await this.#pause(Math.min(leftMs, ABLE_LOOK_MS));
    }
  }

  /** Closes the link for good. Subclasses close its connection. */
  close(): void | Promise<void> {
    this.#closing.abort();
    this.#upListeners.clear();
    this.#factsListeners.clear();
  }

  /** Accepts a new connection. The subclass then watches for the end of the connection, and calls `serve`. */
  protected connected(connection: Connection, facts: Facts): void {
    this.#connection = connection;
    this.#problem = undefined;
    this.note(facts);
  }

  /** Offers the connection to callers. */
  protected serve(connection: Connection): void {
    for (const listener of this.#upListeners) listener(connection);
    void this.#pollFacts(connection);
  }

  /** Records that a connection has ended, and opens a new one. */
  protected lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (this.isClosed) return;
    this.trouble(`${this.#words.node} is unreachable: ${reason}`);
    void this.#reconnect();
  }

  protected note(facts: Facts): void {
    const { warning } = facts;
    if (warning !== undefined && warning !== this.#facts.warning)
      this.#log.unusual(`${this.#words.warns}${warning}`);
    this.#facts = facts;
    for (const listener of this.#factsListeners) listener(facts);
  }

  /** Sets the reason why the node cannot pay, and logs the reason if it is new. */
  protected trouble(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#log.unusual(problem);
  }

  async #reconnect(): Promise<void> {
    const { firstRetryMs, lastRetryMs } = this.#timing;
    for (let pauseMs = firstRetryMs; !this.isClosed; pauseMs = Math.min(2 * pauseMs, lastRetryMs)) {
      await this.#pause(pauseMs);
      if (this.isClosed) return;
      try {
        if (await this.connectAgain()) return;
      } catch (error) {
        this.trouble(`${this.#words.away}${this.whyAway(error)}`);
      }
    }
  }

  /** Logs that the node is back. */
  protected isBack({ version, height }: Facts): void {
    this.#log.unusual(`${this.#words.node} is back: ${version}, block ${height}`);
  }

  /**
   * Queries the node's state at intervals, and records a problem while the node does not answer. Only this
   * detects a hung node, which keeps its socket open.
   */
  async #pollFacts(connection: Connection): Promise<void> {
    const { pollMs, troubledMs, silenceMs } = this.#timing;
    const { node, factsCall } = this.#words;
    for (;;) {
      await this.#pause(this.problem === undefined ? pollMs : troubledMs);
      if (!connection.isOpen || this.isClosed) return;
      const askedAtMs = performance.now();
      const silence = setTimeout(() => {
        const hasAnsweredOthers = (connection.heardAtMs ?? 0) >= askedAtMs;
        if (connection.isOpen && !hasAnsweredOthers)
          this.trouble(`${node} has not responded for ${silenceMs / 1000} s`);
      }, silenceMs);
      try {
        const facts = await this.askFacts(connection);
        if (connection.isOpen) this.#recovered(facts);
      } catch (error) {
        const why = this.whyAway(error);
        if (connection.isOpen && !this.isLostAnswer(error)) this.trouble(`${factsCall}: ${why}`);
      } finally {
        clearTimeout(silence);
      }
    }
  }

  #recovered(facts: Facts): void {
    if (this.#problem !== undefined) this.#log.unusual(`${this.#words.node} responds again`);
    this.#problem = undefined;
    this.note(facts);
  }

  #pause(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
  }
}
