/** The priority of the thread of the HTTP server. */
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** How much that thread gives way to the others of the process, as `nice` counts. */
export const LOWER_PRIORITY = 5;

/**
 * Lets the main thread and the searches have the processor first when there is not enough of it for all. To be called
 * in the thread that gives way. Linux knows a priority for each thread. Elsewhere the thread keeps that of the process.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), Math.min(getPriority() + LOWER_PRIORITY, constants.priority.PRIORITY_LOW));
  } catch {
    // No /proc, or not allowed. The server works without it.
  }
}
