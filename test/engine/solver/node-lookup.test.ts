/**
 * Looking up nodes allocates no memory outside V8's heap. The heap of a worker grows so little that such memory would be
 * collected only after minutes.
 */
import { expect, it } from 'vitest';
import { Kernel } from '../../../src/engine/solver/kernel.ts';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';

const LOOKUPS = 20_000;
const READINGS = 5;
const POOL_BYTES = 8192;

it('nodes are found by their ids without buffers from Node’s pool', () => {
  const graph = generateSyntheticGraph({ nodeCount: 50, seed: 1 });
  const kernel = Kernel.inProcess(graph);
  const ids = Array.from({ length: graph.nodeCount }, (_, node) => graph.nodeId(node));
  // The largest of several readings, because a collection of garbage can happen during a reading.
  let left = 0;
  for (let reading = 0; reading < READINGS; reading++) {
    const before = process.memoryUsage().arrayBuffers;
    const found = kernel.reading(() => {
      let count = 0;
      for (let lookup = 0; lookup < LOOKUPS; lookup++) {
        const node = lookup % ids.length;
        if (kernel.nodeIndex(ids[node]!) === node) count++;
      }
      return count;
    });
    left = Math.max(left, process.memoryUsage().arrayBuffers - before);
    expect(found).toBe(LOOKUPS);
  }
  expect(left).toBeLessThan(8 * POOL_BYTES);
});
