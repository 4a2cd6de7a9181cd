/**
 * Why there is no answer, and what would help: which limits to raise and how far, or how much less (or more) to ask
 * for.
 *
 * To lift a limit means to ask again without it. The failed search itself tells whether the fee limit stood in the
 * way. Then delay is lifted, then parts, then both. A limit that never stood in the way is not lifted. If no limit
 * helps, the network lacks capacity, and a different amount is the remedy. A different amount is also the remedy when
 * the caller may not raise the limit. Every remedy is tried before it is told. The one exception is the fee of an
 * answer that the search itself found (remedy.ts).
 */
import { ask, type Ends, isOnlyDear, type Reply, type Shortfall } from './ask.ts';
import type { Kernel } from './kernel.ts';
import {
  Asker,
  leastFee,
  leastLimits,
  lessAmount,
  moreAmount,
  mostFinalCltv,
  type Terms,
  termsOf,
  withAmount,
} from './remedy.ts';
import { type RequestEffort, Spent } from './request-effort.ts';
import { NO_DELAY_LIMIT } from './route.ts';
import type { FeeShare, RemedyRules, ResolvedQuery } from './route-outcome.ts';

/** What stood in the way of an answer, and what would help. */
export interface Diagnosis {
  readonly binding: 'fee' | 'delay' | 'parts' | 'hops' | 'capacity' | 'deduction' | 'effort' | 'deadline';
  /** With `parts`: how many parts are needed, as far as the search found out. */
  readonly parts?: number;
  /** With `deduction`: the hop for which fees leave too little. */
  readonly shortfall?: Shortfall;
  /** Directions that together bound what can be delivered, when a maximum flow proved it. Otherwise empty. */
  readonly cut: readonly number[];
  /** The terms to change, all of them, so that there is an answer. Absent when no remedy was found. */
  readonly remedy?: Partial<Terms>;
}

/** Most parts that the kernel can answer. */
const MOST_PARTS = 128;
/** HTLC minimums above this (10,000 sat) are rare. For larger amounts, no larger amount is tried. */
const SMALL_AMOUNT = 10_000_000n;

/** The limits that stand in the way, and terms without them. */
interface Lifted {
  readonly binding: 'fee' | 'delay' | 'parts';
  readonly terms: Terms;
  readonly parts: number;
}

/**
 * Finds out why a query failed and what would help.
 * @param failed the reply to the query. The kernel must not have been asked anything since.
 */
export function diagnose(
  kernel: Kernel,
  query: ResolvedQuery,
  ends: Ends,
  failed: Reply,
  effort: RequestEffort,
): Diagnosis {
  if (failed.status === 'cancelled') return { binding: 'deadline', cut: [] };
  effort.beginReasons();
  const provenMost = provenMostOf(kernel, failed, effort);
  const cut = kernel.cut();
  const asker = new Asker(kernel, query, ends, failed, effort);
  const reason = provenMost === undefined ? liftedLimits(kernel, query, ends, failed, effort) : undefined;
  const lifted = reason === 'unknown' ? undefined : reason;
  const { source, destination } = ends;
  const isLong = () => kernel.fewestHopPath(source, destination).length > query.maxhops;
  let binding: Diagnosis['binding'] = 'capacity';
  if (provenMost === undefined && (!isRefused(failed) || reason === 'unknown')) binding = 'effort';
  else if (lifted !== undefined) binding = lifted.binding;
  else if (failed.shortfall !== undefined) binding = 'deduction';
  else if (isLong()) binding = 'hops';
  const remedy =
    binding === 'hops' ? undefined : remedyOf(asker, query.remedies, binding, lifted, provenMost);
  return {
    binding,
    cut,
    ...(lifted !== undefined && { parts: lifted.parts }),
    ...(failed.shortfall !== undefined && { shortfall: failed.shortfall }),
    ...(remedy !== undefined && { remedy }),
  };
}

/** The most that can be delivered under any terms, when that is proven to be less than was asked for. */
function provenMostOf(kernel: Kernel, failed: Reply, effort: RequestEffort): bigint | undefined {
  if (failed.isProven) return failed.deliverableMsat;
  if (isOnlyDear(failed) || isFound(failed)) return undefined;
  return effort.beginReason(false) ? kernel.provenMost() : undefined;
}

/** Whether it is proven that the query has no answer. Otherwise the search only found none, which proves nothing. */
const isRefused = ({ status }: Reply): boolean => status !== 'undecided' && status !== 'perhapsTooDear';

/** Whether the kernel found an answer, and it fails only by something that the kernel does not know. */
const isFound = ({ status }: Reply): boolean => status === 'tooSlow' || status === 'tooLittleLeft';

/** Which of the limits on delay and parts to lift, in this order. */
const LIFTS = [
  { delay: true, parts: false },
  { delay: false, parts: true },
  { delay: true, parts: true },
] as const;

/**
 * The limits that stand in the way. Undefined when the search finds no answer without them either. `unknown` when no
 * effort was left to ask.
 */
