/**
 * The cheapest path that keeps the limits on delay and hops, by pricing them.
 *
 *   minimise cost   subject to   delay ≤ maxDelay, hops ≤ maxHops
 *
 * Let use = delay/(maxDelay + 1) + hops/maxHops, summed over the limits that prevent a route, and let Λ be the price of
 * a use of 1, in msat. The cheapest path at prices cost + Λ·use bounds every path within the limits from below: its
 * price minus Λ·allowance, where `allowance` is the use of a path that exhausts the limits. Two paths, one within the
 * limits and one beyond, define the Λ at which both cost the same. The search at that Λ finds a path better than one of
 * the two, or proves that Λ is the best price (LARAC: Jüttner et al. 2001). A gap can remain between bound and path.
 * The search with several labels closes it (labels.ts), with the ceiling and the bounds that Λ gives (Handler and Zang
 * 1980): on real graphs it takes a few dozen labels; without a price it may take millions.
 *
 * A question needs many paths under the same limits, so each search starts from the Λ of the one before.
 *
 * Work: at most PRICE_STEPS searches and the labels allowed. Invariants: Λ lies between a price at which the cheapest
 * path broke the limits (`light`) and one at which it kept them (`heavy`); the kept path is within both limits.
 *
 * Failure modes. Limit prices change which continuation is cheapest, and so the amount at a direction. If only fees are
 * priced, the cheapest continuation of a node also has the smallest amount. Then the path found is the cheapest within
 * the limits, unless the labels report undone work, or an HTLC minimum was met (question.ts).
 */
import { Column, newColumn } from '../../graph/column';
import { stateOf } from '../../overlay/scratch';
import { Workspace } from '../../workspace';
import { hasEffort } from '../question/effort';
import { setLimitPrices } from '../question/prices';
import { affordBounds, boundsForShare, boundsFrom, canKeep, isQuickEnough, leaveShare } from './bounds';
import { searchLabels, searchPriced } from './labels';
import { copyPath, showPath } from './path';
import { recall, remember } from './recent';
import { beginHidden, searchBelow } from './search';

/** A limit on delay or hops of this value means "no limit". */
export const NO_LIMIT: u32 = 0x7fffffff;
/** Bit of `limitsFelt`: a path was too slow, or had too many hops (see `feel`). */
export const FELT_DELAY: u32 = 1;
/** Bit of `limitsFelt`: a path had too many hops. */
export const FELT_HOPS: u32 = 2;

/** Number of directions that labels may scan before bounds are computed for the share alone. */
const FEW_LABEL_STEPS: u32 = 1 << 13;
const PRICE_STEPS: u32 = 10;
const FEW_PRICE_STEPS: u32 = 4;
/** The first price, and one so high that almost only the limit counts, as multiples of the cheapest path's cost. */
const FIRST_PRICE: f64 = 2.0;
const HIGHEST_PRICE: f64 = 1e5;
/** If at least this tolerance is allowed, FEW_PRICE_STEPS searches for the price are enough: labels do the rest. */
const FIRST_LOOK: f64 = 1e-6;
/** Prices within this relative difference are assumed to have the same cheapest path. */
const SAME_PRICE: f64 = 1e-9;
/** Room for a kept path, in hops; a path within the limits is far shorter. */
const KEPT_HOPS: u32 = 1024;

/** The prices of the limits on delay and hops, and the best path found with them. */
@unmanaged
export class LimitPrices {
  /** Limits that the cheapest paths have exceeded since `forgetLimitPrices`. */
  limitsFelt: u32;
  /**
   * Whether even the highest price led to no path within the limits. If so, prices cannot show whether there is one.
   */
  isLost: bool;
  /** Whether no path can keep the limits, regardless of the amount. */
  isBeyondAll: bool;
  /** Whether the last search for the cheapest path was skipped because its outcome was known. */
  isRecalled: bool;
  /** Cost of the last path found, msat. */
  pathCost: f64;
  /**
   * Minimum cost, msat, of a path hidden from the last search because the cheapest continuation of a node brings too
   * small or too large an amount for a direction.
   */
  hiddenCost: f64;
  /**
   * With `isDecision`, the search ends once no path can cost this little, msat. Otherwise Infinity, so that it never
   * ends for this reason.
   */
  mostAsked: f64;
  price: f64;
  blockUse: f64;
  hopUse: f64;
  allowance: f64;
  // The cheapest path found that keeps the limits.
  kept: Column<u32>;
  keptHops: u32;
  keptDelay: u32;
  keptCost: f64;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.pathCost = Infinity;
    this.hiddenCost = Infinity;
    this.mostAsked = Infinity;
    this.keptCost = Infinity;
  }
}

