/**
 * An amount that returns to a channel which refused a payment a moment ago. The lesson of that refusal must
 * not make the next payment fail before its first attempt.
 */
import { describe, expect, test } from 'vitest';
import { msatFromSat } from '../../../src/model/msat.ts';
import { OddsModel } from '../../../src/payments/learn/odds-model.ts';
import type { PaymentFailed } from '../../../src/payments/payment.ts';
import { L2, L2_L3, L3, leaving, lineNode } from '../line-graph.ts';
import { keysendRequest, type SimulatedNode } from '../simulation/simulated-node.ts';

const CAPACITY_SAT = 1_000_000n;

/** Sets the balance of L2 towards L3. */
function fill(node: SimulatedNode, sat: bigint): void {
  const source = leaving(L2, L3, L2_L3).direction === 0 ? sat : CAPACITY_SAT - sat;
  node.simulation.setBalance({ shortChannelId: L2_L3, direction: 0 }, msatFromSat(source));
}

/**
 * A node on the line, with or without learned odds. With learned odds, lessons reach searches through a
 * different layer.
 */
function line(learnsOdds: boolean): SimulatedNode {
  const node: SimulatedNode = lineNode(
    learnsOdds ? { engine: { odds: new OddsModel(() => node.nowMs() / 1000) } } : {},
  );
  return node;
}

const payment = (sat: bigint) =>
  keysendRequest(L3, { amountMsat: msatFromSat(sat), maxfeeMsat: msatFromSat(10_000) });

async function refusal(node: SimulatedNode, sat: bigint): Promise<PaymentFailed['payment']> {
  const ended = await node.pay(payment(sat));
  expect(ended.status).toBe('failed');
  return ended;
}

describe.each([
  { learnsOdds: true, layer: 'auto.learned' },
  { learnsOdds: false, layer: 'xpay' },
])('with the lessons in $layer', ({ learnsOdds, layer }) => {
  test('a payment is attempted although an earlier one was refused, and plan and payment agree', async () => {
    const node = line(learnsOdds);
    expect((await refusal(node, 700_000n)).attempts.length).toBeGreaterThan(0);
    // An amount below the refused one has a route that respects the lesson.
    expect((await node.payments.plan(payment(100_000n))).disregardedLayers).toBeUndefined();
    fill(node, 900_000n);
    const plan = await node.payments.plan(payment(700_000n));
    expect(plan.disregardedLayers).toEqual([layer]);
    const paid = await node.pay(payment(700_000n));
    expect(paid.status).toBe('complete');
    expect(paid.attempts[0]!.path).toEqual(plan.routes[0]!.path);
    // After a larger amount passed, the lesson's maximum is revised, except in a layer of records.
    const later = await node.payments.plan(payment(100_000n));
    expect(later.disregardedLayers).toEqual(learnsOdds ? undefined : [layer]);
    await node.destroy();
  });

  test('a payment that is refused again ends after one attempt', async () => {
    const node = line(learnsOdds);
    await refusal(node, 700_000n);
    const { attempts } = await refusal(node, 700_000n);
    expect(attempts.length).toBeGreaterThan(0);
    expect(attempts.length).toBeLessThan(8);
    await node.destroy();
  });
});
