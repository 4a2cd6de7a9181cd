/**
 * Limits refused requests: wrong runes by address, and what a rune of this node does not permit by rune and address.
 * Limits large documents that need no rune, by address. Anyone who exceeds a limit is refused with 429 before the body is read.
 *
 * Guessing a rune is hopeless anyway. The limit bounds the work and the lines of the log that refusals cause.
 */
import { TokenBucket } from '../model/token-bucket.ts';

/** How many requests one offender may cause at once, and how many more in each second after that. */
interface PenanceLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** Wrong runes of one address. */
export const WRONG_RUNES: PenanceLimits = { burst: 50, perSecond: 5 };
/** Requests that a rune does not permit, from one address. Each request of a batch counts. */
export const NOT_PERMITTED: PenanceLimits = { burst: 1000, perSecond: 100 };
/** Reads of a description of the commands, half a megabyte each, from one address. */
export const DESCRIPTIONS: PenanceLimits = { burst: 50, perSecond: 5 };
/** Offenders that are remembered. The oldest are forgotten first. */
const MAX_REMEMBERED = 4096;

/** Counts refusals by offender. */
export class Penance {
  readonly #limits: PenanceLimits;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(limits: PenanceLimits) {
    this.#limits = limits;
  }

  /** Counts one refusal. @returns whether the offender had too many before */
  isOwed(offender: string): boolean {
    return !this.#bucketOf(offender).take();
  }

  /** Whether the offender has had too many. Counts nothing. */
  owes(offender: string): boolean {
    return (this.#buckets.get(offender)?.waitMs() ?? 0) > 0;
  }

  /** Counts refusals that were answered. The debt of an offender is limited to one burst. */
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
