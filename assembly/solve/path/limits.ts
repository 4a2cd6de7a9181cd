/**
 * The cheapest path that keeps the limits on delay and hops, by pricing them.
 *
 *   minimise cost   subject to   delay ≤ maxDelay, hops ≤ maxHops
 *
 * Let use = delay/(maxDelay + 1) + hops/maxHops, summed over The limits that prevent a route, and Λ the price of a use
 * of 1, in msat. The cheapest path at prices cost + Λ·use bounds every path within the limits from below: its price
 * less Λ·allowance, where `allowance` is the use of a path that exhausts the limits. Two paths, one within the limits
 * and one beyond, define the Λ at which both cost the same. The search at that Λ finds a path better than one of the
 * two, or proves that Λ is the best price (LARAC: Jüttner et al. 2001). A gap can remain between bound and path. The
 * search with several labels closes it (labels.ts), with the ceiling and the bounds that Λ gives (Handler and Zang
 * 1980): on real graphs it takes a few dozen labels, where without a price it may take millions.
 *
 * A question asks for many paths under the same limits, so each search starts from the Λ of the one before.
 *
 * Work: at most PRICE_STEPS searches and the labels allowed. Invariants: Λ lies between a price at which the cheapest
 * path broke the limits (`light`) and one at which it kept them (`heavy`); the path kept is within both limits.
 *
 * Failure modes. Prices of limits change which way on is the cheapest, and so how much reaches a direction. Where only
 * fees count, the cheapest way to a node is also the one that brings least there. So then no cheaper path keeps the
 * limits than the one found, unless the labels report that they left something undone, or an HTLC minimum was met
 * (question.ts).
 */
import { Column, newColumn } from '../../graph/column';
import { stateOf } from '../../overlay/scratch';
import { hasEffort } from '../question/effort';
import { exactFees, setLimitPrices } from '../question/prices';
import { affordBounds, boundsForShare, boundsFrom, canKeep, isQuickEnough, leaveShare } from './bounds';
import { costFound, searchLabels, searchPriced, wasStopped } from './labels';
import { copyPath, showPath } from './path';
import { recall, remember } from './recent';
import { beginHidden, leastHidden, maximumMet, searchBelow } from './search';

/** The value of a limit on delay or hops that means no limit. */
export const NO_LIMIT: u32 = 0x7fffffff;
/** Bit of `limitsFelt`: a path was too slow. */
export const FELT_DELAY: u32 = 1;
/** Bit of `limitsFelt`: a path had too many hops. */
export const FELT_HOPS: u32 = 2;

/** Directions that labels may look at before bounds are made for the share alone. */
const FEW_LABEL_STEPS: u32 = 1 << 13;
const PRICE_STEPS: u32 = 10;
const FEW_PRICE_STEPS: u32 = 4;
/** The first price, and a price at which hardly anything but use counts, as multiples of the cheapest path's cost. */
const FIRST_PRICE: f64 = 2.0;
const HIGHEST_PRICE: f64 = 1e5;
/** At this tolerance and above, FEW_PRICE_STEPS searches for the price are enough: labels make up for the others. */
const FIRST_LOOK: f64 = 1e-6;
/** Prices this close to one another (relative) have the same cheapest path. */
const SAME_PRICE: f64 = 1e-9;
/** Room for a path that is kept; one within the limits is far shorter. */
const KEPT_HOPS: u32 = 1024;

/** Which limits the cheapest paths have exceeded since `forgetLimitPrices`. */
export let limitsFelt: u32 = 0;
/**
 * Whether no path that keeps the limits was found even at the highest price. Then prices do not tell whether there is
 * one.
 */
let isLost: bool = false;
/** Whether no path at all can keep the limits, whatever it carries. */
export let isBeyondAll: bool = false;

/** Whether the last search for the cheapest path was not run, since its outcome was known. */
export let isRecalled: bool = false;

/** What the path costs that was found last, msat. */
export let pathCost: f64 = Infinity;
/**
 * What a path costs at least, msat, that was hidden from the last search because a cheaper way on brings less to a node
 * than an HTLC minimum asks for.
 */
export let hiddenCost: f64 = Infinity;

/** What is asked is whether a path costs at most this, msat; Infinity where the cheapest is asked for. */
let mostAsked: f64 = Infinity;
let price: f64 = 0.0;
let blockUse: f64 = 0.0;
let hopUse: f64 = 0.0;
let allowance: f64 = 0.0;

// The cheapest path found that keeps the limits.
let kept: Column<u32> = changetype<Column<u32>>(0);
let keptHops: u32 = 0;
let keptDelay: u32 = 0;
let keptCost: f64 = Infinity;

