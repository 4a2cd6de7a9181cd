/**
 * Recently found cheapest paths, regardless of their delay and hops.
 *
 * If a request has no answer, the host asks many questions that differ only in a limit: what is the minimum delay, or
 * the minimum fee cap, for which there is an answer? Each begins with the same search for the cheapest path
 * (limits.ts). Its outcome is kept, and recalled if ends, share, prices and terms are the same.
 *
 * Outcomes are kept only while no loads are applied. Each request applies its layers again, which changes the version
 * of the terms (overlay/scratch.ts). So no answer depends on earlier requests.
 *
 * Invariant: a recalled path is the one that the search would find. Memory: RECENT outcomes; the oldest is replaced.
 */
import { takePages } from '../../graph/arena';
import { Column } from '../../graph/column';
import { stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { spend } from '../question/effort';
import { copyPath, showPath } from './path';
import { noteAgain } from './search';

/** Number of outcomes kept. */
const RECENT: u32 = 8;
/** Maximum number of channels of a kept path. */
const MOST_HOPS: u32 = 64;

/** Result of a search. The arcs of its path follow in memory, from the source on. */
@unmanaged
export class Outcome {
  share: i64;
  feeWeight: f64;
  riskPrice: f64;
  delayRate: f64;
  /** Cost of the path, msat. */
  cost: f64;
  /** The search's notes on limits of directions (search.ts). */
  leastMinimum: i64;
  leastHidden: f64;
  source: u32;
  destination: u32;
  terms: u32;
  noise: u32;
  /** Version of the learned odds (odds.ts). */
  odds: u32;
  /** Whether only fees were priced. */
  isExact: bool;
  isFound: bool;
  isMaximumMet: bool;
  delay: u32;
  hops: u32;
}

/** The kept outcomes. */
@unmanaged
export class Recent {
  outcomes: usize;
  /** Number of outcomes kept since the instance was created. */
  kept: u32;
}

function outcomeAt(recent: Recent, place: u32): Outcome {
  return changetype<Outcome>(recent.outcomes + (place as usize) * (offsetof<Outcome>() + MOST_HOPS * 4));
}

function arcsOf(outcome: Outcome): Column<u32> {
  return changetype<Column<u32>>(changetype<usize>(outcome) + offsetof<Outcome>());
}

/** The kept outcome of a search for the cheapest path of `share` msat, or null. Its path is written into the labels. */
export function recall(work: Workspace, source: u32, destination: u32, share: i64): Outcome | null {
  const recent = work.recent;
  if (work.lanes.areApplied) return null;
  for (let i: u32 = 0; i < min<u32>(recent.kept, RECENT); i++) {
    const outcome = outcomeAt(recent, i);
    if (!isSame(work, outcome, source, destination, share)) continue;
    spend(work.effort, outcome.hops + 1);
    noteAgain(work.search, outcome.leastMinimum, outcome.isMaximumMet, outcome.leastHidden);
    if (outcome.isFound) show(work, outcome);
    return outcome;
  }
  return null;
}

function isSame(work: Workspace, outcome: Outcome, source: u32, destination: u32, share: i64): bool {
  const prices = work.prices;
  return (
    outcome.share === share &&
    outcome.source === source &&
    outcome.destination === destination &&
    outcome.terms === work.scratch.termsVersion &&
    outcome.noise === prices.noiseVersion &&
    outcome.odds === prices.oddsVersion &&
    outcome.isExact === prices.exactFees &&
    outcome.feeWeight === prices.feeWeight &&
    outcome.riskPrice === prices.riskPrice &&
    outcome.delayRate === prices.delayRate
  );
}

/** Restores the outcome as the search left it: the path, and the source's label. */
function show(work: Workspace, outcome: Outcome): void {
  const start = stateOf(work.scratch, outcome.source);
  start.cost = outcome.cost;
  start.delay = outcome.delay;
  start.hops = outcome.hops as u16;
  showPath(work, outcome.source, outcome.destination, arcsOf(outcome), outcome.hops);
}

/** Keeps the outcome of the last search for the cheapest path of `share` msat. */
export function remember(work: Workspace, source: u32, destination: u32, share: i64, isFound: bool): void {
  const recent = work.recent;
  const prices = work.prices;
  const scratch = work.scratch;
  const search = work.search;
  const start = stateOf(scratch, source);
  if (work.lanes.areApplied) return;
  if (isFound && start.hops > MOST_HOPS) return;
  if (recent.outcomes === 0)
    recent.outcomes = takePages((RECENT * ((offsetof<Outcome>() as u32) + MOST_HOPS * 4)) as u64);
  const outcome = outcomeAt(recent, recent.kept++ % RECENT);
  outcome.share = share;
  outcome.feeWeight = prices.feeWeight;
  outcome.riskPrice = prices.riskPrice;
  outcome.delayRate = prices.delayRate;
  outcome.cost = start.cost;
  outcome.source = source;
  outcome.destination = destination;
  outcome.terms = scratch.termsVersion;
  outcome.noise = prices.noiseVersion;
  outcome.odds = prices.oddsVersion;
  outcome.isExact = prices.exactFees;
  outcome.leastMinimum = search.leastMinimumMet;
  outcome.isMaximumMet = search.maximumMet;
  outcome.leastHidden = search.leastHidden;
  outcome.isFound = isFound;
  outcome.delay = start.delay;
  outcome.hops = isFound ? copyPath(work, source, destination, arcsOf(outcome)) : 0;
}
