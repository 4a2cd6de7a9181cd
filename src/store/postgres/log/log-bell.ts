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
const RING_MS = 5;
/** Interval of the connection checks, and timeout for their answer, in milliseconds. */
const LOOK_MS = 1000;

/** Notifies processes that the log has grown. */
export interface LogBell {
  /** Whether the last check found the connection alive. While it is false, callers must poll. */
  readonly isHeard: boolean;
  /** Notifies the other processes that the log has reached this number. */
  ring(seq: number): void;
  close(): void;
}

/** Opens a connection that listens for notifications. */
export type NotifiedLine = (onNotify: (payload: string) => void) => PostgresLine;

/** A bell that uses PostgreSQL's notifications. */
export class PostgresLogBell implements LogBell {
  readonly #line: PostgresLine;
  readonly #looks: NodeJS.Timeout;
  #isHeard = false;
  #isLooking = false;
  #ringing: NodeJS.Timeout | undefined;
  #seq = 0;

  /** @param onRing called with the log's latest number */
  constructor(newLine: NotifiedLine, onRing: (seq: number) => void, lookMs = LOOK_MS) {
    this.#line = newLine((payload) => {
      const seq = Number(payload);
      if (Number.isSafeInteger(seq)) onRing(seq);
    });
    this.#looks = setInterval(() => void this.#look(lookMs), lookMs).unref();
    void this.#look(lookMs);
  }

  get isHeard(): boolean {
    return this.#isHeard;
  }

  ring(seq: number): void {
    this.#seq = seq;
    this.#ringing ??= setTimeout(() => {
      this.#ringing = undefined;
      // A lost notification does no harm, because every process also polls.
      this.#line.ask(`NOTIFY ${CHANNEL}, '${this.#seq}'`).catch(() => undefined);
    }, RING_MS).unref();
  }

  close(): void {
    clearInterval(this.#looks);
    clearTimeout(this.#ringing);
    this.#line.close();
  }

  async #look(withinMs: number): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#line.ask(`LISTEN ${CHANNEL}`, [], withinMs);
      this.#isHeard = true;
    } catch {
      this.#isHeard = false;
    } finally {
      this.#isLooking = false;
    }
  }
}
