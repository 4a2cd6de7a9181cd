/** Counts what each of many clients has at once, so that no client takes all that there is. */
export class Shares {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** @param most the largest number that one client may have */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes one for a client. @returns false when it has its share already */
  take(client: string): boolean {
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(client, count + 1);
    return true;
  }

  /** Gives back one that was taken. */
  giveBack(client: string): void {
    const left = (this.#counts.get(client) ?? 0) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}
