/**
 * The task that the host may stop.
 *
 * A deadline can pass while a search runs in another thread. So the host writes the number of the task to stop into a
 * word of the shared memory, and searches read that word every few hundred nodes. A stopped task stays stopped until
 * the next one begins: it loses all its effort, so that no stage begins anything more (effort.ts).
 */
import { endEffort } from './effort';

/** Address of the word; 0 where the task cannot be stopped. */
let stopWord: usize = 0;
let task: u32 = 0;
/** Whether the present task was stopped. */
export let cancelled: bool = false;

/** Begins a task that the host can stop by writing its number at `address`. */
export function beginTask(address: usize, number: u32): void {
  stopWord = address;
  task = number;
  cancelled = false;
}

/** Whether the host asked to stop the task. The answer yes is remembered until the next task. */
export function pollCancel(): bool {
  if (!cancelled && stopWord !== 0) cancelled = atomic.load<u32>(stopWord) === task;
  if (cancelled) endEffort();
  return cancelled;
}
