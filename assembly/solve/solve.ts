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

import { Workspace } from '../workspace';
import { attempt } from './answer';
import { forgetProof } from './flow/construct';
import { laneAt, laneFits, releaseLoads } from './flow/lanes';
import { partAt, partsClear, totalFee, worstDelay } from './flow/parts';
import { objective, totalRisk } from './improve/objective';
import { partsValid } from './improve/shares';
import { lowerBound } from './prove/certificate';
import { isNoisy, setPrices } from './question/prices';
import { ask, BEST, CANCELLED, OK, Question, setCaps } from './question/question';

/**
 * −ln P above which an answer counts as strained: below 1 in 3. There the search is most likely to miss better answers.
 */
const STRAINED: f64 = 1.0;

/** What the answer costs. */
@unmanaged
export class Cost {
  /** The objective of the last answer, and its lower bound (`answerLeastCost`), msat. */
  answer: f64;
  least: f64;
}

/** The objective of the last answer, msat; 0 where there is no answer. */
export function answerCost(cost: Cost): f64 {
  return cost.answer;
}

/**
 * A lower bound of the objective of every answer, msat, where the search was cut short or the best answer is strained.
 * Else the cost of the answer itself: such a search counts as done, though it is a heuristic.
 */
export function answerLeastCost(cost: Cost): f64 {
  return cost.least;
}

/**
 * Solves for the applied stack of layers, the prices and the effort set. Amounts and `feeLimit` are msat. `delayLimit`
 * counts the blocks of channels only, without what the recipient asks for. `hopLimit` counts channels. Returns a status
 * (question.ts). With OK the parts are the answer. With TOO_DEAR or PERHAPS_TOO_DEAR the parts keep all caps but the
 * fee cap.
 */
export function solve(
  question: Question,
  work: Workspace,
  source: u32,
  destination: u32,
  amount: i64,
  feeLimit: i64,
  delayLimit: u32,
  partLimit: u32,
  hopLimit: u32,
): u32 {
  const prices = work.prices;
  const cost = work.cost;
  // Lanes of the last query may belong to another graph; their loads were released when it ended.
  partsClear(work);
  ask(question, work, source, destination, amount, hopLimit);
  setCaps(question, work, feeLimit, delayLimit, partLimit);
  forgetProof(work.shortage);
  const fee = prices.feeWeight;
  const risk = prices.riskPrice;
  const delay = prices.delayRate;
  const status = attempt(question, work, fee, risk, delay);
  setPrices(prices, fee, risk, delay);
  cost.answer = status === OK ? objective(work) : 0.0;
  // The bound holds at the prices of the question, not at those that noise has changed for a search.
  const isStrained = question.goal === BEST && !isNoisy(prices) && totalRisk(work) > STRAINED;
  const isDoubtful = status === OK && (work.effort.wasCut || isStrained);
  cost.least = isDoubtful ? lowerBound(work, source, destination, amount, partLimit) : cost.answer;
  if (!ASC_NO_ASSERT)
    assert(
      status !== OK || keepsCaps(question, work, feeLimit, delayLimit, partLimit, hopLimit),
      'an answer keeps all caps',
    );
  assert(cost.least <= cost.answer * (1.0 + 1e-9) + 1.0, 'nothing costs less than the certificate says');
  releaseLoads(work);
  return work.task.cancelled ? CANCELLED : status;
}

/** For debug builds; loads must be fresh. */
function keepsCaps(
  question: Question,
  work: Workspace,
  feeLimit: i64,
  delayLimit: u32,
  partLimit: u32,
  hopLimit: u32,
): bool {
  const parts = work.parts;
  const lanes = work.lanes;
  for (let i: u32 = 0; i < parts.count; i++) if (partAt(parts, i).hopCount > hopLimit) return false;
  for (let i: u32 = 0; i < lanes.count; i++) if (!laneFits(laneAt(lanes, i))) return false;
  return (
    partsValid(question, work) &&
    totalFee(parts) <= feeLimit &&
    worstDelay(parts) <= delayLimit &&
    parts.count <= partLimit
  );
}
