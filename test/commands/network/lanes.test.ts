/**
 * The client and queue lane of each command's route searches: payments use the payment lane, and all other
 * commands use the query lane. Each search names its connection as the client, so that connections take
 * turns.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RouteOptions } from '../../../src/engine/host/engine-options.ts';
import { L3, L4 } from '../../payments/line-graph.ts';
import { OWN_ID } from '../../payments/simulation/simulated-node.ts';
import type { RawClient } from '../../rpc/support.ts';
import { PaymentNode } from '../payment-node.ts';

const node = new PaymentNode();
const asked: RouteOptions[] = [];
beforeAll(async () => {
  await node.start();
  const { routes } = node.node;
  const getroutes = routes.getroutes.bind(routes);
  vi.spyOn(routes, 'getroutes').mockImplementation((query, options = {}) => {
    asked.push(options);
    return getroutes(query, options);
  });
});
afterAll(() => node.stop());

const PAYMENT = { destination: L3, amount_msat: 1_000_000 };
const ROUTE = {
  source: OWN_ID,
  destination: L4,
  amount_msat: 1000,
  layers: ['auto.localchans'],
  maxfee_msat: 100_000,
  final_cltv: 18,
};

/** The engine requests made by one call; all of them must be equal. */
async function searchOf(client: RawClient, method: string, params: object): Promise<RouteOptions> {
  asked.length = 0;
  const answer = await client.ask(JSON.stringify({ id: 1, method, params }));
  expect(JSON.parse(answer!)).toHaveProperty('result');
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked.map(({ lane, client: of }) => JSON.stringify([lane, of])))).toHaveProperty('size', 1);
  return asked[0]!;
}

test.each([
  ['keysend', PAYMENT, 'payment'],
  ['xkeysend', PAYMENT, 'payment'],
  ['plankeysend', PAYMENT, 'query'],
  ['getroutes', ROUTE, undefined],
])('%s', async (method, params, lane) => {
  const [one, other] = [node.client(), node.client()];
  const [first, again] = [await searchOf(one, method, params), await searchOf(one, method, params)];
  const ofOther = await searchOf(other, method, params);
  expect([first.lane, again.lane, ofOther.lane]).toEqual([lane, lane, lane]);
  expect(first.client).toBeDefined();
  expect(again.client).toBe(first.client);
  expect(ofOther.client).toBeDefined();
  expect(ofOther.client).not.toBe(first.client);
  one.close();
  other.close();
});
