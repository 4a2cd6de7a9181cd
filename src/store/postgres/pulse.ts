/**
 * Asks the database once a second whether it answers, on a connection of its own.
 *
 * A question that waits may wait for a slow disk or a lock, or for a server that is gone. Only a question that
 * has nothing to wait for tells these apart. When it is not answered in time, everything that waits is given up
 * at once, and later questions fail at once, so no query waits longer than `MAX_SILENCE_MS` for a dead server.
 *
 * The same question brings what a daemon must notice while it runs: another version of the schema, and changes of the
 * runes that all daemons share.
 */
import { VERSION } from '../../model/version.ts';
import type { KnownServer } from './known-server.ts';
import type { PostgresLine } from './line.ts';
import { asOurs, storeFailed } from './refusal.ts';
import { POSTGRES_SCHEMA } from './schema.ts';

/** Milliseconds between two questions. */
const EVERY_MS = 1000;
/** Milliseconds for an answer. */
const ANSWER_MS = 2000;
/** Maximum time without an answer from the server, after which pending requests fail. */
export const MAX_SILENCE_MS = EVERY_MS + ANSWER_MS;
/** A daemon says that it is there in every so many questions. */
const BEATS_PER_NOTE = 5;

const LOOK = `SELECT (SELECT max(version) FROM schema_version) AS schema`;
const LOOK_AS_DAEMON = `${LOOK}, (SELECT version FROM rune_book) AS runes`;
const NOTE = `
  INSERT INTO daemon (daemon, node, version, seen_at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (daemon) DO UPDATE SET node = excluded.node, version = excluded.version, seen_at = excluded.seen_at`;

/** Who asks, and who hears of what is found. */
export interface PulseOptions {
  readonly line: PostgresLine;
  readonly server: KnownServer;
  /** Undefined for a solver, whose role may neither say that it is there nor read runes. */
  readonly daemon?: { readonly id: string; readonly node: string };
  readonly everyMs?: number;
  readonly answerMs?: number;
  /** Receives a line for the log when the schema is another one than this release works with. */
  readonly onFault?: ((message: string) => void) | undefined;
}

/** What the last answer said. */
export interface PulseState {
  /** Why the database is not to be used. Undefined while it answers. */
  readonly problem: string | undefined;
  /** Milliseconds that the last answer took. */
  readonly answerMs: number;
  /** Version of the schema. */
  readonly schema: number;
}

/** Keeps asking until it is closed. */
export class Pulse {
  readonly #options: PulseOptions;
  readonly #runeListeners = new Set<() => void>();
  #state: PulseState = { problem: undefined, answerMs: 0, schema: POSTGRES_SCHEMA.length };
  #runes = 0;
  #beats = 0;
  #isAsking = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: PulseOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.beat(), options.everyMs ?? EVERY_MS).unref();
  }

  get state(): PulseState {
    return this.#state;
  }

  /** Calls back when another daemon may have changed runes. */
  onRunes(listener: () => void): void {
    this.#runeListeners.add(listener);
  }

  /** Asks once. Does nothing while a question waits. */
  async beat(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const beganMs = performance.now();
    try {
      const { line, daemon, answerMs = ANSWER_MS } = this.#options;
      const [row] = await line.ask(daemon === undefined ? LOOK : LOOK_AS_DAEMON, [], answerMs);
      if (daemon !== undefined && this.#beats++ % BEATS_PER_NOTE === 0) {
        await line.ask(NOTE, [daemon.id, daemon.node, VERSION], answerMs);
      }
      this.#hear(Number(row!.schema), Number(row!.runes ?? 0), performance.now() - beganMs);
    } catch (error) {
      this.#miss(error);
    } finally {
      this.#isAsking = false;
    }
  }

  #hear(schema: number, runes: number, answerMs: number): void {
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

  #miss(error: unknown): void {
    const ours = asOurs(error);
    const { reason = ours.message, state } = ((ours as { data?: unknown }).data ?? {}) as {
      reason?: string;
      state?: string;
    };
    this.#state = { ...this.#state, problem: reason };
    // A server that says why it refuses still answers on connections that are there.
    const isSilent = state === undefined || !/^[0-9A-Z]{5}$/.test(state);
    if (isSilent) this.#options.server.fails(storeFailed(reason));
  }

  /** Stops asking. */
  close(): void {
    clearInterval(this.#timer);
  }
}
