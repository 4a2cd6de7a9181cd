/**
 * Requests that wait for a worker, in the order in which they get one.
 *
 * Two lanes: what payments ask, where money waits for the answer, and all other questions. Payments go first,
 * whatever else waits; only every `PAYMENTS_PER_QUERY` payments one query goes before them, so that a flood of
 * payments slows queries down and does not end them. Within a lane clients take turns, one request each: who
 * asks ten thousand at once waits for them, and nobody else does.
 *
 * Each lane is bounded. What does not fit is not refused by the order of arrival, which would let one client
 * keep others out: the client with the most waiting gives way, with its newest request.
 * Adding and taking need O(1) time; adding to a full lane looks at each client and at one client's requests.
 */

export type Lane = 'payment' | 'query';

/** What the order depends on. */
export interface QueuedRequest {
  readonly lane: Lane;
  /** Who asked; compared by identity. */
  readonly client: object;
}

/** After so many payments in a row, a query that waits goes first. */
export const PAYMENTS_PER_QUERY = 8;

/** One lane: clients in the order of their turns, each with its requests in order of arrival. */
class ClientTurns<T extends QueuedRequest> {
  /** Requests that were with a worker already and came back: their turn has been. */
  readonly #returned: T[] = [];
  readonly #clients = new Map<object, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  ofClient(client: object): number {
    return this.#clients.get(client)?.size ?? 0;
  }

  add(item: T): void {
    const own = this.#clients.get(item.client);
    if (own === undefined) this.#clients.set(item.client, new Set([item]));
    else own.add(item);
    this.#size++;
  }

  putBack(item: T): void {
    this.#returned.unshift(item);
    this.#size++;
  }

  first(): T | undefined {
    if (this.#returned.length > 0) return this.#returned[0];
    const own = this.#clients.values().next().value;
    return own?.values().next().value;
  }

  /** Removes the first one; its client's next turn comes after those of all others. */
  take(): T | undefined {
    const item = this.first();
    if (item === undefined) return undefined;
    const isReturned = item === this.#returned[0];
    this.remove(item);
    const own = this.#clients.get(item.client);
    if (!isReturned && own !== undefined) {
      this.#clients.delete(item.client);
      this.#clients.set(item.client, own);
    }
    return item;
  }

  remove(item: T): boolean {
    const own = this.#clients.get(item.client);
    if (own?.delete(item)) {
      if (own.size === 0) this.#clients.delete(item.client);
    } else {
      const at = this.#returned.indexOf(item);
      if (at < 0) return false;
      this.#returned.splice(at, 1);
    }
    this.#size--;
    return true;
  }

  /** The newest request of the client that has the most, and how many that are. */
  longest(): { item: T | undefined; waiting: number } {
    let longest: Set<T> | undefined;
    for (const own of this.#clients.values()) {
      if (own.size > (longest?.size ?? 0)) longest = own;
    }
    return { item: [...(longest ?? [])].at(-1), waiting: longest?.size ?? 0 };
  }
}

export class RequestQueue<T extends QueuedRequest> {
  /** Most requests that wait in each lane. */
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

  /** How many of the client's requests wait in the lane. */
  ofClient(lane: Lane, client: object): number {
    return this.#lanes[lane].ofClient(client);
  }

  /**
   * Adds a request.
   * @returns the one that has no room and waits no longer: this one, or another client's; mostly none.
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

  /** Puts back one that was taken, before all others of its lane and whether or not it fits. */
  putBack(item: T): void {
    this.#lanes[item.lane].putBack(item);
  }

  /** The next in turn, which stays; undefined when none waits. */
  first(): T | undefined {
    return this.#lanes[this.#laneInTurn()].first();
  }

  /** Removes and returns the next in turn. */
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

  /** Takes a request out wherever it stands; false when it does not wait here. */
  remove(item: T): boolean {
    return this.#lanes[item.lane].remove(item);
  }

  /** Empties the queue. */
  drain(): T[] {
    const all: T[] = [];
    for (let item = this.take(); item !== undefined; item = this.take()) all.push(item);
    return all;
  }
}
