/**
 * The best answer within all caps, at given prices.
 *
 *   minimise F   subject to   fee ≤ maxfee, delay ≤ maxdelay, parts ≤ maxparts, hops ≤ maxhops, HTLC limits
 *
 * Limits on delay, hops and parts are enforced while paths are chosen. A Lagrange multiplier, the weight w of fees
 * (objective.ts), enforces the fee cap. Two answers, one too expensive and one within the cap, define the w at which
 * both cost the same:
 *
 *   w = (rest of the cheap one − rest of the expensive one) / (fee of the expensive one − fee of the cheap one)
 *
 * with rest = F without fees, and fees as F counts them, that is, with biases. Solve there, replace one of the two by the
 * new answer, and repeat (LARAC: Jüttner, Szviatovszki, Mécs and Rajkó 2001). Every other round uses the geometric mean
 * of the bracket instead, for smooth trade-offs.
 *
 * Invariant: OK means that all caps are kept; debug builds assert it in solve.ts. Work: WEIGHT_ROUNDS answers at most
 * while w changes, and a few others; the effort (effort.ts) bounds all of them together.
 *
 * Failure modes. Answers are discrete, so the fee jumps from one w to the next and may stay below the cap: balancing
 * within the cap uses what remains of it. A refusal is returned only if proven (construct.ts, refute.ts). Without proof
 * the status is UNDECIDED or PERHAPS_TOO_DEAR: there may be an answer.
 */

import { Question } from '../record';
import { Workspace } from '../workspace';
import { construct, isRoomLacking, placeFlow } from './flow/construct';
import { releaseLoads } from './flow/lanes';
import {
  addFoundPath,
  keepBest,
  partsClear,
  refreshLoads,
  restoreBest,
  restoreParts,
  saveParts,
  totalFee,
} from './flow/parts';
import { balance } from './improve/balance';
import { mayExchange, refine, refineWhole, refineWithin } from './improve/improve';
import { objective } from './improve/objective';
import { limitParts, partsValid } from './improve/shares';
import { NEVER_RAISED, RAISED, raise } from './prove/raise';
import {
  areSeveralExcluded,
  areTooDear,
  isLateRefuted,
  isLeastOfSeveral,
  isPricedOut,
  isSoonRefuted,
  NO_FEE,
  refute,
  refuteByPrices,
} from './prove/refute';
import {
  effortSpent,
  forgetCut,
  giveBack,
  hasEffort,
  holdAllBut,
  holdBack,
  leaveUndone,
  searchSteps,
} from './question/effort';
import { priceFeesOnly, setPrices, weighFees } from './question/prices';
import {
  ANY,
  ANY_FEE,
  anyWillDo,
  BEST,
  findLiftedWithinFee,
  isBelowMinimum,
  isWithinFee,
  NO_CAPACITY,
  OK,
  PERHAPS_TOO_DEAR,
  searchAnew,
  TOO_DEAR,
  UNDECIDED,
} from './question/question';

const WEIGHT_ROUNDS: u32 = 12;
/** A fee cap of at most this share of the amount counts as low. */
const LOW_CAP: f64 = 1e-3;
/** Multiple of the given weight of fees at which, in effect, only fees count. */
const HEAVIEST: f64 = 1e6;
/** Maximum number of bisections in `lighten`. */
const LIGHTER_ROUNDS: u32 = 6;
const BALANCE_STEPS: u32 = 10;
/** A fee above this share of the cap is close enough to the cap. */
const CLOSE_TO_CAP: f64 = 0.995;
/**
 * An attempt to improve a finished answer may take LOOK_STEPS steps, or as many as LOOK_SEARCHES searches over the whole
 * graph if that is more.
 */
const LOOK_STEPS: f64 = 1_200_000.0;
const LOOK_SEARCHES: f64 = 2.0;
/** Share of the effort reserved for keeping the fee cap. */
const HELD_BACK: f64 = 0.125;
/** If a search took this many steps and decided nothing, a longer proof is worth its work. */
const LONG_SEARCH: f64 = 2_000_000.0;
/** Share of the effort for an answer above the fee cap, once it is proven that none is within. */
const ABOVE_CAP: f64 = 0.3;

