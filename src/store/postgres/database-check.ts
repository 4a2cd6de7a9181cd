/**
 * Checks once a second that the database responds, on a separate connection.
 *
 * A pending query may be waiting for a slow disk, a lock, or a dead server. Only a query that needs neither disk nor
 * lock shows whether the server is alive. If it is not answered in time, all pending queries are abandoned, and later
 * ones fail immediately, so no query waits longer than `MAX_SILENCE_MS` for a dead server.
 *
 * The same query reports what a running daemon must notice: a different version of the schema, and changes of the runes
 * that all daemons share.
 */
import type { KnownServer } from './known-server.ts';
import type { PostgresLine } from './line.ts';
import { asOurs, storeFailed } from './refusal.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** Milliseconds between two checks. */
const EVERY_MS = 1000;
/** Timeout for an answer, in milliseconds. */
const ANSWER_MS = 2000;
/** Maximum time without an answer from the server, after which pending requests fail. */
export const MAX_SILENCE_MS = EVERY_MS + ANSWER_MS;

const QUERY = `SELECT (SELECT max(version) FROM schema_version) AS schema`;
const QUERY_WITH_RUNES = `${QUERY}, (SELECT version FROM rune_book) AS runes`;

/** The checked connection, timing, and callbacks. */
export interface DatabaseCheckOptions {
  readonly line: PostgresLine;
  readonly server: KnownServer;
  /** False for a solver, whose role may not read runes. */
  readonly readsRunes: boolean;
  readonly everyMs?: number;
  readonly answerMs?: number;
  /** Receives a line for the log when the schema becomes one that this release does not use. */
  readonly onFault?: ((message: string) => void) | undefined;
}

/** The result of the last check. */
export interface DatabaseCheckState {
  /** The reason why the last check failed. Undefined if it succeeded. */
  readonly problem: string | undefined;
  /** Response time of the last check that was answered, in milliseconds. */
  readonly answerMs: number;
  readonly schema: number;
}

/** Checks the database periodically, until closed. */
export class DatabaseCheck {
  readonly #options: DatabaseCheckOptions;
  readonly #runeListeners = new Set<() => void>();
  #state: DatabaseCheckState = { problem: undefined, answerMs: 0, schema: POSTGRES_SCHEMA.length };
  #runes = 0;
  #isRunning = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: DatabaseCheckOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.run(), options.everyMs ?? EVERY_MS).unref();
  }

  get state(): DatabaseCheckState {
    return this.#state;
  }

  /** Calls back when another daemon may have changed runes. */
  onRunes(listener: () => void): void {
    this.#runeListeners.add(listener);
  }

  /** Checks once. Does nothing while a check is pending. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const beganMs = performance.now();
    try {
      const { line, readsRunes, answerMs = ANSWER_MS } = this.#options;
      const [row] = await line.ask(readsRunes ? QUERY_WITH_RUNES : QUERY, [], answerMs);
      this.#succeed(Number(row!.schema), Number(row!.runes ?? 0), performance.now() - beganMs);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isRunning = false;
    }
  }

  #succeed(schema: number, runes: number, answerMs: number): void {
    const { onFault } = this.#options;
    const now = POSTGRES_SCHEMA.length;
    if (schema !== this.#state.schema && schema !== now) {
      onFault?.(
        `the database now has schema ${schema}, but this release uses ${now}: upgrade this process too`,
      );
    }
    this.#state = { problem: undefined, answerMs, schema };
    if (runes === this.#runes) return;
    this.#runes = runes;
    for (const listener of this.#runeListeners) listener();
  }

  #fail(error: unknown): void {
    const ours = asOurs(error);
    const { reason = ours.message, state } = ((ours as { data?: unknown }).data ?? {}) as {
      reason?: string;
      state?: string;
    };
    this.#state = { ...this.#state, problem: reason };
    // A server that answers with an SQLSTATE is alive, so existing connections are kept.
    const isSilent = state === undefined || !/^[0-9A-Z]{5}$/.test(state);
    if (isSilent) this.#options.server.fails(storeFailed(reason));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
