/**
 * Why there is no answer, and what would help: which limits to raise and how far, or how much less (or more) to ask
 * for.
 *
 * Lifting a limit means asking again without it. The failed search itself shows whether the fee limit was the obstacle.
 * Then delay is lifted, then parts, then both. A delay limit that was never an obstacle is not lifted. If lifting
 * limits does not help, or the caller may not raise the limit that would, a different amount is the remedy. Every
 * remedy is verified before it is reported.
 */

import { REFUSALS, type RefusalName } from '../../model/refusals.ts';
import type { Remedy } from '../question/no-route.ts';
import type { Question } from '../question/question.ts';
import type { FeeShare, RemedyRules } from '../question/remedy-rules.ts';
import { NO_DELAY_LIMIT } from '../question/route.ts';
import { type Ends, isOnlyDear, isRefused, type Reply, type Shortfall } from './ask.ts';
import type { Kernel } from './kernel.ts';
import { lastRemedy } from './last-remedy.ts';
import {
  Asker,
  isLargerPaid,
  leastFee,
  leastLimits,
  lessAmount,
  moreAmount,
  mostFinalCltv,
  type ProvenMost,
  type Terms,
  withAmount,
} from './remedy.ts';
import { type RequestEffort, Spent } from './request-effort.ts';

/** The obstacle to an answer, and what would help. */
export interface Diagnosis {
  readonly binding: Extract<
    RefusalName,
    | 'feeLimit'
    | 'delayLimit'
    | 'partsLimit'
    | 'hopLimit'
    | 'limits'
    | 'capacity'
    | 'deduction'
    | 'effort'
    | 'deadline'
  >;
  /** With `partsLimit`: how many parts are needed, as far as known. */
  readonly parts?: number;
  /** With `deduction`: the hop whose amount is too small after the deduction of fees. */
  readonly shortfall?: Shortfall;
  /** Directions that together bound what can be delivered, if a maximum flow proved it. Otherwise empty. */
  readonly cut: readonly number[];
  /** The new values of all terms that must change to get an answer. Absent when no remedy was found. */
  readonly remedy?: Remedy;
}

/** Maximum number of parts of the kernel's answers. */
const MAX_PARTS = 128;
/** HTLC minimums above 10,000 sat are rare, so a larger amount is not tried for requests above this amount. */
const SMALL_AMOUNT = 10_000_000n;

/** The limits that prevent a route, and terms without them. */
interface Lifted {
  readonly binding: 'feeLimit' | 'delayLimit' | 'partsLimit';
  readonly terms: Terms;
  /** The reply under `terms`, or with a lower fee limit. It shows what an answer needs. */
  readonly reply: Reply;
}

/**
 * The maximum that can be delivered under any terms, if proven to be less than requested, and the cut that proves it.
 */
interface Shortage {
  readonly mostMsat: bigint;
  readonly cut: readonly number[];
}

/**
 * Finds out why a query failed and what would help.
 * @param failed the reply to the query. The kernel must not have been asked anything else since.
 */
export function diagnose(
  kernel: Kernel,
  query: Question,
  ends: Ends,
  failed: Reply,
  effort: RequestEffort,
): Diagnosis {
  if (failed.status === 'cancelled') return { binding: 'deadline', cut: [] };
  effort.beginReasons();
  const asker = new Asker(kernel, query, ends, failed, effort);
  const reason = shortageOf(kernel, failed) ?? liftedLimits(kernel, asker, failed, effort);
  const lifted = typeof reason === 'object' && 'terms' in reason ? reason : undefined;
  const shortage = typeof reason === 'object' && 'cut' in reason ? reason : undefined;
  const { source, destination } = ends;
  const provenMost = shortage && {
    amountMsat: shortage.mostMsat,
    paysFees: shortage.cut.some((arc) => kernel.arc(arc).head !== destination),
  };
  const isLong = () => kernel.fewestHopPath(source, destination).length > query.maxhops;
  let binding: Diagnosis['binding'] = 'capacity';
  if (provenMost === undefined && !isRefused(failed)) binding = 'effort';
  else if (lifted !== undefined) binding = lifted.binding;
  else if (failed.shortfall !== undefined) binding = 'deduction';
  else if (isLong()) binding = 'hopLimit';
  else if (reason === 'unknown') binding = 'limits';
  const remedy =
    REFUSALS[binding].remedies.length === 0
      ? undefined
      : remedyOf(asker, query.remedies, binding, lifted, provenMost);
  // The request provably has no answer, but with a different limit it has an answer. So that limit is the reason.
  if (binding === 'limits') binding = limitChanged(remedy) ?? binding;
  return {
    binding,
    cut: shortage?.cut ?? [],
    ...(lifted !== undefined && { parts: lifted.reply.takes.parts }),
    ...(failed.shortfall !== undefined && { shortfall: failed.shortfall }),
    ...(remedy !== undefined && { remedy }),
  };
}

