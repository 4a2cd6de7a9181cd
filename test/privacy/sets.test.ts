/**
 * What forwarding nodes can infer, compared with brute force on small random graphs, where every walk is
 * tried, one step at a time.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { msat } from '../../src/model/msat.ts';
import { nodeIdToBytes, parseNodeId } from '../../src/model/node-id.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { CheapestTree } from '../../src/privacy/cheapest-tree.ts';
import { type PassableGraph, passableOf } from '../../src/privacy/passable.ts';
import { routePrivacy } from '../../src/privacy/plan-privacy.ts';
import { possibleRecipients } from '../../src/privacy/possible-recipients.ts';
import { possibleSenders } from '../../src/privacy/possible-senders.ts';
import { routedRecipients, routedSenders } from '../../src/privacy/route-attack.ts';
import { type SeenRoute, sightingAt } from '../../src/privacy/sighting.ts';

const AMOUNT = 1_000_000n;

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly fees: readonly [number, number];
  readonly deltas: readonly [number, number];
  readonly mostMsat: number;
}

const edge = (nodes: number) =>
  fc
    .record({
      from: fc.nat(nodes - 1),
      to: fc.nat(nodes - 1),
      fees: fc.tuple(fc.nat(5000), fc.nat(5000)),
      deltas: fc.tuple(fc.constantFrom(0, 6, 14, 40, 40, 80), fc.constantFrom(0, 6, 14, 40, 40, 80)),
      mostMsat: fc.constantFrom(500_000, 2_000_000, 2_000_000, 2_000_000),
    })
    .filter(({ from, to }) => from < to);

/** Nodes are 0, 1, 2 …, in the order of their ids. */
function graphOf(nodes: number, edges: readonly Edge[]): ChannelGraph {
  const graph = new ChannelGraph(nodes, edges.length);
  for (let node = 0; node < nodes; node++) {
    const id = parseNodeId(`02${node.toString(16).padStart(64, '0')}`)!;
    graph.internNode(nodeIdToBytes(id));
  }
  for (const [index, { from, to, fees, deltas, mostMsat }] of edges.entries()) {
    const channel = graph.addChannel(shortChannelId(1, index, 0), from, to, BigInt(mostMsat));
    for (const direction of [0, 1] as const) {
      graph.setPolicy(channel, direction, {
        enabled: true,
        htlcMinimumMsat: msat(1n),
        htlcMaximumMsat: msat(BigInt(mostMsat)),
        feeBaseMsat: fees[direction],
        feeProportionalMillionths: 0,
        cltvExpiryDelta: deltas[direction],
      });
    }
  }
  return graph;
}

/** A route without loops, determined by the numbers in `choices`, with exact amounts and expiries. */
function routeBy(
  passable: PassableGraph,
  start: number,
  choices: readonly number[],
  final: number,
): SeenRoute | undefined {
  const { graph } = passable;
  const nodes = [start];
  const directions: number[] = [];
  for (const choice of choices) {
    const onward = [...graph.channelsOf(nodes.at(-1)!)]
      .map((channel) => passable.leaving(channel, nodes.at(-1)!))
      .filter(
        (direction) =>
          !nodes.includes(passable.head(direction)) && passable.mostMsat[direction]! >= 1_500_000,
      );
    if (onward.length === 0) break;
    directions.push(onward[choice % onward.length]!);
    nodes.push(passable.head(directions.at(-1)!));
  }
  if (directions.length < 2) return undefined;
  const amountsMsat = [AMOUNT];
  const expiries = [final];
  for (const direction of directions.slice(1).toReversed()) {
    amountsMsat.unshift(amountsMsat[0]! + BigInt(graph.feeBaseMsat[direction]!));
    expiries.unshift(expiries[0]! + graph.cltvExpiryDelta[direction]!);
  }
  return { directions, amountsMsat, expiries };
}

const NODES = 8;
const FINALS = [18, 22];
const cases = fc.record({
  edges: fc.array(edge(NODES), { minLength: 6, maxLength: 16 }),
  start: fc.nat(NODES - 1),
  choices: fc.array(fc.nat(20), { minLength: 2, maxLength: 5 }),
  final: fc.constantFrom(...FINALS),
});

