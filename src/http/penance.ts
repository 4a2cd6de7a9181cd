/**
 * Limits wrong runes by address. Each address may show a few, and a few more in each second. Beyond that its requests
 * with wrong runes are refused before their bodies are read.
 *
 * Guessing a rune is hopeless anyway. The limit bounds the work and the lines of the log that guessing causes.
 */
import { TokenBucket } from '../model/token-bucket.ts';

/** Wrong runes that an address may show at once, and how many more in each second after that. */
const BURST = 50;
const PER_SECOND = 5;
/** Addresses that are remembered. The oldest are forgotten first. */
const MAX_REMEMBERED = 4096;

/** Counts wrong runes by address. */
export class Penance {
  readonly #buckets = new Map<string, TokenBucket>();

  /** Counts a wrong rune. @returns whether its address has shown too many. */
  isOwed(address: string): boolean {
    const bucket = this.#buckets.get(address) ?? new TokenBucket(BURST, PER_SECOND);
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_REMEMBERED) this.#buckets.delete(oldest!);
    return !bucket.take();
  }
}