/** What is proven about the answer. */
@unmanaged
export class Decision {
  /** Whether the status that the last stage returned is proven. */
  isDecided: bool;
  /** The value of `Verdict.isFeeLeast`. */
  isFeeLeast: bool;
  /** The value of `Verdict.dearSteps`. */
  dearSteps: f64;
  /** Steps spent since the instance was created when the last search for lowest fees began. */
  cheapestBegun: f64;
}

/**
 * Finds the best answer within all caps, or what the goal requests instead (question.ts). With status TOO_DEAR or
 * PERHAPS_TOO_DEAR the parts are the cheapest answer found that keeps all caps except the fee cap.
 */
export function attempt(question: Question, work: Workspace): u32 {
  work.decision.isFeeLeast = false;
  if (anyWillDo(question)) return findAny(question, work);
  const begun = effortSpent(work.effort);
  const status = findBest(question, work);
  if (status === OK && question.goal === BEST) exchangeWithin(question, work);
  const isOpen = status === UNDECIDED || status === PERHAPS_TOO_DEAR;
  return isOpen && effortSpent(work.effort) - begun > LONG_SEARCH
    ? decideAtLast(question, work, status)
    : status;
}

/** Changes the status if a longer proof shows that no answer keeps all caps. Few questions need it. */
function decideAtLast(question: Question, work: Workspace, status: u32): u32 {
  const isDear = status === PERHAPS_TOO_DEAR;
  if (isDear) keepBest(work.parts);
  startOver(work);
  work.decision.isDecided = isLateRefuted(question, work);
  if (isDear) restoreBest(work);
  if (!work.decision.isDecided) return status;
  return isDear ? TOO_DEAR : NO_CAPACITY;
}

/** Reroutes and exchanges whole parts of the finished answer, and stays within the fee cap. */
function exchangeWithin(question: Question, work: Workspace): void {
  const effort = work.effort;
  weighFees(question, work.prices, question.feeWeight);
  if (!mayExchange(question, work)) return;
  const cutBefore = effort.wasCut;
  const held = holdAllBut(effort, lookSteps(work));
  if (held < 0.0) return;
  refineWhole(question, work, question.maxfeeMsat);
  giveBack(effort, held);
  forgetCut(effort, cutBefore);
}

/** Maximum steps of an attempt to improve a finished answer. */
function lookSteps(work: Workspace): f64 {
  return max<f64>(LOOK_STEPS, LOOK_SEARCHES * searchSteps(work.graph));
}

/**
 * Finds out whether there is an answer. The stages are those of `findBest`, but the quick ones that decide most
 * questions come first. The search at the given prices comes last, and only if nothing is proven.
 */
function findAny(question: Question, work: Workspace): u32 {
  const parts = work.parts;
  const shortage = work.shortage;
  if (question.goal === ANY_FEE) {
    const refusal = refuseLowCap(question, work);
    // The proof says nothing about answers above the cap.
    if (refusal !== OK)
      return refusal === TOO_DEAR || shortage.proven || shortage.isUnpassable ? refusal : UNDECIDED;
  }
  let status = cheapest(question, work);
  if (status === OK && totalFee(parts) <= question.maxfeeMsat) return OK;
  status = decide(question, work, status === OK ? TOO_DEAR : status);
  if (status === OK || work.decision.isDecided || !hasEffort(work.effort)) return status;
  const isDear = status === PERHAPS_TOO_DEAR;
  if (isDear) keepBest(parts);
  startOver(work);
  weighFees(question, work.prices, question.feeWeight);
  if (answer(question, work) === OK && totalFee(parts) <= question.maxfeeMsat) return OK;
  if (isDear) restoreBest(work);
  return isDear ? status : UNDECIDED;
}

