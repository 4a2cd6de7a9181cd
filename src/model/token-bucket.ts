/**
 * A token bucket: `burst` actions at once, and then so many a second. Times are milliseconds of a monotonic
 * clock.
 */

/** Limits a rate. Each action takes a token, and tokens come back at a constant rate. */
export class TokenBucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private readonly now: () => number;
  private tokens: number;
  private at: number;

  constructor(burst: number, perSecond: number, now: () => number = () => performance.now()) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.now = now;
    this.tokens = burst;
    this.at = now();
  }

  /** Takes one token. False when there is none. */
  take(): boolean {
    this.refill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes tokens for what has been done already. So there may be fewer than none, and the next action waits longer. */
  charge(count: number): void {
    this.refill();
    this.tokens -= count;
  }

  /** Milliseconds until there is a token again. 0 when there is one. */
  waitMs(): number {
    this.refill();
    return this.tokens >= 1 ? 0 : Math.ceil(((1 - this.tokens) * 1000) / this.perSecond);
  }

  private refill(): void {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) * this.perSecond) / 1000);
    this.at = now;
  }
}
