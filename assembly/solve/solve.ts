/**
 * From a question to parts.
 *
 *   1. construct   the cheapest path for the whole amount; where none can carry it, several (construct.ts)
 *   2. improve     better shares, better paths, fewer parts, while the objective falls (improve.ts)
 *   3. constrain   the fee cap by the weight of fees (answer.ts)
 *
 * Why a question has no answer, and what would help, the host finds out by asking others (src/engine/diagnosis.ts).
 */
import { attempt } from './answer';
import { lowerBound } from './certificate';
import { forgetProof } from './construct';
import { wasCut } from './effort';
import { releaseLoads } from './lanes';
import { objective } from './objective';
import { partsClear } from './parts';
import { delayRate, feeWeight, riskPrice, setPrices } from './prices';
import { ask, CANCELLED, OK, setCaps } from './question';
import { cancelled } from './task';

let cost: f64 = 0.0;
let leastCost: f64 = 0.0;

/** The objective of the answer, and what no answer can cost less than: the same where the search was not cut short. */
export function answerCost(): f64 {
  return cost;
}

export function answerLeastCost(): f64 {
  return leastCost;
}

/**
 * Solves for the applied stack of layers and the prices set. `delayLimit` counts channel delays only (the
 * final hop's CLTV is the caller's). Returns a status (question.ts); with OK the parts are the answer, with TOO_DEAR
 * what keeps all caps but the fee's.
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
  leastCost = status === OK && wasCut ? lowerBound(source, destination, amount, partLimit) : cost;
  releaseLoads();
  return cancelled ? CANCELLED : status;
}
