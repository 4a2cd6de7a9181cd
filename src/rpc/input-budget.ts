/**
 * Counts the bytes of requests, unfinished or running, that all connections hold together. The limit on one request
 * bounds a single connection. This budget bounds the sum, which many connections could otherwise make large.
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

  /** Reserves bytes for more of an unfinished request. If there is no room, reserves nothing and returns false. */
  tryReserve(bytes: number): boolean {
    if (this.used + bytes > this.maxBytes) return false;
    this.used += bytes;
    return true;
  }

  /** Counts a request that is complete and will run. Its bytes are in memory whether or not they fit the budget. */
  hold(bytes: number): void {
    this.used += bytes;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}
