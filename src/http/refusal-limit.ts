/**
 * Limits requests that are refused because of an invalid rune (by address), or because a valid rune does not permit
 * them (by rune and address). Also limits requests for large documents that need no rune (by address). Clients that
 * exceed a limit are refused with 429 before the body is read.
 *
 * Guessing a rune is hopeless anyway. The limits bound the work and the log lines that refusals cause.
 */
import { TokenBucket } from '../model/token-bucket.ts';

/** The number of refusals that one offender may cause at once, and the number per second after that. */
interface RefusalRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Limit for invalid runes from one address. */
export const WRONG_RUNES: RefusalRate = { burst: 50, perSecond: 5 };
/** Limit for requests that a rune does not permit, per rune and address. Each request of a batch counts. */
export const NOT_PERMITTED: RefusalRate = { burst: 1000, perSecond: 100 };
/** Limit for requests from one address for a description of the commands, which is half a megabyte. */
export const DESCRIPTIONS: RefusalRate = { burst: 50, perSecond: 5 };
/** Maximum number of remembered offenders. The oldest are forgotten first. */
const MAX_REMEMBERED = 4096;

/** Counts refusals by offender. */
export class RefusalLimit {
  readonly #limits: RefusalRate;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limits: RefusalRate) {
    this.#limits = limits;
  }

  /** Counts one refusal. @returns whether the offender was already over the limit */
  isOwed(offender: string): boolean {
    return !this.#bucketOf(offender).take();
  }

  /** Whether the offender is over the limit. Counts nothing. */
  owes(offender: string): boolean {
    return (this.#buckets.get(offender)?.waitMs() ?? 0) > 0;
  }

  /** Counts refusals. However large the count, one call exceeds the limit by at most one burst. */
  charge(offender: string, count: number): void {
    this.#bucketOf(offender).charge(Math.min(count, 2 * this.#limits.burst));
  }

  #bucketOf(offender: string): TokenBucket {
    const { burst, perSecond } = this.#limits;
    const bucket = this.#buckets.get(offender) ?? new TokenBucket(burst, perSecond);
    this.#buckets.delete(offender);
    this.#buckets.set(offender, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_REMEMBERED) this.#buckets.delete(oldest!);
    return bucket;
  }
}
