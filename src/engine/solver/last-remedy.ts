/**
 * The remedy of last resort: any change that works. It is used if the search for the smallest change found nothing or
 * ran out of effort.
 *
 * Changes that worked during that search are used first. If there are none, other changes are probed: each limit lifted
 * alone, smaller and larger amounts, two limits lifted together, and a smaller amount with a limit lifted. A value that
 * works is brought closer to the requested value while effort is left. The change is not proven to be the smallest, so
 * the remedy has `minimal: false`.
 *
 * Probes have a separate budget of effort, and none gets more than a sixth of it, so that one hard probe does not
 * prevent the others.
 */

import type { Remedy } from '../question/no-route.ts';
import type { RemedyRules } from '../question/remedy-rules.ts';
import { NO_FEE_LIMIT } from '../question/route.ts';
import type { Reply } from './ask.ts';
import { type Asker, type Terms, withAmount } from './remedy.ts';
import { Spent } from './request-effort.ts';

/** Maximum number of parts of the kernel's answers. */
const MAX_PARTS = 128;
/** Maximum limit on parts that is lifted. If a search with more finds nothing, one with MAX_PARTS hardly does. */
const FEW_PARTS = 64;
/**
 * Smaller amounts to try, in this order: the requested amount, or the proven maximum if there is one, divided by each
 * of these. The first is a hundredth, because small amounts take little effort. An amount that works is raised.
 */
const DIVISORS = [100n, 10n, 2n, 1n, 5n, 30n, 1_000n, 10_000n, 100_000n, 10_000_000n];
/** Small amounts to try after the divided ones, in msat. Proportional fees of the smallest amounts are 0. */
const SMALL_AMOUNTS = [1_000_000n, 100_000n, 10_000n, 1_000n, 1n];
/** Multiples of the requested amount to try. */
const MULTIPLES = [2n, 4n, 10n, 100n, 1_000n];
/** Divisors of the smaller amounts to try with one limit lifted. */
const FEW_DIVISORS = [2n, 10n, 100n, 10_000n];
/** Fee limits to try, in hundredths of an answer's fee. A tight limit can hide an answer. */
const FEE_HUNDREDTHS = [100n, 110n, 200n, 1_000n];
/** Maximum number of steps in which a smaller amount that works is raised. */
const RAISES = 12;
/**
 * Where a raised amount divides the range between one that works and one that does not, on a logarithmic scale. A
 * search that finds nothing takes several times as long as one with an answer.
 */
const RAISE = 0.4;
/** Maximum number of working terms that are tested again exactly as a request asks. */
const MAX_CONFIRMED = 4;

type RemedyTerms = Partial<Terms>;

/**
 * A change that works, or undefined.
 * @param provenMost the maximum that can be carried under any terms, if proven
 */
export function lastRemedy(
  asker: Asker,
  rules: RemedyRules,
  provenMost: bigint | undefined,
): Remedy | undefined {
  if (provenMost === 0n) return undefined;
  const resort = new LastResort(asker, rules, provenMost);
  const changes = resort.known() ?? resort.probed();
  return changes && { ...changes, minimal: false };
}

class LastResort {
  readonly #asker: Asker;
  readonly #rules: RemedyRules;
  readonly #most: bigint | undefined;

  constructor(asker: Asker, rules: RemedyRules, provenMost: bigint | undefined) {
    this.#asker = asker;
    this.#rules = rules;
    this.#most = provenMost;
    asker.beginProbes();
  }

