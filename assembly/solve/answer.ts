/**
 * The best answer within all caps, at given prices.
 *
 *   minimise F   subject to   fee ≤ maxfee, delay ≤ maxdelay, parts ≤ maxparts, hops ≤ maxhops, HTLC limits
 *
 * Delay, hop and part limits are kept while paths are chosen. The fee cap is kept by a Lagrange multiplier, which is the
 * weight w of fees (objective.ts). Two answers, one too dear and one within the cap, define the w at which both cost the
 * same:
 *
 *   w = (rest of the cheap one − rest of the dear one) / (fee of the dear one − fee of the cheap one)
 *
 * with rest = F without fees. Solve there, let the new answer replace one of the two, and repeat (LARAC: Jüttner, Szviatovszki,
 * Mécs and Rajkó 2001). Every other round takes the geometric middle of the bracket instead, for smooth trade-offs.
 *
 * Invariant: OK means that all caps are kept; debug builds assert it in solve.ts. Work: at most WEIGHT_ROUNDS answers, each of
 * them bounded by the effort (effort.ts).
 *
 * Failure modes. Answers are whole, so their fees have gaps that no w reaches: what remains of the cap is used by balancing
 * within it. A refusal is only given where it is proven (refute.ts); else UNDECIDED, or PERHAPS_TOO_DEAR, says that nothing
 * proves that there is no answer.
 */
import { balance } from './balance';
import { construct, isTooWide, placeFlow, proven } from './construct';
import { giveBack, hasEffort, holdBack, wasCut } from './effort';
import { allowFee, refine } from './improve';
import { releaseLoads } from './lanes';
import { objective } from './objective';
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
} from './parts';
import { delayRate, feeWeight, priceFeesOnly, riskPrice, setPrices } from './prices';
import {
  amount,
  anyWillDo,
  BEST,
  destination,
  findLiftedWithinFee,
  goal,
  isHopeless,
  limitsMet,
  maxFee,
  maxParts,
  OK,
  PERHAPS_TOO_DEAR,
  source,
  TOO_DEAR,
  UNDECIDED,
} from './question';
import { isRefuted, refute } from './refute';
import { limitParts, partsValid } from './shares';

const WEIGHT_ROUNDS: u32 = 12;
const BALANCE_STEPS: u32 = 10;
/** A fee this close to the cap uses it well enough. */
const CLOSE_TO_CAP: f64 = 0.995;
/** Share of the effort that the first answer leaves for keeping the fee cap. */
const HELD_BACK: f64 = 0.125;

/** Whether the last call of `decide` proved what it returned. */
let isDecided: bool = false;

/**
 * The best answer within all caps, or what else the goal is (question.ts). TOO_DEAR and PERHAPS_TOO_DEAR leave behind an
 * answer that keeps all caps but the fee's, the cheapest that was found.
 */
export function attempt(fee: f64, risk: f64, delay: f64): u32 {
  return anyWillDo() ? findAny(fee, risk, delay) : findBest(fee, risk, delay);
}

/**
 * Whether there is an answer: by the stages of `findBest`, those first that are quick and decide most questions.
 * The answer at the given prices is found last, where nothing is proven.
 */
function findAny(fee: f64, risk: f64, delay: f64): u32 {
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
  return isDear || (limitsMet === 0 && !wasCut) ? status : UNDECIDED;
}

function findBest(fee: f64, risk: f64, delay: f64): u32 {
  startOver();
  setPrices(fee, risk, delay);
  const held = holdBack(HELD_BACK);
  const status = answer();
  giveBack(held);
  if (status === OK) return totalFee() > maxFee ? capFee(fee, risk, delay) : OK;
  if (proven || isTooWide || !hasEffort()) return decide(status);
  // Fewest fees are often found along fewest parts, where the balanced search ran out of them.
  if (cheapest() !== OK) return decide(status);
  return totalFee() <= maxFee ? OK : decide(TOO_DEAR);
}

/**
 * Decides on a status that says that nothing was found at fees alone: it stands where that is proven. The search for a
 * single path leaves nothing out unless it says so; for several parts there is a bound, and what the bound does not
 * refuse may be found along the flow that it has for it.
 */
function decide(status: u32): u32 {
  isDecided = true;
  if (proven || isHopeless || isTooWide) return status;
  const isDear = status === TOO_DEAR;
  if (maxParts === 1 && !wasCut) return status;
  isDecided = false;
  if (!hasEffort()) return isDear ? PERHAPS_TOO_DEAR : UNDECIDED;
  const fee = isDear ? totalFee() : i64.MAX_VALUE;
  if (isDear) keepBest();
  startOver();
  // An answer that is too dear is known already, and a better one does not keep the cap either.
  const isFound = refute(goal === BEST && !isDear) && followFlow();
  isDecided = isRefuted;
  if (isFound && totalFee() <= maxFee) return OK;
  if (isFound && totalFee() < fee) keepBest();
  if (isDear || isFound) restoreBest();
  if (isRefuted) return isFound ? TOO_DEAR : status;
  if (isDear || isFound) return PERHAPS_TOO_DEAR;
  // No limit stands in the way: what HTLC limits and fees leave of the capacity does not do.
  return limitsMet === 0 && !wasCut ? status : UNDECIDED;
}

/** Whether the paths of the flow that `refute` found become an answer within all caps but the fee's. */
function followFlow(): bool {
  priceFeesOnly();
  if (placeFlow() !== 0 || !limitParts() || !partsValid()) return false;
  if (!isEnough()) refine();
  return true;
}

/** The answer of least fee within the other caps; where that is too dear, one lifted over HTLC minimums may not be. */
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

/** Constructs and improves at the present prices, from what parts there are. */
function answer(): u32 {
  const status = partCount === 0 ? construct() : OK;
  if (status === OK && !isEnough()) refine();
  return status;
}

/** Whether the present parts are all that is wanted: any answer within the fee cap. Construction keeps the other caps. */
function isEnough(): bool {
  return anyWillDo() && totalFee() <= maxFee && partsValid();
}

/**
 * Finds the best answer whose fee keeps within the cap, by the weight of fees; one above it stands now.
 * `lighter` and `heavier` bracket the weight, the dear and the cheap answer belong to them.
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
    // Where both answers cost the same; every other time the middle of the bracket, for smooth trade-offs.
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
  // Base fees leave gaps that no weight reaches: improve at the true prices, but never across the cap.
  balanceWithin(weight, heavier > 0.0 ? heavier : weight * 1e6, risk, delay);
  setPrices(weight, risk, delay);
  allowFee(maxFee);
  if (hasEffort()) refine();
  allowFee(i64.MAX_VALUE);
  return OK;
}

/** Shares the amount among the present paths as the lightest weight of fees has it that keeps the cap. */
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

/** Solves again after prices changed: several parts are a good start, one is found faster anew. */
function reweigh(): bool {
  if (partCount < 2) startOver();
  else balance();
  return answer() === OK;
}

/** What the present parts cost apart from fees. */
function restCost(risk: f64, delay: f64): f64 {
  const weight = feeWeight;
  const usedRisk = riskPrice;
  const usedDelay = delayRate;
  setPrices(0.0, risk, delay);
  const cost = objective();
  setPrices(weight, usedRisk, usedDelay);
  return cost;
}
