/**
 * How little must change of a request that has no answer: by asking again.
 *
 * No value leaves here that was not asked for and answered, with everything else as the request has it. Whether a value
 * *works* (is answered) is nearly, but not quite, a matter of "from here on": the search for several parts is a
 * heuristic, and an amount can be too small as well as too large (HTLC minimums; base fees, which weigh less on more).
 * So "least" and "most" are said of a neighbourhood, which bisection gets to:
 *
 *   least   the value works, and a hundredth less (at least 1; no less than what the request has) does not
 *   most    the value works, and a hundredth more (at least 1; no more than what the request has) does not
 *
 * Each try has all the effort that a request has, so that its outcome is that of the request. Together they are bounded:
 * no more is tried when so much effort is spent, counted in steps of the kernel and not in time, so that a request has
 * one remedy; then there is none.
 */
import { proportionalMsat } from '../model/policy.ts';
import { askAfresh, type Ends, quickest, type Reply } from './ask.ts';
import type { Kernel } from './kernel.ts';
import type { FeeShare, ResolvedQuery } from './route-outcome.ts';

/** What of a query a remedy may change. */
export type Terms = Pick<ResolvedQuery, 'amountMsat' | 'maxfeeMsat' | 'maxdelay' | 'finalCltv' | 'maxparts'>;

export function termsOf({ amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts }: Terms): Terms {
  return { amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts };
}

/** Nothing more is tried after so many searches over the whole graph, some 50 ms on the main network; */
const EFFORT_SEARCHES = 24;
/** on a small graph, after so many steps (assembly/solve/effort.ts). */
const LEAST_STEPS = 1e6;
/** 1,000 sat: above nearly all HTLC minimums, and within what nearly all channels pass. */
const USUAL_AMOUNT = 1_000_000n;
/** How often an amount is doubled in search of one that is not too small. */
const MOST_DOUBLINGS = 24;

/** Thrown when the effort is spent, or the host asked to stop. */
export class Spent extends Error {}

/** Asks a request again under other terms. */
export class Asker {
  readonly own: Terms;
  readonly paysFees: boolean;
  readonly #kernel: Kernel;
  readonly #query: ResolvedQuery;
  readonly #ends: Ends;
  readonly #effortEnd: number;
  readonly #replies = new Map<string, Reply>();

  constructor(kernel: Kernel, query: ResolvedQuery, ends: Ends, reply: Reply) {
    this.own = termsOf(query);
    this.paysFees = !query.includeFees;
    this.#kernel = kernel;
    this.#query = query;
    this.#ends = ends;
    const steps = EFFORT_SEARCHES * kernel.exports.searchSteps();
    this.#effortEnd = kernel.effort + Math.max(steps, LEAST_STEPS);
    this.#replies.set(keyOf(this.own), reply);
  }

