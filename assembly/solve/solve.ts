/**
 * From a question to parts.
 *
 *   1. construct   the cheapest path for the whole amount; where none can carry it, several (construct.ts)
 *   2. improve     better shares, better paths, fewer parts, while the objective falls (improve.ts)
 *   3. constrain   the fee cap by the weight of fees (answer.ts)
 *   4. certify     where the search was cut short, or the answer is strained, how far from the best the answer can be
 *                  (certificate.ts)
 *
 * The problem is min-cost flow with convex costs, integer amounts, a base fee for each direction used and a limit on
 * paths. The last two make it NP-hard. So this is a heuristic. Its answers are exact in amounts and fees, and keep all
 * limits. Tests compare their cost with exhaustive searches and with the convex bound.
 *
 * Invariant, asserted in debug builds: with OK the parts deliver the amount, keep all caps, fit their lanes, and cost
 * no less than the certificate says. Loads end with the question: when `solve` returns, the records are as the layers
 * have them.
 *
 * The host finds out why a question has no answer, and what would help, by asking other questions
 * (src/engine/solver/diagnosis.ts).
 */
import { attempt } from './answer';
import { forgetProof } from './flow/construct';
import { laneAt, laneCount, laneFits, releaseLoads } from './flow/lanes';
import { partAt, partCount, partsClear, totalFee, worstDelay } from './flow/parts';
import { objective, totalRisk } from './improve/objective';
import { partsValid } from './improve/shares';
import { lowerBound } from './prove/certificate';
import { wasCut } from './question/effort';
import { delayRate, feeWeight, isNoisy, riskPrice, setPrices } from './question/prices';
import { ask, BEST, CANCELLED, goal, OK, setCaps } from './question/question';
import { cancelled } from './question/task';

/**
 * −ln P above which an answer counts as strained: below 1 in 3. There the search is most likely to miss better answers.
 */
const STRAINED: f64 = 1.0;

/** The objective of the last answer, and its lower bound (`answerLeastCost`), msat. */
let cost: f64 = 0.0;
let leastCost: f64 = 0.0;

/** The objective of the last answer, msat; 0 where there is no answer. */
export function answerCost(): f64 {
  return cost;
}

/**
 * A lower bound of the objective of every answer, msat, where the search was cut short or the best answer is strained.
 * Else the cost of the answer itself: such a search counts as done, though it is a heuristic.
 */
export function answerLeastCost(): f64 {
  return leastCost;
}

/**
 * Solves for the applied stack of layers, the prices and the effort set. Amounts and `feeLimit` are msat. `delayLimit`
 * counts the blocks of channels only, without what the recipient asks for. `hopLimit` counts channels. Returns a status
 * (question.ts). With OK the parts are the answer. With TOO_DEAR or PERHAPS_TOO_DEAR the parts keep all caps but the
 * fee cap.
 */
export function solve(
  source: u32,
  destination: u32,
  amount: i64,
  feeLimit: i64,
  delayLimit: u32,
  partLimit: u32,
  hopLimit: u32,
): u32 {
  // Lanes of the last query may belong to another graph; their loads were released when it ended.
  partsClear();
  ask(source, destination, amount, hopLimit);
  setCaps(feeLimit, delayLimit, partLimit);
  forgetProof();
  const fee = feeWeight;
  const risk = riskPrice;
  const delay = delayRate;
  const status = attempt(fee, risk, delay);
  setPrices(fee, risk, delay);
  cost = status === OK ? objective() : 0.0;
  // The bound holds at the prices of the question, not at those that noise has changed for a search.
  const isStrained = goal === BEST && !isNoisy() && totalRisk() > STRAINED;
  const isDoubtful = status === OK && (wasCut || isStrained);
  leastCost = isDoubtful ? lowerBound(source, destination, amount, partLimit) : cost;
  if (!ASC_NO_ASSERT)
    assert(status !== OK || keepsCaps(feeLimit, delayLimit, partLimit, hopLimit), 'an answer keeps all caps');
  assert(leastCost <= cost * (1.0 + 1e-9) + 1.0, 'nothing costs less than the certificate says');
  releaseLoads();
  return cancelled ? CANCELLED : status;
}

/** For debug builds; loads must be fresh. */
function keepsCaps(feeLimit: i64, delayLimit: u32, partLimit: u32, hopLimit: u32): bool {
  for (let i: u32 = 0; i < partCount; i++) if (partAt(i).hopCount > hopLimit) return false;
  for (let i: u32 = 0; i < laneCount; i++) if (!laneFits(laneAt(i))) return false;
  return partsValid() && totalFee() <= feeLimit && worstDelay() <= delayLimit && partCount <= partLimit;
}
