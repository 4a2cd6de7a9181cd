/** Randomisation over many seeds: it uses more than one route, stays within all limits, and costs little. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pricesFor } from '../../src/engine/question/objective.ts';
import { msat } from '../../src/model/msat.ts';
import type { NodeId } from '../../src/model/node-id.ts';
import { routeKey } from '../../src/payments/learn/learning.ts';
import type { PaymentPlan } from '../../src/payments/payment-engine.ts';
import { feeOf } from '../../src/payments/plan/route-cost.ts';
import { binomialRange } from '../statistics.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

const SEEDS = 1_000;
let node: SimulatedNode;
let destination: NodeId;
beforeAll(() => {
  node = new SimulatedNode({ nodes: 1_000 });
  const far = node.destinations().filter((id) => node.graph.channelsOf(node.graph.nodeIndex(id)).length > 4);
  destination = far[Math.floor(far.length / 2)]!;
});
afterAll(() => node.destroy());

/** Maximum relative noise in a direction's price. */
const NOISE = 0.35;

/**
 * The value of the objective for a plan with one route: fee, risk, and a price for the blocks during which
 * the amount is locked.
 */
function priceMsat({ routes, probabilityPpm }: PaymentPlan): number {
  const { riskPriceMsatPerNat, delayRate } = pricesFor(100_000_000n);
  const locked = routes[0]!.path.map((hop) => Number(hop.amountOutMsat) * (hop.cltvIn - hop.cltvOut));
  const lockedMsatBlocks = locked.reduce((sum, one) => sum + one, 0);
  const riskMsat = riskPriceMsatPerNat * -Math.log(probabilityPpm / 1e6);
  return Number(feeOf(routes)) + riskMsat + delayRate * lockedMsatBlocks;
}

const request = (seed: bigint, more: object = {}) =>
  keysendRequest(destination, { amountMsat: msat(100_000_000n), maxfeeMsat: msat(500_000n), seed, ...more });

describe(`${SEEDS} seeds between fixed ends`, () => {
  test('use more than one route, stay within all limits, and cost little more', async () => {
    const plain = await node.payments.plan(request(0n, { randomize: false, useShadow: false }));
    const routes = new Set<string>();
    // Noise changes a direction's price by up to 35 %. The chosen route must not seem costlier than the plain
    // one.
    const mostMsat = (priceMsat(plain) * (1 + NOISE)) / (1 - NOISE);
    for (let seed = 0; seed < SEEDS; seed++) {
      const plan = await node.payments.plan(request(BigInt(seed), { useShadow: false }));
      const fee = feeOf(plan.routes);
      expect(fee).toBeLessThanOrEqual(500_000n);
      routes.add(routeKey(plan.routes[0]!.path));
      expect(priceMsat(plan), `seed ${seed}`).toBeLessThanOrEqual(mostMsat + 1);
    }
    expect(routes.size).toBeGreaterThan(1);
  });

  test('keep shadows within both limits, in the plan and in the final payload', async () => {
    const delays = new Map<number, number>();
    for (let seed = 0; seed < SEEDS; seed++) {
      const { shadow, routes } = await node.payments.plan(request(BigInt(seed), { maxdelay: 500 }));
      const path = routes[0]!.path;
      delays.set(shadow.delayBlocks, (delays.get(shadow.delayBlocks) ?? 0) + 1);
      expect(path[0]!.cltvOut).toBeLessThanOrEqual(500);
      expect(path.at(-1)!.cltvOut).toBe(42 + shadow.delayBlocks);
      expect(path.at(-1)!.amountOutMsat).toBe(100_000_000n + shadow.amountMsat);
      expect(path[0]!.amountOutMsat - 100_000_000n).toBeLessThanOrEqual(500_000n);
    }
    // Half of the walks end before their first step. Others end because no channel can carry the amount, or
    // lose their delay because no route allows it.
    expect(delays.get(0)).toBeGreaterThanOrEqual(binomialRange(SEEDS, 0.5).least);
    expect(delays.size).toBeGreaterThan(2);
  });

  test('give one plan each, and limits too tight for noise or shadow do not make a payment fail', async () => {
    expect(await node.payments.plan(request(5n))).toEqual(await node.payments.plan(request(5n)));
    const plain = await node.payments.plan(request(0n, { randomize: false, useShadow: false }));
    // The limits are the exact cost of the plan without noise and shadow.
    const limits = { maxfeeMsat: feeOf(plain.routes), maxdelay: plain.routes[0]!.path[0]!.cltvOut };
    for (let seed = 0; seed < 100; seed++) {
      const plan = await node.payments.plan(request(BigInt(seed), limits));
      expect(feeOf(plan.routes) + plan.shadow.amountMsat).toBeLessThanOrEqual(limits.maxfeeMsat);
    }
  });
});

test('xkeysend uses one part if one route can carry it, as keysend does', async () => {
  let whole = 0;
  for (const id of node.destinations().slice(0, 40)) {
    const amountMsat = msat(1_000_000_000n);
    const one = (kind: 'keysend' | 'xkeysend') =>
      node.payments
        .plan(keysendRequest(id, { kind, amountMsat, maxfeeMsat: msat(amountMsat / 10n), seed: 1n }))
        .then(({ routes }) => routes.length)
        .catch(() => 0);
    if ((await one('keysend')) !== 1) continue;
    whole++;
    expect(await one('xkeysend'), id).toBe(1);
  }
  expect(whole).toBeGreaterThan(5);
});

test('xkeysend splits a payment that no single route can carry, and the parts arrive together', async () => {
  const { graph } = node;
  const capacity = (id: NodeId): bigint =>
    [...graph.channelsOf(graph.nodeIndex(id))].reduce(
      (sum, channel) => sum + graph.capacityMsat[channel]!,
      0n,
    );
  const largest = (id: NodeId): bigint =>
    [...graph.channelsOf(graph.nodeIndex(id))]
      .map((channel) => graph.capacityMsat[channel]!)
      .reduce((a, b) => (a > b ? a : b));
  const split = [];
  for (const id of node
    .destinations()
    .filter((id) => 2n * capacity(id) > 5n * largest(id) && largest(id) < 8_000_000_000n)
    .slice(0, 12)) {
    const amountMsat = msat(largest(id) + 1n);
    const more = {
      kind: 'xkeysend' as const,
      amountMsat,
      maxfeeMsat: msat(amountMsat / 10n),
      retryForS: 600,
    };
    const payment = await node.pay(keysendRequest(id, more));
    // The payment is complete with its first part. The preimages of the other parts are still on their way
    // back.
    while ([...node.payments.live()].length > 0) await node.pass();
    const settled = payment.attempts.filter(({ status }) => status === 'settled');
    if (payment.status !== 'complete') continue;
    split.push(settled.length);
    const delivered = settled.reduce((sum, attempt) => sum + attempt.amountMsat, 0n);
    expect(delivered).toBe(payment.totalMsat);
  }
  expect(split.length).toBeGreaterThan(0);
  expect(Math.min(...split)).toBeGreaterThan(1);
  expect(node.simulation.checkConservation()).toEqual([]);
});
