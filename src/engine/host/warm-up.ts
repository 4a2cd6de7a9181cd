/**
 * Artificial queries. A new worker's first searches take several times as long, until its code is compiled. Workers are
 * idle while the rest of a node starts, so they answer these queries.
 *
 * The queries search between well-connected nodes, in one part and in several, so that most of the kernel runs. They
 * include no layers, so a worker still counts as new after answering them.
 */
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { machineMs } from '../../model/clock.ts';
import { msatFromSat } from '../../model/msat.ts';
import { encode } from '../question/messages.ts';

/**
 * The task number of the artificial queries. The engine's tasks are positive, so cancelling this number stops no other
 * task.
 */
export const WARM_UP_TASK = -1;
const QUERIES = 8;
const AMOUNTS_SAT = [1_000, 100_000, 1_000_000];
/** Milliseconds after which a late worker drops the artificial queries. */
const PATIENCE_MS = 2_000;

/** The packed requests. None for a graph too small to search. */
export function warmUpRequests(graph: ChannelGraph, version: number): Uint8Array[] {
  const deadline = machineMs() + PATIENCE_MS;
  const nodes = bestConnected(graph, 2 * QUERIES);
  return Array.from({ length: Math.floor(nodes.length / 2) }, (_, index) => {
    const amountMsat = msatFromSat(AMOUNTS_SAT[index % AMOUNTS_SAT.length]!);
    return encode({
      task: WARM_UP_TASK,
      deadline,
      graph: version,
      layers: { from: -1, to: -1, chunks: [] },
      query: {
        source: graph.nodeId(nodes[2 * index]!),
        destination: graph.nodeId(nodes[2 * index + 1]!),
        amountMsat,
        maxfeeMsat: amountMsat,
        finalCltv: 18,
        maxdelay: 2016,
        maxparts: index % 2 === 0 ? 1 : 10,
        maxhops: 20,
        layerIds: [],
        layerNames: [],
        includeFees: false,
      },
    });
  });
}

/**
 * The nodes with the most channels, in descending order. One pass, because a graph has many nodes and few are needed.
 */
function bestConnected({ nodeCount, nodeDegree }: ChannelGraph, count: number): number[] {
  const best: number[] = [];
  for (let node = 0; node < nodeCount; node++) {
    const degree = nodeDegree[node]!;
    if (best.length === count && degree <= nodeDegree[best[count - 1]!]!) continue;
    const place = best.findIndex((other) => nodeDegree[other]! < degree);
    best.splice(place < 0 ? best.length : place, 0, node);
    best.length = Math.min(best.length, count);
  }
  return best;
}
