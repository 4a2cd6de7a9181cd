/** Chooses the worker for a request: one that has its layers applied, unless it is much busier than the others. */

/** What the choice of a worker depends on: how many requests it holds, and which layers it has applied. */
export interface WorkerLoad {
  readonly running: { readonly size: number };
  /** Layers of the worker's last request, which are still applied. `lastTask` is the number of that request. */
  readonly layers: string;
  readonly lastTask: number;
}

/**
 * The worker for a request with these layers: the least loaded one; among several, one with these layers applied; among
 * several idle ones with these layers, the one that worked last, because its processor's caches still have the data;
 * otherwise the one that got its last request first.
 */
export function fittestWorker<W extends WorkerLoad>(workers: readonly W[], layers: string): W {
  return workers.reduce((best, other) => (suitsBetter(other, best, layers) ? other : best));
}

function suitsBetter(a: WorkerLoad, b: WorkerLoad, layers: string): boolean {
  if (a.running.size !== b.running.size) return a.running.size < b.running.size;
  const [isReady, isOtherReady] = [a.layers === layers, b.layers === layers];
  if (isReady !== isOtherReady) return isReady;
  return isReady && a.running.size === 0 ? a.lastTask > b.lastTask : a.lastTask < b.lastTask;
}
