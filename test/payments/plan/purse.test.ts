/**
 * Searches over several nodes of ours, compared with the search of each node alone. In one part, the answer
 * equals that of one node, and no other node's answer is both cheaper and likelier. In several parts, the
 * answer costs no more than the cheapest single-node answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../src/gossip/random.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { DEFAULT_NODE_SETTINGS } from '../../../src/network/several/index.ts';
import { PaymentFailed, type PaymentRequest } from '../../../src/payments/payment.ts';
import type { PaymentPlan } from '../../../src/payments/payment-engine.ts';
import { feeOf } from '../../../src/payments/plan/route-cost.ts';
import { keysendRequest, SimulatedNode } from '../simulation/simulated-node.ts';

const SEARCHES = Number(process.env.FULGURITE_TEST_RUNS ?? 1) * 150;
let node: SimulatedNode;
beforeAll(() => {
  node = new SimulatedNode({ nodes: 300, ownNodes: 4, simulation: { seed: 5 } });
});
afterAll(() => node.destroy());

async function plan(request: PaymentRequest): Promise<PaymentPlan | undefined> {
  try {
    return await node.payments.plan(request);
  } catch (error) {
    if (error instanceof PaymentFailed) return undefined;
    throw error;
  }
}

const pathOf = ({ routes }: PaymentPlan): string =>
  routes
    .map(({ path }) => path.map(({ shortChannelIdDir: of }) => `${of.shortChannelId}/${of.direction}`))
    .join(' ');

test('the answer in one part is that of the best node alone', { timeout: 300_000 }, async () => {
  const random = seededRandom(3, 1);
  const destinations = node.destinations();
  const senders = new Set<NodeId>();
  for (let n = 0; n < SEARCHES; n++) {
    const request = keysendRequest(destinations[Math.floor(random() * destinations.length)]!, {
      amountMsat: msat(BigInt(Math.floor(10 ** (3 + 6 * random())))),
      maxfeeMsat: msat(10_000_000n),
      ...{ useShadow: false, randomize: false },
    });
    const found = await plan(request);
    const alone: PaymentPlan[] = [];
    for (const nodeId of node.ownNodeIds) {
      const one = await plan({ ...request, ourNodes: [nodeId] });
      if (one !== undefined) alone.push(one);
    }
    expect(found === undefined, `search ${n}`).toBe(alone.length === 0);
    if (found === undefined || found.routes.length > 1) continue;
    const [{ path }] = found.routes as [PaymentPlan['routes'][number]];
    senders.add(path[0]!.nodeIdIn);
    expect(node.ownNodeIds).toContain(path[0]!.nodeIdIn);
    expect(alone.map(pathOf), `search ${n}`).toContain(pathOf(found));
    const fee = feeOf(found.routes);
    const better = alone.filter(
      (one) => feeOf(one.routes) < fee && one.probabilityPpm > found.probabilityPpm,
    );
    expect(better.map(pathOf), `search ${n}`).toEqual([]);
  }
  expect(senders.size).toBe(node.ownNodeIds.length);
});

test('an answer from one node costs as much as the cheapest node’s', { timeout: 300_000 }, async () => {
  const random = seededRandom(4, 1);
  const destinations = node.destinations();
  for (let n = 0; n < SEARCHES / 3; n++) {
    const request = keysendRequest(destinations[Math.floor(random() * destinations.length)]!, {
      amountMsat: msat(BigInt(Math.floor(10 ** (6 + 4 * random())))),
      maxfeeMsat: msat(100_000_000n),
      ...{ kind: 'xkeysend', useShadow: false, randomize: false },
    });
    const fees: bigint[] = [];
    for (const nodeId of node.ownNodeIds) {
      const one = await plan({ ...request, ourNodes: [nodeId] });
      if (one !== undefined) fees.push(feeOf(one.routes));
    }
    const found = await plan({ ...request, oneNode: true });
    const least = fees.reduce<bigint | undefined>(
      (low, fee) => (low === undefined || fee < low ? fee : low),
      undefined,
    );
    expect(found && feeOf(found.routes), `search ${n}`).toBe(least);
  }
});

test('a node’s price moves a payment only within its fee limit, and never makes it fail', async () => {
  const [first, ...others] = node.nodes.list;
  const request = keysendRequest(node.destinations()[40]!, {
    ...{ amountMsat: msat(1_000_000n), maxfeeMsat: msat(1_000_000n), useShadow: false, randomize: false },
  });
  const alone = await plan({ ...request, ourNodes: [first!.nodeId] });
  for (const other of others) node.nodes.set(other, { ...DEFAULT_NODE_SETTINGS, pricePpm: 50_000 });
  const cheap = await plan(request);
  expect(cheap!.routes[0]!.path[0]!.nodeIdIn).toBe(first!.nodeId);
  const fee = feeOf(alone!.routes);
  for (const other of others) node.nodes.set(other, DEFAULT_NODE_SETTINGS);
  const free = await plan(request);
  for (const other of others) node.nodes.set(other, { ...DEFAULT_NODE_SETTINGS, pricePpm: 50_000 });
  if (feeOf(free!.routes) < fee) {
    // The preferred node is too expensive for this limit, so a different node pays.
    const limited = await plan({ ...request, maxfeeMsat: msat(fee - 1n) });
    expect(limited!.routes[0]!.path[0]!.nodeIdIn).not.toBe(first!.nodeId);
    expect(feeOf(limited!.routes)).toBeLessThan(fee);
  }
  for (const other of others) node.nodes.set(other, DEFAULT_NODE_SETTINGS);
});
