/**
 * The best answer within all caps, at given prices.
 *
 *   minimise F   subject to   fee ≤ maxfee, delay ≤ maxdelay, parts ≤ maxparts, hops ≤ maxhops, HTLC limits
 *
 * Delay, hop and part limits are kept while paths are chosen. The fee cap is kept by a Lagrange multiplier, which is
 * the weight w of fees (objective.ts). Two answers, one too dear and one within the cap, define the w at which both
 * cost the same:
 *
 *   w = (rest of the cheap one − rest of the dear one) / (fee of the dear one − fee of the cheap one)
 *
 * with rest = F without fees. Solve there, let the new answer replace one of the two, and repeat (LARAC: Jüttner,
 * Szviatovszki, Mécs and Rajkó 2001). Every other round takes the geometric middle of the bracket instead, for smooth
 * trade-offs.
 *
 * Invariant: OK means that all caps are kept; debug builds assert it in solve.ts. Work: at most WEIGHT_ROUNDS answers,
 * each of them bounded by the effort (effort.ts).
 *
 * Failure modes. Answers are whole, so their fees have gaps that no w reaches: balancing within the cap uses what
 * remains of it. A refusal is given where it is proven (construct.ts, refute.ts), or where no limit was met and nothing
 * was cut short. Else UNDECIDED or PERHAPS_TOO_DEAR says that there may be an answer all the same.
 */

import { construct, isRoomLacking, isTooWide, placeFlow, proven } from './flow/construct';
import { releaseLoads } from './flow/lanes';
import {
  addFoundPath,
  keepBest,
  partCount,
  partsClear,
  refreshLoads,
  restoreBest,
  restoreParts,
  saveParts,
  totalFee,
} from './flow/parts';
import { balance } from './improve/balance';
import { allowFee, refine } from './improve/improve';
import { objective, totalRisk } from './improve/objective';
import { limitParts, partsValid } from './improve/shares';
import { areTooDear, isLeastFee, isLeastOfSeveral, isRefuted, NO_FEE, refute } from './prove/refute';
import { forgetCut, giveBack, hasEffort, holdAllBut, holdBack, searchSteps, wasCut } from './question/effort';
import { delayRate, feeWeight, priceFeesOnly, riskPrice, setPrices } from './question/prices';
import {
  ANY,
  ANY_FEE,
  amount,
  anyWillDo,
  BEST,
  destination,
  findLiftedWithinFee,
  goal,
  isHopeless,
  isMinimumMet,
  isWholeLeast,
  isWithinFee,
  limitsMet,
  maxFee,
  maxParts,
  OK,
  PERHAPS_TOO_DEAR,
  searchAnew,
  source,
  TOO_DEAR,
  UNDECIDED,
} from './question/question';

const WEIGHT_ROUNDS: u32 = 12;
/** A fee cap of at most this share of the amount counts as low. */
const LOW_CAP: f64 = 1e-3;
/** A weight of fees so many times the given one leaves fees alone to count. */
const HEAVIEST: f64 = 1e6;
/** How often the range between the two is halved. */
const LIGHTER_ROUNDS: u32 = 6;
const BALANCE_STEPS: u32 = 10;
/** A fee above this share of the cap uses the cap well enough. */
const CLOSE_TO_CAP: f64 = 0.995;
/** −ln P above which an answer counts as strained, so that another beginning is tried: below 1 in 3. */
const STRAINED: f64 = 1.0;
/** What another beginning may cost: so many steps, or searches over the whole graph where these are more. */
const LOOK_STEPS: f64 = 1_200_000.0;
const LOOK_SEARCHES: f64 = 2.0;
/** Share of the effort that the first answer must leave for keeping the fee cap. */
const HELD_BACK: f64 = 0.125;

/** Whether the last call of `decide` proved what it returned. */
let isDecided: bool = false;
/** See `isFeeLeast`. */
let isLeast: bool = false;

/**
 * For the host, with TOO_DEAR: whether it is proven that no answer within the other caps costs a hundredth less in fees
 * than the one found.
 */
