/**
 * Finds the smallest change that gives a request an answer, by asking again.
 *
 * Every reported value was verified by a search, with all other parameters as in the request.
 *
 * A value *works* if the request with it has an answer. Beyond some value, nearly all values work, but not all of them:
 * the search for several parts is a heuristic, and an amount can be too small as well as too large (because of HTLC
 * minimums and base fees). So "least" and "most" hold only among neighbouring values. Bisection finds such values:
 *
 *   least   the value works, and a hundredth less (at least 1; no less than the request's own value) does not
 *   most    the value works, and a hundredth more (at least 1; no more than the request's own value) does not
 *
 * Tests share one budget with the search that failed (request-effort.ts). A test without an answer that the budget cut
 * short could end differently from the request itself, so there is then no remedy, unless an earlier test had an answer.
 */
import { proportionalMsat } from '../../model/policy.ts';
import type { Question } from '../question/question.ts';
import type { FeeShare } from '../question/remedy-rules.ts';
import { ask, type Ends, isOnlyDear, quickest, type Reply } from './ask.ts';
import type { Kernel } from './kernel.ts';
import type { SolveGoal } from './kernel-layout.ts';
import { KnownReplies, type TimedReply } from './known-replies.ts';
import { type RequestEffort, Spent } from './request-effort.ts';
import type { Solution } from './solution.ts';

/** The parts of a query that a remedy may change. */
export type Terms = Pick<Question, 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts'>;

/** The terms of a query, without the rest of it. */
export function termsOf({ amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts }: Terms): Terms {
  return { amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts };
}

/** 1,000 sat: above nearly all HTLC minimums, and nearly all channels can carry it. */
const USUAL_AMOUNT = 1_000_000n;
/** Maximum number of times that an amount is raised to find one that is not too small, and the factor of each step. */
const MAX_STEPS_UP = 12;
const STEP_UP = 4n;

/** Runs a search within some effort. @throws Spent */
type Within = (search: () => Reply) => Reply;

/** Asks a request again under other terms. Remembers replies with the goal `any`, which several methods share. */
export class Asker {
  readonly own: Terms;
  readonly paysFees: boolean;
  readonly #kernel: Kernel;
  readonly #query: Question;
  readonly #ends: Ends;
  readonly #effort: RequestEffort;
  #quickest: Solution | undefined;
  readonly #replies: KnownReplies;

  constructor(kernel: Kernel, query: Question, ends: Ends, reply: Reply, effort: RequestEffort) {
    this.own = termsOf(query);
    this.paysFees = !query.includeFees;
    this.#kernel = kernel;
    this.#query = query;
    this.#ends = ends;
    this.#effort = effort;
    this.#replies = new KnownReplies((steps) => effort.isShareOfSearch(steps));
    this.#replies.add(this.own, { reply, steps: Number.POSITIVE_INFINITY });
    this.#addReason(this.own, { reply, steps: Number.POSITIVE_INFINITY });
  }

  /** Terms other than the request's own that had an answer, in the order they were tested. */
  get answered(): readonly Terms[] {
    return this.#replies.answered;
  }

  /** Asks with the goal `anyFee` for a reason why the request failed, within the effort that was set. */
  askReason(terms: Terms): Reply {
    const before = this.#kernel.effort;
    const reply = ask(this.#kernel, { ...this.#query, ...terms }, this.#ends, 'anyFee');
    this.#addReason(terms, { reply, steps: this.#kernel.effort - before });
    return reply;
  }

  // If fees are deducted from the amount, answers are checked after the search. Then a reply shows nothing about other
  // terms.

  #addReason(terms: Terms, known: TimedReply): void {
    if (this.paysFees) this.#replies.addReason(terms, known);
  }

