/** Sets of listeners. */

/** Adds a listener. @returns a function that removes it */
export function added<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