export function isFeeLeast(): bool {
  return isLeast;
}

/**
 * The best answer within all caps, or what the goal asks for instead (question.ts). With TOO_DEAR and PERHAPS_TOO_DEAR
 * the parts are the cheapest answer found that keeps all caps but the fee cap.
 */
export function attempt(fee: f64, risk: f64, delay: f64): u32 {
  isLeast = false;
  return anyWillDo() ? findAny(fee, risk, delay) : findBest(fee, risk, delay);
}

/**
 * Whether there is an answer. The stages are those of `findBest`, but the quick ones that decide most questions come
 * first. The answer at the given prices is looked for last, and only where nothing is proven.
 */
function findAny(fee: f64, risk: f64, delay: f64): u32 {
  if (goal === ANY_FEE && isCapTooLow()) return TOO_DEAR;
  let status = cheapest();
  if (status === OK && totalFee() <= maxFee) return OK;
  status = decide(status === OK ? TOO_DEAR : status);
  if (status === OK || isDecided || !hasEffort()) return status;
  const isDear = status === PERHAPS_TOO_DEAR;
  if (isDear) keepBest();
  startOver();
  setPrices(fee, risk, delay);
  if (answer() === OK && totalFee() <= maxFee) return OK;
  if (isDear) restoreBest();
  return isDear || hasNoDoubt() ? status : UNDECIDED;
}

function findBest(fee: f64, risk: f64, delay: f64): u32 {
  if (isCapTooLow()) return TOO_DEAR;
  startOver();
  setPrices(fee, risk, delay);
  const held = holdBack(HELD_BACK);
  const status = answer();
  giveBack(held);
  if (status === OK) {
    const capped = totalFee() > maxFee ? capFee(fee, risk, delay) : OK;
    if (capped === OK && goal === BEST) lookAgain(fee, risk, delay);
    return capped;
  }
  if (proven || isTooWide || !hasEffort()) return decide(status);
  // An answer of least fees often needs fewer parts. It may exist where the balanced search ran out of parts.
  const cheap = cheapest();
  const settled = cheap === OK && totalFee() <= maxFee ? OK : decide(cheap === OK ? TOO_DEAR : status);
  if (settled === OK && goal === BEST) lighten(fee, risk, delay);
  return settled;
}

/**
 * Begins once more from the answer of least fees where the answer is strained, and keeps what costs less at the true
 * prices. Near the capacity of an end every share is large, and improvements that move one share at a time end in a
 * local optimum. The two beginnings end in different ones.
 */
function lookAgain(fee: f64, risk: f64, delay: f64): void {
  setPrices(fee, risk, delay);
  if (partCount < 2 || totalRisk() <= STRAINED) return;
  const cutBefore = wasCut;
  // The bound does not depend on what is left. So an answer does not either, unless it says that it was cut short.
  const held = holdAllBut(max<f64>(LOOK_STEPS, LOOK_SEARCHES * searchSteps()));
  if (held < 0.0) return;
  const before = objective();
  keepBest();
  const status = cheapest();
  setPrices(fee, risk, delay);
  if (status === OK && totalFee() <= maxFee) {
    allowFee(maxFee);
    refine();
    allowFee(i64.MAX_VALUE);
  }
  if (status !== OK || totalFee() > maxFee || !(objective() < before)) restoreBest();
  giveBack(held);
  forgetCut(cutBefore);
}

/**
 * Whether the fee cap is soon proven to be too low, whatever the other caps. Then the parts are the answer of least fees
 * within those, and the search at the given prices is saved. It is looked at for low caps only: most questions have an
 * answer.
 */
function isCapTooLow(): bool {
  if ((maxFee as f64) > LOW_CAP * (amount as f64) || isRoomLacking() || !isTooDear()) return false;
  const before = wasCut;
  if (cheapest() !== OK || totalFee() <= maxFee) {
    forgetCut(before);
    searchAnew();
    return false;
  }
  isDecided = true;
  isLeast = isWholeLeast && (maxParts === 1 ? !wasCut : isLeastOfSeveral(totalFee()));
  return true;
}

