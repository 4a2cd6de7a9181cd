/** Closing while an HTLC is in flight: afterwards nothing is requested, awaited or logged. */
import { afterEach, expect, test } from 'vitest';
import { FulguriteError } from '../../src/model/errors.ts';
import { until } from '../until.ts';
import { L3, lineNode } from './line-graph.ts';
import { keysendRequest, type SimulatedNode, turn } from './simulation/simulated-node.ts';

let node: SimulatedNode;
afterEach(() => node.destroy());

test.each([
  ['before the network closes', ['payments', 'network']],
  ['after the network has closed', ['network', 'payments']],
])('payments may close %s', async (_when, order) => {
  const logged: string[] = [];
  node = lineNode({ engine: { log: { unusual: (message) => void logged.push(message) } } });
  // Once `go` is called, the network is closed: it rejects all pending and all further requests.
  let go: (() => void) | undefined;
  const gone = new Promise<never>((_resolve, reject) => {
    go = () => reject(new FulguriteError('shuttingDown', 'the network is closed'));
  });
  node.port.send = () => gone;
  node.port.outcomes = () => gone;
  const paid = node.payments.pay(keysendRequest(L3)).catch((error: Error) => error.name);
  await until(() => [...node.payments.live()][0]?.attempts[0]?.status === 'sent');
  await node.store.payments.durable();
  for (const room of order) {
    if (room === 'payments') await node.payments.close();
    else go!();
    for (let turns = 0; turns < 5; turns++) await turn();
  }
  expect(await paid).toBe('shuttingDown');
  expect(node.timersSet).toBe(0);
  const after = logged.length;
  for (let turns = 0; turns < 20; turns++) await node.pass();
  expect([node.timersSet, logged.length]).toEqual([0, after]);
});

test('payments may close while the store looks up an earlier one, even if it never answers', async () => {
  node = lineNode();
  let fail: ((error: Error) => void) | undefined;
  node.payments.journal.paymentOfKey = () => new Promise((_resolve, reject) => (fail = reject));
  const request = { ...keysendRequest(L3), idempotencyKey: 'rent' };
  const paid = node.payments.pay(request).catch((error: Error) => error.name);
  await until(() => fail !== undefined);
  await node.payments.close();
  fail!(new Error('database is not open'));
  expect(await paid).toBe('shuttingDown');
});
