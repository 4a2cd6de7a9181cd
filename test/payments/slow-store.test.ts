/**
 * A store that answers late. Even then, each key makes only one payment, and no payment begins before the
 * answer.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { msat } from '../../src/model/msat.ts';
import { collected } from '../collected.ts';
import { told } from '../in-words.ts';
import { until } from '../until.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode, turn } from './simulation/simulated-node.ts';

let node: SimulatedNode;
/** Makes the store answer the queries received so far. */
let answer: (error?: Error) => void;
let asked: number;

beforeEach(async () => {
  node = lineNode();
  await turn();
  asked = 0;
  answer = () => undefined;
  const { payments } = node.store;
  const ask = payments.payments.bind(payments);
  payments.payments = (filter) => {
    if (filter?.idempotencyKey === undefined) return ask(filter);
    asked++;
    const found = ask(filter);
    return new Promise((resolve, reject) => {
      const before = answer;
      answer = (error) => {
        before(error);
        if (error === undefined) resolve(found);
        else reject(error);
      };
    });
  };
});
afterEach(() => node.destroy());

/** Waits until the store has been queried this many times. */
const whenAsked = async (times = 1) => {
  await until(() => asked >= times);
};

const RENT = keysendRequest(L3, { idempotencyKey: 'rent' });
const stored = () => collected(node.payments.journal.payments());

test('simultaneous equal requests query the store once and make one payment', async () => {
  const both = [node.payments.pay(RENT), node.payments.pay({ ...RENT })];
  for (let turns = 0; turns < 20; turns++) await node.pass();
  expect([asked, [...node.payments.live()].length, node.simulation.stats().htlcsInFlight]).toEqual([1, 0, 0]);
  answer();
  const [first, second] = await node.until(Promise.all(both));
  expect(second).toBe(first);
  expect(await stored()).toMatchObject([{ id: first!.id, status: 'complete', attempts: [{}] }]);
});

test('a different request with the same key is refused as soon as the first request is known', async () => {
  const first = node.payments.pay(RENT);
  const other = node.payments.pay({ ...RENT, amountMsat: msat(1n) });
  await whenAsked();
  answer();
  await expect(told(other)).rejects.toMatchObject({ data: { differing: ['amount_msat'] } });
  expect((await node.until(first)).status).toBe('complete');
});

test('if the store cannot answer, no payment begins, and the key is free', async () => {
  const both = [node.payments.pay(RENT), node.payments.pay(RENT)].map((paid) => paid.catch(String));
  await whenAsked();
  answer(new Error('no connection'));
  expect(await Promise.all(both)).toEqual(['Error: no connection', 'Error: no connection']);
  const again = node.payments.pay(RENT);
  await whenAsked(2);
  answer();
  expect((await node.until(again)).status).toBe('complete');
  expect(await stored()).toHaveLength(1);
});

test('a payment in progress when the service stopped is found by its key as soon as it is resumed', async () => {
  const begun = node.payments.pay(RENT).catch((error) => error.name);
  await whenAsked();
  answer();
  await until(() => [...node.payments.live()].length > 0);
  for (let turns = 0; turns < 20; turns++) await turn();
  await node.crash();
  expect(await begun).toBe('shuttingDown');
  await node.open();
  // The payment is in progress again, so the store is not queried for its key.
  const again = await node.until(node.payments.pay(RENT));
  expect(again.status).toBe('complete');
  expect(await stored()).toMatchObject([{ id: again.id, status: 'complete', attempts: [{}] }]);
});

test('if the service stops while it queries the store, no payment begins', async () => {
  const paid = node.payments.pay(RENT).catch((error) => error.name);
  await whenAsked();
  await node.payments.close();
  answer();
  expect(await paid).toBe('shuttingDown');
  expect(await stored()).toEqual([]);
});
