/**
 * The cheapest paths found lately, regardless of their delay and hops.
 *
 * A request without an answer asks many questions that differ in a limit alone: what is the least delay, or the least
 * fee cap, with which there is an answer? Each begins with the same search for the cheapest path (limits.ts). Its outcome
 * is kept, and recalled where ends, share, prices and terms are the same.
 *
 * Outcomes are kept only where no loads are applied. Each request applies its layers again, which makes other terms of
 * them (overlay/scratch.ts). So no answer depends on the requests before it.
 *
 * Invariant: a recalled path is the one that the search would find. Memory: RECENT outcomes; the oldest gives way.
 */
import { takePages } from '../../graph/arena';
import { Column } from '../../graph/column';
import { stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { spend } from '../question/effort';
import { copyPath, showPath } from './path';
import { noteAgain } from './search';

/** Outcomes that are kept. */
const RECENT: u32 = 8;
/** Channels of a path that is kept, at most. */
const MOST_HOPS: u32 = 64;

/** What a search has found. The arcs of its path follow it in memory, from the source on. */
@unmanaged
export class Outcome {
  share: i64;
  feeWeight: f64;
  riskPrice: f64;
  delayRate: f64;
  /** What the path costs, msat. */
  cost: f64;
  /** What the search has noted of limits of directions (search.ts). */
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

/** The outcomes that are kept. */
@unmanaged
export class Recent {
  outcomes: usize;
  /** Outcomes kept since the instance was made. */
  kept: u32;
}

function outcomeAt(recent: Recent, place: u32): Outcome {
  return changetype<Outcome>(recent.outcomes + (place as usize) * (offsetof<Outcome>() + MOST_HOPS * 4));
}

/** The arcs of the outcome's path. */
function arcsOf(outcome: Outcome): Column<u32> {
  return changetype<Column<u32>>(changetype<usize>(outcome) + offsetof<Outcome>());
}

/** The kept outcome of a search for the cheapest path of `share` msat, or null. The labels hold its path. */
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

/** Shows the outcome as the search did: its path, and what the source's label says of it. */
function show(work: Workspace, outcome: Outcome): void {
  const start = stateOf(work.scratch, outcome.source);
  start.cost = outcome.cost;
  start.delay = outcome.delay;
  start.hops = outcome.hops;
  showPath(work, outcome.source, outcome.destination, arcsOf(outcome), outcome.hops);
}

/** Keeps what a search for the cheapest path of `share` msat has just found. */
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