/** The proven maximum that can be delivered, from a reply. Call this before asking the kernel anything else. */
const shortageOf = (kernel: Kernel, { isProven, deliverableMsat }: Reply): Shortage | undefined =>
  isProven ? { mostMsat: deliverableMsat, cut: kernel.cut() } : undefined;

/** Like `shortageOf`, using a maximum flow. `unknown` when no effort was left for the flow. */
function shortageByFlow(
  kernel: Kernel,
  failed: Reply,
  effort: RequestEffort,
): Shortage | 'unknown' | undefined {
  if (isOnlyDear(failed) || isFound(failed)) return undefined;
  if (!effort.beginReason(false)) return 'unknown';
  const mostMsat = kernel.provenMost();
  return mostMsat === undefined ? undefined : { mostMsat, cut: kernel.cut() };
}

/** Whether the kernel found an answer that fails only for reasons unknown to the kernel. */
const isFound = ({ status }: Reply): boolean => status === 'tooSlow' || status === 'tooLittleLeft';

/** The limit that a remedy changes, if it changes only one limit. */
function limitChanged(remedy: Remedy | undefined): 'feeLimit' | 'delayLimit' | undefined {
  const { minimal, ...changed } = remedy ?? {};
  const [name, ...others] = Object.keys(changed);
  if (others.length > 0) return undefined;
  if (name === 'maxfeeMsat') return 'feeLimit';
  return name === 'maxdelay' ? 'delayLimit' : undefined;
}

/** Which of the limits on delay and parts to lift, in this order. */
const LIFTS = [
  { delay: true, parts: false },
  { delay: false, parts: true },
  { delay: true, parts: true },
] as const;

/**
 * The limits that prevent a route, or the shortage. Undefined when there is provably no answer even without limits, and
 * when the deducted fees leave too little. `unknown` when no effort was left, or a search without limits was
 * inconclusive.
 *
 * Lifting the delay limit is cheap and often sufficient. Before parts are lifted, a maximum flow shows whether the
 * amount can be carried at all.
 */
function liftedLimits(
  kernel: Kernel,
  asker: Asker,
  failed: Reply,
  effort: RequestEffort,
): Lifted | Shortage | 'unknown' | undefined {
  const { own } = asker;
  if (isOnlyDear(failed)) return { binding: 'feeLimit', terms: withFeeOf(own, failed), reply: failed };
  if (failed.status === 'tooLittleLeft') return undefined;
  let isSlow = failed.isDelayLimited || failed.status === 'tooSlow';
  let isOpen = false;
  let dear: Lifted | undefined;
  for (const { delay, parts } of LIFTS) {
    if (parts && dear === undefined && !delay) {
      const shortage = shortageByFlow(kernel, failed, effort);
      if (shortage !== undefined) return shortage;
      // No limit was ever an obstacle.
      if (failed.status === 'noCapacity' && !failed.isLimited && own.maxparts >= MAX_PARTS) return undefined;
    }
    if ((delay && !isSlow) || (parts && own.maxparts >= MAX_PARTS)) continue;
    if (delay && parts && dear !== undefined) break;
    const lift = { ...(delay && { maxdelay: NO_DELAY_LIMIT }), ...(parts && { maxparts: MAX_PARTS }) };
    const terms = { ...own, ...lift };
    if (!effort.beginReason(!isRefused(failed))) return dear ?? 'unknown';
    const reply = asker.askReason(terms);
    isSlow ||= reply.isDelayLimited;
    if (reply.status === 'ok') return { binding: parts ? 'partsLimit' : 'delayLimit', terms, reply };
    if (!isOnlyDear(reply)) {
      const shortage = shortageOf(kernel, reply);
      if (shortage !== undefined) return shortage;
      isOpen ||= !isRefused(reply);
      continue;
    }
    dear ??= { binding: parts ? 'partsLimit' : 'feeLimit', terms: withFeeOf(terms, reply), reply };
  }
  return dear ?? (isOpen ? 'unknown' : undefined);
}

const withFeeOf = (terms: Terms, { takes }: Reply): Terms => ({
  ...terms,
  maxfeeMsat: takes.feeMsat as Terms['maxfeeMsat'],
});

/**
 * What to change to get an answer: the smallest change, or any that was found. Undefined when no allowed change is
 * known to help.
 */
function remedyOf(
  asker: Asker,
  rules: RemedyRules | undefined,
  binding: Diagnosis['binding'],
  lifted: Lifted | undefined,
  provenMost: ProvenMost | undefined,
): Remedy | undefined {
  if (rules === undefined) return undefined;
  return (
    leastRemedy(asker, rules, binding, lifted, provenMost) ?? lastRemedy(asker, rules, provenMost?.amountMsat)
  );
}

