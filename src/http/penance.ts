/**
 * What wrong runes cost. Each address may show a few runes that are not of this node, and a few more in each
 * second. Beyond that it is refused without a look at the rune, unless that rune was right before.
 *
 * Guessing a rune is hopeless anyway. This bounds the work, and the lines of the log, that somebody causes who
 * tries.
 */
import { createHash } from 'node:crypto';
import { TokenBucket } from '../model/token-bucket.ts';
import type { RuneVerdict } from './messages.ts';

/** Wrong runes that an address may show at once, and in each second after that. */
const BURST = 50;
const PER_SECOND = 5;
/** Addresses, and right runes, that are remembered. The oldest are forgotten first. */
const MAX_REMEMBERED = 4096;

/** Counts by address the runes that are not known to be right. */
export class Penance {
  readonly #buckets = new Map<string, TokenBucket>();
  /** Hashes of runes that were right. The runes themselves are secrets. */
  readonly #right = new Map<string, true>();

  /**
   * Whether a rune is not looked at, because its address has shown too many. One that was not right before
   * counts as soon as it comes, so that many at once do not slip through.
   */
  isOwed(address: string, rune: string): boolean {
    if (this.#right.has(digestOf(rune))) return false;
    const bucket = this.#buckets.get(address) ?? new TokenBucket(BURST, PER_SECOND);
    remember(this.#buckets, address, bucket);
    return !bucket.take();
  }

  /** Notes what came of a rune. One that was right once may have been blacklisted since. */
  note(rune: string, verdict: RuneVerdict): void {
    if (verdict === 'right') remember(this.#right, digestOf(rune), true);
    if (verdict === 'wrong') this.#right.delete(digestOf(rune));
  }
}

const digestOf = (rune: string): string => createHash('sha256').update(rune).digest('base64');

function remember<T>(memory: Map<string, T>, key: string, value: T): void {
  memory.delete(key);
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > MAX_REMEMBERED) memory.delete(oldest!);
}
