/**
 * Report: how long graph sources take to become a graph, and what memory the graph then holds.
 *
 *     gossip-load SOURCE…   (a gossip_store, a compressed snapshot, synthetic:NODES)
 *
 * Each source is opened five times; the first time (cold code) and the median are shown.
 */
import { type GraphSource, openGraphSource } from '../src/gossip/source.ts';

const RUNS = 5;

for (const spec of process.argv.slice(2)) {
  globalThis.gc?.();
  const before = heldBytes();
  const timesMs: number[] = [];
  const first = await timedOpen(spec, timesMs);
  globalThis.gc?.();
  const heldMb = (heldBytes() - before) / 1e6;
  for (let run = 1; run < RUNS; run++) await timedOpen(spec, timesMs);
  const median = [...timesMs].sort((a, b) => a - b)[RUNS >> 1]!;
  console.log(`${first.describe} (version ${first.graph.version})`);
  console.log(
    `  first ${timesMs[0]!.toFixed(0)} ms, median ${median.toFixed(0)} ms, ${heldMb.toFixed(1)} MB`,
  );
}

async function timedOpen(spec: string, timesMs: number[]): Promise<GraphSource> {
  const started = performance.now();
  const source = await openGraphSource(spec);
  timesMs.push(performance.now() - started);
  await source.follow?.stop();
  return source;
}

function heldBytes(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}
