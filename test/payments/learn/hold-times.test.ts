/**
 * Hold times from the network to the learned times of nodes: a node pays over a line of three nodes with latencies of up
 * to some seconds, drawn per channel.
 *
 *     us --- L2 --- L3 --- L4
 */
import { expect, test } from 'vitest';
import { msatFromSat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import { PathOdds } from '../../../src/payments/learn/path-odds.ts';
import type { AttemptFailure, PaymentRequest } from '../../../src/payments/payment.ts';
import { L2, L3, L4, lineNode } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';

const REQUEST: Partial<PaymentRequest> = { useShadow: false, maxfeeMsat: msatFromSat(100), retryForS: 1 };

/** @param attributionShare share of the nodes that return attribution data */
function subject(attributionShare: number): { readonly node: SimulatedNode; readonly odds: OddsModel } {
  const node: SimulatedNode = lineNode({
    simulation: { attributionShare, latencyMs: { least: 100, most: 4_000 }, jitterMs: 0 },
    engine: { odds: new OddsModel(() => node?.nowMs() / 1000) },
  });
  return { node, odds: node.payments.learnedOdds! };
}

/** Pays a node. @returns the seconds that the attempt took */
async function pay(node: SimulatedNode, destination: NodeId): Promise<number> {
  const { attempts } = await node.pay(keysendRequest(destination, REQUEST));
  return (attempts[0]!.completedAtMs! - attempts[0]!.createdAtMs) / 1000;
}

/** The times over our channel to L2 and back, over that from L2 to L3, and over that from L3 to L4. */
async function trueTimes(): Promise<[number, number, number]> {
  const { node } = subject(0);
  const [first, second, third] = [await pay(node, L2), await pay(node, L3), await pay(node, L4)];
  await node.destroy();
  return [first, second - first, third - second];
}

/** The estimated time of a node before its own hold time, and within it. Undefined without reports. */
function partsOf(odds: OddsModel, node: NodeId): [before: number, within: number] {
  const row = odds.state().times!.nodes.find(([id]) => id === node)!;
  const [, seconds, , , lean] = row;
  return [(seconds - lean!) / 2, (seconds + lean!) / 2];
}

test('hold times of successes and failures show on which channels the time passed', async () => {
  const [first, second, third] = await trueTimes();
  for (const isSuccess of [true, false]) {
    const { node, odds } = subject(1);
    node.simulation.setTrait(L4, 'takesKeysend', isSuccess);
    for (let n = 0; n < 40; n++) await pay(node, L4);
    const [beforeL2, withinL2] = partsOf(odds, L2);
    const [beforeL3, withinL3] = partsOf(odds, L3);
    expect(beforeL2).toBeCloseTo(first, 1);
    expect(withinL2 + beforeL3).toBeCloseTo(second, 1);
    // The recipient reports 0, so its own time and the rest are one span.
    const [beforeL4, withinL4] = partsOf(odds, L4);
    expect(withinL3 + beforeL4 + withinL4).toBeCloseTo(third, 1);
    expect(new Set(odds.slowest(3).map(({ usesReports }) => usesReports))).toEqual(new Set([true]));
    await node.destroy();
  }
});

test('without attribution data, only the sum is known', async () => {
  const times = await trueTimes();
  const { node, odds } = subject(0);
  for (let n = 0; n < 40; n++) await pay(node, L4);
  const parts = [L2, L3, L4].map((id) => partsOf(odds, id));
  const total = times.reduce((sum, seconds) => sum + seconds, 0);
  for (const [before, within] of parts) expect(before).toBe(within);
  expect(parts.flat().reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(total, 1);
  expect(odds.slowest(3).some(({ usesReports }) => usesReports)).toBe(false);
  await node.destroy();
});

test('a part that waited at the recipient for other parts, even in vain, shows nothing about time', async () => {
  const { node, odds } = subject(0);
  const { attempts } = await node.pay(keysendRequest(L4, REQUEST));
  const pathOdds = new PathOdds({ model: odds, book: node.book, graph: () => node.graph });
  const { times } = odds.state();
  const known = pathOdds.known(attempts[0]!.path, []);
  const part = { ...attempts[0]!, partOfSeveral: true };
  pathOdds.observe(part, known, [], []);
  const refused = { failcodename: 'mpp_timeout', isFinal: true, erringIndex: 3 } as AttemptFailure;
  pathOdds.observe({ ...part, status: 'failed', failure: refused }, known, [], []);
  expect(odds.state().times).toEqual(times);
  pathOdds.observe({ ...part, partOfSeveral: false }, known, [], []);
  expect(odds.state().times).not.toEqual(times);
  await node.destroy();
});