/** Forgets the prices, and which limits stood in the way. Call when limits or layers have changed. */
export function forgetLimitPrices(limits: LimitPrices): void {
  limits.price = 0.0;
  limits.blockUse = 0.0;
  limits.hopUse = 0.0;
  limits.allowance = 0.0;
  limits.limitsFelt = 0;
  limits.isBeyondAll = false;
}

/**
 * Finds the cheapest path for `share` that costs less than `limit` and keeps the limits on delay and hops. The states
 * of nodes then contain it: `arc`, and the source's `delay` and `hops`. The path may be costlier than the cheapest by
 * `tolerance` (relative). Labels scan about `steps` directions at most, so a cheaper path may be missed. Any path that
 * costs at most `enough` is accepted, regardless of the tolerance; a negative value has no effect. With `isDecision`
 * the question is only whether such a path exists: if it is proven that there is none, any other path within the limits
 * is returned.
 */
export function findWithin(
  work: Workspace,
  source: u32,
  destination: u32,
  share: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  tolerance: f64,
  steps: u32,
  enough: f64,
  isDecision: bool,
): bool {
  const limits = work.limits;
  const labelling = work.labelling;
  const prices = work.prices;
  const effort = work.effort;
  const search = work.search;
  limits.mostAsked = isDecision ? enough : Infinity;
  limits.keptCost = Infinity;
  limits.hiddenCost = 0.0;
  limits.isLost = false;
  const first = limits.price;
  limits.isRecalled = false;
  const isSettled = settlePrice(
    work,
    source,
    destination,
    share,
    maxHops,
    maxDelay,
    limit,
    tolerance,
    enough,
  );
  if (limits.isLost) {
    limits.price = first;
    setLimitPrices(prices, 0.0, 0.0);
    limits.pathCost = Infinity;
    if (!hasEffort(effort)) return false;
    beginHidden(search);
    const isFound = searchLost(work, source, destination, share, maxHops, maxDelay, limit, steps);
    limits.pathCost = labelling.costFound;
    noteHidden(work, limits.pathCost, 0.0);
    return isFound;
  }
  const most = min<f64>(limits.keptCost, limit);
  beginHidden(search);
  // If the effort ran out after few prices, a search with labels would be expensive, so the kept path is used.
  const isOpen = !isSettled && hasEffort(effort);
  const isBetter =
    isOpen &&
    searchPriced(
      work,
      source,
      destination,
      share,
      maxHops,
      maxDelay,
      limits.hopUse > 0.0,
      most,
      limits.price * limits.allowance,
      steps,
      enough,
    );
  setLimitPrices(prices, 0.0, 0.0);
  limits.pathCost = isBetter ? labelling.costFound : limits.keptCost;
  if (isOpen && !labelling.wasStopped) noteHidden(work, limits.pathCost, limits.price * limits.allowance);
  if (limits.pathCost > enough && isMisled(work, tolerance) && hasEffort(effort)) {
    boundsFrom(work, source, maxDelay, limits.hopUse > 0.0);
    beginHidden(search);
    // If the search finds nothing, the previous path is still in place.
    if (searchLabels(work, source, destination, share, maxHops, maxDelay, most, steps, false)) {
      limits.pathCost = labelling.costFound;
      noteHidden(work, limits.pathCost, 0.0);
      return true;
    }
  }
  if (isBetter) return true;
  if (limits.keptCost >= limit) return false;
  restorePath(work, source, destination);
  return true;
}

