/**
 * Notifies machines that the log of changes has grown, with PostgreSQL's LISTEN and NOTIFY, so that they need not poll
 * constantly. Correctness does not depend on notifications, because a caller that receives none polls.
 *
 * NOTIFY is not part of the commits: a transaction with a NOTIFY holds a database-wide lock during its flush, so that
 * commits would wait for each other. So NOTIFY is sent on a separate connection, at most every 5 ms.
 *
 * A broken connection reports no error. So LISTEN is repeated every second: it is idempotent, its answer shows that the
 * connection is alive, and a new connection needs it anyway.
 */
import type { PostgresLine } from '../line.ts';

const CHANNEL = 'fulgurite_log';
/** Minimum milliseconds between two notifications. */
const MIN_PAUSE_MS = 5;
/** Interval of the connection checks, and timeout for their answer, in milliseconds. */
const CHECK_MS = 1000;

/** Notifies processes that the log has grown. */
export interface LogNotifier {
  /** Whether the last check found the connection alive. While it is false, callers must poll. */
  readonly isListening: boolean;
  /** Notifies the other processes that the log has reached this number. */
  notify(seq: number): void;
  close(): void;
}

/** Opens a connection that listens for notifications. */
export type OpenListener = (onNotify: (payload: string) => void) => PostgresLine;

/** A notifier that uses PostgreSQL's notifications. */
export class PostgresLogNotifier implements LogNotifier {
  readonly #line: PostgresLine;
  readonly #checks: NodeJS.Timeout;
  #isListening = false;
  #isChecking = false;
  #pending: NodeJS.Timeout | undefined;
  #seq = 0;

  /** @param onGrown called with the log's latest number */
  constructor(newLine: OpenListener, onGrown: (seq: number) => void, checkMs = CHECK_MS) {
    this.#line = newLine((payload) => {
      const seq = Number(payload);
      if (Number.isSafeInteger(seq)) onGrown(seq);
    });
    this.#checks = setInterval(() => void this.#check(checkMs), checkMs).unref();
    void this.#check(checkMs);
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  notify(seq: number): void {
    this.#seq = seq;
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      // A lost notification does no harm, because every process also polls.
      this.#line.ask(`NOTIFY ${CHANNEL}, '${this.#seq}'`).catch(() => undefined);
    }, MIN_PAUSE_MS).unref();
  }

  close(): void {
    clearInterval(this.#checks);
    clearTimeout(this.#pending);
    this.#line.close();
  }

  async #check(withinMs: number): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      await this.#line.ask(`LISTEN ${CHANNEL}`, [], withinMs);
      this.#isListening = true;
    } catch {
      this.#isListening = false;
    } finally {
      this.#isChecking = false;
    }
  }
}
