/** The priority of the thread of the HTTP server. */
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** By how much the thread's niceness exceeds that of the process. */
export const LOWER_PRIORITY = 5;

/**
 * Gives the main thread and the searches priority when processor time is scarce. Call it in the thread whose priority
 * should be lower. Linux has a priority per thread. On other systems, the thread keeps the priority of the process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), Math.min(getPriority() + LOWER_PRIORITY, constants.priority.PRIORITY_LOW));
  } catch {
    // There is no /proc, or the change is not permitted. The server works without it.
  }
}