function liftedLimits(
  kernel: Kernel,
  query: ResolvedQuery,
  ends: Ends,
  failed: Reply,
  effort: RequestEffort,
): Lifted | 'unknown' | undefined {
  const own = termsOf(query);
  if (isOnlyDear(failed)) return { binding: 'fee', terms: withFeeOf(own, failed), parts: failed.takes.parts };
  // The query allowed as many parts as the kernel can answer, and no limit ever stood in the way.
  const isUnlimited = failed.status === 'noCapacity' && !failed.isLimited && own.maxparts >= MOST_PARTS;
  if (isUnlimited || failed.status === 'tooLittleLeft') return undefined;
  let isSlow = failed.isDelayLimited || failed.status === 'tooSlow';
  let dear: Lifted | undefined;
  for (const { delay, parts } of LIFTS) {
    if ((delay && !isSlow) || (parts && own.maxparts >= MOST_PARTS)) continue;
    if (delay && parts && dear !== undefined) break;
    const lift = { ...(delay && { maxdelay: NO_DELAY_LIMIT }), ...(parts && { maxparts: MOST_PARTS }) };
    const terms = { ...own, ...lift };
    if (!effort.beginReason(!isRefused(failed))) return dear ?? 'unknown';
    const reply = ask(kernel, { ...query, ...terms }, ends, 'anyFee');
    isSlow ||= reply.isDelayLimited;
    if (reply.status === 'ok') return { binding: parts ? 'parts' : 'delay', terms, parts: reply.takes.parts };
    if (!isOnlyDear(reply)) continue;
    dear ??= { binding: parts ? 'parts' : 'fee', terms: withFeeOf(terms, reply), parts: reply.takes.parts };
  }
  return dear;
}

const withFeeOf = (terms: Terms, { takes }: Reply): Terms => ({
  ...terms,
  maxfeeMsat: takes.feeMsat as Terms['maxfeeMsat'],
});

/**
 * What to change so that there is an answer. Undefined when the effort is spent, or when no change that the rules
 * allow helps.
 */
function remedyOf(
  asker: Asker,
  rules: RemedyRules | undefined,
  binding: Diagnosis['binding'],
  lifted: Lifted | undefined,
  provenMost: bigint | undefined,
): Partial<Terms> | undefined {
  if (rules === undefined) return undefined;
  try {
    const limits = lifted === undefined ? undefined : limitsWithin(asker, rules, lifted.terms);
    if (limits !== undefined) return changes(asker.own, limits);
    const amountMsat = otherAmount(asker, rules, binding, provenMost);
    return amountMsat === undefined ? undefined : { amountMsat: amountMsat as Terms['amountMsat'] };
  } catch (error) {
    if (error instanceof Spent) return undefined;
    throw error;
  }
}

/**
 * A smaller amount that can be delivered as things are. Or a larger one, when the amount may be too small for
 * HTLC minimums or fees.
 */
function otherAmount(
  asker: Asker,
  { feeShare }: RemedyRules,
  binding: Diagnosis['binding'],
  provenMost: bigint | undefined,
): bigint | undefined {
  const less = binding === 'deduction' ? undefined : lessAmount(asker, provenMost, feeShare);
  if (less !== undefined || provenMost !== undefined) return confirmedAmount(asker, less, feeShare);
  const isSmall = binding === 'capacity' && asker.own.amountMsat <= SMALL_AMOUNT;
  const more = isSmall || binding === 'deduction' ? moreAmount(asker, feeShare) : undefined;
  return confirmedAmount(asker, more, feeShare);
}

/** The amount, if a request for it is answered. See `confirmed`. */
function confirmedAmount(
  asker: Asker,
  amountMsat: bigint | undefined,
  share: FeeShare | undefined,
): bigint | undefined {
  if (amountMsat === undefined) return undefined;
  return asker.isAnswered(withAmount(asker.own, amountMsat, share)) ? amountMsat : undefined;
}

/** The least limits that help, among those that a remedy may change. */
function limitsWithin(asker: Asker, rules: RemedyRules, lifted: Terms): Terms | undefined {
  const { own } = asker;
  if (lifted.maxparts !== own.maxparts && !rules.parts) return undefined;
  if (lifted.maxdelay === own.maxdelay) {
    // Only the fee limit stands in the way. With one part, the search finds the same cheapest answer under every
    // limit below its fee. So that fee is the least limit that works, and it need not be tried. With several parts,
    // lower limits are tried. When fees come out of the amount, this shortcut does not hold, because such answers are
    // judged after the search.
    if (lifted.maxparts === own.maxparts && asker.paysFees)
      return own.maxparts === 1 ? lifted : leastFee(asker, lifted);
    return confirmed(asker, leastLimits(asker, lifted));
  }
  const longest = { ...lifted, maxdelay: Math.max(own.maxdelay, rules.mostMaxdelay) };
  const limits = leastLimits(asker, affordable(asker, longest));
  return confirmed(asker, limits ?? shorterEnd(asker, rules, longest));
}

/**
 * The terms, if a request with them is answered. Earlier tries only asked whether there is any answer. This one asks
 * exactly as a request does.
 */
function confirmed(asker: Asker, terms: Terms | undefined): Terms | undefined {
  return terms !== undefined && asker.isAnswered(terms) ? terms : undefined;
}

/**
 * Chooses the fee limit for the terms. It is the caller's own limit. If the search finds only dearer answers within
 * the other limits, it is the least fee of those.
 */
function affordable(asker: Asker, terms: Terms): Terms {
  const own = { ...terms, maxfeeMsat: asker.own.maxfeeMsat };
  const reply = asker.askAnyFee(own);
  return isOnlyDear(reply) ? withFeeOf(own, reply) : own;
}

/** Fewer blocks for the recipient, when the path may not take more. */
function shorterEnd(asker: Asker, rules: RemedyRules, terms: Terms): Terms | undefined {
  const finalCltv = rules.finalCltv ? mostFinalCltv(asker, terms) : undefined;
  return finalCltv === undefined ? undefined : { ...terms, finalCltv };
}

function changes(own: Terms, terms: Terms): Partial<Terms> {
  const changed = Object.entries(terms).filter(([key, value]) => own[key as keyof Terms] !== value);
  return Object.fromEntries(changed);
}