function findBest(question: Question, work: Workspace): u32 {
  const shortage = work.shortage;
  const effort = work.effort;
  const parts = work.parts;
  const refusal = refuseLowCap(question, work);
  if (refusal !== OK) return refusal;
  startOver(work);
  weighFees(question, work.prices, question.feeWeight);
  const held = holdBack(effort, HELD_BACK);
  const status = answer(question, work);
  giveBack(effort, held);
  if (status === OK) return totalFee(parts) > question.maxfeeMsat ? capFee(question, work) : OK;
  if (shortage.isExcluded) return findAboveCap(question, work);
  if (shortage.proven || shortage.isUnpassable || !hasEffort(effort)) return decide(question, work, status);
  // Little effort is left, so a short proof comes first.
  if (effort.wasCut) {
    releaseLoads(work);
    work.decision.isDecided = isSoonRefuted(question, work, question.maxfeeMsat);
    if (work.decision.isDecided) return status;
  }
  // An answer of lowest fees often needs fewer parts. It may exist although the balanced search ran out of parts.
  const cheap = cheapest(question, work);
  const settled =
    cheap === OK && totalFee(parts) <= question.maxfeeMsat
      ? OK
      : decide(question, work, cheap === OK ? TOO_DEAR : status);
  if (settled === OK && question.goal === BEST) lighten(question, work);
  return settled;
}

/**
 * Refuses the question if a short search proves that the fee cap is too low, regardless of the limits on delay and hops.
 * If so, the search at the given prices is skipped. Returns OK if nothing is proven. Tried only for low caps, because
 * most questions have an answer.
 */
function refuseLowCap(question: Question, work: Workspace): u32 {
  const shortage = work.shortage;
  if (
    (question.maxfeeMsat as f64) > LOW_CAP * (question.amountMsat as f64) ||
    isRoomLacking(question, work) ||
    isWithinCap(question, work)
  )
    return OK;
  const isDear = question.partLimit === 1 || areTooDear(question, work);
  if (!isDear) shortage.isExcluded = isPricedOut(question, work);
  if (!isDear && !shortage.isExcluded) return OK;
  const before = work.effort.wasCut;
  const refusal = findAboveCap(question, work);
  if (refusal === TOO_DEAR || shortage.isExcluded) return refusal;
  // Without an answer above the cap, bounds and the search for a single path prove nothing: fees may raise an amount over
  // HTLC minimums, or rounding may save more.
  work.decision.isDecided = false;
  forgetCut(work.effort, before);
  searchAnew(work);
  return OK;
}

/** Whether the search for a single path finds one within the fee cap, regardless of the limits on delay and hops. */
function isWithinCap(question: Question, work: Workspace): bool {
  startOver(work);
  priceFeesOnly(work.prices);
  return isWithinFee(question, work);
}

/**
 * Looks for the answer of lowest fees within the other caps, after a proof that no answer keeps the fee cap. It serves
 * the reason and a remedy. After a proof that holds for all answers (`Shortage.isExcluded`) the search takes only part
 * of the effort. If another proof led here and no answer is found, that proof is tried. With TOO_DEAR the parts are that
 * answer.
 */
function findAboveCap(question: Question, work: Workspace): u32 {
  const decision = work.decision;
  const effort = work.effort;
  const parts = work.parts;
  const shortage = work.shortage;
  const before = effort.wasCut;
  const held = holdBack(effort, shortage.isExcluded ? 1.0 - ABOVE_CAP : 0.0);
  const status = cheapest(question, work);
  giveBack(effort, held);
  decision.isDecided = true;
  if (status !== OK) {
    if (!shortage.isExcluded && !shortage.proven && !effort.wasCut) {
      startOver(work);
      shortage.isExcluded = isPricedOut(question, work);
    }
    if (!shortage.isExcluded) return status;
    forgetCut(effort, before);
    const decided = decide(question, work, status);
    decision.isDecided = true;
    if (decided === PERHAPS_TOO_DEAR) return TOO_DEAR;
    return decided === UNDECIDED ? status : decided;
  }
  if (totalFee(parts) <= question.maxfeeMsat) return OK;
  decision.isFeeLeast =
    work.findings.isWholeLeast &&
    (question.partLimit === 1 ? !effort.wasCut : isLeastOfSeveral(question, work, totalFee(parts)));
  return TOO_DEAR;
}

