/**
 * Codes that represent a rune in a link. A browser keeps opened links in its history for months, so a link never
 * contains a rune. It contains a code, which the page exchanges for the rune. A code works only once, and only for one
 * minute.
 *
 * Codes exist only in memory. A restart of the service invalidates them.
 */
import { randomBytes } from '../model/random-bytes.ts';

/** Lifetime of a code in milliseconds. */
export const CODE_LIFE_MS = 60_000;
/** Maximum number of unused codes. The oldest is dropped first. */
const MAX_CODES = 256;
const CODE_BYTES = 16;

interface IssuedCode {
  readonly rune: string;
  readonly expiresAtMs: number;
}

/** The codes that were issued and not used yet. */
export class LinkCodes {
  readonly #waiting = new Map<string, IssuedCode>();
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Creates a code for a rune. @returns 128 random bits in base64url: 22 characters */
  issue(rune: string): string {
    const code = Buffer.from(randomBytes(CODE_BYTES)).toString('base64url');
    this.#waiting.set(code, { rune, expiresAtMs: this.#nowMs() + CODE_LIFE_MS });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_CODES) this.#waiting.delete(oldest!);
    return code;
  }

  /** Consumes a code. @returns its rune, or undefined if the code is unknown, used or expired */
  redeem(code: string): string | undefined {
    const found = this.#waiting.get(code);
    this.#waiting.delete(code);
    return found !== undefined && this.#nowMs() < found.expiresAtMs ? found.rune : undefined;
  }
}
