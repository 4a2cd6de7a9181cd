/**
 * Requests waiting for a worker, in the order in which they get one.
 *
 * There are two lanes: searches for payments, which wait for the answer, and all other queries. Payments go first. But
 * after every `PAYMENTS_PER_QUERY` payments one query goes, so that a flood of payments slows queries down without
 * stopping them. Within a lane, clients take turns with one request each, so a client with ten thousand queries delays
 * only itself.
 *
 * Each lane is bounded. When a lane is full, the client with the most queued requests loses its newest request.
 * Refusing by order of arrival would let one client block the others. Adding and taking need O(1) time. Adding to a
 * full lane looks at each client and at the requests of one client.
 */

/** The lane of a request; payments go before queries. */
export type Lane = 'payment' | 'query';

/** What the order of requests depends on. */
export interface QueuedRequest {
  readonly lane: Lane;
  /** The requesting client. Clients are compared by identity. */
  readonly client: object;
}

/** After this many consecutive payments, a waiting query goes first. */
export const PAYMENTS_PER_QUERY = 8;

/** Removes an item, usually the first, from a list. Returns false if it is not there. */
export function removeFrom<T>(items: T[], item: T): boolean {
  const at = items.indexOf(item);
  if (at === 0) items.shift();
  else if (at > 0) items.splice(at, 1);
  return at >= 0;
}

/**
 * One lane: clients in order of their turns, each with its requests in order of arrival. The requests are in lists, not
 * in sets: when a set grows, its former table keeps its entries and refers to the new one. Once a former table is among
 * V8's old objects, all requests that ever pass through the set stay in memory until the next full collection.
 */
class ClientTurns<T extends QueuedRequest> {
  /** Requests returned by a worker. They already had their turn, so they go first. */
  readonly #returned: T[] = [];
  readonly #clients = new Map<object, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  ofClient(client: object): number {
    return this.#clients.get(client)?.length ?? 0;
  }

  add(item: T): void {
    const own = this.#clients.get(item.client);
    if (own === undefined) this.#clients.set(item.client, [item]);
    else own.push(item);
    this.#size++;
  }

  putBack(item: T): void {
    this.#returned.unshift(item);
    this.#size++;
  }

  first(): T | undefined {
    if (this.#returned.length > 0) return this.#returned[0];
    const own = this.#clients.values().next().value;
    return own?.[0];
  }

  /** Removes the first request. Its client's next turn comes after those of all other clients. */
  take(): T | undefined {
    const item = this.first();
    if (item === undefined) return undefined;
    const isReturned = item === this.#returned[0];
    this.remove(item);
    const own = this.#clients.get(item.client);
    if (!isReturned && own !== undefined && this.#clients.size > 1) {
      this.#clients.delete(item.client);
      this.#clients.set(item.client, own);
    }
    return item;
  }

  remove(item: T): boolean {
    const own = this.#clients.get(item.client);
    if (own !== undefined && removeFrom(own, item)) {
      if (own.length === 0) this.#clients.delete(item.client);
    } else if (!removeFrom(this.#returned, item)) return false;
    this.#size--;
    return true;
  }

  /** Returns the newest request of the client with the most requests, and how many requests that client has. */
  longest(): { item: T | undefined; waiting: number } {
    let longest: T[] = [];
    for (const own of this.#clients.values()) {
      if (own.length > longest.length) longest = own;
    }
    return { item: longest.at(-1), waiting: longest.length };
  }
}

/** The two lanes. The head of this file explains the order. */
export class RequestQueue<T extends QueuedRequest> {
  /** Maximum number of queued requests per lane. */
  readonly laneSize: number;
  readonly #lanes: Readonly<Record<Lane, ClientTurns<T>>> = {
    payment: new ClientTurns(),
    query: new ClientTurns(),
  };
  #paymentsInARow = 0;

  constructor(laneSize: number) {
    this.laneSize = laneSize;
  }

  get size(): number {
    return this.#lanes.payment.size + this.#lanes.query.size;
  }

  waiting(lane: Lane): number {
    return this.#lanes[lane].size;
  }

  /** Number of the client's requests in the lane, without those that were put back. */
  ofClient(lane: Lane, client: object): number {
    return this.#lanes[lane].ofClient(client);
  }

  /**
   * Adds a request.
   * @returns undefined if there is room. Otherwise the request that is dropped: `item`, or a queued request of another
   *   client
   */
  add(item: T): T | undefined {
    const lane = this.#lanes[item.lane];
    if (lane.size < this.laneSize) {
      lane.add(item);
      return undefined;
    }
    const { item: other, waiting } = lane.longest();
    if (other === undefined || waiting <= lane.ofClient(item.client) + 1) return item;
    lane.remove(other);
    lane.add(item);
    return other;
  }

  /** Puts back a request that was taken. It goes before all others of its lane, even if the lane is full. */
  putBack(item: T): void {
    this.#lanes[item.lane].putBack(item);
  }

  /** The next request, which stays in the queue. Undefined when the queue is empty. */
  first(): T | undefined {
    return this.#lanes[this.#laneInTurn()].first();
  }

  /** Removes and returns the next request. */
  take(): T | undefined {
    const lane = this.#laneInTurn();
    const isQueryKept = lane === 'payment' && this.#lanes.query.size > 0;
    this.#paymentsInARow = isQueryKept ? this.#paymentsInARow + 1 : 0;
    return this.#lanes[lane].take();
  }

  #laneInTurn(): Lane {
    const { payment, query } = this.#lanes;
    if (payment.size === 0) return 'query';
    return query.size > 0 && this.#paymentsInARow >= PAYMENTS_PER_QUERY ? 'query' : 'payment';
  }

  /** Removes a request, wherever it is. False when it is not in the queue. */
  remove(item: T): boolean {
    return this.#lanes[item.lane].remove(item);
  }

  /** Empties the queue and returns everything in it. */
  drain(): T[] {
    const all: T[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) all.push(item);
    return all;
  }
}
