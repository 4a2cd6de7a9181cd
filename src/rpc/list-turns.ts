/**
 * Long lists are written in turns: per turn of the event loop, one piece of one list is made, however many clients read
 * lists. So all of them together delay other requests by at most one piece.
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
