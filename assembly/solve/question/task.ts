/**
 * Cancellation of the current task by the host.
 *
 * A deadline can pass while a search runs in another thread. So the host writes the number of the task to stop into a
 * word of the shared memory, and searches read that word every few hundred nodes. A stopped task loses all its effort,
 * so that no stage begins anything more (effort.ts), until the next task begins.
 */

import { Workspace } from '../../workspace';
import { endEffort } from './effort';

/** The current task. */
@unmanaged
export class Task {
  /** Address of the word; 0 if the task cannot be stopped. */
  stopWord: usize;
  number: u32;
  /** Whether the current task was stopped. */
  cancelled: bool;
}

/** Begins a task that the host can stop by writing its number at `address`. */
export function beginTask(task: Task, address: usize, number: u32): void {
  task.stopWord = address;
  task.number = number;
  task.cancelled = false;
}

/** Whether the host asked to stop the task. Stays true until the next task. */
export function pollCancel(work: Workspace): bool {
  const task = work.task;
  if (!task.cancelled && task.stopWord !== 0)
    task.cancelled = atomic.load<u32>(task.stopWord) === task.number;
  if (task.cancelled) endEffort(work.effort);
  return task.cancelled;
}
