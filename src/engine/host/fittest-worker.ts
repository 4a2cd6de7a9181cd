/** Chooses the worker for a request: one of the least loaded, if possible one that has the request's layers applied. */

/** What the choice of a worker depends on: how many requests it holds, and which layers it has applied. */
export interface WorkerLoad {
  readonly running: { readonly length: number };
  /** Layers of the worker's last request, which are still applied. `lastTask` is the number of that request. */
  readonly layers: string;
  readonly lastTask: number;
}

/**
 * The worker for a request with these layers: the least loaded one. Among equally loaded workers, one that has these
 * layers applied is preferred. Among several idle workers with these layers, the last to get a request is chosen,
 * because its processor's caches still have the data. In all other cases, the worker whose last request is the oldest
 * is chosen.
 */
export function fittestWorker<W extends WorkerLoad>(workers: readonly W[], layers: string): W {
  return workers.reduce((best, other) => (suitsBetter(other, best, layers) ? other : best));
}

function suitsBetter(a: WorkerLoad, b: WorkerLoad, layers: string): boolean {
  if (a.running.length !== b.running.length) return a.running.length < b.running.length;
  const [isReady, isOtherReady] = [a.layers === layers, b.layers === layers];
  if (isReady !== isOtherReady) return isReady;
  return isReady && a.running.length === 0 ? a.lastTask > b.lastTask : a.lastTask < b.lastTask;
}
