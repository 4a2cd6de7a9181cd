/**
 * Which fleet a process belongs to. Several fleets may share one NATS server. Each has a random id, made with its
 * database, which is in every subject and in every message. Messages with another id, or without one, are dropped and counted.
 */

/** One fleet, on one chain. */
export class FleetName {
  readonly chain: string;
  /** Made by `store prepare`: 16 hex digits. */
  readonly id: string;
  #foreign = 0;
  #malformed = 0;

  constructor(chain: string, id: string) {
    this.chain = chain;
    this.id = id;
  }

  /** Messages that were dropped because they are not of this fleet. */
  get foreign(): number {
    return this.#foreign;
  }

  /** Messages of this fleet, or of none, that were dropped because they are malformed. */
  get malformed(): number {
    return this.#malformed;
  }

  /** Counts a malformed message. */
  noteMalformed(): void {
    this.#malformed++;
  }

  /** Whether a message is of this fleet. Others are counted. */
  owns({ fleet }: { readonly fleet?: unknown }): boolean {
    if (fleet === this.id) return true;
    this.#foreign++;
    return false;
  }
}
