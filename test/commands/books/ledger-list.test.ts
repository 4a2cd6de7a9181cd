/**
 * How `ledger` makes its lists. A list of 100,000 movements, made at once, would delay all other requests by seconds and
 * occupy hundreds of megabytes.
 */
import { expect, test } from 'vitest';
import type { NodeContext } from '../../../src/commands/context.ts';
import { ledger } from '../../../src/commands/payments/books/ledger.ts';
import { msat } from '../../../src/model/msat.ts';
import type { JsonList } from '../../../src/rpc/json-write.ts';
import { L3 } from '../../payments/line-graph.ts';
import { keysendRequest } from '../../payments/simulation/simulated-node.ts';

const MOVEMENTS = 3;

/** A context with settled parts, and the number of them whose payment was read. */
function contextWithMovements(): { context: NodeContext; rowsMade: () => number } {
  let rowsMade = 0;
  const outline = (index: number) => ({
    payment: {
      get id() {
        rowsMade++;
        return String(index);
      },
      paymentHash: new Uint8Array(32),
      request: keysendRequest(L3, {}),
    },
    attempt: {
      ...{ status: 'settled', createdIndex: index, updatedIndex: index, partId: 0n },
      ...{ createdAtMs: 0, completedAtMs: 0, amountMsat: msat(1_000), amountSentMsat: msat(1_001) },
    },
  });
  const journal = {
    written: () => Promise.resolve(),
    async *outlines({ by }: { by: string }) {
      if (by === 'updated') yield Array.from({ length: MOVEMENTS }, (_, at) => outline(at + 1));
    },
  };
  const context = { payments: { journal }, chain: 'regtest' } as unknown as NodeContext;
  return { context, rowsMade: () => rowsMade };
}

test.each([
  ['movements', undefined, MOVEMENTS],
  ['lines', 'csv', MOVEMENTS + 1],
])('%s are made while they are written', async (member, format, length) => {
  const { context, rowsMade } = contextWithMovements();
  const params = { since: 0n, format, start: 1n, limit: 10, refunds: false };
  const result = await ledger.handler(params as never, context, {} as never);
  expect(result).toMatchObject({ paid_msat: 3_000n, fees_msat: 3n });
  expect(rowsMade()).toBe(0);
  const list = (result as unknown as Record<string, JsonList>)[member]!;
  expect([...(list.elements as Iterable<unknown>)]).toHaveLength(length);
  expect(rowsMade()).toBe(MOVEMENTS);
});
