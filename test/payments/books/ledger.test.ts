/** Reading the ledger: its ranges, and attempts that end while it is read. */
import { describe, expect, test } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { type LedgerRange, ledgerSums, lostMsat, readLedger } from '../../../src/payments/books/ledger.ts';
import type { AttemptOutline, PaymentOutline } from '../../../src/payments/payment.ts';

type Status = AttemptOutline['status'];

/** Attempt n sends n sat with a fee of 1 sat, and ended at second n. */
const row = (n: number, status: Status, request: object = {}) => ({
  payment: { id: `p${n}`, request } as PaymentOutline,
  attempt: {
    ...{
      createdIndex: n,
      updatedIndex: 100 + n,
      status,
      completedAtMs: status === 'sent' ? undefined : 1000 * n,
    },
    ...{ amountMsat: msat(1000n * BigInt(n)), amountSentMsat: msat(1000n * BigInt(n) + 1000n) },
  } as AttemptOutline,
});

type Rows = readonly ReturnType<typeof row>[];

/** The movements of attempts in flight and of changed attempts, as kind and number of the attempt. */
async function read(inFlight: Rows, changed: Rows, more: Partial<LedgerRange> = {}) {
  const journal = {
    written: async () => undefined,
    async *outlines({ by, start = 0 }: { by: string; start?: number }) {
      yield by === 'created' ? inFlight : changed.filter(({ attempt }) => attempt.updatedIndex! >= start);
    },
  } as unknown as Parameters<typeof readLedger>[0];
  const range = { start: 1, limit: 100, sinceMs: 0, withRefunds: false, ...more };
  const { movements, next } = await readLedger(journal, range);
  return { movements, shown: movements.map(({ kind, attempt }) => [kind, attempt.createdIndex]), next };
}

describe('the ledger', () => {
  const rows = [row(1, 'settled'), row(2, 'failed'), row(3, 'settled'), row(4, 'settled')];

  test('has what arrived, and refunds on request, then what is in flight', async () => {
    const flying = [row(5, 'sent')];
    expect((await read(flying, rows)).shown).toEqual([
      ...[1, 3, 4].map((n) => ['payment', n]),
      ['inFlight', 5],
    ]);
    expect((await read([], rows, { withRefunds: true })).shown[1]).toEqual(['refund', 2]);
  });

  test('begins with the movement that ended at the given time', async () => {
    expect((await read([], rows, { sinceMs: 3000 })).shown).toEqual([
      ['payment', 3],
      ['payment', 4],
    ]);
    expect((await read([], rows, { sinceMs: 3001 })).shown).toEqual([['payment', 4]]);
  });

  test('in pages of exactly the limit, each of which begins where the previous one ended', async () => {
    const first = await read([row(5, 'sent')], rows, { limit: 2 });
    expect([first.shown.length, first.next]).toEqual([2, 104]);
    const last = await read([row(5, 'sent')], rows, { limit: 2, start: first.next! });
    expect([last.shown, last.next]).toEqual([
      [
        ['payment', 4],
        ['inFlight', 5],
      ],
      undefined,
    ]);
    expect((await read([], rows, { limit: 3 })).next).toBeUndefined();
  });

  test('has an attempt once that ended while it was read', async () => {
    const flying = [row(1, 'sent'), row(2, 'sent'), row(5, 'sent')];
    expect((await read(flying, rows)).shown).toEqual([
      ...[1, 3, 4].map((n) => ['payment', n]),
      ['inFlight', 5],
    ]);
    // Attempt 1 ended, and its change is listed twice because another row of it changed.
    expect((await read(flying.slice(0, 1), [rows[0]!, rows[0]!])).shown).toEqual([['payment', 1]]);
  });

  test('adds up: of transfers and circles only the fee is spent, and of refunds nothing', async () => {
    const { movements } = await read(
      [row(5, 'sent')],
      [
        row(1, 'settled'),
        row(2, 'failed'),
        row(3, 'settled', { isTransfer: true }),
        row(4, 'settled', { circle: {} }),
      ],
      { withRefunds: true },
    );
    expect(movements.map(({ kind }) => kind)).toEqual([
      'payment',
      'refund',
      'transfer',
      'transfer',
      'inFlight',
    ]);
    expect(movements.map(lostMsat)).toEqual([2000n, 0n, 1000n, 1000n, 6000n]);
    expect(ledgerSums(movements)).toEqual({ paidMsat: 1000n, feesMsat: 3000n, inFlightMsat: 6000n });
  });
});