test('the possible recipients are those of all walks, including the true one', () => {
  let several = 0;
  fc.assert(
    fc.property(cases, ({ edges, start, choices, final }) => {
      const passable = passableOf(graphOf(NODES, edges));
      const route = routeBy(passable, start, choices, final);
      if (route === undefined) return;
      for (let index = 1; index < route.directions.length; index++) {
        const sighting = sightingAt(route, index);
        const { nodes, hops } = possibleRecipients(passable, sighting, FINALS);
        const closed = [passable.tail(sighting.incoming), passable.head(sighting.incoming)];
        const walked = new Map<number, number>();
        let layer = new Set([`${passable.head(sighting.outgoing)}:0`]);
        for (let hop = 0; hop <= 18 && layer.size > 0; hop++) {
          const next = new Set<string>();
          for (const state of layer) {
            const [node, sum] = state.split(':').map(Number) as [number, number];
            if (FINALS.some((each) => sum + each === sighting.outgoingBlocks) && !walked.has(node))
              walked.set(node, hop);
            for (const channel of passable.graph.channelsOf(node)) {
              const direction = passable.leaving(channel, node);
              const head = passable.head(direction);
              const further = sum + passable.graph.cltvExpiryDelta[direction]!;
              if (closed.includes(head) || further > sighting.outgoingBlocks - 18) continue;
              if (passable.mostMsat[direction]! < 0.9 * Number(sighting.outgoingMsat)) continue;
              next.add(`${head}:${further}`);
            }
          }
          layer = next;
        }
        expect(nodes).toEqual([...walked.keys()].sort((a, b) => a - b));
        expect(hops).toEqual(nodes.map((node) => walked.get(node)));
        expect(nodes).toContain(passable.head(route.directions.at(-1)!));
        if (nodes.length > 1) several++;
      }
    }),
    { numRuns: 300 },
  );
  expect(several).toBeGreaterThan(10);
});

test('the possible senders are those of all walks with few enough blocks, including the true one', () => {
  fc.assert(
    fc.property(cases, fc.nat(1900), ({ edges, start, choices, final }, more) => {
      const passable = passableOf(graphOf(NODES, edges));
      const route = routeBy(passable, start, choices, final + more);
      if (route === undefined || route.expiries[0]! > 2016) return;
      for (let index = 1; index < route.directions.length; index++) {
        const sighting = sightingAt(route, index);
        const closed = [passable.head(sighting.incoming), passable.head(sighting.outgoing)];
        const walked = new Set<number>();
        const visited = new Set<string>();
        /**
         * Continues the walk after an HTLC that leaves `node` over `direction` with this number of blocks
         * left.
         */
        const walk = (node: number, direction: number, blocks: number): void => {
          if (blocks > 2016 || visited.has(`${direction}:${blocks}`)) return;
          visited.add(`${direction}:${blocks}`);
          walked.add(node);
          const arriving = blocks + passable.graph.cltvExpiryDelta[direction]!;
          for (const channel of passable.graph.channelsOf(node)) {
            const before = passable.leaving(channel, node) ^ 1;
            const tail = passable.tail(before);
            if (closed.includes(tail) || passable.mostMsat[before]! < 900_000) continue;
            walk(tail, before, arriving);
          }
        };
        walk(passable.tail(sighting.incoming), sighting.incoming, sighting.incomingBlocks);
        const senders = possibleSenders(passable, sighting);
        expect(senders).toEqual([...walked].sort((a, b) => a - b));
        expect(senders).toContain(start);
      }
    }),
    { numRuns: 120 },
  );
});

/** Minimum costs, by relaxing every direction once per node (Bellman and Ford). */
function costsFrom(passable: PassableGraph, root: number, end: 'source' | 'destination'): number[] {
  const { graph } = passable;
  const costs = Array<number>(graph.nodeCount).fill(Number.POSITIVE_INFINITY);
  costs[root] = 0;
  for (let round = 0; round < graph.nodeCount; round++) {
    for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
      if (passable.mostMsat[direction]! < Number(AMOUNT)) continue;
      const [from, to] = [passable.tail(direction), passable.head(direction)];
      const cost = graph.feeBaseMsat[direction]! + 0.015 * graph.cltvExpiryDelta[direction]!;
      if (end === 'source') costs[to] = Math.min(costs[to]!, costs[from]! + cost);
      else costs[from] = Math.min(costs[from]!, costs[to]! + cost);
    }
  }
  return costs;
}