  /** @throws Spent */
  ask(changes: Partial<Terms>): Reply {
    const terms = { ...this.own, ...changes };
    const known = this.#replies.get(keyOf(terms));
    if (known !== undefined) return known;
    this.#requireEffort();
    const reply = askAfresh(this.#kernel, { ...this.#query, ...terms }, this.#ends);
    if (reply.status === 'cancelled') throw new Spent();
    this.#replies.set(keyOf(terms), reply);
    return reply;
  }

  /**
   * Blocks of the quickest single way for the amount, the recipient's own included; whatever its fee.
   * @throws Spent
   */
  quickest(): number | undefined {
    this.#requireEffort();
    const delay = quickest(this.#kernel, this.#query, this.#ends);
    return delay === undefined ? undefined : delay + this.own.finalCltv;
  }

  #requireEffort(): void {
    if (this.#kernel.effort >= this.#effortEnd) throw new Spent();
  }
}

const keyOf = ({ amountMsat, maxfeeMsat, maxdelay, finalCltv, maxparts }: Terms): string =>
  `${amountMsat} ${maxfeeMsat} ${maxdelay} ${finalCltv} ${maxparts}`;

/** A hundredth, at least 1. */
const hundredth = (value: bigint): bigint => (value >= 100n ? value / 100n : 1n);
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What of a value an answer makes use of; undefined when there is no answer. */
type Try = (value: bigint) => bigint | undefined;

/** Bisects between a value that fails and one that works until they are a step apart; the one that works. */
function bisect(fails: bigint, works: bigint, step: (value: bigint) => bigint, tried: Try): bigint {
  let [bad, good] = [fails, works];
  for (;;) {
    const gap = good > bad ? good - bad : bad - good;
    if (gap <= step(good)) return good;
    const middle = good > 0n && bad > 4n * good ? good * 2n : (bad + good) / 2n;
    const used = tried(middle);
    if (used === undefined) bad = middle;
    else good = isBetter(used, middle, bad) && tried(used) !== undefined ? used : middle;
  }
}

/** What an answer makes no use of need not be allowed (but that too has to be asked for). */
const isBetter = (used: bigint, value: bigint, bad: bigint): boolean =>
  (bad < used && used < value) || (value < used && used < bad);

/** Least value above `own` that works, where `bad` fails and `good` works; to the last one. */
function least(own: bigint, bad: bigint, good: bigint, tried: Try): bigint {
  let value = bisect(bad, good, () => 1n, tried);
  for (;;) {
    const less = larger(value - hundredth(value), own);
    if (less === value || tried(less) === undefined) return value;
    value = less;
  }
}

/** Most value up to `ceiling` that works, where `good` works and `bad` fails. */
function most(good: bigint, bad: bigint, ceiling: bigint, tried: Try): bigint {
  let value = bisect(bad, good, hundredth, tried);
  for (;;) {
    const more = smaller(value + hundredth(value), ceiling);
    if (more === value || tried(more) === undefined) return value;
    value = more;
  }
}

/** Limits in the order in which they are made least: money first, then parts, then blocks. */
const LIMITS = ['maxfeeMsat', 'maxparts', 'maxdelay'] as const;

function usedOf(limit: (typeof LIMITS)[number], { takes }: Reply, { finalCltv }: Terms): bigint {
  if (limit === 'maxfeeMsat') return takes.feeMsat;
  return BigInt(limit === 'maxparts' ? takes.parts : takes.pathDelay + finalCltv);
}

/**
 * The least terms between the request's own, which fail, and others.
 * @param lifted terms with limits lifted; the fee limit, if it is among them, to the least fee that was found
 * @returns undefined when those are not answered
 * @throws Spent
 */
export function leastLimits(asker: Asker, lifted: Terms): Terms | undefined {
  if (asker.ask(lifted).status !== 'ok') return undefined;
  const { own } = asker;
  let terms = lifted;
  // What was least while other limits were still lifted is hardly ever less once they are not; if it is: once more.
  for (let before: Terms | undefined; before !== terms; ) {
    before = terms;
    for (const limit of LIMITS) {
      if (terms[limit] === own[limit]) continue;
      const within = terms;
      const tried: Try = (value) => {
        const reply = asker.ask(withLimit(within, limit, value));
        return reply.status === 'ok' ? usedOf(limit, reply, within) : undefined;
      };
      const works = BigInt(terms[limit]);
      const ownValue = BigInt(own[limit]);
      const [bad, good] = nearer(asker, limit, ownValue, works, tried);
      const value = least(ownValue, bad, good, tried);
      if (value !== works) terms = withLimit(terms, limit, value);
    }
  }
  return terms;
}

/**
 * A value that fails and one that works, closer to each other than the request's own and what was found: around the
 * quickest way, the fewest parts. The least fee that was found needs no closer look.
 */
function nearer(
  asker: Asker,
  limit: (typeof LIMITS)[number],
  own: bigint,
  works: bigint,
  tried: Try,
): readonly [bad: bigint, good: bigint] {
  if (limit === 'maxfeeMsat') return [works - 1n, works];
  if (limit === 'maxdelay') {
    const guess = BigInt(asker.quickest() ?? 0);
    if (guess <= own || guess >= works) return [own, works];
    return tried(guess) === undefined ? [guess, works] : [own, guess];
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
 * Most blocks that the recipient can be left, fewer than it asks for; undefined when none at all would not help.
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

/** How amounts are tried: the fee limit follows the amount where its caller has it so. */
function amountTried(asker: Asker, share: FeeShare | undefined): (amount: bigint) => Reply {
  return (amount) =>
    asker.ask({
      amountMsat: amount as Terms['amountMsat'],
      ...(share !== undefined && { maxfeeMsat: feeLimit(amount, share) as Terms['maxfeeMsat'] }),
    });
}

const feeLimit = (amount: bigint, { ppm, leastMsat }: FeeShare): bigint =>
  larger(proportionalMsat(amount, ppm), leastMsat);

/**
 * Most that can be delivered under the request's own terms, less than it asks for.
 * @param provenMost the most that passes whatever the terms, where that is proven
 * @throws Spent
 */
export function lessAmount(
  asker: Asker,
  provenMost: bigint | undefined,
  share: FeeShare | undefined,
): bigint | undefined {
  const ask = amountTried(asker, share);
  const asked: bigint = asker.own.amountMsat;
  const ceiling = provenMost ?? asked;
  const start = provenMost ?? asked - hundredth(asked);
  if (start <= 0n) return undefined;
  if (ask(start).status === 'ok') return raised(ask, start, asked, ceiling);
  // Small amounts are quickly tried, and what fails at any size is seen at once.
  let good = smaller(USUAL_AMOUNT, start / 4n);
  while (good > 0n && ask(good).status !== 'ok') good /= 10n;
  if (good === 0n) return undefined;
  let bad = start;
  for (let next = good * 4n; next < bad; next = good * 4n) {
    if (ask(next).status === 'ok') good = next;
    else bad = next;
  }
  return raised(ask, good, bad, ceiling);
}

/** The most up to `ceiling` between an amount that works and one that fails. */
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

/** Where the fee meets its limit, or as much as was placed; undefined where that lies not between. */
function guessed(well: Reply, badly: Reply, good: bigint, bad: bigint): bigint | undefined {
  let guess = badly.deliverableMsat;
  if (badly.status === 'tooDear') {
    const rise = badly.takes.feeMsat - well.takes.feeMsat;
    if (rise <= 0n) return undefined;
    guess = good + ((bad - good) * (badly.feeLimitMsat - well.takes.feeMsat)) / rise;
  }
  return good < guess && guess < bad ? guess : undefined;
}

/**
 * Least amount above the one asked for that can be delivered: where that is too little for an HTLC minimum, or for fees
 * that are taken out of it. To the msat, since minimums are round numbers.
 * @throws Spent
 */
export function moreAmount(asker: Asker, share: FeeShare | undefined): bigint | undefined {
  const ask = amountTried(asker, share);
  const tried: Try = (amount) => (ask(amount).status === 'ok' ? amount : undefined);
  const asked: bigint = asker.own.amountMsat;
  let fails = asked;
  for (let doubling = 0; doubling < MOST_DOUBLINGS; doubling++) {
    const reply = ask(fails * 2n);
    if (reply.status === 'ok') {
      return least(asked, fails, fails * 2n, tried);
    }
    if (reply.isProven) return undefined;
    fails *= 2n;
  }
  return undefined;
}
