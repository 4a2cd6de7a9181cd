/** Routes for messages, compared with a reference that tries all nodes, on random graphs. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { MessageRoutes } from '../../src/offers/message-routes.ts';
import { POLICY } from '../network/simulated/line.ts';

const NODES = 8;
const idOf = (node: number): NodeId => {
  const id = new Uint8Array(33).fill(node + 1);
  id[0] = 2;
  return nodeIdFromBytes(id);
};

interface Edge {
  readonly from: number;
  readonly to: number;
}

/** Channels between nodes given by number, each direction enabled or not. */
function graphOf(channels: readonly (readonly [number, number, boolean, boolean])[]) {
  const graph = new ChannelGraph();
  for (let node = 0; node < NODES; node++) graph.internNode(nodeIdToBytes(idOf(node)));
  const edges: Edge[] = [];
  channels.forEach(([a, b, forth, back], i) => {
    if (a === b) return;
    const [low, high] = a < b ? [a, b] : [b, a];
    const channel = graph.addChannel(shortChannelId(1, i, 0), low, high, 1000n);
    graph.setPolicy(channel, 0, { ...POLICY, enabled: forth });
    graph.setPolicy(channel, 1, { ...POLICY, enabled: back });
    if (forth) edges.push({ from: low, to: high });
    if (back) edges.push({ from: high, to: low });
  });
  return { graph, edges };
}

/**
 * Minimum number of nodes from a start to the target, infinite without a route. All edges are relaxed until
 * nothing changes.
 */
function fewest(
  edges: readonly Edge[],
  starts: readonly number[],
  target: number,
  deaf: ReadonlySet<number>,
): number {
  const length = new Array<number>(NODES).fill(Number.POSITIVE_INFINITY);
  for (const start of starts) length[start] = 1;
  for (let round = 0; round < NODES; round++) {
    for (const { from, to } of edges) {
      if (!deaf.has(to)) length[to] = Math.min(length[to]!, length[from]! + 1);
    }
  }
  return length[target]!;
}

test('a route has the minimum number of nodes, over enabled directions to nodes that accept messages', () => {
  const node = fc.nat(NODES - 1);
  const world = fc.record({
    channels: fc.array(fc.tuple(node, node, fc.boolean(), fc.boolean()), { maxLength: 20 }),
    starts: fc.uniqueArray(node, { minLength: 1, maxLength: 3 }),
    deaf: fc.uniqueArray(node, { maxLength: 3 }),
    target: node,
  });
  fc.assert(
    fc.property(world, ({ channels, starts, deaf: deafNodes, target }) => {
      const { graph, edges } = graphOf(channels);
      const deaf = new Set(deafNodes);
      const takesMessages = (index: number): boolean => !deaf.has(index);
      const route = new MessageRoutes(graph).find(starts.map(idOf), idOf(target), { takesMessages });
      expect(route?.length ?? Number.POSITIVE_INFINITY).toBe(fewest(edges, starts, target, deaf));
      if (route === undefined) return;
      const nodes = route.map((id) => graph.nodeIndex(id));
      expect(starts).toContain(nodes[0]);
      expect(nodes.at(-1)).toBe(target);
      for (let i = 1; i < nodes.length; i++) {
        expect(edges).toContainEqual({ from: nodes[i - 1], to: nodes[i] });
      }
    }),
    { numRuns: 500 },
  );
});

test('a route bypasses nodes to avoid, except the target', () => {
  const { graph } = graphOf([
    [0, 1, true, true],
    [1, 3, true, true],
    [0, 2, true, true],
    [2, 4, true, true],
    [4, 3, true, true],
  ]);
  const routes = new MessageRoutes(graph);
  const find = (avoid: readonly number[]) =>
    routes
      .find([idOf(0)], idOf(3), { takesMessages: () => true, avoid: new Set(avoid) })
      ?.map((id) => graph.nodeIndex(id));
  expect(find([])).toEqual([0, 1, 3]);
  expect(find([1, 3])).toEqual([0, 2, 4, 3]);
  expect(find([1, 2])).toBeUndefined();
});

test('a node that joins the graph is a start, even in a list that was used before', () => {
  const { graph } = graphOf([[0, 1, true, true]]);
  const newId = idOf(NODES);
  const starts = [newId];
  const routes = new MessageRoutes(graph);
  const find = () => routes.find(starts, idOf(1), { takesMessages: () => true });
  expect(find()).toBeUndefined();
  const node = graph.internNode(nodeIdToBytes(newId));
  const channel = graph.addChannel(shortChannelId(2, 0, 0), 0, node, 1000n);
  graph.setPolicy(channel, 1, POLICY);
  expect(find()).toEqual([newId, idOf(0), idOf(1)]);
});

test('the only start uses its own channel to a large node, unless that direction is disabled', () => {
  for (const enabled of [true, false]) {
    const { graph } = graphOf([
      [0, 3, enabled, true],
      [0, 1, true, true],
      [1, 3, true, true],
      [2, 3, true, true],
    ]);
    const route = new MessageRoutes(graph).find([idOf(0)], idOf(3), { takesMessages: () => true });
    expect(route).toEqual((enabled ? [0, 3] : [0, 1, 3]).map(idOf));
  }
});