/**
 * Improves an answer of lowest fees, within the fee cap, if no answer was found at the given weight of fees. Bisects
 * between that weight and one at which, in effect, only fees count, to find the smallest weight that still leads to an
 * answer within the cap.
 */
function lighten(question: Question, work: Workspace): void {
  const parts = work.parts;
  keepBest(parts);
  let lighter = question.feeWeight;
  let heavier = lighter * HEAVIEST;
  let least = costAt(question, work, question.feeWeight);
  for (let round: u32 = 0; round < LIGHTER_ROUNDS && hasEffort(work.effort); round++) {
    const next = sqrt(lighter * heavier);
    weighFees(question, work.prices, next);
    if (!reweigh(question, work) || totalFee(parts) > question.maxfeeMsat) {
      lighter = next;
      restoreBest(work);
      continue;
    }
    heavier = next;
    const cost = costAt(question, work, question.feeWeight);
    if (cost >= least) continue;
    least = cost;
    keepBest(parts);
  }
  restoreBest(work);
  improveWithin(question, work, heavier);
}

/** Improves the current answer at the true prices. Its fee stays within the cap. */
function improveWithin(question: Question, work: Workspace, heavier: f64): void {
  balanceWithin(question, work, heavier);
  weighFees(question, work.prices, question.feeWeight);
  if (hasEffort(work.effort)) refineWithin(question, work, question.maxfeeMsat);
}

/**
 * HTLC minimums above this (10,000 sat, in msat) are rare, so fees seldom have to raise a larger amount over an HTLC
 * minimum.
 */
const SMALL_AMOUNT: i64 = 10_000_000;

/**
 * Confirms or changes the status when the searches found no answer within the caps. The status stands if proven. The
 * search for a single path is complete unless it reports otherwise. For several parts there is a bound (refute.ts). If
 * the bound proves nothing, its flow may lead to an answer.
 */
function decide(question: Question, work: Workspace, status: u32): u32 {
  const decision = work.decision;
  const shortage = work.shortage;
  const findings = work.findings;
  const effort = work.effort;
  const refutation = work.refutation;
  const parts = work.parts;
  decision.isDecided = true;
  if (shortage.proven || findings.isHopeless || shortage.isUnpassable) return status;
  if (shortage.isExcluded && question.goal === ANY) return status;
  const isDear = status === TOO_DEAR;
  if (question.partLimit === 1 && !effort.wasCut) {
    decision.isFeeLeast = isDear && findings.isWholeLeast;
    return status;
  }
  decision.isDecided = false;
  if (isBelowMinimum(findings) && question.amountMsat <= SMALL_AMOUNT) {
    const raised = decideRaised(question, work, isDear);
    if (raised === RAISED) return OK;
    // A search that was cut short may have missed an answer above the fee cap, or a cheaper one.
    if (raised === NEVER_RAISED && !effort.wasCut) return status;
  }
  if (!hasEffort(effort)) return isDear ? PERHAPS_TOO_DEAR : UNDECIDED;
  const fee = isDear ? totalFee(parts) : NO_FEE;
  if (isDear) keepBest(parts);
  startOver(work);
  // Once the proof succeeds, the flow can only lead to an answer above the fee cap. Such an answer is wanted only for
  // goals BEST and ANY_FEE, and only if none is known yet.
  const isFlowWanted = !isDear && (question.goal === BEST || question.goal === ANY_FEE);
  const isFound =
    refute(question, work, isFlowWanted, question.goal === ANY ? NO_FEE : fee) && followFlow(question, work);
  decision.isDecided = refutation.isRefuted;
  decision.isFeeLeast = refutation.isLeastFee && findings.isWholeLeast && !isFound;
  if (isFound && totalFee(parts) <= question.maxfeeMsat) return OK;
  if (isFound && totalFee(parts) < fee) {
    keepBest(parts);
    noteDear(work);
  }
  if (!refutation.isRefuted && !anyWillDo(question)) {
    startOver(work);
    decision.isDecided = refuteByPrices(question, work);
  }
  if (isDear || isFound) restoreBest(work);
  if (refutation.isRefuted) return isFound ? TOO_DEAR : status;
  return isDear || isFound ? PERHAPS_TOO_DEAR : UNDECIDED;
}

