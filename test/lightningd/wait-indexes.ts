/** The counters behind `wait`: how many rows of each kind were ever created, updated and deleted. */
import { CODE, Refusal } from './refusal.ts';
import { isSince } from './release.ts';

/** The subsystems for which `wait` can wait, each with the first release that supports it. */
const SUBSYSTEMS: Readonly<Record<string, string>> = {
  forwards: 'v25.02',
  sendpays: 'v25.02',
  invoices: 'v25.02',
  htlcs: 'v25.05',
  chainmoves: 'v25.09',
  channelmoves: 'v25.09',
  networkevents: 'v25.12',
};

interface Waiter {
  readonly subsystem: string;
  readonly indexName: string;
  readonly nextValue: bigint;
  readonly answer: (result: object) => void;
}

/** Counts rows, and answers the waiters. */
export class WaitIndexes {
  readonly #release: () => string;
  readonly #values = new Map<string, bigint>();
  #waiters: Waiter[] = [];

  /** @param release returns the node's release, which may change at a restart */
  constructor(release: () => string) {
    this.#release = release;
  }

  value(subsystem: string, indexName: string): bigint {
    return this.#values.get(`${subsystem} ${indexName}`) ?? 0n;
  }

  /** Adds one to a counter. @returns the new value. */
  count(subsystem: string, indexName: string, details: object): bigint {
    const value = this.value(subsystem, indexName) + 1n;
    this.#values.set(`${subsystem} ${indexName}`, value);
    const isServed = (one: Waiter): boolean =>
      one.subsystem === subsystem && one.indexName === indexName && one.nextValue <= value;
    const served = this.#waiters.filter(isServed);
    this.#waiters = this.#waiters.filter((one) => !isServed(one));
    for (const { answer } of served) answer(this.#shown(subsystem, indexName, details));
    return value;
  }

  /** Handles `wait`. */
  wait(subsystem: string, indexName: string, nextValue: bigint): Promise<object> {
    const since = SUBSYSTEMS[subsystem];
    if (since === undefined || !isSince(this.#release(), since)) {
      const message = `subsystem: unknown subsystem: invalid token '"${subsystem}"'`;
      throw new Refusal(CODE.invalidParams, message);
    }
    const value = this.value(subsystem, indexName);
    if (value >= nextValue) return Promise.resolve({ subsystem, [indexName]: value });
    return new Promise((answer) => this.#waiters.push({ subsystem, indexName, nextValue, answer }));
  }

  /** Drops all waiters, because the node was stopped. */
  forgetWaiters(): void {
    this.#waiters = [];
  }

  /** Up to v25.02, the details are in the member `details`. Later releases name the member after the subsystem. */
  #shown(subsystem: string, indexName: string, details: object): object {
    const head = { subsystem, [indexName]: this.value(subsystem, indexName) };
    if (!isSince(this.#release(), 'v25.05')) return { ...head, details };
    const isOld = ['forwards', 'sendpays', 'invoices'].includes(subsystem);
    return { ...head, ...(isOld && { details }), [subsystem]: details };
  }
}
