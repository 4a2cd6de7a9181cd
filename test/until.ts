/** Waits for what a test cannot await: work of a different process, or work that nothing reports. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Less than the time limit of a test, so that the error names the condition. */
const LIMIT_MS = 90_000;
/** How long every turn of the event loop is checked. Most conditions hold a few turns later. */
const PROMPT_MS = 20;
const POLL_MS = 2;

/**
 * Polls a condition until it holds. An error of the condition means that it does not hold yet.
 * @throws Error with the condition's source, and its last error as the cause, if it does not hold within the limit
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { limitMs = LIMIT_MS, pollMs = POLL_MS } = {},
): Promise<void> {
  const startMs = Date.now();
  for (;;) {
    let cause: unknown;
    try {
      if (await isSo()) return;
    } catch (error) {
      cause = error;
    }
    const waitedMs = Date.now() - startMs;
    if (waitedMs >= limitMs) throw new Error(`not met within ${limitMs} ms: ${isSo}`, { cause });
    await (waitedMs < PROMPT_MS ? nextTurn() : sleep(pollMs));
  }
}
