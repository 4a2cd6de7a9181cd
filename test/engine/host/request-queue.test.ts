/**
 * The order in which requests get a worker. Payments go before queries, and clients take turns. The queue has
 * a maximum length, and no client can lock others out.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Lane,
  PAYMENTS_PER_QUERY,
  type QueuedRequest,
  RequestQueue,
} from '../../../src/engine/host/request-queue.ts';

interface Item extends QueuedRequest {
  readonly name: string;
  readonly client: { readonly of: string };
}

const clients = { a: { of: 'a' }, b: { of: 'b' }, c: { of: 'c' } };
/** `a1` is a query of client a. `a1$` is a request of client a for a payment. */
const item = (name: string): Item => ({
  name,
  lane: name.endsWith('$') ? 'payment' : 'query',
  client: clients[name[0] as keyof typeof clients],
});

function queueOf(names: string, laneSize = 1000): RequestQueue<Item> {
  const queue = new RequestQueue<Item>(laneSize);
  for (const name of names.split(' ')) expect(queue.add(item(name))).toBeUndefined();
  return queue;
}
const order = (queue: RequestQueue<Item>): string =>
  queue
    .drain()
    .map(({ name }) => name)
    .join(' ');

describe('the order', () => {
  test.each([
    ['of one client is that of arrival', 'a1 a2 a3', 'a1 a2 a3'],
    ['gives each client a turn', 'a1 a2 a3 b1 b2 c1', 'a1 b1 c1 a2 b2 a3'],
    ['puts payments before queries', 'a1 a2 b1 b9$ a9$', 'b9$ a9$ a1 b1 a2'],
    ['gives each client a turn among payments too', 'a1$ a2$ a3$ b1$', 'a1$ b1$ a2$ a3$'],
  ])('%s', (_, added, taken) => {
    expect(order(queueOf(added))).toBe(taken);
  });

  test('a new client waits for one request of each other client, regardless of how many they have', () => {
    const queue = queueOf(Array.from({ length: 500 }, (_, i) => `a${i}`).join(' '));
    expect(queue.take()?.name).toBe('a0');
    queue.add(item('b1'));
    expect([queue.take()?.name, queue.take()?.name, queue.take()?.name]).toEqual(['a1', 'b1', 'a2']);
  });

  test('an endless stream of payments lets a query through after every few payments', () => {
    const queue = queueOf('a1 a2');
    const taken: string[] = [];
    for (let i = 0; i < 3 * PAYMENTS_PER_QUERY; i++) queue.add(item(`b${i}$`));
    while (queue.size > 0) taken.push(queue.take()!.lane);
    const expected: Lane[] = [
      ...Array<Lane>(PAYMENTS_PER_QUERY).fill('payment'),
      'query',
      ...Array<Lane>(PAYMENTS_PER_QUERY).fill('payment'),
      'query',
      ...Array<Lane>(PAYMENTS_PER_QUERY).fill('payment'),
    ];
    expect(taken).toEqual(expected);
  });

  test('a request that is put back goes first in its lane, and does not change the order of clients', () => {
    const queue = queueOf('a1 a2 b1');
    const first = queue.take()!;
    queue.putBack(first);
    expect(queue.first()).toBe(first);
    expect(order(queue)).toBe('a1 b1 a2');
  });

  test('a request can be removed once, at any position', () => {
    const queue = queueOf('a1 b1');
    const [late, back] = [item('a2'), item('c1')];
    queue.add(late);
    queue.putBack(back);
    expect([queue.remove(late), queue.remove(back), queue.remove(late)]).toEqual([true, true, false]);
    expect(queue.size).toBe(2);
    expect(order(queue)).toBe('a1 b1');
  });
});

describe('a full lane', () => {
  test('refuses the client that has the most', () => {
    const queue = queueOf('a1 a2 a3', 3);
    expect(queue.add(item('a4'))?.name).toBe('a4');
    expect(queue.add(item('b1'))?.name).toBe('a3');
    expect(queue.add(item('b2'))?.name).toBe('b2');
    expect(order(queue)).toBe('a1 b1 a2');
  });

  test('leaves the other lane open', () => {
    const queue = queueOf('a1 a2', 2);
    expect(queue.add(item('b1$'))).toBeUndefined();
    expect(order(queue)).toBe('b1$ a1 a2');
  });

  test('with no room refuses everything', () => {
    const refused = item('a1');
    expect(new RequestQueue<Item>(0).add(refused)).toBe(refused);
  });
});

const CLIENTS = Object.values(clients);
const steps = fc.array(
  fc.oneof(
    fc.record({ add: fc.constantFrom(...CLIENTS), lane: fc.constantFrom<Lane>('payment', 'query') }),
    fc.constant('take' as const),
    fc.record({ remove: fc.nat() }),
  ),
  { maxLength: 200 },
);

test('in any history, nothing is lost or duplicated, lanes are bounded, and no client is passed over twice', () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 20 }), (all, laneSize) => {
      const queue = new RequestQueue<Item>(laneSize);
      const waiting = new Set<Item>();
      /**
       * For each waiting client: the number of turns that other clients of its lane have had since its own last
       * turn.
       */
      const passed = new Map<string, number>();
      all.forEach((step, index) => {
        if (step === 'take') {
          const taken = queue.take();
          expect(taken === undefined).toBe(waiting.size === 0);
          if (taken === undefined) return;
          expect(waiting.delete(taken)).toBe(true);
          for (const client of CLIENTS) {
            const key = `${taken.lane} ${client.of}`;
            const isWaiting = [...waiting].some((one) => one.client === client && one.lane === taken.lane);
            passed.set(key, isWaiting && client !== taken.client ? (passed.get(key) ?? 0) + 1 : 0);
            expect(passed.get(key)).toBeLessThan(CLIENTS.length);
          }
        } else if ('add' in step) {
          const added: Item = { name: `${index}`, lane: step.lane, client: step.add };
          const refused = queue.add(added);
          waiting.add(added);
          if (refused !== undefined) expect(waiting.delete(refused)).toBe(true);
        } else {
          const one = [...waiting][step.remove % Math.max(1, waiting.size)];
          if (one !== undefined) expect(queue.remove(one)).toBe(waiting.delete(one));
        }
        // A client without waiting requests loses its turn.
        for (const { of } of CLIENTS) {
          for (const lane of ['payment', 'query'] as const) {
            const isThere = [...waiting].some((one) => one.client.of === of && one.lane === lane);
            if (!isThere) passed.delete(`${lane} ${of}`);
          }
        }
        expect(queue.size).toBe(waiting.size);
        for (const lane of ['payment', 'query'] as const)
          expect(queue.waiting(lane)).toBeLessThanOrEqual(laneSize);
      });
      expect(new Set(queue.drain())).toEqual(waiting);
    }),
    { numRuns: 500 },
  );
});