test('the tree of cheapest routes has the same costs as relaxing all directions, from either end', () => {
  fc.assert(
    fc.property(fc.array(edge(NODES), { minLength: 4, maxLength: 20 }), fc.nat(NODES - 1), (edges, root) => {
      const passable = passableOf(graphOf(NODES, edges));
      for (const end of ['source', 'destination'] as const) {
        const tree = new CheapestTree(passable, root, end, AMOUNT);
        const costs = costsFrom(passable, root, end);
        for (let node = 0; node < NODES; node++) {
          let cost = 0;
          let blocks = 0;
          for (let at = node; tree.parent(at) >= 0; at = tree.parent(at)) {
            const link = tree.link[at]!;
            cost += passable.graph.feeBaseMsat[link]! + 0.015 * passable.graph.cltvExpiryDelta[link]!;
            blocks += passable.graph.cltvExpiryDelta[link]!;
          }
          const isReached = node === root || tree.link[node]! >= 0;
          expect(isReached).toBe(Number.isFinite(costs[node]!));
          if (!isReached) continue;
          expect(cost).toBeCloseTo(costs[node]!, 6);
          expect(tree.blocks[node]).toBe(blocks);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('an attacker who assumes cheapest routes finds a sender and a recipient that use one', () => {
  let attacked = 0;
  fc.assert(
    fc.property(fc.array(edge(NODES), { minLength: 8, maxLength: 20 }), fc.nat(56), (edges, pair) => {
      const passable = passableOf(graphOf(NODES, edges));
      const [sender, recipient] = [pair % NODES, Math.floor(pair / NODES)];
      const tree = new CheapestTree(passable, recipient, 'destination', AMOUNT);
      if (sender === recipient || tree.link[sender]! < 0) return;
      const directions: number[] = [];
      for (let at = sender; at !== recipient; at = tree.parent(at)) directions.push(tree.link[at]!);
      // The amounts are those that the attacker assumes, so that rounding of fees has no effect.
      const expiries = [18];
      for (const direction of directions.slice(1).toReversed())
        expiries.unshift(expiries[0]! + passable.graph.cltvExpiryDelta[direction]!);
      const route = { directions, amountsMsat: directions.map(() => AMOUNT), expiries };
      for (let index = 1; index < directions.length; index++) {
        const sighting = sightingAt(route, index);
        const { nodes } = possibleRecipients(passable, sighting, [18]);
        const found = routedRecipients(passable, sighting, nodes, [18]);
        // If two routes cost the same, the attacker may expect the other one.
        if (found.length === 0) continue;
        attacked++;
        expect(nodes).toEqual(expect.arrayContaining(found));
        if (found.includes(recipient)) expect(routedSenders(passable, sighting, found)).toContain(sender);
      }
    }),
    { numRuns: 300 },
  );
  expect(attacked).toBeGreaterThan(10);
});

/**     0 ── 1 ── 2 ── 3        every delta is 40, a recipient asks for 18 */
test('on a line of nodes, the node before the recipient identifies it, and a shadow route hides it', () => {
  const line = [0, 1, 2].map(
    (node): Edge => ({ from: node, to: node + 1, fees: [0, 0], deltas: [40, 40], mostMsat: 2_000_000 }),
  );
  const graph = graphOf(4, line);
  const hops = (final: number) =>
    [80, 40, 0].slice(0, 2).map((delay, index) => ({
      shortChannelId: shortChannelId(1, index, 0),
      direction: 0 as const,
      amountMsat: AMOUNT,
      blocks: delay - 40 + final,
    }));
  // From 0 to 2 over 1. Node 1 forwards with 18 blocks left: only node 2 as recipient explains this, and only
  // node 0 can be the sender.
  expect(routePrivacy(graph, hops(18), 18)).toEqual({ recipients: 1, senders: 1 });
  // With 58 blocks left, node 2 may take 40 and leave 18 for node 3. If the observer also considers recipients that
  // ask for 58 blocks, node 2 may be the recipient as well.
  expect(routePrivacy(graph, hops(58), 18)).toEqual({ recipients: 1, senders: 1 });
  expect(routePrivacy(graph, hops(58), 58)).toEqual({ recipients: 2, senders: 1 });
  expect(routePrivacy(graph, hops(18).slice(0, 1), 18)).toBeUndefined();
});