/** Whether it is proven that neither one part nor several keep the fee cap. */
function isTooDear(): bool {
  startOver();
  priceFeesOnly();
  return !isWithinFee() && (maxParts === 1 || areTooDear());
}

/**
 * Improves an answer of least fees, within the fee cap, where no answer was found at the given weight of fees. Weights
 * between that one and infinity are tried: the least that still leads to an answer within the cap is bisected.
 */
function lighten(weight: f64, risk: f64, delay: f64): void {
  keepBest();
  let lighter = weight;
  let heavier = weight * HEAVIEST;
  let least = costAt(weight, risk, delay);
  for (let round: u32 = 0; round < LIGHTER_ROUNDS && hasEffort(); round++) {
    const next = sqrt(lighter * heavier);
    setPrices(next, risk, delay);
    if (!reweigh() || totalFee() > maxFee) {
      lighter = next;
      restoreBest();
      continue;
    }
    heavier = next;
    const cost = costAt(weight, risk, delay);
    if (cost >= least) continue;
    least = cost;
    keepBest();
  }
  restoreBest();
  improveWithin(weight, heavier, risk, delay);
}

/** Improves the present answer at the true prices, but never above the fee cap. */
function improveWithin(weight: f64, heavier: f64, risk: f64, delay: f64): void {
  balanceWithin(weight, heavier, risk, delay);
  setPrices(weight, risk, delay);
  allowFee(maxFee);
  if (hasEffort()) refine();
  allowFee(i64.MAX_VALUE);
}

/**
 * Decides on a status that says that the search at fees alone found no answer within the caps. The status stands where
 * that is proven. The search for a single path leaves nothing out unless it says so. For several parts there is a bound
 * (refute.ts). Where the bound proves nothing, the flow that comes with it may lead to an answer.
 */
function decide(status: u32): u32 {
  isDecided = true;
  if (proven || isHopeless || isTooWide) return status;
  const isDear = status === TOO_DEAR;
  if (maxParts === 1 && !wasCut) {
    isLeast = isDear && isWholeLeast;
    return status;
  }
  isDecided = false;
  if (!hasEffort()) return isDear ? PERHAPS_TOO_DEAR : UNDECIDED;
  const fee = isDear ? totalFee() : NO_FEE;
  if (isDear) keepBest();
  startOver();
  // Once the proof succeeds, the flow can only lead to an answer above the fee cap. That is wanted for goal BEST, and
  // only where no such answer is known yet.
  const isFound = refute(goal === BEST && !isDear, goal === ANY ? NO_FEE : fee) && followFlow();
  isDecided = isRefuted;
  isLeast = isLeastFee && isWholeLeast && !isFound;
  if (isFound && totalFee() <= maxFee) return OK;
  if (isFound && totalFee() < fee) keepBest();
  if (isDear || isFound) restoreBest();
  if (isRefuted) return isFound ? TOO_DEAR : status;
  if (isDear || isFound) return PERHAPS_TOO_DEAR;
  return hasNoDoubt() ? status : UNDECIDED;
}

/**
 * Whether a failure counts without a proof: no limit of the question was met, nothing was cut short, and no part was
 * below an HTLC minimum. Then HTLC maximums and fees leave too little of the capacity.
 */
function hasNoDoubt(): bool {
  return limitsMet === 0 && !wasCut && !(isMinimumMet && maxParts > 1);
}

/** Whether the paths of the flow that `refute` found become an answer within all caps but the fee's. */
function followFlow(): bool {
  priceFeesOnly();
  if (placeFlow() !== 0 || !limitParts() || !partsValid()) return false;
  if (!isEnough()) refine();
  return true;
}

/**
 * The answer of least fee within the other caps. If it exceeds the fee cap, a path lifted over HTLC minimums is tried.
 */
function cheapest(): u32 {
  startOver();
  priceFeesOnly();
  const status = answer();
  if (status !== OK || totalFee() <= maxFee) return status;
  releaseLoads();
  if (findLiftedWithinFee()) {
    startOver();
    addFoundPath(source, destination, amount);
  }
  refreshLoads();
  return OK;
}

