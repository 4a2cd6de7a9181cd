/**
 * Collects the garbage of threads that allocate little. V8 collects once a heap has grown by several megabytes, which
 * takes a quarter of an hour or longer in such a thread. Meanwhile the memory of the process grows. The main thread is
 * left to V8, because no request is answered during a collection here.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Milliseconds between two checks of a heap. A collection takes up to 90 ms of processor time, so a thread spends less
 * than a thousandth of a core on these.
 */
const CHECK_MS = 300_000;
/** Bytes by which a heap, with its array buffers, must have grown for a collection. An idle thread does not collect. */
const GROWTH_BYTES = 1024 * 1024;
/**
 * Bytes above which only V8 collects. It does so in small steps, while a collection here stops the thread. For a heap
 * of 40 MB, a collection takes 60 to 130 ms of processor time.
 */
const MAX_BYTES = 100 * 1024 * 1024;

/** Checks the heap of this thread from now on. Does not keep the thread alive. */
export function keepHeapSmall(): void {
  setInterval(heapCheck(usedBytes, collectGarbage), CHECK_MS).unref();
}

/**
 * A function that checks a heap, and collects its garbage if it has grown since the last collection. V8 may collect in
 * between.
 * @param used the bytes in use
 */
export function heapCheck(used: () => number, collect: () => void): () => void {
  let leastBytes = Number.POSITIVE_INFINITY;
  return () => {
    const bytes = used();
    leastBytes = Math.min(leastBytes, bytes);
    if (bytes < leastBytes + GROWTH_BYTES || bytes > MAX_BYTES) return;
    collect();
    leastBytes = used();
  };
}

let gc: (() => void) | undefined;

/** Collects all garbage of this thread. */
export function collectGarbage(): void {
  if (gc === undefined) {
    // Only contexts that are created while this flag is set have the function.
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  gc();
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