/**
 * Looks for a path whose fees raise the amount over HTLC minimums (raise.ts). Returns the decision of `raise`. With
 * `isDear`, the current parts stay unless such a path is found. That search is skipped if the cheapest single path is
 * known, and it is quickly proven that several parts are too expensive.
 */
function decideRaised(question: Question, work: Workspace, isDear: bool): u32 {
  const decision = work.decision;
  const parts = work.parts;
  const isSingleLeast =
    isDear && parts.count === 1 && work.prices.exactFees && work.findings.isWholeLeast && !work.effort.wasCut;
  const fee = totalFee(parts);
  if (isDear) keepBest(parts);
  startOver(work);
  const isTooDear = isSingleLeast && areSeveralExcluded(question, work, question.goal === ANY ? NO_FEE : fee);
  if (isTooDear) decision.isFeeLeast = work.refutation.isLeastFee;
  const raised = isTooDear ? NEVER_RAISED : raise(question, work);
  decision.isDecided = raised === NEVER_RAISED;
  if (raised === RAISED) {
    addFoundPath(work, question.source, question.destination, question.amountMsat);
    refreshLoads(work);
    // Other paths may be better, so the search is not complete.
    leaveUndone(work.effort);
  } else if (isDear) restoreBest(work);
  return raised;
}

/**
 * Turns the flow that `refute` found into parts. Returns whether they are an answer within all caps except the fee cap.
 */
function followFlow(question: Question, work: Workspace): bool {
  priceFeesOnly(work.prices);
  if (placeFlow(question, work) !== 0 || !limitParts(question, work) || !partsValid(question, work))
    return false;
  if (!isEnough(question, work)) refine(question, work);
  return true;
}

/**
 * Finds the answer of lowest fee within all caps except the fee cap. If that fee exceeds the cap, also tries a path
 * whose fees lift the amount over HTLC minimums.
 */
function cheapest(question: Question, work: Workspace): u32 {
  work.decision.cheapestBegun = effortSpent(work.effort);
  startOver(work);
  priceFeesOnly(work.prices);
  const status = answer(question, work);
  noteDear(work);
  if (status !== OK || totalFee(work.parts) <= question.maxfeeMsat) return status;
  releaseLoads(work);
  if (findLiftedWithinFee(question, work)) {
    startOver(work);
    addFoundPath(work, question.source, question.destination, question.amountMsat);
  }
  refreshLoads(work);
  return OK;
}

/** Records how many steps the search for lowest fees took to find the current answer. */
function noteDear(work: Workspace): void {
  const decision = work.decision;
  decision.dearSteps = effortSpent(work.effort) - decision.cheapestBegun;
}

function startOver(work: Workspace): void {
  releaseLoads(work);
  partsClear(work);
}

/** Constructs an answer at the current prices if there are no parts yet, and improves it. */
function answer(question: Question, work: Workspace): u32 {
  const status = work.parts.count === 0 ? construct(question, work) : OK;
  if (status === OK && !isEnough(question, work)) refine(question, work);
  return status;
}

/**
 * Whether the goal accepts the current parts because any answer within the fee cap will do. Construction keeps all
 * other caps.
 */
function isEnough(question: Question, work: Workspace): bool {
  return anyWillDo(question) && totalFee(work.parts) <= question.maxfeeMsat && partsValid(question, work);
}

/**
 * Finds the best answer whose fee is within the cap, by changing the weight of fees. The current answer is above the
 * cap. `lighter` and `heavier` bracket the weight. The expensive answer belongs to `lighter`, the cheap one to
 * `heavier`.
 */
