/**
 * What earlier searches of one request showed about its terms: which terms have an answer, and which have none.
 *
 * Searches for the reason, and the search that failed, often answer what a test of a remedy would ask again:
 *
 * - An answer that exceeds only the fee limit is the answer of a request whose limit is its fee, if finding it took no
 *   more than the effort that a request reserves for the answer of lowest fees.
 * - If there is no answer, there is none under terms that allow no more either.
 * - If a search ran out of effort, a search with less effort and terms that allow no more does too.
 */
import { isOnlyDear, isRefused, type Reply } from './ask.ts';
import type { Terms } from './remedy.ts';

/** Terms without an answer, as far as is known. */
interface Failed {
  readonly terms: Terms;
  /** A search with at most this many steps finds no answer. Infinity if there is none. */
  readonly steps: number;
}

/** A reply, and how many steps the search took. */
export interface TimedReply {
  readonly reply: Reply;
  readonly steps: number;
}

/**
 * A test accepts the first answer within the limits, and takes at least about a third of the steps that finding the
 * answer of lowest fees takes.
 */
const TEST_SHARE = 1 / 3;

/** The known replies of one request. */
export class KnownReplies {
  readonly #replies = new Map<string, TimedReply>();
  readonly #answered: Terms[] = [];
  readonly #failed: Failed[] = [];
  readonly #isShareOfSearch: (steps: number) => boolean;

  /** @param isShareOfSearch whether a request reserves this many steps for the answer of lowest fees */
  constructor(isShareOfSearch: (steps: number) => boolean) {
    this.#isShareOfSearch = isShareOfSearch;
  }

  /** Terms that had an answer, in the order they were added. */
  get answered(): readonly Terms[] {
    return this.#answered;
  }

  /** The reply under exactly these terms. */
  get(terms: Terms): TimedReply | undefined {
    return this.#replies.get(keyOf(terms));
  }

  /** Adds the reply of a search with the goal `any`. */
  add(terms: Terms, known: TimedReply): void {
    this.note(terms, known);
    if (known.reply.status === 'ok') this.#answered.push(terms);
    else this.#addFailed(terms, isRefused(known.reply) ? Number.POSITIVE_INFINITY : known.steps);
  }

  /** Adds a reply that is known without a search. It shows nothing about other terms. */
  note(terms: Terms, known: TimedReply): void {
    this.#replies.set(keyOf(terms), known);
  }

  /** Adds a search that ran out of effort. */
  addSpent(terms: Terms, steps: number): void {
    this.#addFailed(terms, steps);
  }

  /** Adds what a search for the reason, or the search that failed, shows about other terms. */
  addReason(terms: Terms, { reply, steps }: TimedReply): void {
    if (reply.status !== 'ok') this.#addFailed(terms, isRefused(reply) ? Number.POSITIVE_INFINITY : steps);
    else this.#addFound(terms, { reply, steps });
    if (!isOnlyDear(reply)) return;
    const maxfeeMsat = reply.takes.feeMsat as Terms['maxfeeMsat'];
    this.#addFound({ ...terms, maxfeeMsat }, { reply: { ...reply, status: 'ok' }, steps: reply.dearSteps });
  }

  #addFound(terms: Terms, known: TimedReply): void {
    if (this.#isShareOfSearch(known.steps)) this.add(terms, known);
    else this.#addFailed(terms, known.steps * TEST_SHARE);
  }

  #addFailed(terms: Terms, steps: number): void {
    this.#failed.push({ terms, steps });
  }

  /** Whether a test of these terms with at most `steps` steps probably finds no answer. */
  isHopeless(terms: Terms, steps: number): boolean {
    return this.#failed.some((failed) => failed.steps >= steps && isWithin(terms, failed.terms));
  }
}

const keyOf = ({ amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts }: Terms): string =>
  `${amountMsat} ${maxfeeMsat} ${maxdelay} ${finalCltv} ${maxparts}`;

/** Whether the terms are for the same amount, and allow no more than the others. */
const isWithin = (terms: Terms, others: Terms): boolean =>
  terms.amountMsat === others.amountMsat &&
  terms.maxfeeMsat <= others.maxfeeMsat &&
  terms.maxparts <= others.maxparts &&
  terms.maxdelay - terms.finalCltv <= others.maxdelay - others.finalCltv;
