/** Which worker a request goes to: one that has its layers applied, if it is not much busier than the others. */

/** What the choice of a worker depends on: how much it has at hand, and which layers it has applied. */
export interface WorkerLoad {
  readonly running: { readonly size: number };
  /** Layers of the last request that it was given, which stay applied; and the number of that request. */
  readonly layers: string;
  readonly lastTask: number;
}

/**
 * The worker for a request with these layers. The least loaded worker is chosen. Among several, one that has these
 * layers applied is chosen. If that leaves several: of idle workers that have the layers the one that worked last,
 * because what it needs is still in the caches of its processor; else the one that got its last request first.
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
