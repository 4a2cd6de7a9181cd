/**
 * Tells machines that the log of changes has grown, by LISTEN and NOTIFY of PostgreSQL, so that they need not ask all the
 * time. Nothing depends on it: callers that receive nothing poll.
 *
 * NOTIFY is not part of the commits: a transaction with a NOTIFY holds a lock of the whole database through its flush,
 * so that commits would wait for each other. It goes its own way, on a connection of its own, at most every 5 ms.
 *
 * A link that is cut says nothing. So LISTEN is asked again every second: it does no harm twice, its answer shows that
 * the connection lives, and on a new connection it is what is needed.
 */
import type { PostgresLine } from './line.ts';

const CHANNEL = 'fulgurite_log';
/** Milliseconds between two rings. */
const RING_MS = 5;
/** Milliseconds between two looks whether the connection lives, and for its answer. */
const LOOK_MS = 1000;

/** What rings when the log has grown. */
export interface LogBell {
  /** Whether the last check found the connection alive. While it is false, callers must poll. */
  readonly isHeard: boolean;
  /** Tells the others that the log has reached this number. */
  ring(seq: number): void;
  close(): void;
}

/** Opens a connection that listens for notifications. */
export type NotifiedLine = (onNotify: (payload: string) => void) => PostgresLine;

/** The bell in PostgreSQL. */
export class PostgresLogBell implements LogBell {
  readonly #line: PostgresLine;
  readonly #looks: NodeJS.Timeout;
  #isHeard = false;
  #isLooking = false;
  #ringing: NodeJS.Timeout | undefined;
  #seq = 0;

  /** @param onRing told how far the log is */
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
      // Who does not hear it asks by the clock.
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