function capFee(question: Question, work: Workspace): u32 {
  const parts = work.parts;
  const fee = totalFee(parts);
  let dearFee = pricedFee(question, work);
  let dearRest = restCost(question, work);
  keepBest(parts);
  // Balanced answers are sometimes cheaper than the result of the search for lowest fees.
  if (cheapest(question, work) !== OK || totalFee(parts) > fee) restoreBest(work);
  if (totalFee(parts) > question.maxfeeMsat) {
    const status = decide(question, work, TOO_DEAR);
    if (status !== OK) return status;
  }
  if (question.goal !== BEST) return OK;
  let cheapFee = pricedFee(question, work);
  let cheapRest = restCost(question, work);
  let lighter = question.feeWeight;
  let heavier: f64 = 0.0;
  keepBest(parts);
  for (let round: u32 = 0; round < WEIGHT_ROUNDS && hasEffort(work.effort); round++) {
    // The weight at which both answers cost the same. Every other round uses the middle of the bracket, for smooth
    // trade-offs.
    const even = (cheapRest - dearRest) / (dearFee - cheapFee);
    const next = heavier > 0.0 && (round & 1) !== 0 ? sqrt(lighter * heavier) : even;
    if (!(next > lighter * 1.01) || (heavier > 0.0 && next > heavier * 0.999)) break;
    weighFees(question, work.prices, next);
    if (!reweigh(question, work)) break;
    const fee = pricedFee(question, work);
    const rest = restCost(question, work);
    if (totalFee(parts) <= question.maxfeeMsat) {
      if (rest < cheapRest) keepBest(parts);
      cheapFee = fee;
      cheapRest = rest;
      heavier = next;
      if ((totalFee(parts) as f64) >= CLOSE_TO_CAP * (question.maxfeeMsat as f64)) break;
    } else {
      dearFee = fee;
      dearRest = rest;
      lighter = next;
    }
    if (dearFee <= cheapFee) break;
  }
  restoreBest(work);
  // Because of base fees, the fee jumps from one weight to the next, so it may stay well below the limit.
  improveWithin(question, work, heavier > 0.0 ? heavier : question.feeWeight * HEAVIEST);
  return OK;
}

/** Balances the amount among the current paths at the smallest weight of fees found that keeps the cap. */
function balanceWithin(question: Question, work: Workspace, heavier: f64): void {
  const lighter = question.feeWeight;
  const parts = work.parts;
  let light = lighter;
  let heavy = heavier;
  for (let step: u32 = 0; step < BALANCE_STEPS && parts.count > 1; step++) {
    const weight = step === 0 ? lighter : sqrt(light * heavy);
    weighFees(question, work.prices, weight);
    saveParts(parts);
    balance(work);
    if (totalFee(parts) <= question.maxfeeMsat && partsValid(question, work)) {
      if (step === 0) return;
      heavy = weight;
    } else {
      restoreParts(work);
      light = weight;
    }
  }
}

/**
 * Solves again after prices changed. Several parts are a good starting point, but a single path is found faster from
 * scratch.
 */
function reweigh(question: Question, work: Workspace): bool {
  if (work.parts.count < 2) startOver(work);
  else balance(work);
  return answer(question, work) === OK;
}

/**
 * The fees of the current parts as the objective counts them at a weight of 1, msat: biases change them, but not the fees
 * that the cap limits.
 */
function pricedFee(question: Question, work: Workspace): f64 {
  return costAt(question, work, 1.0) - restCost(question, work);
}

/** Cost of the current parts without fees. */
function restCost(question: Question, work: Workspace): f64 {
  return costAt(question, work, 0.0);
}

/** Cost of the current parts at the given weight of fees. */
function costAt(question: Question, work: Workspace, feeWeight: f64): f64 {
  const prices = work.prices;
  const present = prices.feeWeight;
  const usedRisk = prices.riskPrice;
  const usedDelay = prices.delayRate;
  weighFees(question, prices, feeWeight);
  const cost = objective(work);
  setPrices(prices, present, usedRisk, usedDelay);
  return cost;
}
