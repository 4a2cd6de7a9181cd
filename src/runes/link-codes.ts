/**
 * Codes that stand for a rune in a link. A browser keeps the links that it opened in its history for months, so a link
 * never holds a rune. It holds a code, which works once and for one minute: the page sends the code and gets the rune.
 *
 * Codes live in memory only. A restart of the service invalidates them.
 */
import { randomBytes } from '../model/random-bytes.ts';

/** Milliseconds for which a code works. */
export const CODE_LIFE_MS = 60_000;
/** Maximum number of codes waiting to be used. The oldest is dropped first. */
const MAX_CODES = 256;
const CODE_BYTES = 16;

interface IssuedCode {
  readonly rune: string;
  readonly expiresAtMs: number;
}

/** The codes that have been given out and not used yet. */
export class LinkCodes {
  readonly #waiting = new Map<string, IssuedCode>();
  readonly #nowMs: () => number;

  /** @param nowMs a clock that never goes back, in milliseconds */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Makes a code for a rune. @returns 128 random bits in base64url: 22 characters */
  issue(rune: string): string {
    const code = Buffer.from(randomBytes(CODE_BYTES)).toString('base64url');
    this.#waiting.set(code, { rune, expiresAtMs: this.#nowMs() + CODE_LIFE_MS });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_CODES) this.#waiting.delete(oldest!);
    return code;
  }

  /** Uses a code up. @returns its rune, or undefined if the code is unknown, used or expired */
  redeem(code: string): string | undefined {
    const found = this.#waiting.get(code);
    this.#waiting.delete(code);
    return found !== undefined && this.#nowMs() < found.expiresAtMs ? found.rune : undefined;
  }
}