  #isHopeless(terms: Terms, steps: number): boolean {
    return this.paysFees && this.#replies.get(terms) === undefined && this.#replies.isHopeless(terms, steps);
  }

  /** Starts probing: see `probe`. */
  beginProbes(): void {
    this.#effort.beginProbes();
  }

  /**
   * Like `ask`, within the remaining effort for a remedy of last resort. Undefined if earlier searches show that it
   * would find no answer.
   * @throws Spent
   */
  probe(terms: Terms): Reply | undefined {
    if (this.#isHopeless(terms, this.#effort.probeLimit)) return undefined;
    return this.#known(terms, (search) => this.#effort.probe(search)).reply;
  }

  /**
   * The reply under changed terms. It shows whether there is any answer, not necessarily the best one. @throws Spent
   */
  ask(changes: Partial<Terms>): Reply {
    return this.#known({ ...this.own, ...changes }, (search) => this.#effort.try(search)).reply;
  }

  /** Like `ask`, but undefined if that would take long. */
  askBriefly(terms: Terms): Reply | undefined {
    try {
      return this.#known(terms, (search) => this.#effort.tryBriefly(search)).reply;
    } catch (error) {
      if (error instanceof Spent) return undefined;
      throw error;
    }
  }

  #known(terms: Terms, within: Within): TimedReply {
    const earlier = this.#replies.get(terms);
    if (earlier !== undefined) return earlier;
    const before = this.#kernel.effort;
    const steps = (): number => this.#kernel.effort - before;
    try {
      const known = { reply: this.#solve(terms, 'any', within), steps: steps() };
      this.#replies.add(terms, known);
      return known;
    } catch (error) {
      if (error instanceof Spent) this.#replies.addSpent(terms, steps());
      throw error;
    }
  }

  /** Like `ask`, but a failure also shows whether there is an answer that exceeds only the fee limit. @throws Spent */
  askAnyFee(terms: Terms): Reply {
    return this.#solve(terms, 'anyFee', (search) => this.#effort.try(search));
  }

  /**
   * Whether a request with these terms has an answer. An answer with the lowest fees suffices if it took no more than
   * the share of effort that a request reserves for such an answer. Otherwise the test asks exactly as a request does.
   * @throws Spent
   */
  isAnswered(terms: Terms): boolean {
    if (this.#isHopeless(terms, this.#effort.confirmLimit)) throw new Spent();
    return this.#isAnswered(terms, (search) => this.#effort.confirm(search));
  }

  /**
   * The fee of an answer under these terms, which are those of a remedy or lower. An answer under lower terms shows
   * that the remedy is not the smallest. Undefined if there is no answer. Replies are remembered, so the terms of the
   * remedy need no new search.
   * @param isDoubtful whether the remedy is probably not the smallest
   * @throws Spent
   */
  feeOfLess(terms: Terms, isDoubtful: boolean): bigint | undefined {
    const within: Within = (search) => (isDoubtful ? this.#effort.correct(search) : this.#effort.try(search));
    const { status, takes } = this.#known(terms, within).reply;
    return status === 'ok' ? takes.feeMsat : undefined;
  }

  /** Like `isAnswered`, for terms below those of a remedy that is not the smallest. @throws Spent */
  isLessAnswered(terms: Terms): boolean {
    return this.#isAnswered(terms, (search) => this.#effort.correct(search));
  }

  #isAnswered(terms: Terms, within: Within): boolean {
    const { reply, steps } = this.#known(terms, within);
    if (reply.status !== 'ok') return false;
    const isCertain = this.#effort.isShareOfSearch(steps) && !mayGainByRounding(terms, reply);
    return isCertain || this.#solve(terms, 'first', within).status === 'ok';
  }

  #solve(terms: Terms, goal: SolveGoal, within: Within): Reply {
    const query = { ...this.#query, ...terms };
    const reply = within(() => ask(this.#kernel, query, this.#ends, goal));
    if (reply.status === 'cancelled') throw new Spent();
    return reply;
  }

  /**
   * The delay in blocks (including the recipient's) and the fee of the quickest single path for the amount, at any fee.
   * Undefined when there is no path.
   * @throws Spent
   */
  quickest(): { readonly delay: number; readonly feeMsat: bigint } | undefined {
    this.#quickest ??= this.#effort.try(() => quickest(this.#kernel, this.#query, this.#ends));
    const { status, takes } = this.#quickest;
    if (status !== 'ok') return undefined;
    return { delay: takes.pathDelay + this.own.finalCltv, feeMsat: takes.feeMsat };
  }

  /** Records an answer that was found under looser terms and also satisfies these terms. */
  note(terms: Terms, reply: Reply): void {
    this.#replies.note(terms, { reply, steps: Number.POSITIVE_INFINITY });
  }
}

/** A part below this, in msat, pays less than 1 msat at the lowest rate, which is rounded down to 0. */
const FREE_PART = 1_000_000n;

/**
 * Whether the answer may keep the fee limit only because fees of small parts are rounded down. Proofs ignore such
 * answers.
 */
const mayGainByRounding = ({ amountMsat }: Terms, { takes }: Reply): boolean =>
  takes.parts > 1 && amountMsat < BigInt(takes.parts) * FREE_PART;

/** The part of `Asker` that checks whether a known remedy is the smallest. */
export type LesserAsker = Pick<Asker, 'own' | 'feeOfLess' | 'isLessAnswered'>;

/** Divisor for half a per cent of an amount. */
const HALF_PER_CENT = 200n;

const hundredth = (value: bigint): bigint => (value >= 100n ? value / 100n : 1n);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Tests a value. Returns how much of it the answer uses, or undefined when there is no answer. */
type Try = (value: bigint) => bigint | undefined;

/** Bisects between a value that fails and one that works until they are a step apart. Returns the value that works. */
function bisect(fails: bigint, works: bigint, step: (value: bigint) => bigint, tried: Try): bigint {
  let [bad, good] = [fails, works];
  for (;;) {
    const gap = good > bad ? good - bad : bad - good;
    if (gap <= step(good)) return good;
    const middle = good > 0n && bad > 4n * good ? good * 2n : (bad + good) / 2n;
    const used = tried(middle);
    if (used === undefined) bad = middle;
    else good = isBetter(used, middle, bad) ? used : middle;
  }
}

/** An answer may use less than it is allowed. Then that smaller value works as well. */
const isBetter = (used: bigint, value: bigint, bad: bigint): boolean =>
  (bad < used && used < value) || (value < used && used < bad);

/**
 * The lowest value above `own` that works. `bad` fails and `good` works. Bisection is exact to 1. If a hundredth less
 * works too, the search continues from there in steps of a hundredth.
 */
function least(own: bigint, bad: bigint, good: bigint, tried: Try): bigint {
  let value = bisect(bad, good, () => 1n, tried);
  for (;;) {
    const less = larger(value - hundredth(value), own);
    const used = less === value ? undefined : tried(less);
    if (used === undefined) return value;
    value = own < used && used < less ? used : less;
  }
}

/** The highest value up to `ceiling` that works. `good` works and `bad` fails. */
function most(good: bigint, bad: bigint, ceiling: bigint, tried: Try): bigint {
  let value = bisect(bad, good, hundredth, tried);
  for (;;) {
    const more = smaller(value + hundredth(value), ceiling);
    if (more === value || tried(more) === undefined) return value;
    value = more;
  }
}

/** The order in which limits are minimised: first fees, then parts, then blocks. */
const LIMITS = ['maxfeeMsat', 'maxparts', 'maxdelay'] as const;

function usedOf(limit: (typeof LIMITS)[number], { takes }: Reply, { finalCltv }: Terms): bigint {
  if (limit === 'maxfeeMsat') return takes.feeMsat;
  return BigInt(limit === 'maxparts' ? takes.parts : takes.pathDelay + finalCltv);
}

/**
 * The lowest terms that work, between the request's own terms, which fail, and the lifted terms.
 * @param lifted terms with limits lifted; the fee limit, if it is lifted, must be the lowest fee that was found
 * @param isFeeLeast whether it is proven that the fee limit cannot be a hundredth lower
 * @returns undefined when the lifted terms have no answer
 * @throws Spent
 */
export function leastLimits(asker: Asker, lifted: Terms, isFeeLeast: boolean): Terms | undefined {
  const reply = asker.ask(lifted);
  if (reply.status !== 'ok') return undefined;
  const { own } = asker;
  let terms = withParts(asker, lifted, reply);
  // Each limit is minimised while the later ones are still lifted. Once the later limits are minimal too, an earlier
  // limit can rarely be lowered further. If one can, all limits are tried once more.
  for (let before: Terms | undefined; before !== terms; ) {
    before = terms;
    for (const limit of LIMITS) {
      if (terms[limit] === own[limit] || (limit === 'maxfeeMsat' && isFeeLeast)) continue;
      const within = terms;
      const tried: Try = (value) => {
        const reply = asker.ask(withLimit(within, limit, value));
        return reply.status === 'ok' ? usedOf(limit, reply, within) : undefined;
      };
      const works = BigInt(terms[limit]);
      const ownValue = BigInt(own[limit]);
      const [bad, good] = nearer(asker, within, limit, ownValue, works, tried);
      const value = least(ownValue, bad, good, tried);
      if (value !== works) terms = withLimit(terms, limit, value);
    }
  }
  return terms;
}

/** The terms with only as many parts as their answer uses, if there is an answer with that limit too. */
function withParts(asker: Asker, terms: Terms, { takes }: Reply): Terms {
  const maxparts = Math.max(takes.parts, asker.own.maxparts + 1);
  if (maxparts >= terms.maxparts) return terms;
  const fewer = { ...terms, maxparts };
  return asker.ask(fewer).status === 'ok' ? fewer : terms;
}

/**
 * The lowest fee limit that works. The search for it starts from the fee of a known answer. The search for several
 * parts sometimes finds a cheaper answer only when a limit forces it to. Reported limits are within 1 % of the minimum,
 * unless this search finds a cheaper answer that no request with a lower limit finds.
 * @param found the request's own terms, with a fee limit under which they were answered
 * @param isDoubtful whether the search that found the fee was cut short, so that the fee is probably not minimal
 * @throws Spent
 */
export function leastFee(asker: LesserAsker, found: Terms, isDoubtful: boolean): Terms {
  const within = (feeMsat: bigint): Terms => ({ ...found, maxfeeMsat: feeMsat as Terms['maxfeeMsat'] });
  let terms = found;
  // Each round lowers the limit, but never to the request's own limit, which failed. So the loop ends, even if one of
  // these searches finds an answer within the request's own limit.
  for (;;) {
    const less = larger(terms.maxfeeMsat - hundredth(terms.maxfeeMsat), asker.own.maxfeeMsat);
    const paidMsat = asker.feeOfLess(terms, isDoubtful) ?? terms.maxfeeMsat;
    const usedMsat = paidMsat <= less ? paidMsat : asker.feeOfLess(within(less), isDoubtful);
    if (usedMsat === undefined) return terms;
    // An answer may be found under the given limit, but not under a limit that equals the much lower fee of that
    // answer.
    const limits = new Set([usedMsat, (usedMsat + less) / 2n, less]);
    const isBetween = (each: bigint): boolean => each > asker.own.maxfeeMsat && each < terms.maxfeeMsat;
    const limit = [...limits].find((each) => isBetween(each) && asker.isLessAnswered(within(each)));
    if (limit === undefined) return terms;
    terms = within(limit);
  }
}

/**
 * Narrows the range of the lowest value that works. At first it extends from the request's own value, which fails, to
 * the value known to work. For delay, hardly anything is quicker than the quickest path, except perhaps a split, so the
 * search starts from the delay of that path. For parts, small numbers are more likely, so they are tried first. A known
 * fee is already minimal, so one msat less fails.
 */
function nearer(
  asker: Asker,
  { maxfeeMsat }: Terms,
  limit: (typeof LIMITS)[number],
  own: bigint,
  works: bigint,
  tried: Try,
): readonly [bad: bigint, good: bigint] {
  if (limit === 'maxfeeMsat') return [works - 1n, works];
  if (limit === 'maxdelay') {
    const quickest = asker.quickest();
    const delay = BigInt(quickest?.delay ?? 0);
    if (quickest === undefined || delay <= own || delay >= works) return [own, works];
    return [delay - 1n, quickest.feeMsat <= maxfeeMsat ? delay : works];
  }
  let bad = own;
  for (let next = own + 1n; next < works; next *= 2n) {
    if (tried(next) !== undefined) return [bad, next];
    bad = next;
  }
  return [bad, works];
}

const withLimit = (terms: Terms, limit: (typeof LIMITS)[number], value: bigint): Terms => ({
  ...terms,
  [limit]: limit === 'maxfeeMsat' ? value : Number(value),
});

/**
 * The maximum final delta in blocks, below the one in `terms`, with which there is an answer. Undefined when not even 0
 * works.
 * @throws Spent
 */
export function mostFinalCltv(asker: Asker, terms: Terms): number | undefined {
  const tried: Try = (value) => {
    const { status, takes } = asker.ask({ ...terms, finalCltv: Number(value) });
    return status === 'ok' ? BigInt(terms.maxdelay - takes.pathDelay) : undefined;
  };
  if (tried(0n) === undefined) return undefined;
  const asked = BigInt(terms.finalCltv);
  return Number(most(0n, asked, asked, tried));
}

/**
 * The terms with a different amount. If the caller gave the fee limit as a share of the amount, the limit changes with
 * it.
 */
export const withAmount = (terms: Terms, amount: bigint, share: FeeShare | undefined): Terms => ({
  ...terms,
  amountMsat: amount as Terms['amountMsat'],
  ...(share !== undefined && { maxfeeMsat: feeLimit(amount, share) as Terms['maxfeeMsat'] }),
});

/** Asks for a given amount, with the fee limit that follows from it. */
const amountTried =
  (asker: Asker, share: FeeShare | undefined) =>
  (amount: bigint): Reply =>
    asker.ask(withAmount(asker.own, amount, share));

const feeLimit = (amount: bigint, { ppm, leastMsat }: FeeShare): bigint =>
  larger(proportionalMsat(amount, ppm), leastMsat);

/** The maximum that can be carried under any terms. */
export interface ProvenMost {
  readonly amountMsat: bigint;
  /** Whether fees need some of it as well. If only channels of the destination limit it, they do not. */
  readonly paysFees: boolean;
}

/**
 * The largest amount below the requested one that can be delivered under the request's own terms.
 * @param provenMost the maximum that can be carried under any terms, if proven
 * @throws Spent
 */
export function lessAmount(
  asker: Asker,
  provenMost: ProvenMost | undefined,
  share: FeeShare | undefined,
): bigint | undefined {
  const ask = amountTried(asker, share);
  const askBriefly = (amount: bigint) => asker.askBriefly(withAmount(asker.own, amount, share));
  const asked: bigint = asker.own.amountMsat;
  const ceiling = provenMost?.amountMsat ?? asked;
  // It often takes long to decide whether exactly the proven maximum can be paid. An amount half a per cent lower serves
  // as well, because a hundredth more would exceed the maximum.
  const start = provenMost === undefined ? asked - hundredth(asked) : ceiling - ceiling / HALF_PER_CENT;
  if (start <= 0n) return undefined;
  if (provenMost?.paysFees === false && askBriefly(ceiling)?.status === 'ok') return ceiling;
  const reply = ask(start);
  if (reply.status === 'ok') {
    // If the channels can carry the maximum, it exceeds what can be delivered by about the fees. They grow with the
    // amount, and are rounded down.
    const sent = start + reply.takes.feeMsat;
    const afterFees = (ceiling * start + sent - 1n) / sent;
    const isClose = afterFees > start && (provenMost !== undefined || ask(asked).deliverableMsat === asked);
    if (isClose && askBriefly(afterFees)?.status === 'ok') return afterFees;
    return provenMost === undefined ? raised(ask, start, asked, ceiling) : start;
  }
  // Searches for small amounts are fast. They soon show whether the request fails for every amount.
  let good = smaller(USUAL_AMOUNT, start / 4n);
  while (good > 0n && ask(good).status !== 'ok') good /= 100n;
  if (good === 0n) return undefined;
  // An amount that cannot be carried is refused quickly, so the range is narrowed from above.
  let bad = start;
  for (let next = bad / 4n; next > good && ask(next).status !== 'ok'; next = bad / 4n) bad = next;
  return raised(ask, larger(good, bad / 4n), bad, ceiling);
}

/** The largest amount up to `ceiling` that works, between one that works and one that fails. */
function raised(ask: (amount: bigint) => Reply, works: bigint, fails: bigint, ceiling: bigint): bigint {
  let [good, bad] = [works, fails];
  for (let round = 0; bad - good > hundredth(good); round++) {
    const guess = round % 2 === 0 ? guessed(ask(good), ask(bad), good, bad) : undefined;
    const middle = guess ?? (good + bad) / 2n;
    if (ask(middle).status !== 'ok') {
      bad = middle;
      continue;
    }
    good = middle;
    const more = smaller(good + hundredth(good), ceiling);
    if (guess !== undefined && more > good && more < bad && ask(more).status !== 'ok') bad = more;
  }
  return most(good, bad, ceiling, (amount) => (ask(amount).status === 'ok' ? amount : undefined));
}

/**
 * A guess at the largest amount that works: the amount at which the fee reaches its limit, if only the fee limit
 * excludes the larger amount; otherwise what could be delivered. Undefined when the guess is not between `good` and
 * `bad`.
 */
function guessed(well: Reply, badly: Reply, good: bigint, bad: bigint): bigint | undefined {
  let guess = badly.deliverableMsat;
  if (isOnlyDear(badly)) {
    const rise = badly.takes.feeMsat - well.takes.feeMsat;
    if (rise <= 0n) return undefined;
    guess = good + ((bad - good) * (badly.feeLimitMsat - well.takes.feeMsat)) / rise;
  }
  return good < guess && guess < bad ? guess : undefined;
}

/**
 * Whether a much larger amount can be delivered. If so, only an HTLC minimum excludes the requested amount, and it
 * excludes smaller ones too. False if that would take long to decide.
 */
export function isLargerPaid(asker: Asker, share: FeeShare | undefined): boolean {
  const larger = asker.own.amountMsat * STEP_UP ** 2n;
  return asker.askBriefly(withAmount(asker.own, larger, share))?.status === 'ok';
}

/**
 * The smallest amount above the requested one that can be delivered. This helps if the requested amount is too small
 * for an HTLC minimum, or for fees that are deducted from it. Bisection goes down to the msat, because minimums are
 * round numbers.
 * @throws Spent
 */
export function moreAmount(asker: Asker, share: FeeShare | undefined): bigint | undefined {
  const ask = amountTried(asker, share);
  const tried: Try = (amount) => (ask(amount).status === 'ok' ? amount : undefined);
  const asked: bigint = asker.own.amountMsat;
  let fails = asked;
  for (let step = 0; step < MAX_STEPS_UP; step++) {
    const reply = ask(fails * STEP_UP);
    if (reply.status === 'ok') {
      return least(asked, fails, fails * STEP_UP, tried);
    }
    if (reply.isProven) return undefined;
    fails *= STEP_UP;
  }
  return undefined;
}
