/**
 * The fleet of a process. Several fleets may share one NATS server. Each has a random id, created with its database.
 * Every subject and every message contains the id. Messages with a different id, or without an id, are dropped and
 * counted.
 */

/** One fleet, on one chain. */
export class FleetName {
  readonly chain: string;
  /** Created by `store prepare`: 16 hex digits. */
  readonly id: string;
  #foreign = 0;
  #malformed = 0;

  constructor(chain: string, id: string) {
    this.chain = chain;
    this.id = id;
  }

  /** Number of messages dropped because they name another fleet, or none. */
  get foreign(): number {
    return this.#foreign;
  }

  /** Number of messages dropped because they were malformed. */
  get malformed(): number {
    return this.#malformed;
  }

  noteMalformed(): void {
    this.#malformed++;
  }

  /** Whether a message belongs to this fleet. Counts messages that do not. */
  owns({ fleet }: { readonly fleet?: unknown }): boolean {
    if (fleet === this.id) return true;
    this.#foreign++;
    return false;
  }
}
