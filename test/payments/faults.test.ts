/**
 * Faults of the network and of our own process, one at a time, over a line of nodes or a small network, and
 * the reaction of a payment to each. simulation.ts combines such faults at random.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { failureInWords } from '../../src/commands/payments/failure-words.ts';
import type { RouteHop } from '../../src/engine/question/route.ts';
import { LayerBook } from '../../src/layers/layer-book.ts';
import { msat } from '../../src/model/msat.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { Learning, PrivateLayer } from '../../src/payments/learn/learning.ts';
import type { Lesson } from '../../src/payments/learn/lesson.ts';
import { collected } from '../collected.ts';
import { L2, L2_L3, L3, L3_L4, L4, leaving, lineGraph, lineNode } from './line-graph.ts';
import { keysendRequest, SimulatedNode } from './simulation/simulated-node.ts';

let node: SimulatedNode | undefined;
afterEach(async () => {
  await node?.destroy();
  node = undefined;
});

describe('a search', () => {
  test('that throws fails its payment: with one outcome, and nothing left behind', async () => {
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
    expect(failureInWords(payment)).toMatchObject({ error: 'internal', message: 'a defect' });
    expect([...node.payments.live()]).toEqual([]);
    expect((await node.pay(keysendRequest(second))).status).toBe('complete');
  });
});

describe('a failure that cannot be read', () => {
  // L3 asks for more than its announced fee until search number `mended` begins.
  const paidOnLine = async (mended: number) => {
    let searches = 0;
    node = lineNode({
      simulation: { faults: { garbledFailures: 1 } },
      breakRoutes: () => {
        if (++searches >= mended) node!.simulation.setPolicy(leaving(L3, L4, L3_L4), { feeBaseMsat: 1 });
      },
    });
    node.simulation.setPolicy(leaving(L3, L4, L3_L4), { feeBaseMsat: 500 });
    return node.pay(keysendRequest(L4, { useShadow: false }));
  };

  test('leaves the only path to the recipient usable', async () => {
    const payment = await paidOnLine(2);
    expect(payment.attempts.map(({ status }) => status)).toEqual(['failed', 'settled']);
    expect(payment.attempts[0]!.learned).toMatchObject([{ kind: 'suspected' }]);
  });

  test('ends the payment after three attempts', async () => {
    const payment = await paidOnLine(100);
    expect(payment.status).toBe('failed');
    expect(payment.attempts).toHaveLength(3);
  });
});

describe('simultaneous requests', () => {
  test('with the same key make one payment', async () => {
    node = new SimulatedNode();
    const request = keysendRequest(node.destinations()[20]!, { idempotencyKey: 'twice' });
    const [one, other] = await node.until(
      Promise.all([node.payments.pay(request), node.payments.pay(request)]),
    );
    expect(other).toBe(one);
    expect((await collected(node.payments.journal.payments())).length).toBe(1);
  });

  test('make no payment if the service stops at the same moment', async () => {
    node = new SimulatedNode();
    const paid = node.payments.pay(keysendRequest(node.destinations()[20]!)).catch((error) => error.name);
    await node.crash();
    expect(await paid).toBe('shuttingDown');
    expect(node.simulation.stats().htlcsInFlight).toBe(0);
    await node.open();
    expect(await collected(node.payments.journal.payments())).toEqual([]);
  });
});

describe('a lesson about a channel is weakened by events on that channel since the attempt left', () => {
  const of = leaving(L2, L3, L2_L3);
  const back = leaving(L3, L2, L2_L3);
  const hop = (amountMsat: bigint, along = of): RouteHop =>
    ({ shortChannelIdDir: along, amountOutMsat: msat(amountMsat) }) as RouteHop;
  const ours = hop(1n, { ...of, shortChannelId: shortChannelId(1, 1, 1) });
  const blocked: Lesson = { kind: 'blocked', of, amountMsat: msat(300n) };
  const carried: Lesson = { kind: 'carried', of, amountMsat: msat(300n) };

  test.each<[string, Lesson, (learning: Learning, layer: PrivateLayer) => void, bigint | undefined]>([
    ['nothing', blocked, () => undefined, 299n],
    ['nothing', carried, () => undefined, 300n],
    // When 300 did not fit, a second payment held 400. The second payment failed before we learned of the
    // refusal.
    ['400 were given back', blocked, (learning) => learning.returned([ours, hop(400n)]), 699n],
    ['400 were given back', carried, (learning) => learning.returned([ours, hop(400n)]), 300n],
    [
      '100 went the same way',
      blocked,
      (learning, layer) => void learning.settled([ours, hop(100n)], layer),
      299n,
    ],
    [
      '100 went the same way',
      carried,
      (learning, layer) => void learning.settled([ours, hop(100n)], layer),
      200n,
    ],
    [
      '300 went the same way',
      carried,
      (learning, layer) => void learning.settled([ours, hop(300n)], layer),
      undefined,
    ],
    [
      '100 came the other way',
      blocked,
      (learning, layer) => void learning.settled([ours, hop(100n, back)], layer),
      399n,
    ],
    [
      '100 came the other way',
      carried,
      (learning, layer) => void learning.settled([ours, hop(100n, back)], layer),
      300n,
    ],
  ])('%s: $kind', (_what, lesson, happen, expected) => {
    const book = new LayerBook();
    const graph = lineGraph();
    const learning = new Learning(book, () => graph);
    const layer = new PrivateLayer(book, 'p');
    const sentAt = learning.now;
    happen(learning, layer);
    learning.learn([lesson], layer, sentAt);
    const learned = [...learning.shared().records].filter(({ kind }) => kind !== 'impression');
    expect(learned.map(({ amountMsat }) => amountMsat)).toEqual(expected === undefined ? [] : [expected]);
  });
});
