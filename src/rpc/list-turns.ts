/**
 * Long lists are made in turns: in one turn of the event loop one piece of one list is made, however many clients
 * read lists at once. So all of them together delay the requests of others by no more than one piece does.
 */

const waiting: (() => void)[] = [];
let isScheduled = false;

/** Resolves when the next piece of a list may be made: in a later turn, after all that wait already. */
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
