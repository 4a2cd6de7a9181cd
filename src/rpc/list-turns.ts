/**
 * Long lists are written in turns. Each turn of the event loop makes one piece of one list, however many clients read
 * lists. So all lists together delay other requests by at most the time for one piece.
 */

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Resolves on a later tick, in FIFO order, when the next piece of a list may be made. */
export function listTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}