/** Forgets the prices, and which limits stood in the way. To be called when limits or layers have changed. */
export function forgetLimitPrices(): void {
  price = 0.0;
  blockUse = 0.0;
  hopUse = 0.0;
  allowance = 0.0;
  limitsFelt = 0;
  isBeyondAll = false;
}

/**
 * Finds the cheapest path for `share` within both limits that costs less than `limit`. The states of nodes hold it:
 * `arc`, and the source's `delay` and `hops`. The path may be dearer than the cheapest by `tolerance` (relative).
 * Labels look at no more than about `steps` directions, which may also leave a cheaper path unfound. Any path that
 * costs at most `enough` will do; a negative value asks for the cheapest. With `isDecision` only that is asked: where it
 * is proven that no path costs so little, any other path within the limits is given.
 */
export function findWithin(
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
  mostAsked = isDecision ? enough : Infinity;
  keptCost = Infinity;
  hiddenCost = 0.0;
  isLost = false;
  const first = price;
  isRecalled = false;
  const isSettled = settlePrice(source, destination, share, maxHops, maxDelay, limit, tolerance, enough);
  if (isLost) {
    price = first;
    setLimitPrices(0.0, 0.0);
    pathCost = Infinity;
    if (!hasEffort()) return false;
    beginHidden();
    const isFound = searchLost(source, destination, share, maxHops, maxDelay, limit, steps);
    pathCost = costFound;
    noteHidden(pathCost, 0.0);
    return isFound;
  }
  const most = min<f64>(keptCost, limit);
  beginHidden();
  // Labels are dear where few prices were tried. Where the effort has ended, the path that is kept has to do.
  const isOpen = !isSettled && hasEffort();
  const isBetter =
    isOpen &&
    searchPriced(
      source,
      destination,
      share,
      maxHops,
      maxDelay,
      hopUse > 0.0,
      most,
      price * allowance,
      steps,
      enough,
    );
  setLimitPrices(0.0, 0.0);
  pathCost = isBetter ? costFound : keptCost;
  if (isOpen && !wasStopped) noteHidden(pathCost, price * allowance);
  if (pathCost > enough && isMisled(tolerance) && hasEffort()) {
    boundsFrom(source, maxDelay, hopUse > 0.0);
    beginHidden();
    // If this finds nothing, the path found before is still in place.
    if (searchLabels(source, destination, share, maxHops, maxDelay, most, steps, false)) {
      pathCost = costFound;
      noteHidden(pathCost, 0.0);
      return true;
    }
  }
  if (isBetter) return true;
  if (keptCost >= limit) return false;
  restorePath(source, destination);
  return true;
}

/**
 * The search where prices lead nowhere. Either no path for the share keeps the limits, or few labels are enough to find
 * one. So a short search with labels comes first. Where it is stopped, bounds are made again without the directions
 * that cannot carry the share, and the full search follows.
 */
function searchLost(
  source: u32,
  destination: u32,
  share: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  steps: u32,
): bool {
  if (!affordBounds(source, maxDelay, hopUse > 0.0)) return false;
  isBeyondAll = !canKeep(destination, 0, 0, maxDelay, maxHops);
  if (isBeyondAll) return false;
  const few = min<u32>(steps, FEW_LABEL_STEPS);
  const isSettled = searchLabels(source, destination, share, maxHops, maxDelay, limit, few, true);
  if (isSettled || !wasStopped) return isSettled;
  boundsForShare(source, maxDelay, hopUse > 0.0, share);
  const isFound =
    canKeep(destination, 0, 0, maxDelay, maxHops) &&
    searchLabels(source, destination, share, maxHops, maxDelay, limit, steps, false);
  leaveShare();
  return isFound;
}

/**
 * Looks for the best price. True when nothing is left to do: the kept path is good enough, or there is none. False when
 * labels are needed: a search at the present price has just ended at the source.
 */
