/**
 * Pauses between attempts to reach a peer again. They double after each failure up to a bound. Each is drawn
 * between half and one and a half of that length, so that many nodes that lost a peer at once do not come
 * back at once.
 */
export class Backoff {
  private readonly firstMs: number;
  private readonly lastMs: number;
  private readonly random: () => number;
  private failures = 0;

  /** @param random gives numbers in [0, 1). */
  constructor(firstMs: number, lastMs: number, random: () => number = Math.random) {
    this.firstMs = firstMs;
    this.lastMs = lastMs;
    this.random = random;
  }

  /** The pause after one more failure, in milliseconds. */
  nextMs(): number {
    const pause = Math.min(this.lastMs, this.firstMs * 2 ** Math.min(this.failures, 40));
    this.failures++;
    return Math.round(pause * (0.5 + this.random()));
  }

  /** Call when the peer was reached. The next pause is the first again. */
  reset(): void {
    this.failures = 0;
  }
}
