/** The description of a simulated network, which is passed to its thread. */
import { expect, test } from 'vitest';
import { generateSyntheticGraph } from '../../../src/gossip/synthetic.ts';
import type { Msat } from '../../../src/model/msat.ts';
import { networkMapOf, Simulation } from '../../../src/network/simulated/index.ts';
import { AB, lineGraph, OWN_ID, POLICY } from './line.ts';

test('a graph that can change is copied', () => {
  const graph = generateSyntheticGraph({ nodeCount: 10 });
  const map = networkMapOf(graph);
  graph.setPolicy(0, 0, { ...graph.policy(0)!, feeBaseMsat: 123_456 });
  expect(map.feeBaseMsat[0]).not.toBe(123_456);
});

test('a graph that is fixed and in shared memory is not copied', () => {
  const graph = generateSyntheticGraph({ nodeCount: 10 });
  const map = networkMapOf(graph, true);
  expect(map).toEqual(networkMapOf(graph));
  for (const column of ['nodeIds', 'shortChannelIds', 'node1', 'htlcMaximumMsat', 'policyTimestamp'] as const)
    expect(map[column].buffer, column).toBe(graph[column].buffer);
  // The columns of this graph are not in shared memory.
  const received = structuredClone(networkMapOf(lineGraph(), true));
  expect(received).toEqual(networkMapOf(lineGraph()));
});

test('the columns are shared, not copied', () => {
  const map = networkMapOf(lineGraph());
  const received = structuredClone(map);
  expect(received).toEqual(map);
  received.feeBaseMsat[0] = 7;
  expect(map.feeBaseMsat[0]).toBe(7);
});

test('a policy that a node puts in force does not change the map, which others share', () => {
  const map = networkMapOf(lineGraph());
  const [simulation, other] = [0, 1].map(() => new Simulation(map, { ownNodeId: OWN_ID })) as [
    Simulation,
    Simulation,
  ];
  const direction = { shortChannelId: AB, direction: 1 } as const;
  simulation.setPolicy(direction, { enabled: false, feeBaseMsat: 8 });
  simulation.setPolicy(direction, { htlcMinimumMsat: 9n as Msat });
  expect(simulation.policy(direction)).toEqual({
    ...POLICY,
    enabled: false,
    feeBaseMsat: 8,
    htlcMinimumMsat: 9n,
  });
  expect(other.policy(direction)).toEqual(POLICY);
});
