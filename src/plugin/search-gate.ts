/**
 * Limits the number of concurrent route searches (`askrene-max-threads`). Further searches wait in order of arrival.
 */

/** Lets searches begin while fewer than the maximum are running. */
export class SearchGate {
  readonly #running = new Set<string>();
  readonly #waiting: { id: string; begin: () => void }[] = [];
  #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running.size;
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  get most(): number {
    return this.#most;
  }

  /** Changes the maximum. Waiting searches begin if there is now room. */
  set most(most: number) {
    this.#most = most;
    this.#beginNext();
  }

  /** Whether the next search has to wait. */
  get isFull(): boolean {
    return this.#running.size >= this.#most;
  }

  /** Begins the search immediately, or when there is room. */
  enter(id: string, begin: () => void): void {
    this.#waiting.push({ id, begin });
    this.#beginNext();
  }

  /** Removes a search, which makes room for others. Call this when the search has ended, or its caller has left. */
  leave(id: string): void {
    this.#running.delete(id);
    const at = this.#waiting.findIndex((one) => one.id === id);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#beginNext();
  }

  #beginNext(): void {
    for (let next = this.#waiting[0]; next !== undefined && !this.isFull; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#running.add(next.id);
      next.begin();
    }
  }
}
