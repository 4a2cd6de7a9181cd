/**
 * Faults of the network and of our own process, one at a time, over a line of nodes or a small network: what the
 * payment makes of each. Together and at random they are in simulation.ts.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { keysendRequest, SimulatedNode } from './simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

describe('a search', () => {
  test('that a defect ends fails its payment: one outcome, nothing left', async () => {
    let searches = 0;
    node = new SimulatedNode({
      breakRoutes: () => {
        searches++;
        if (searches === 2) throw new Error('a defect');
      },
    });
    const destinations = node.destinations();
    const [first, second] = [destinations[20]!, destinations[30]!];
    expect((await node.pay(keysendRequest(first))).status).toBe('complete');
    const payment = await node.pay(keysendRequest(second));
    expect(payment.status).toBe('failed');
    expect(payment.failure).toMatchObject({ error: 'internal', message: 'a defect' });
    expect([...node.payments.live()]).toEqual([]);
    expect((await node.pay(keysendRequest(second))).status).toBe('complete');
  });
});
