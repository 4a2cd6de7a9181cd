/**
 * Limits wrong runes by address. Each address may show a few runes that are not known here, and a few more in each
 * second. Beyond that its requests are refused without looking at the rune, unless that rune was right before.
 *
 * Guessing a rune is hopeless anyway. The limit bounds the work and the lines of the log that guessing causes.
 */
import { createHash } from 'node:crypto';
import { TokenBucket } from '../model/token-bucket.ts';
import type { RuneVerdict } from './messages.ts';

/** Runes not known to be right that an address may show at once, and how many more in each second after that. */
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
   * Whether the rune must be refused without a look, because its address has shown too many. A rune that is not known
   * to be right counts as soon as it comes, so that many at once do not slip through.
   */
  isOwed(address: string, rune: string): boolean {
    if (this.#right.has(digestOf(rune))) return false;
    const bucket = this.#buckets.get(address) ?? new TokenBucket(BURST, PER_SECOND);
    remember(this.#buckets, address, bucket);
    return !bucket.take();
  }

  /** Notes the verdict on a rune. A rune that was right once may have been blacklisted since. */
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