/** The smallest change that helps. Undefined when the effort is spent, or none was found. */
function leastRemedy(
  asker: Asker,
  rules: RemedyRules,
  binding: Diagnosis['binding'],
  lifted: Lifted | undefined,
  provenMost: ProvenMost | undefined,
): Remedy | undefined {
  try {
    const limits = lifted === undefined ? undefined : limitsWithin(asker, rules, lifted);
    if (limits !== undefined) return changes(asker.own, limits);
    const amountMsat = otherAmount(asker, rules, binding, provenMost);
    return amountMsat === undefined ? undefined : { amountMsat: amountMsat as Terms['amountMsat'] };
  } catch (error) {
    if (error instanceof Spent) return undefined;
    throw error;
  }
}

/**
 * A smaller amount that can be delivered now, or a larger one if the amount may be too small for HTLC minimums or fees.
 */
function otherAmount(
  asker: Asker,
  { feeShare }: RemedyRules,
  binding: Diagnosis['binding'],
  provenMost: ProvenMost | undefined,
): bigint | undefined {
  const isSmall = (binding === 'capacity' || binding === 'limits') && asker.own.amountMsat <= SMALL_AMOUNT;
  const mayRise = provenMost === undefined && (isSmall || binding === 'deduction');
  const isLessTried = binding !== 'deduction' && !(mayRise && isLargerPaid(asker, feeShare));
  const less = isLessTried ? lessAmount(asker, provenMost, feeShare) : undefined;
  return confirmedAmount(asker, less ?? (mayRise ? moreAmount(asker, feeShare) : undefined), feeShare);
}

/** The amount, if a request for it has an answer. See `confirmed`. */
function confirmedAmount(
  asker: Asker,
  amountMsat: bigint | undefined,
  share: FeeShare | undefined,
): bigint | undefined {
  if (amountMsat === undefined) return undefined;
  return asker.isAnswered(withAmount(asker.own, amountMsat, share)) ? amountMsat : undefined;
}

/** The lowest limits that help, among those that a remedy may change. */
function limitsWithin(asker: Asker, rules: RemedyRules, { terms: lifted, reply }: Lifted): Terms | undefined {
  const { own } = asker;
  if (lifted.maxparts !== own.maxparts && !rules.parts) return undefined;
  if (lifted.maxdelay === own.maxdelay) {
    // Only the fee limit prevents a route. Limits lower than the fee that was found are tried, unless it is proven that
    // none of them works. When fees are deducted from the amount, proofs do not hold, because such answers are checked
    // after the search.
    if (lifted.maxparts === own.maxparts && asker.paysFees) {
      const found = confirmed(asker, lifted);
      if (found === undefined || reply.isFeeLeast) return found;
      return leastFee(asker, found, !isRefused(reply));
    }
    return confirmed(asker, leastLimits(asker, lifted, false));
  }
  const longest = { ...lifted, maxdelay: Math.max(own.maxdelay, rules.mostMaxdelay) };
  const { terms, isFeeLeast } = affordable(asker, longest, reply);
  const limits = leastLimits(asker, terms, isFeeLeast);
  return confirmed(asker, limits ?? shorterEnd(asker, rules, longest));
}

/**
 * The terms, if a request with them has an answer. Earlier tests only checked whether there is any answer. This test
 * asks exactly as a request does.
 */
function confirmed(asker: Asker, terms: Terms | undefined): Terms | undefined {
  return terms !== undefined && asker.isAnswered(terms) ? terms : undefined;
}

/**
 * Chooses the fee limit for the terms: the caller's own limit, or, if the search finds only more expensive answers
 * within the other limits, the lowest fee of these answers. An answer found already may satisfy the terms.
 */
function affordable(asker: Asker, terms: Terms, found: Reply): { terms: Terms; isFeeLeast: boolean } {
  const own = { ...terms, maxfeeMsat: asker.own.maxfeeMsat };
  const maxdelay = found.takes.pathDelay + own.finalCltv;
  if (found.status === 'ok' && maxdelay > asker.own.maxdelay && maxdelay <= own.maxdelay) {
    const kept = { ...own, maxdelay };
    asker.note(kept, found);
    return { terms: kept, isFeeLeast: false };
  }
  if (found.status === 'tooDear' && asker.paysFees && maxdelay <= own.maxdelay)
    return { terms: withFeeOf(own, found), isFeeLeast: found.isFeeLeast };
  const reply = asker.askAnyFee(own);
  return isOnlyDear(reply)
    ? { terms: withFeeOf(own, reply), isFeeLeast: reply.isFeeLeast && asker.paysFees }
    : { terms: own, isFeeLeast: false };
}

/** The terms with fewer blocks for the recipient. Undefined if the rules forbid that, or if it does not help. */
function shorterEnd(asker: Asker, rules: RemedyRules, terms: Terms): Terms | undefined {
  const finalCltv = rules.finalCltv ? mostFinalCltv(asker, terms) : undefined;
  return finalCltv === undefined ? undefined : { ...terms, finalCltv };
}

function changes(own: Terms, terms: Terms): Partial<Terms> {
  const changed = Object.entries(terms).filter(([key, value]) => own[key as keyof Terms] !== value);
  return Object.fromEntries(changed);
}
