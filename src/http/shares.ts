/** Counts what each client has at a time, so that no client takes everything. */
export class Shares {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** @param most maximum number per client */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes one for a client. @returns false when it already has its share */
  take(client: string): boolean {
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(client, count + 1);
    return true;
  }

  /** Returns one that was taken. */
  giveBack(client: string): void {
    const left = (this.#counts.get(client) ?? 0) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/** What one client has, and what it waits for. */
interface Queue {
  taken: number;
  readonly waiting: { readonly count: number; readonly proceed: () => void }[];
}

/** Counts what each client has at a time, and makes a client that has its share wait. */
export class WaitingShares {
  readonly #most: number;
  readonly #queues = new Map<string, Queue>();

  /** @param most maximum number per client */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the client may have this many more, in order of the calls. Return them afterwards. */
  async take(client: string, count: number): Promise<void> {
    const queue = this.#queues.get(client) ?? { taken: 0, waiting: [] };
    this.#queues.set(client, queue);
    await new Promise<void>((proceed) => {
      queue.waiting.push({ count: Math.min(count, this.#most), proceed });
      this.#proceed(queue);
    });
  }

  /** Returns the requested number. */
  giveBack(client: string, count: number): void {
    const queue = this.#queues.get(client)!;
    queue.taken -= Math.min(count, this.#most);
    this.#proceed(queue);
    if (queue.taken === 0) this.#queues.delete(client);
  }

  #proceed(queue: Queue): void {
    for (let [next] = queue.waiting; next !== undefined; [next] = queue.waiting) {
      if (queue.taken + next.count > this.#most) return;
      queue.waiting.shift();
      queue.taken += next.count;
      next.proceed();
    }
  }
}
