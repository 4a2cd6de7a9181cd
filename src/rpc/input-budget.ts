/**
 * How many bytes of requests, unfinished or running, all connections together hold. One connection's share is
 * bounded by the size of a request; this bounds the sum, which many connections could otherwise drive up.
 */
export class InputBudget {
  readonly maxBytes: number;
  private used = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.used;
  }

  /** Reserves room for more of an unfinished request; false, and nothing reserved, when there is none. */
  tryReserve(bytes: number): boolean {
    if (this.used + bytes > this.maxBytes) return false;
    this.used += bytes;
    return true;
  }

  /** Counts a request that is complete and will run: its bytes are there whether they fit or not. */
  hold(bytes: number): void {
    this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}
