/**
 * A queue that many share: each key has a short queue of its own, and the keys take turns. Whoever brings more
 * than its share fills its own queue and nobody else's. Every operation takes constant time.
 */
export class FairQueue<K, T> {
  private readonly perKey: number;
  /** A Map keeps the order in which keys were put in: the first one's turn is next. */
  private readonly queues = new Map<K, T[]>();
  private count = 0;

  /** @param perKey items of one key that may wait. */
  constructor(perKey: number) {
    this.perKey = perKey;
  }

  get size(): number {
    return this.count;
  }

  /** False when this key has as many waiting as it may. */
  push(key: K, item: T): boolean {
    const queue = this.queues.get(key);
    if (queue === undefined) this.queues.set(key, [item]);
    else if (queue.length < this.perKey) queue.push(item);
    else return false;
    this.count++;
    return true;
  }

  /** The next item of the key whose turn it is, which then goes to the end of the line. */
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

  /** Takes all that waits of one key. */
  remove(key: K): readonly T[] {
    const queue = this.queues.get(key) ?? [];
    this.queues.delete(key);
    this.count -= queue.length;
    return queue;
  }

  /** Takes all that waits. */
  clear(): readonly T[] {
    const all = [...this.queues.values()].flat();
    this.queues.clear();
    this.count = 0;
    return all;
  }
}
