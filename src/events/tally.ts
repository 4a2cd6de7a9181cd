/** Counts events, for the figures of the whole node. */
import type { EventBody, Figures } from './event.ts';

/**
 * The figures that are counted from events. All other figures are read from the parts of the node that they describe.
 */
export type Counts = Pick<
  Figures,
  'paymentsComplete' | 'paymentsFailed' | 'attemptsSettled' | 'attemptsFailed' | 'fetchesInFlight'
>;

/** Counts since the start. */
export class Tally {
  readonly #counts: { -readonly [K in keyof Counts]: Counts[K] } = {
    paymentsComplete: 0,
    paymentsFailed: 0,
    attemptsSettled: 0,
    attemptsFailed: 0,
    fetchesInFlight: 0,
  };

  get counts(): Counts {
    return this.#counts;
  }

  readonly note = (event: EventBody): void => {
    const counts = this.#counts;
    if (event.type === 'payment') {
      if (event.status === 'complete') counts.paymentsComplete++;
      if (event.status === 'failed') counts.paymentsFailed++;
    } else if (event.type === 'attempt') {
      if (event.status === 'settled') counts.attemptsSettled++;
      if (event.status === 'failed') counts.attemptsFailed++;
    } else if (event.type === 'fetch') {
      counts.fetchesInFlight += event.status === 'began' ? 1 : -1;
    }
  };
}
