/**
 * Faults of the network and of our own process, one at a time, over a line of nodes or a small network: what the
 * payment makes of each. Together and at random they are in simulation.ts.
 */
import { afterEach, describe, expect, test } from 'vitest';
import type { RouteHop } from '../../src/engine/route.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { Learning, PrivateLayer } from '../../src/payments/learning.ts';
import { L2, L2_L3, L3, leaving, lineGraph } from './line-graph.ts';
import { keysendRequest, SimulatedNode } from './simulated-node.ts';

let node: SimulatedNode | undefined;
afterEach(async () => {
  await node?.destroy();
  node = undefined;
});

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

describe('requests of one instant', () => {
  test('with one key are one payment', async () => {
    node = new SimulatedNode();
    const request = keysendRequest(node.destinations()[20]!, { idempotencyKey: 'twice' });
    const [one, other] = await node.until(
      Promise.all([node.payments.pay(request), node.payments.pay(request)]),
    );
    expect(other).toBe(one);
    expect([...node.payments.journal.payments()].length).toBe(1);
  });

  test('and of the end: none begins that nobody waits for', async () => {
    node = new SimulatedNode();
    const paid = node.payments.pay(keysendRequest(node.destinations()[20]!)).catch((error) => error.name);
    await node.crash();
    expect(await paid).toBe('shuttingDown');
    expect(node.simulation.stats().htlcsInFlight).toBe(0);
    node.open();
    expect([...node.payments.journal.payments()]).toEqual([]);
  });
});

describe('what a full channel teaches', () => {
  test('leaves room for what others held on it meanwhile and gave back', () => {
    const book = new LayerBook();
    const graph = lineGraph();
    const learning = new Learning(book, () => graph);
    const of = leaving(L2, L3, L2_L3);
    const hop = (amountMsat: bigint): RouteHop =>
      ({ shortChannelIdDir: of, amountOutMsat: msat(amountMsat) }) as RouteHop;
    const sentAt = learning.now;
    // Another payment held 400 on the channel when 300 found no room; it failed before we heard of that.
    learning.returned([hop(500n), hop(400n)]);
    learning.learn([{ kind: 'blocked', of, amountMsat: msat(300n) }], new PrivateLayer(book, 'p'), sentAt);
    expect(learning.shared().records.map(({ amountMsat }) => amountMsat)).toEqual([699n]);
    learning.learn(
      [{ kind: 'blocked', of, amountMsat: msat(300n) }],
      new PrivateLayer(book, 'p'),
      learning.now,
    );
    expect(learning.shared().records.map(({ amountMsat }) => amountMsat)).toEqual([699n, 299n]);
  });
});
