/** The priority of the thread of the HTTP server. */
import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** How much lower the priority of that thread is, in units of `nice`. */
export const LOWER_PRIORITY = 5;

/**
 * Gives the main thread and the searches priority when processor time is scarce. Call it in the thread that yields.
 * Linux has a priority per thread. Elsewhere the thread keeps that of the process.
 */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), Math.min(getPriority() + LOWER_PRIORITY, constants.priority.PRIORITY_LOW));
  } catch {
    // No /proc, or not permitted. The server works without it.
  }
}
