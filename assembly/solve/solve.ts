/**
 * From a question to parts.
 *
 *   1. construct   the cheapest path for the whole amount; if none can carry it, several (construct.ts)
 *   2. improve     better shares, better paths, fewer parts, while the objective falls (improve.ts)
 *   3. constrain   the fee cap by the weight of fees (answer.ts)
 *   4. certify     how far from the best the answer can be, if the search was cut short, the answer is strained, or
 *                  HTLC maximums force parts (certificate.ts)
 *
 * The problem is min-cost flow with convex costs, integer amounts, a base fee for each direction used and a limit on
 * paths. The last two make it NP-hard, so this is a heuristic. Its answers are exact in amounts and fees, and keep all
 * limits. Tests compare their cost with exhaustive searches and with the convex bound.
 *
 * Invariant, asserted in debug builds: with OK the parts deliver the amount, keep all caps, fit their lanes, and cost
 * no less than the bound of the certificate. Loads end with the question: when `solve` returns, the records are as the
 * layers define them.
 *
 * The host asks further questions to find out why a question has no answer, and what would help
 * (src/engine/solver/diagnosis.ts).
 */

import { recordOf } from '../overlay/scratch';
import { Question } from '../record';
import { Workspace } from '../workspace';
import { attempt } from './answer';
import { forgetProof } from './flow/construct';
import { laneAt, laneFits, releaseLoads } from './flow/lanes';
import { partAt, partsClear, totalFee, worstDelay } from './flow/parts';
import { objective, totalRisk } from './improve/objective';
import { partsValid } from './improve/shares';
import { setTreesKept } from './path/kept-tree';
import { lowerBound } from './prove/certificate';
import { isNoisy, priceAsAsked, weighFees } from './question/prices';
import { ANY_FEE, BEST, begin, CANCELLED, OK } from './question/question';
import { MAX_HOPS } from './question/sizes';

/**
 * −ln P above which an answer counts as strained: P is then below 37 %. For such an answer the search is most likely to
 * have missed a better one.
 */
const STRAINED: f64 = 1.0;

/**
 * Solves the question for the applied stack of layers, within the effort that was set. Returns a status (question.ts),
 * and fills the verdict. With OK the parts are the answer. With TOO_DEAR or PERHAPS_TOO_DEAR the parts keep all caps
 * except the fee cap.
 */
export function solve(question: Question, work: Workspace): u32 {
  assert(question.maxhops <= MAX_HOPS, 'the host keeps to the limit on hops');
  assert(question.goal <= ANY_FEE, 'a goal is one of four');
  // Lanes of the last query may belong to a different graph; their loads were released when it ended.
  partsClear(work);
  begin(question, work);
  priceAsAsked(question, work.prices);
  setTreesKept(work.kept, question.inBatch !== 0);
  forgetProof(work.shortage);
  const status = attempt(question, work);
  weighFees(question, work.prices, question.feeWeight);
  judge(question, work, status);
  if (!ASC_NO_ASSERT) assert(status !== OK || keepsCaps(question, work), 'an answer keeps all caps');
  releaseLoads(work);
  return work.task.cancelled ? CANCELLED : status;
}

/** Fills the verdict. */
function judge(question: Question, work: Workspace, status: u32): void {
  const verdict = work.verdict;
  const shortage = work.shortage;
  verdict.deliverableMsat = shortage.deliverable;
  verdict.isProven = shortage.proven ? 1 : 0;
  verdict.limitsMet = work.findings.limitsMet;
  verdict.isFeeLeast = work.decision.isFeeLeast ? 1 : 0;
  verdict.dearSteps = work.decision.dearSteps;
  verdict.feeMsat = totalFee(work.parts);
  verdict.pathDelay = worstDelay(work.parts);
  verdict.parts = work.parts.count;
  verdict.cost = status === OK ? objective(work) : 0.0;
  // The bound is valid at the prices of the question, not at prices with noise.
  const isStrained =
    question.goal === BEST &&
    !isNoisy(work.prices) &&
    (totalRisk(work) > STRAINED || needsPartsForMaximum(work));
  const isDoubtful = status === OK && (work.effort.wasCut || isStrained);
  verdict.leastCost = isDoubtful ? lowerBound(question, work) : verdict.cost;
  verdict.wasCut = work.effort.wasCut ? 1 : 0;
  assert(
    verdict.leastCost <= verdict.cost * (1.0 + 1e-9) + 1.0,
    'nothing costs less than the certificate says',
  );
}

/**
 * Whether the HTLC maximum of some direction forces several parts over it. Choosing the number of such parts is an
 * integer problem, so the search may miss better answers even if success is likely.
 */
function needsPartsForMaximum(work: Workspace): bool {
  for (let i: u32 = 0; i < work.lanes.count; i++) {
    const lane = laneAt(work.lanes, i);
    if (lane.users < 2) continue;
    const largest = max<i64>(recordOf(work, lane.arc).htlcMaximumMsat, 1);
    const needed = (lane.loadMsat - 1) / largest + 1;
    if (needed >= (lane.users as i64)) return true;
  }
  return false;
}

/** Whether the answer keeps all caps; for debug builds. Loads must be fresh. */
function keepsCaps(question: Question, work: Workspace): bool {
  const parts = work.parts;
  const lanes = work.lanes;
  for (let i: u32 = 0; i < parts.count; i++) if (partAt(parts, i).hopCount > question.maxhops) return false;
  for (let i: u32 = 0; i < lanes.count; i++) if (!laneFits(laneAt(lanes, i))) return false;
  return (
    partsValid(question, work) &&
    totalFee(parts) <= question.maxfeeMsat &&
    worstDelay(parts) <= question.maxPathDelay &&
    parts.count <= question.partLimit
  );
}
