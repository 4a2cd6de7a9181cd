/**
 * A payment in parts of which one failed, while the recipient holds the others. If the search for the rest
 * finds no route at first, the payment must not wait until the recipient gives up, because by then the
 * payment's time is up.
 */
import { afterEach, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { keysendRequest, SimulatedNode } from '../simulation/simulated-node.ts';

/** Milliseconds during which searches fail after the first failed part. */
const WITHOUT_ROUTE_MS = 5_000;

let node: SimulatedNode | undefined;
afterEach(async () => {
  await node?.destroy();
  node = undefined;
});

test('a payment without a route for its rest searches again while the recipient waits', async () => {
  let brokenAtMs: number | undefined;
  const payer: SimulatedNode = new SimulatedNode({
    nodes: 1_000,
    breakRoutes: () => {
      const [live] = payer.payments.live();
      const failed = live?.attempts.find(({ status }) => status === 'failed');
      const inFlight = live?.attempts.some(({ status }) => status === 'sent');
      if (failed === undefined || !inFlight) return;
      brokenAtMs ??= payer.nowMs();
      if (payer.nowMs() - brokenAtMs < WITHOUT_ROUTE_MS) throw new Error('no route yet');
    },
  });
  node = payer;
  const { graph } = payer;
  const capacities = (id: NodeId): bigint[] =>
    [...graph.channelsOf(graph.nodeIndex(id))].map((channel) => graph.capacityMsat[channel]!);
  const largest = (id: NodeId): bigint => capacities(id).reduce((a, b) => (a > b ? a : b), 0n);
  const sum = (id: NodeId): bigint => capacities(id).reduce((a, b) => a + b, 0n);
  let judged = 0;
  for (const id of payer.destinations()) {
    if (2n * sum(id) < 5n * largest(id) || largest(id) > 8_000_000_000n) continue;
    if (judged === 2) break;
    const amountMsat = msat(largest(id) + 1n);
    const request = keysendRequest(id, { kind: 'xkeysend', amountMsat, maxfeeMsat: msat(amountMsat / 10n) });
    brokenAtMs = undefined;
    const beganMs = payer.nowMs();
    const payment = await payer.pay(request);
    while ([...payer.payments.live()].length > 0) await payer.pass();
    // Only payments whose part failed while another part was held matter here.
    if (brokenAtMs === undefined || payment.attempts.filter(({ status }) => status === 'settled').length < 2)
      continue;
    judged++;
    expect(payment.status).toBe('complete');
    expect(payment.completedAtMs! - beganMs).toBeLessThan(30_000);
  }
  expect(judged).toBeGreaterThan(0);
});