/**
 * The search when prices lead to no path. Either no path for the share keeps the limits, or few labels are enough to
 * find one. So a short search with labels comes first. If it is cut short, bounds are recomputed without the directions
 * that cannot carry the share, and the full search follows.
 */
function searchLost(
  work: Workspace,
  source: u32,
  destination: u32,
  share: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  steps: u32,
): bool {
  const limits = work.limits;
  const bounds = work.bounds;
  if (!affordBounds(work, source, maxDelay, limits.hopUse > 0.0)) return false;
  limits.isBeyondAll = !canKeep(bounds, destination, 0, 0, maxDelay, maxHops);
  if (limits.isBeyondAll) return false;
  const few = min<u32>(steps, FEW_LABEL_STEPS);
  const isSettled = searchLabels(work, source, destination, share, maxHops, maxDelay, limit, few, true);
  if (isSettled || !work.labelling.wasStopped) return isSettled;
  boundsForShare(work, source, maxDelay, limits.hopUse > 0.0, share);
  const isFound =
    canKeep(bounds, destination, 0, 0, maxDelay, maxHops) &&
    searchLabels(work, source, destination, share, maxHops, maxDelay, limit, steps, false);
  leaveShare(bounds);
  return isFound;
}

/**
 * Looks for the best price. Returns true if nothing is left to do: the kept path is good enough, or there is no path.
 * Returns false if the search with several labels is needed. A search at the current price has then just ended at the
 * source.
 */
function settlePrice(
  work: Workspace,
  source: u32,
  destination: u32,
  share: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  tolerance: f64,
  enough: f64,
): bool {
  const limits = work.limits;
  const state = stateOf(work.scratch, source);
  let lower = -Infinity;
  let slowCost: f64 = 0.0;
  let slowBlocks: f64 = -1.0;
  let slowHops: f64 = 0.0;
  let isKept = false;
  let isNew = false;
  let light: f64 = 0.0;
  let heavy = Infinity;
  const most = tolerance < FIRST_LOOK ? PRICE_STEPS : FEW_PRICE_STEPS;
  for (let step: u32 = 1; step <= most; step++) {
    setLimitPrices(work.prices, limits.price * limits.blockUse, limits.price * limits.hopUse);
    beginHidden(work.search);
    const isFound =
      step === 1 && limits.price === 0.0 && limit === Infinity
        ? findCheapest(work, source, destination, share)
        : searchBelow(
            work,
            source,
            destination,
            share,
            NO_LIMIT,
            NO_LIMIT,
            limit + limits.price * limits.allowance,
          );
    if (!isFound) {
      // When limits have a price, the cheapest continuation may have higher fees, and the amount may become too large
      // for a direction.
      limits.isLost = limits.price > 0.0 && limit === Infinity && !isKept;
      return true;
    }
    const delay = state.delay;
    const hops = state.hops;
    const priced = state.cost;
    const cost = priced - limits.price * useOf(limits, delay, hops);
    lower = max<f64>(lower, priced - limits.price * limits.allowance);
    noteHidden(work, priced - limits.price * limits.allowance, limits.price * limits.allowance);
    if (delay <= maxDelay && hops <= maxHops) {
      if (cost < limits.keptCost) keepPath(work, source, destination, cost);
      isKept = true;
      heavy = limits.price;
      if (limits.price === 0.0) return true;
    } else {
      isNew = feel(limits, delay, hops, maxDelay, maxHops) || isNew;
      light = limits.price;
      slowCost = cost;
      slowBlocks = delay as f64;
      slowHops = hops as f64;
    }
    if (
      isKept &&
      (limits.keptCost <= enough ||
        lower > limits.mostAsked ||
        limits.keptCost - lower <= tolerance * limits.keptCost)
    )
      return true;
    if (step === most || !hasEffort(work.effort)) return false;
    // `isQuickEnough` overwrites the labels of the search. The search with several labels may need them, so
    // `isQuickEnough` runs only when a further price will be tried.
    if (isNew && !isKept) limits.isBeyondAll = !isQuickEnough(work, source, destination, maxDelay);
    if (limits.isBeyondAll) return true;
    isNew = false;
    const before = limits.price;
    if (!isKept) {
      const highest = HIGHEST_PRICE * max<f64>(cost, 1.0);
      limits.isLost = limits.price >= highest;
      if (limits.isLost) return true;
      limits.price = limits.price === 0.0 ? FIRST_PRICE * max<f64>(cost, 1.0) : highest;
    } else if (slowBlocks < 0.0) limits.price = 0.0;
    else {
      const slowUse = limits.blockUse * slowBlocks + limits.hopUse * slowHops;
      const fastUse = useOf(limits, limits.keptDelay, limits.keptHops);
      limits.price = (limits.keptCost - slowCost) / (slowUse - fastUse);
      if (!(limits.price > light * (1.0 + SAME_PRICE) && limits.price < heavy * (1.0 - SAME_PRICE))) {
        limits.price = before;
        return false;
      }
    }
  }
  return false;
}

