/**
 * What a question may still cost, counted in *steps* of some ten nanoseconds: looking at one hop of a part is one step.
 * Work is counted instead of time so that a request has the same answer on every machine, busy or idle.
 * In a batch, what requests before it have kept saves steps (kept-tree.ts), so that one that is cut short may get
 * further.
 *
 * Code that does work takes its steps (`spend`). Code that decides whether to begin more asks `hasEffort`. Work that
 * has begun is finished, so an overrun is at most one search, or `MOST_OVERRUN`. A stage that must leave something to
 * later stages puts a share aside (`holdBack`, `giveBack`). A search that stops at a limit of its own (labels.ts) reports
 * that as well (`leaveUndone`), since a search that was not finished proves nothing.
 */
import { arcCount, nodeCount } from '../../graph/graph';

/** Steps of looking at a direction in a search. It reads memory all over the graph, and takes a logarithm. */
export const DIRECTION_STEPS: u32 = 3;
/** Steps of settling a node in a search. */
export const NODE_STEPS: u32 = 12;

/** Work of so many steps may begin as long as anything is left: some 20 ms. */
const MOST_OVERRUN: f64 = 4_000_000.0;

let left: f64 = Infinity;
let spent: f64 = 0.0;
/** Whether anything was left undone since `setEffort`. */
export let wasCut: bool = false;
/** Whether something was left undone because the effort ran out, not because of a limit of the search itself. */
let isSpent: bool = false;

/** Steps of one search over the whole graph. */
export function searchSteps(): f64 {
  return (arcCount as f64) * (DIRECTION_STEPS as f64) + (nodeCount as f64) * (NODE_STEPS as f64);
}

/** Begins a question that may cost `steps` steps. */
export function setEffort(steps: f64): void {
  left = steps;
  wasCut = false;
  isSpent = false;
}

/** Remembers that a search stopped at a limit of its own and left something undone, whatever effort is left. */
export function leaveUndone(): void {
  wasCut = true;
}

/** For the host: whether anything was left undone. */
export function wasCutShort(): bool {
  return wasCut;
}

/** For the host: whether more effort could have changed anything. */
export function wasSpent(): bool {
  return isSpent;
}

/** Steps taken since the instance was made. */
export function effortSpent(): f64 {
  return spent;
}

/** Takes the steps that work has cost off the effort. */
export function spend(steps: u32): void {
  left -= steps as f64;
  spent += steps as f64;
}

/** Whether more work may begin; remembers when it may not. */
export function hasEffort(): bool {
  if (left > 0.0) return true;
  wasCut = true;
  isSpent = true;
  return false;
}

/**
 * Whether work of so many steps may begin that is finished once it has begun; remembers when it may not. On large graphs
 * such work takes longer than all that is left.
 */
export function hasEffortFor(steps: f64): bool {
  if (left >= steps || (left > 0.0 && steps <= MOST_OVERRUN)) return true;
  wasCut = true;
  isSpent = true;
  return false;
}

/** Takes all effort away, what was put aside included: the host asked to stop. */
export function endEffort(): void {
  left = -Infinity;
}

/** Puts a share (0 to 1) of the effort left aside. Returns its steps, for `giveBack`. */
export function holdBack(share: f64): f64 {
  if (!(left > 0.0) || left === Infinity) return 0.0;
  const held = left * share;
  left -= held;
  return held;
}

/**
 * Puts all effort but `steps` aside, so that a stage costs no more than these however much is left. Returns the steps put
 * aside, for `giveBack`. Where less than `steps` is left, it puts nothing aside, returns −1, and remembers that the stage
 * was left out.
 */
export function holdAllBut(steps: f64): f64 {
  if (left < steps) {
    wasCut = true;
    isSpent = true;
    return -1.0;
  }
  const held = left - steps;
  left = steps;
  return held;
}

/** Adds what `holdBack` put aside. */
export function giveBack(steps: f64): void {
  left += steps;
}

/** For stages that need not be finished: brings back what `wasCut` said before, and `wasSpent` with it. */
export function forgetCut(cutBefore: bool): void {
  wasCut = cutBefore;
  isSpent = isSpent && cutBefore;
}
