/**
 * A token bucket: `burst` actions at once, then a fixed number per second. Times are milliseconds of a monotonic clock.
 */

/** Limits a rate. Each action takes a token. Tokens are refilled at a constant rate. */
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

  /** Takes one token. Returns false if there is none. */
  take(): boolean {
    this.refill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  /** Takes tokens for work that is already done. The count may become negative, which delays the next action. */
  charge(count: number): void {
    this.refill();
    this.tokens -= count;
  }

  /** Milliseconds until there is a token. 0 if there is one now. */
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
