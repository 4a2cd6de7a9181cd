/**
 * Why there is no answer: which cap to raise, and how far.
 *
 * Remedies are tried the cheapest first, each with all other caps in force, and at last all together: fee,
 * delay, parts. A cap that never stood in the way is not tried. What no cap remedies is a matter of capacity.
 *
 * Every remedy named is one under which an answer was found. How little of it would do is looked for as long
 * as the diagnosis has settled fewer than EFFORT nodes; then what was found stands: enough, perhaps not the least.
 */
import { affordable, cheapest, startOver } from './answer';
import { hasEffort } from './effort';
import { construct, enoughCapacity, noteDeliverable, proven, widestArc } from './construct';
import { fewestHopPath } from './explore';
import { MAX_PARTS, partCount, totalAmount, totalFee, worstDelay } from './parts';
import {
  amount,
  destination,
  limitsMet,
  MET_DELAY,
  maxDelay,
  maxFee,
  maxHops,
  maxParts,
  NO_CAPACITY,
  OK,
  setCaps,
  source,
  TOO_DEAR,
  TOO_LONG,
  TOO_MANY_PARTS,
  TOO_SLOW,
} from './question';
import { nodesSettled, setPrices } from './search';

/** Nodes settled before better remedies are no longer looked for: a few milliseconds. */
const EFFORT: f64 = 32768.0;
const DELAY_STEPS: u32 = 8;
const NO_FEE_CAP: i64 = i64.MAX_VALUE;
const NO_DELAY_CAP: u32 = 0x7fffffff;

// Numbers that go with a failure; 0 where they say nothing.
let neededFee: i64 = 0;
let neededDelay: u32 = 0;
let neededParts: u32 = 0;
let effortEnd: f64 = 0.0;

/** Caps that would do, all together: the least fee found, delay and parts; 0 where the present cap does. */
export function remedyFee(): i64 {
  return neededFee;
}

export function remedyDelay(): u32 {
  return neededDelay;
}

export function remedyParts(): u32 {
  return neededParts;
}

/** Forgets the remedies of the last question. */
export function forgetRemedies(): void {
  neededFee = 0;
  neededDelay = 0;
  neededParts = 0;
}

/** Status of a question that `attempt` answered with `failed`; with TOO_DEAR the dear answer stands. */
export function diagnose(failed: u32, risk: f64, delay: f64): u32 {
  if (failed == TOO_DEAR) {
    neededFee = totalFee();
    return TOO_DEAR;
  }
  if (proven || (failed == NO_CAPACITY && limitsMet == 0 && maxParts > 1)) return failed;
  if (!enoughCapacity()) return NO_CAPACITY;
  effortEnd = nodesSettled() + EFFORT;
  const feeCap = maxFee;
  const delayCap = maxDelay;
  const partCap = maxParts;
  if ((limitsMet & MET_DELAY) != 0 && leastDelay(feeCap, partCap)) return TOO_SLOW;
  if (partCap < MAX_PARTS) {
    const status = leastParts(feeCap, delayCap, partCap, risk, delay);
    if (status == OK) return TOO_MANY_PARTS;
    // Nothing cheaper is to be found where the delay cap was not in the way.
    if (status == TOO_DEAR && (limitsMet & MET_DELAY) == 0) return remedyOfPresent(feeCap, delayCap, partCap);
  }
  if ((limitsMet & MET_DELAY) != 0) {
    setCaps(NO_FEE_CAP, NO_DELAY_CAP, partCap);
    if (cheapest() == OK) return remedyOfPresent(feeCap, delayCap, partCap);
  }
  setCaps(NO_FEE_CAP, NO_DELAY_CAP, MAX_PARTS);
  if (cheapest() == OK) return remedyOfPresent(feeCap, delayCap, partCap);
  noteDeliverable(totalAmount());
  return fewestHopPath(source, destination) > maxHops ? TOO_LONG : NO_CAPACITY;
}

/** The present parts answer, but for several caps: names them all. */
function remedyOfPresent(feeCap: i64, delayCap: u32, partCap: u32): u32 {
  if (totalFee() > feeCap) neededFee = totalFee();
  if (worstDelay() > delayCap) neededDelay = worstDelay();
  if (partCount > partCap) neededParts = partCount;
  if (neededParts > 0) return TOO_MANY_PARTS;
  return neededFee > 0 ? TOO_DEAR : TOO_SLOW;
}

function mayGoOn(): bool {
  return nodesSettled() < effortEnd && hasEffort();
}

/** Whether lifting the delay cap alone helps; tightens it again while it does. */
function leastDelay(feeCap: i64, partCap: u32): bool {
  setCaps(feeCap, NO_DELAY_CAP, partCap);
  if (!isFastAffordable() && affordable() != OK) return false;
  neededDelay = worstDelay();
  for (let step: u32 = 0; step < DELAY_STEPS && neededDelay > 0 && mayGoOn(); step++) {
    setCaps(feeCap, neededDelay - 1, partCap);
    if (affordable() != OK) break;
    neededDelay = worstDelay();
  }
  return neededDelay > 0;
}

/** Whether paths of least delay keep the fee cap. */
function isFastAffordable(): bool {
  startOver();
  setPrices(1.0, 0.0, 1.0);
  return construct() == OK && totalFee() <= maxFee;
}

/** Whether lifting the parts cap alone helps (OK, else why not); then bisects for how far. */
function leastParts(feeCap: i64, delayCap: u32, partCap: u32, risk: f64, delay: f64): u32 {
  setCaps(feeCap, delayCap, MAX_PARTS);
  const status = payable(risk, delay);
  if (status != OK) return status;
  neededParts = partCount;
  const widest = min<i64>(widestArc(true), widestArc(false));
  let least = max<u32>(partCap + 1, min<i64>((amount + widest - 1) / widest, MAX_PARTS) as u32);
  while (least < neededParts && mayGoOn()) {
    const middle = (least + neededParts - 1) >> 1;
    setCaps(feeCap, delayCap, middle);
    if (payable(risk, delay) == OK) neededParts = partCount;
    else least = middle + 1;
  }
  return OK;
}

/** As `affordable`; where fewest fees lead into a corner the request's own prices may not. */
function payable(risk: f64, delay: f64): u32 {
  const status = affordable();
  if (status == OK || status == TOO_DEAR) return status;
  startOver();
  setPrices(1.0, risk, delay);
  if (construct() != OK) return status;
  return totalFee() > maxFee ? TOO_DEAR : OK;
}
