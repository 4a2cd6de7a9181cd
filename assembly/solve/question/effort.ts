/**
 * The work budget of a question, in *steps* of about ten nanoseconds: processing one hop of a part is one step. Work is
 * counted instead of time so that a request has the same answer on every machine, busy or idle. In a batch, results
 * kept from earlier requests save steps (kept-tree.ts), so a request that is cut short may get further.
 *
 * Code that does work spends steps (`spend`). Code that decides whether to begin more calls `hasEffort`. Work that has
 * begun is finished, so an overrun is at most one search, or `MOST_OVERRUN`. A stage that must leave something for
 * later stages sets a share aside (`holdBack`, `giveBack`). A search that stops at its own limit (labels.ts) reports
 * that as well (`leaveUndone`), since an unfinished search proves nothing.
 */
import { Region } from '../../graph/region';

/** Scanning a direction in a search counts as this many steps: it takes random memory reads and a logarithm. */
export const DIRECTION_STEPS: u32 = 3;
/** Settling a node in a search counts as this many steps. */
export const NODE_STEPS: u32 = 12;

/** Work of up to this many steps, some 40 ms, may begin as long as any effort is left. */
const MOST_OVERRUN: f64 = 4_000_000.0;

/** The remaining effort of the question, and whether anything was left undone. */
@unmanaged
export class Effort {
  left: f64;
  spent: f64;
  /** Whether anything was left undone since `setEffort`. */
  wasCut: bool;
  /** Whether something was left undone because the effort ran out, not because of a limit of the search itself. */
  isSpent: bool;

  /** Call once for a new workspace: sets the fields of this class that do not start at zero. */
  begin(): void {
    this.left = Infinity;
  }
}

/** Number of steps of one search over the whole graph. */
export function searchSteps(graph: Region): f64 {
  return (graph.arcCount as f64) * (DIRECTION_STEPS as f64) + (graph.nodeCount as f64) * (NODE_STEPS as f64);
}

/** Begins a question with an effort of `steps` steps. */
export function setEffort(effort: Effort, steps: f64): void {
  effort.left = steps;
  effort.wasCut = false;
  effort.isSpent = false;
}

/** Records that a search stopped at its own limit and left something undone, although effort may be left. */
export function leaveUndone(effort: Effort): void {
  effort.wasCut = true;
}

/** For the host: whether more effort could have changed anything. */
export function wasSpent(effort: Effort): bool {
  return effort.isSpent;
}

/** Steps spent since the instance was created. */
export function effortSpent(effort: Effort): f64 {
  return effort.spent;
}

/** Deducts the steps of finished work. */
export function spend(effort: Effort, steps: u32): void {
  effort.left -= steps as f64;
  effort.spent += steps as f64;
}

/** Whether more work may begin. A refusal is recorded. */
export function hasEffort(effort: Effort): bool {
  if (effort.left > 0.0) return true;
  effort.wasCut = true;
  effort.isSpent = true;
  return false;
}

/**
 * Whether work of this many steps, which cannot be interrupted, may begin. A refusal is recorded. On large graphs such
 * work can exceed the remaining effort.
 */
export function hasEffortFor(effort: Effort, steps: f64): bool {
  if (effort.left >= steps || (effort.left > 0.0 && steps <= MOST_OVERRUN)) return true;
  effort.wasCut = true;
  effort.isSpent = true;
  return false;
}

/** Drops all effort, including what was set aside, because the host asked to stop. */
export function endEffort(effort: Effort): void {
  effort.left = -Infinity;
}

/** Sets a share (0 to 1) of the remaining effort aside. Returns the number of steps set aside, for `giveBack`. */
export function holdBack(effort: Effort, share: f64): f64 {
  if (!(effort.left > 0.0) || effort.left === Infinity) return 0.0;
  const held = effort.left * share;
  effort.left -= held;
  return held;
}

/**
 * Sets all effort but `steps` aside, so that a stage costs no more than that. Returns the steps set aside, for
 * `giveBack`. If less than `steps` is left, it sets nothing aside, returns −1, and records that the stage was skipped.
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

/** Makes the steps that `holdBack` or `holdAllBut` set aside available again. */
export function giveBack(effort: Effort, steps: f64): void {
  effort.left += steps;
}

/**
 * For stages that need not be finished: restores the previous `wasCut`. If nothing had been left undone before,
 * `isSpent` is false again.
 */
export function forgetCut(effort: Effort, cutBefore: bool): void {
  effort.wasCut = cutBefore;
  effort.isSpent = effort.isSpent && cutBefore;
}
