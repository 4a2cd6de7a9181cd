/**
 * Pauses between attempts to reconnect to a peer. They double after each failure, up to a maximum. The actual pause is
 * random, between half and one and a half of that length, so that many nodes that lost a peer at the same moment do not
 * all reconnect at once.
 */
export class Backoff {
  private readonly firstMs: number;
  private readonly lastMs: number;
  private readonly random: () => number;
  private failures = 0;

  /** @param random returns numbers in [0, 1). */
  constructor(firstMs: number, lastMs: number, random: () => number = Math.random) {
    this.firstMs = firstMs;
    this.lastMs = lastMs;
    this.random = random;
  }

  /** Counts a failure. Returns the pause after it, in milliseconds. */
  nextMs(): number {
    const pause = Math.min(this.lastMs, this.firstMs * 2 ** Math.min(this.failures, 40));
    this.failures++;
    return Math.round(pause * (0.5 + this.random()));
  }

  /** Call this once the peer has been reached. The next pause is then the shortest. */
  reset(): void {
    this.failures = 0;
  }
}
