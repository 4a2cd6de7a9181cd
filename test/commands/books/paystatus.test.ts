/**
 * `paystatus` of payments that are not in the database yet, because they wait for their first route. Payments
 * in the database come first.
 *
 *     number     1        2             3        4
 *     is         on disk  on disk and   waiting  waiting
 *                         in progress
 */
import { expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import type { NodeContext } from '../../../src/commands/context.ts';
import { paystatus } from '../../../src/commands/payments/books/paystatus.ts';
import { msat } from '../../../src/model/msat.ts';
import type { Payment } from '../../../src/payments/payment.ts';
import type { JsonList } from '../../../src/rpc/json-write.ts';
import { L3 } from '../../payments/line-graph.ts';
import { keysendRequest } from '../../payments/simulation/simulated-node.ts';

const hashOf = (index: number): Uint8Array => new Uint8Array(32).fill(index);

const payment = (createdIndex: number, label: string, status: Payment['status']): Payment => ({
  id: String(createdIndex),
  createdIndex,
  request: keysendRequest(L3, { label }),
  paymentHash: hashOf(createdIndex),
  preimage: undefined,
  groupId: 0n,
  paymentSecret: undefined,
  totalMsat: msat(1),
  createdAtMs: 0,
  attempts: [],
  status,
  completedAtMs: undefined,
  failure: undefined,
});

const STORED = [payment(1, 'first', 'complete'), payment(2, 'as stored', 'pending')];
const LIVE = [
  payment(2, 'as it is now', 'pending'),
  payment(3, 'third', 'pending'),
  payment(4, 'fourth', 'pending'),
];

const context = {
  payments: {
    live: () => LIVE,
    journal: {
      written: () => Promise.resolve(),
      async *paymentPages({ paymentHash }: { paymentHash?: Uint8Array }, after: number) {
        const isWanted = ({ paymentHash: own }: Payment) =>
          paymentHash === undefined || toHex(own) === toHex(paymentHash);
        // Each page has one payment.
        for (const stored of STORED) if (stored.createdIndex > after && isWanted(stored)) yield [stored];
      },
    },
  },
} as unknown as NodeContext;

test.each([
  [{}, ['first', 'as it is now', 'third', 'fourth']],
  [{ limit: 3 }, ['first', 'as it is now', 'third']],
  [{ start: 2 }, ['as it is now', 'third', 'fourth']],
  [{ start: 4 }, ['fourth']],
  [{ start: 5 }, []],
  [{ payment_hash: toHex(hashOf(2)) }, ['as it is now']],
  [{ payment_hash: toHex(hashOf(3)) }, ['third']],
  [{ payment_hash: toHex(hashOf(3)), start: 3 }, ['third']],
  [{ payment_hash: toHex(hashOf(3)), start: 4 }, []],
  [{ payment_hash: toHex(hashOf(5)) }, []],
])('%o shows %j', async (params, labels) => {
  const { pay } = (await paystatus.handler(params as never, context, {} as never)) as { pay: JsonList };
  const shown: unknown[] = [];
  for await (const one of pay.elements) shown.push((one as { label: string }).label);
  expect(shown).toEqual(labels);
});