  /** The best of the terms that had an answer during the search for the smallest change. */
  known(): RemedyTerms | undefined {
    const { own } = this.#asker;
    const candidates = this.#asker.answered
      .map((terms) => this.#changesTo(terms))
      .filter((changes) => this.#isAllowed(changes))
      .sort((one, other) => rank(own, one) - rank(own, other));
    return candidates.slice(0, MAX_CONFIRMED).find((changes) => this.#isAnswered(changes));
  }

  probed(): RemedyTerms | undefined {
    const amounts = this.#amounts(DIVISORS, SMALL_AMOUNTS);
    const ends = [...this.#lifts(), ...amounts, ...this.#larger(), ...this.#pairs()];
    for (const changes of ends) {
      const reply = this.#probe(changes);
      const found = reply === undefined ? undefined : this.#closest(changes, reply);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Each limit lifted alone, as far as the rules allow. */
  #lifts(): RemedyTerms[] {
    if (this.#most !== undefined && this.#most < this.#asker.own.amountMsat) return [];
    const { own } = this.#asker;
    const lifts: RemedyTerms[] = [
      { maxfeeMsat: NO_FEE_LIMIT },
      { maxdelay: this.#rules.mostMaxdelay },
      { maxparts: MAX_PARTS },
      { finalCltv: 0 },
    ];
    return lifts.filter(
      (changes) =>
        this.#isAllowed(changes) &&
        (changes.maxdelay ?? own.maxdelay + 1) > own.maxdelay &&
        (changes.maxparts === undefined || own.maxparts <= FEW_PARTS) &&
        (changes.finalCltv ?? own.finalCltv - 1) < own.finalCltv,
    );
  }

  /**
   * The requested amount or the proven maximum, divided by each divisor, then the other amounts. Only amounts below the
   * requested amount are returned.
   */
  #amounts(divisors: readonly bigint[], others: readonly bigint[] = []): RemedyTerms[] {
    const asked: bigint = this.#asker.own.amountMsat;
    const top = this.#most ?? asked;
    const amounts = [...divisors.map((divisor) => top / divisor), ...others];
    return [...new Set(amounts)]
      .filter((amount) => amount > 0n && amount <= top && amount < asked)
      .map((amount) => ({ amountMsat: amount as Terms['amountMsat'] }));
  }

  #larger(): RemedyTerms[] {
    if (this.#most !== undefined) return [];
    return MULTIPLES.map((by) => ({ amountMsat: (this.#asker.own.amountMsat * by) as Terms['amountMsat'] }));
  }

  /** Two limits lifted together, then a smaller amount with a limit lifted. */
  #pairs(): RemedyTerms[] {
    const lifts = this.#lifts();
    const limits = lifts.flatMap((one, index) => lifts.slice(index + 1).map((two) => ({ ...one, ...two })));
    const amounts = this.#amounts(FEW_DIVISORS);
    return [...limits, ...amounts.flatMap((amount) => lifts.map((lift) => ({ ...amount, ...lift })))];
  }

  /** The reply to a probe, if it has an answer. */
  #probe(changes: RemedyTerms): Reply | undefined {
    return this.#orSpent(() => {
      const reply = this.#asker.probe(this.#termsOf(changes));
      return reply?.status === 'ok' ? reply : undefined;
    });
  }

  #isAnswered(changes: RemedyTerms): boolean {
    return this.#orSpent(() => this.#asker.isAnswered(this.#termsOf(changes))) === true;
  }

  #orSpent<T>(search: () => T): T | undefined {
    try {
      return search();
    } catch (error) {
      if (error instanceof Spent) return undefined;
      throw error;
    }
  }

  /** The changes brought as close to the request as a few tests allow. Undefined when a request with them fails. */
  #closest(changes: RemedyTerms, { takes }: Reply): RemedyTerms | undefined {
    const { own } = this.#asker;
    const used: RemedyTerms = {
      ...changes,
      ...(changes.maxdelay !== undefined && {
        maxdelay: Math.max(takes.pathDelay + (changes.finalCltv ?? own.finalCltv), own.maxdelay + 1),
      }),
    };
    const near = used.maxdelay === changes.maxdelay ? [changes] : [used, changes];
    for (const each of near.flatMap((one) => this.#withParts(one, takes.parts))) {
      const found = this.#withFee(each, takes.feeMsat).find((one) => this.#isAnswered(one));
      if (found !== undefined) return this.#raised(found);
    }
    return undefined;
  }

  /** If the changes lift the limit on parts: variants with lower limits, up to the number of parts of an answer. */
  #withParts(changes: RemedyTerms, parts: number): RemedyTerms[] {
    if (changes.maxparts === undefined) return [changes];
    const limits: number[] = [];
    const own = this.#asker.own.maxparts;
    for (let more = 1; own + more < parts; more *= 2) limits.push(own + more);
    return [...limits, Math.max(parts, own + 1)].map((maxparts) => ({ ...changes, maxparts }));
  }

  /** If the changes lift the fee limit: variants with limits near the fee of an answer. */
  #withFee(changes: RemedyTerms, feeMsat: bigint): RemedyTerms[] {
    if (changes.maxfeeMsat === undefined) return [changes];
    const least = feeMsat > this.#asker.own.maxfeeMsat ? feeMsat : this.#asker.own.maxfeeMsat + 1n;
    return FEE_HUNDREDTHS.map((by) => ({
      ...changes,
      maxfeeMsat: ((least * by) / 100n) as Terms['maxfeeMsat'],
    }));
  }

  /** A smaller amount that works, raised step by step towards one that does not. */
  #raised(changes: RemedyTerms): RemedyTerms {
    const asked: bigint = this.#asker.own.amountMsat;
    if (changes.amountMsat === undefined || changes.amountMsat > asked) return changes;
    let best = changes;
    let [good, bad]: [bigint, bigint] = [changes.amountMsat, this.#most ?? asked];
    for (let step = 0; step < RAISES && bad - good > good / 100n; step++) {
      const middle = between(good, bad);
      const tried = { ...changes, amountMsat: middle as Terms['amountMsat'] };
      if (this.#probe(tried) !== undefined && this.#isAnswered(tried)) [good, best] = [middle, tried];
      else bad = middle;
    }
    return best;
  }

  #termsOf(changes: RemedyTerms): Terms {
    const { own } = this.#asker;
    const { amountMsat } = changes;
    const base = amountMsat === undefined ? own : withAmount(own, amountMsat, this.#rules.feeShare);
    return { ...base, ...changes };
  }

  /** What differs from the request. A fee limit that merely follows the amount is not a change. */
  #changesTo(terms: Terms): RemedyTerms {
    const { own } = this.#asker;
    const following = withAmount(own, terms.amountMsat, this.#rules.feeShare);
    const entries = Object.entries(terms).filter(([key, value]) => following[key as keyof Terms] !== value);
    return {
      ...Object.fromEntries(entries),
      ...(terms.amountMsat !== own.amountMsat && { amountMsat: terms.amountMsat }),
    };
  }

  #isAllowed(changes: RemedyTerms): boolean {
    const { parts, finalCltv, mostMaxdelay } = this.#rules;
    return (
      Object.keys(changes).length > 0 &&
      (parts || changes.maxparts === undefined) &&
      (finalCltv || changes.finalCltv === undefined) &&
      (changes.maxdelay ?? 0) <= mostMaxdelay
    );
  }
}

/** An amount between two others, closer to the smaller one. */
function between(good: bigint, bad: bigint): bigint {
  const amount = BigInt(Math.round(Number(good) * (Number(bad) / Number(good)) ** RAISE));
  return good < amount && amount < bad ? amount : (good + bad) / 2n;
}

/** The place of a remedy in the order: few changes first, limits before amounts, then the smallest change. */
function rank(own: Terms, changes: RemedyTerms): number {
  const entries = Object.entries(changes) as [keyof Terms, bigint | number][];
  const distances = entries.map(([key, value]) =>
    Math.abs(Math.log((Number(value) + 1) / (Number(own[key]) + 1))),
  );
  const far = distances.reduce((sum, distance) => sum + distance, 0) / 1_000;
  return entries.length + (changes.amountMsat === undefined ? 0 : 0.5) + Math.min(far, 0.4);
}
