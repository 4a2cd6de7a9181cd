import { afterEach, describe, expect, test } from 'vitest';
import { msatFromSat } from '../../src/model/msat.ts';
import { collected } from '../collected.ts';
import { leastSentMsat } from './simulation/all-seeing.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

describe('a keysend over a simulated network', () => {
  test('arrives, transfers the money, and is in the journal', async () => {
    node = new SimulatedNode();
    const paid = [];
    for (const destination of node.destinations().slice(20, 60)) {
      const request = keysendRequest(destination);
      const { amountMsat, maxfeeMsat } = request;
      const least = leastSentMsat(node, destination, amountMsat, amountMsat + maxfeeMsat);
      const payment = await node.pay(request);
      expect(payment.status, destination).toBe(least === undefined ? 'failed' : 'complete');
      paid.push(payment);
    }
    await node.store.payments.durable();
    const journaled = await collected(node.payments.journal.payments());
    expect(journaled.map(({ id, status }) => [id, status])).toEqual(
      paid.map(({ id, status }) => [id, status]),
    );
    expect(node.simulation.checkConservation()).toEqual([]);
    expect([...node.book.reservations()]).toEqual([]);
  });

  test('of 0.01 BTC fails only if no payer could have made it', async () => {
    node = new SimulatedNode({ simulation: { seed: 4 } });
    const met = new Set<string>();
    for (const destination of node.destinations().slice(20, 100)) {
      const [amountMsat, maxfeeMsat] = [msatFromSat(1_000_000n), msatFromSat(10_000n)];
      const least = leastSentMsat(node, destination, amountMsat, amountMsat + maxfeeMsat);
      const { status, attempts } = await node.pay(keysendRequest(destination, { amountMsat, maxfeeMsat }));
      met.add(status);
      if (least !== undefined) expect(status, destination).toBe('complete');
      // An amount that no single path can carry may arrive in parts.
      if (least === undefined && status === 'complete') {
        expect(
          attempts.some(({ partOfSeveral }) => partOfSeveral),
          destination,
        ).toBe(true);
      }
    }
    // Our balance is used up before the last payment.
    expect(met).toEqual(new Set(['complete', 'failed']));
  });
});
