/**
 * Reports refusals by the server's thread to the main thread. Refusals within the limit of log lines are reported
 * immediately. The others are only counted, and their number is reported once per second. So the number of messages
 * does not grow with the number of refusals.
 */
import { TokenBucket } from '../model/token-bucket.ts';
import type { RefusedMessage } from './messages.ts';

/** Maximum burst of lines, and maximum lines per second after the burst. */
const BURST = 200;
const PER_SECOND = 20;
const TELL_MS = 1000;
/**
 * Maximum number of methods counted separately in one message. Clients choose the names, so there may be many different
 * ones.
 */
const MAX_METHODS = 100;

/** Collects refusals, and reports them. */
export class RefusalReport {
  readonly #tell: (message: RefusedMessage) => void;
  readonly #bucket: TokenBucket;
  #counts = new Map<string, { count: number; ms: number }>();
  #unwritten = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param nowMs a monotonic clock */
  constructor(tell: (message: RefusedMessage) => void, nowMs?: () => number) {
    this.#tell = tell;
    this.#bucket = new TokenBucket(BURST, PER_SECOND, nowMs);
  }

  /** Records a refused request for a method. @param line for the log @param ms its duration */
  note(method: string, line: string, ms: number): void {
    const known = this.#counts.has(method) || this.#counts.size < MAX_METHODS ? method : '';
    const { count, ms: before } = this.#counts.get(known) ?? { count: 0, ms: 0 };
    this.#counts.set(known, { count: count + 1, ms: before + ms });
    if (this.#bucket.take()) this.#send(line);
    else {
      this.#unwritten++;
      this.#timer ??= setTimeout(() => this.#send(undefined), TELL_MS).unref();
    }
  }

  #send(line: string | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts].map(([method, { count, ms }]) => ({ method, count, ms }));
    this.#tell({ kind: 'refused', line, unwritten: this.#unwritten, counts });
    this.#counts = new Map();
    this.#unwritten = 0;
  }
}
