/** Counts the units that each client holds, such as requests or bytes, so that no client takes everything. */
export class ClientQuota {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  /** @param most maximum number of units per client */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a unit for a client. @returns false if the client already has its share */
  take(client: string): boolean {
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(client, count + 1);
    return true;
  }

  giveBack(client: string): void {
    const left = (this.#counts.get(client) ?? 0) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/** The units that one client holds, and those that it waits for. */
interface Queue {
  taken: number;
  readonly waiting: { readonly count: number; readonly proceed: () => void }[];
}

/** Counts the units that each client holds, and makes a client wait while it has its share. */
export class WaitingQuota {
  readonly #most: number;
  readonly #queues = new Map<string, Queue>();

  /** @param most maximum number of units per client */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Takes units for a client, once it may have this many more. Calls resolve in order. Give the units back with
   * `giveBack`.
   */
  async take(client: string, count: number): Promise<void> {
    const queue = this.#queues.get(client) ?? { taken: 0, waiting: [] };
    this.#queues.set(client, queue);
    await new Promise<void>((proceed) => {
      queue.waiting.push({ count: Math.min(count, this.#most), proceed });
      this.#proceed(queue);
    });
  }

  /** Gives back the units taken by a call of `take` with the same count. */
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