function startOver(): void {
  releaseLoads();
  partsClear();
}

/** Constructs an answer at the present prices if there are no parts yet, and improves it. */
function answer(): u32 {
  const status = partCount === 0 ? construct() : OK;
  if (status === OK && !isEnough()) refine();
  return status;
}

/**
 * Whether the present parts are all that is wanted: some answer within the fee cap. Construction keeps the other caps.
 */
function isEnough(): bool {
  return anyWillDo() && totalFee() <= maxFee && partsValid();
}

/**
 * Finds the best answer whose fee is within the cap, by changing the weight of fees. The present answer is above the
 * cap. `lighter` and `heavier` bracket the weight. The dear answer belongs to `lighter`, the cheap one to `heavier`.
 */
function capFee(weight: f64, risk: f64, delay: f64): u32 {
  let dearFee = totalFee() as f64;
  let dearRest = restCost(risk, delay);
  keepBest();
  // Balanced answers are now and then cheaper than what the search for fewest fees ends with.
  if (cheapest() !== OK || (totalFee() as f64) > dearFee) restoreBest();
  if (totalFee() > maxFee) {
    const status = decide(TOO_DEAR);
    if (status !== OK) return status;
  }
  if (goal !== BEST) return OK;
  let cheapFee = totalFee() as f64;
  let cheapRest = restCost(risk, delay);
  let lighter = weight;
  let heavier: f64 = 0.0;
  keepBest();
  for (let round: u32 = 0; round < WEIGHT_ROUNDS && hasEffort(); round++) {
    // The weight at which both answers cost the same. Every other round takes the middle of the bracket, for smooth
    // trade-offs.
    const even = (cheapRest - dearRest) / (dearFee - cheapFee);
    const next = heavier > 0.0 && (round & 1) !== 0 ? sqrt(lighter * heavier) : even;
    if (!(next > lighter * 1.01) || (heavier > 0.0 && next > heavier * 0.999)) break;
    setPrices(next, risk, delay);
    if (!reweigh()) break;
    const fee = totalFee() as f64;
    const rest = restCost(risk, delay);
    if (fee <= (maxFee as f64)) {
      if (rest < cheapRest) keepBest();
      cheapFee = fee;
      cheapRest = rest;
      heavier = next;
      if (fee >= CLOSE_TO_CAP * (maxFee as f64)) break;
    } else {
      dearFee = fee;
      dearRest = rest;
      lighter = next;
    }
    if (dearFee <= cheapFee) break;
  }
  restoreBest();
  // Base fees leave gaps that no weight reaches.
  improveWithin(weight, heavier > 0.0 ? heavier : weight * HEAVIEST, risk, delay);
  return OK;
}

/** Balances the amount among the present paths at the smallest weight of fees found with which the cap is kept. */
function balanceWithin(lighter: f64, heavier: f64, risk: f64, delay: f64): void {
  let light = lighter;
  let heavy = heavier;
  for (let step: u32 = 0; step < BALANCE_STEPS && partCount > 1; step++) {
    const weight = step === 0 ? lighter : sqrt(light * heavy);
    setPrices(weight, risk, delay);
    saveParts();
    balance();
    if (totalFee() <= maxFee && partsValid()) {
      if (step === 0) return;
      heavy = weight;
    } else {
      restoreParts();
      light = weight;
    }
  }
}

/** Solves again after prices changed. Several parts are a good start; a single path is found faster from nothing. */
function reweigh(): bool {
  if (partCount < 2) startOver();
  else balance();
  return answer() === OK;
}

/** What the present parts cost apart from fees. */
function restCost(risk: f64, delay: f64): f64 {
  return costAt(0.0, risk, delay);
}

/** What the present parts cost at other prices than the present ones. */
function costAt(fee: f64, risk: f64, delay: f64): f64 {
  const weight = feeWeight;
  const usedRisk = riskPrice;
  const usedDelay = delayRate;
  setPrices(fee, risk, delay);
  const cost = objective();
  setPrices(weight, usedRisk, usedDelay);
  return cost;
}
