/**
 * A queue shared by many senders. Each key has its own short queue, and the keys take turns. A sender that exceeds its
 * share fills only its own queue. Adding or taking an item takes constant time.
 */
export class FairQueue<K, T> {
  private readonly perKey: number;
  /** A Map preserves insertion order. The first key has the next turn. */
  private readonly queues = new Map<K, T[]>();
  private count = 0;

  /** @param perKey maximum number of queued items per key. */
  constructor(perKey: number) {
    this.perKey = perKey;
  }

  get size(): number {
    return this.count;
  }

  /** Adds an item. @returns false if the key's queue is full */
  push(key: K, item: T): boolean {
    const queue = this.queues.get(key);
    if (queue === undefined) this.queues.set(key, [item]);
    else if (queue.length < this.perKey) queue.push(item);
    else return false;
    this.count++;
    return true;
  }

  /** Takes the next item of the current key. That key then moves to the end of the queue. */
  take(): T | undefined {
    for (const [key, queue] of this.queues) {
      const item = queue.shift() as T;
      this.queues.delete(key);
      if (queue.length > 0) this.queues.set(key, queue);
      this.count--;
      return item;
    }
    return undefined;
  }

  /** Removes and returns all items of one key. */
  remove(key: K): readonly T[] {
    const queue = this.queues.get(key) ?? [];
    this.queues.delete(key);
    this.count -= queue.length;
    return queue;
  }

  /** Removes and returns all items. */
  clear(): readonly T[] {
    const all = [...this.queues.values()].flat();
    this.queues.clear();
    this.count = 0;
    return all;
  }
}
