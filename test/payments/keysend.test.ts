import { afterEach, describe, expect, test } from 'vitest';
import { collected } from '../collected.ts';
import { keysendRequest, SimulatedNode } from './simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

describe('a keysend over a simulated network', () => {
  test('arrives, moves the money, and is in the journal', async () => {
    node = new SimulatedNode();
    const paid = [];
    for (const destination of node.destinations().slice(20, 60)) {
      const payment = await node.pay(keysendRequest(destination));
      paid.push(payment);
    }
    const complete = paid.filter(({ status }) => status === 'complete');
    expect(complete.length).toBeGreaterThan(35);
    await node.store.payments.durable();
    const journaled = await collected(node.payments.journal.payments());
    expect(journaled.map(({ id, status }) => [id, status])).toEqual(
      paid.map(({ id, status }) => [id, status]),
    );
    expect(node.simulation.checkConservation()).toEqual([]);
    expect([...node.book.reservations()]).toEqual([]);
  });
});