/**
 * Finds the cheapest path, regardless of its delay and hops, or recalls it. Only the path is recalled, not the labels
 * of other nodes. Stages that need those run their own search first.
 */
function findCheapest(work: Workspace, source: u32, destination: u32, share: i64): bool {
  const known = recall(work, source, destination, share);
  work.limits.isRecalled = known !== null;
  if (known !== null) return known.isFound;
  const isFound = searchBelow(work, source, destination, share, NO_LIMIT, NO_LIMIT, Infinity);
  remember(work, source, destination, share, isFound);
  return isFound;
}

/**
 * Raises `hiddenCost` after a search: no path costs less than `least`, except hidden ones. A hidden path costs at least
 * what the search noted for it, minus what the limits cost at the search's prices.
 */
function noteHidden(work: Workspace, least: f64, allowed: f64): void {
  const limits = work.limits;
  limits.hiddenCost = max<f64>(limits.hiddenCost, min<f64>(least, work.search.leastHidden - allowed));
}

/**
 * Whether limit prices may have hidden the path of lowest fee: they prefer quicker continuations with higher fees, so a
 * node must receive a larger amount, which may exceed the maximum of a direction to that node.
 */
function isMisled(work: Workspace, tolerance: f64): bool {
  return (
    work.prices.exactFees && work.search.maximumMet && work.limits.limitsFelt !== 0 && tolerance < FIRST_LOOK
  );
}

function useOf(limits: LimitPrices, delay: u32, hops: u32): f64 {
  return limits.blockUse * (delay as f64) + limits.hopUse * (hops as f64);
}

/**
 * Makes each limit that the path exceeds count in the use (head of this file). Returns whether a limit was added to
 * `limitsFelt`.
 */
function feel(limits: LimitPrices, delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  // A path of too many hops counts as too slow as well, since shorter paths may be slower.
  const felt = (delay > maxDelay ? FELT_DELAY : 0) | (hops > maxHops ? FELT_HOPS | FELT_DELAY : 0);
  if (delay > maxDelay) limits.blockUse = 1.0 / ((maxDelay as f64) + 1.0);
  if (hops > maxHops) limits.hopUse = 1.0 / (maxHops as f64);
  limits.allowance = limits.blockUse * (maxDelay as f64) + limits.hopUse * (maxHops as f64);
  const isNew = (felt & ~limits.limitsFelt) !== 0;
  limits.limitsFelt |= felt;
  return isNew;
}

function keepPath(work: Workspace, source: u32, destination: u32, cost: f64): void {
  const limits = work.limits;
  if (changetype<usize>(limits.kept) === 0) limits.kept = newColumn<u32>(KEPT_HOPS);
  limits.keptCost = cost;
  limits.keptDelay = stateOf(work.scratch, source).delay;
  limits.keptHops = copyPath(work, source, destination, limits.kept);
}

function restorePath(work: Workspace, source: u32, destination: u32): void {
  const limits = work.limits;
  const scratch = work.scratch;
  showPath(work, source, destination, limits.kept, limits.keptHops);
  stateOf(scratch, source).delay = limits.keptDelay;
  stateOf(scratch, source).hops = limits.keptHops as u16;
}