function settlePrice(
  source: u32,
  destination: u32,
  share: i64,
  maxHops: u32,
  maxDelay: u32,
  limit: f64,
  tolerance: f64,
  enough: f64,
): bool {
  const state = stateOf(source);
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
    setLimitPrices(price * blockUse, price * hopUse);
    beginHidden();
    const isFound =
      step === 1 && price === 0.0 && limit === Infinity
        ? findCheapest(source, destination, share)
        : searchBelow(source, destination, share, NO_LIMIT, NO_LIMIT, limit + price * allowance);
    if (!isFound) {
      // With limits priced, the cheapest way to a node may ask more in fees, and the amount may become too large for a
      // direction.
      isLost = price > 0.0 && limit === Infinity && !isKept;
      return true;
    }
    const delay = state.delay;
    const hops = state.hops;
    const priced = state.cost;
    const cost = priced - price * useOf(delay, hops);
    lower = max<f64>(lower, priced - price * allowance);
    noteHidden(priced - price * allowance, price * allowance);
    if (delay <= maxDelay && hops <= maxHops) {
      if (cost < keptCost) keepPath(source, destination, cost);
      isKept = true;
      heavy = price;
      if (price === 0.0) return true;
    } else {
      isNew = feel(delay, hops, maxDelay, maxHops) || isNew;
      light = price;
      slowCost = cost;
      slowBlocks = delay as f64;
      slowHops = hops as f64;
    }
    if (isKept && (keptCost <= enough || lower > mostAsked || keptCost - lower <= tolerance * keptCost))
      return true;
    if (step === most || !hasEffort()) return false;
    // This overwrites the labels of the search. So it must not come before labels are asked for.
    if (isNew && !isKept) isBeyondAll = !isQuickEnough(source, destination, maxDelay);
    if (isBeyondAll) return true;
    isNew = false;
    const before = price;
    if (!isKept) {
      const highest = HIGHEST_PRICE * max<f64>(cost, 1.0);
      isLost = price >= highest;
      if (isLost) return true;
      price = price === 0.0 ? FIRST_PRICE * max<f64>(cost, 1.0) : highest;
    } else if (slowBlocks < 0.0) price = 0.0;
    else {
      const slowUse = blockUse * slowBlocks + hopUse * slowHops;
      const fastUse = useOf(keptDelay, keptHops);
      price = (keptCost - slowCost) / (slowUse - fastUse);
      if (!(price > light * (1.0 + SAME_PRICE) && price < heavy * (1.0 - SAME_PRICE))) {
        price = before;
        return false;
      }
    }
  }
  return false;
}

/**
 * Finds the cheapest path, whatever its delay and hops, or recalls it. Only the path is recalled, not the labels of
 * other nodes. Stages that need those run a search of their own first.
 */
function findCheapest(source: u32, destination: u32, share: i64): bool {
  const known = recall(source, destination, share);
  isRecalled = known !== null;
  if (known !== null) return known.isFound;
  const isFound = searchBelow(source, destination, share, NO_LIMIT, NO_LIMIT, Infinity);
  remember(source, destination, share, isFound);
  return isFound;
}

/**
 * Raises `hiddenCost` by what a search has shown that was done: no path costs less than `least`, but for hidden ones.
 * Those cost at least what the search noted, less what its prices made of the limits.
 */
function noteHidden(least: f64, allowed: f64): void {
  hiddenCost = max<f64>(hiddenCost, min<f64>(least, leastHidden - allowed));
}

/**
 * Whether prices of limits may have hidden the path of least fee: a way on that is dearer but quicker brings more to a
 * node, and that was too much for a direction.
 */
function isMisled(tolerance: f64): bool {
  return exactFees && maximumMet && limitsFelt !== 0 && tolerance < FIRST_LOOK;
}

function useOf(delay: u32, hops: u32): f64 {
  return blockUse * (delay as f64) + hopUse * (hops as f64);
}

/** A path exceeded a limit: from now on that limit has a price. Returns whether it is the first that did. */
function feel(delay: u32, hops: u32, maxDelay: u32, maxHops: u32): bool {
  // A path of too many hops counts as too slow as well, since the shorter ways may be slower.
  const felt = (delay > maxDelay ? FELT_DELAY : 0) | (hops > maxHops ? FELT_HOPS | FELT_DELAY : 0);
  if (delay > maxDelay) blockUse = 1.0 / ((maxDelay as f64) + 1.0);
  if (hops > maxHops) hopUse = 1.0 / (maxHops as f64);
  allowance = blockUse * (maxDelay as f64) + hopUse * (maxHops as f64);
  const isNew = (felt & ~limitsFelt) !== 0;
  limitsFelt |= felt;
  return isNew;
}

function keepPath(source: u32, destination: u32, cost: f64): void {
  if (changetype<usize>(kept) === 0) kept = newColumn<u32>(KEPT_HOPS);
  keptCost = cost;
  keptDelay = stateOf(source).delay;
  keptHops = copyPath(source, destination, kept);
}

function restorePath(source: u32, destination: u32): void {
  showPath(source, destination, kept, keptHops);
  stateOf(source).delay = keptDelay;
  stateOf(source).hops = keptHops;
}
