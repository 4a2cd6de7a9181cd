/**
 * What a question may still cost, counted in *steps* of some ten nanoseconds: looking at one hop of a part is one step.
 * Work is counted instead of time so that a request has the same answer on every machine, busy or idle. In a batch,
 * what requests before it have kept saves steps (kept-tree.ts), so that one that is cut short may get further.
 *
 * Code that does work takes its steps (`spend`). Code that decides whether to begin more asks `hasEffort`. Work that
 * has begun is finished, so an overrun is at most one search, or `MOST_OVERRUN`. A stage that must leave something to
 * later stages puts a share aside (`holdBack`, `giveBack`). A search that stops at a limit of its own (labels.ts) reports
 * that as well (`leaveUndone`), since a search that was not finished proves nothing.
 */
import { Region } from '../../graph/region';

/** Steps of looking at a direction in a search. It reads memory all over the graph, and takes a logarithm. */
export const DIRECTION_STEPS: u32 = 3;
/** Steps of settling a node in a search. */
export const NODE_STEPS: u32 = 12;

/** Work of this many steps may begin as long as anything is left: some 20 ms. */
const MOST_OVERRUN: f64 = 4_000_000.0;

/** What the question may still cost, and what was left undone. */
@unmanaged
export class Effort {
  left: f64;
  spent: f64;
  /** Whether anything was left undone since `setEffort`. */
  wasCut: bool;
  /** Whether something was left undone because the effort ran out, not because of a limit of the search itself. */
  isSpent: bool;

  /** Sets what is not 0 in a new workspace. */
  begin(): void {
    this.left = Infinity;
  }
}

/** Steps of one search over the whole graph. */
export function searchSteps(graph: Region): f64 {
  return (graph.arcCount as f64) * (DIRECTION_STEPS as f64) + (graph.nodeCount as f64) * (NODE_STEPS as f64);
}

/** Begins a question that may cost `steps` steps. */
export function setEffort(effort: Effort, steps: f64): void {
  effort.left = steps;
  effort.wasCut = false;
  effort.isSpent = false;
}

/** Remembers that a search stopped at a limit of its own and left something undone, although effort may be left. */
export function leaveUndone(effort: Effort): void {
  effort.wasCut = true;
}

/** For the host: whether more effort could have changed anything. */
export function wasSpent(effort: Effort): bool {
  return effort.isSpent;
}

/** Steps taken since the instance was made. */
export function effortSpent(effort: Effort): f64 {
  return effort.spent;
}

/** Takes the steps that work has cost off the effort. */
export function spend(effort: Effort, steps: u32): void {
  effort.left -= steps as f64;
  effort.spent += steps as f64;
}

/** Whether more work may begin; remembers when it may not. */
export function hasEffort(effort: Effort): bool {
  if (effort.left > 0.0) return true;
  effort.wasCut = true;
  effort.isSpent = true;
  return false;
}

/**
 * Whether work of this many steps may begin that is finished once it has begun; remembers when it may not. On large graphs
 * such work takes longer than all that is left.
 */
export function hasEffortFor(effort: Effort, steps: f64): bool {
  if (effort.left >= steps || (effort.left > 0.0 && steps <= MOST_OVERRUN)) return true;
  effort.wasCut = true;
  effort.isSpent = true;
  return false;
}

/** Takes all effort away, what was set aside included: the host asked to stop. */
export function endEffort(effort: Effort): void {
  effort.left = -Infinity;
}

/** Puts a share (0 to 1) of the effort left aside. Returns its steps, for `giveBack`. */
export function holdBack(effort: Effort, share: f64): f64 {
  if (!(effort.left > 0.0) || effort.left === Infinity) return 0.0;
  const held = effort.left * share;
  effort.left -= held;
  return held;
}

/**
 * Puts all effort but `steps` aside, so that a stage costs no more than these however much is left. Returns the steps put
 * aside, for `giveBack`. Where less than `steps` is left, it puts nothing aside, returns −1, and remembers that the stage
 * was left out.
 */
export function holdAllBut(effort: Effort, steps: f64): f64 {
  if (effort.left < steps) {
    effort.wasCut = true;
    effort.isSpent = true;
    return -1.0;
  }
  const held = effort.left - steps;
  effort.left = steps;
  return held;
}

/** Adds what `holdBack` set aside. */
export function giveBack(effort: Effort, steps: f64): void {
  effort.left += steps;
}

/** For stages that need not be finished: brings back what `wasCut` said before, and `wasSpent` with it. */
export function forgetCut(effort: Effort, cutBefore: bool): void {
  effort.wasCut = cutBefore;
  effort.isSpent = effort.isSpent && cutBefore;
}
