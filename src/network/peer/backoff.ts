/**
 * Pauses between attempts to reach a peer again: doubled after each failure up to a bound, and drawn between
 * half and one and a half of that, so that many nodes that lost a peer at once do not come back at once.
 */
export class Backoff {
  private readonly firstMs: number;
  private readonly lastMs: number;
  private readonly random: () => number;
  private failures = 0;

  /** @param random from [0, 1). */
  constructor(firstMs: number, lastMs: number, random: () => number = Math.random) {
    this.firstMs = firstMs;
    this.lastMs = lastMs;
    this.random = random;
  }

  /** The pause after one more failure. */
  nextMs(): number {
    const pause = Math.min(this.lastMs, this.firstMs * 2 ** Math.min(this.failures, 40));
    this.failures++;
    return Math.round(pause * (0.5 + this.random()));
  }

  /** The peer was there: the next pause is the first. */
  reset(): void {
    this.failures = 0;
  }
}
