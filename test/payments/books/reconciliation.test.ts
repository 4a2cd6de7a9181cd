/**
 * The comparison of our books with the network's. Correct books of a hundred payments have no differences.
 * Every planted difference is found with its sum, and nothing else.
 */
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { msat } from '../../../src/model/msat.ts';
import type { HtlcState, SentHtlc } from '../../../src/network/port.ts';
import { type Books, type Difference, reconcile } from '../../../src/payments/books/reconciliation.ts';
import type { Attempt, Payment } from '../../../src/payments/payment.ts';

const FEE = 7n;
const hashOf = (n: number): Uint8Array => new Uint8Array(32).fill(n);
const keyOf = (n: number): string => `key-${n}`;

/**
 * Payment n: two parts of n sat each that arrived if the payment is complete, and one part that had failed
 * before them.
 */
function payment(n: number, status: Payment['status'] = 'complete'): Payment {
  const part = (k: number, partStatus: Attempt['status']): Attempt =>
    ({
      id: `${n}-${k}`,
      createdIndex: 3 * n + k,
      partId: k,
      path: [{ nodeIdOut: '02', shortChannelIdDir: { shortChannelId: 1n, direction: 0 }, cltvOut: 30 }],
      amountMsat: BigInt(n) * 1000n,
      amountSentMsat: BigInt(n) * 1000n + FEE,
      height: 100,
      status: partStatus,
    }) as unknown as Attempt;
  const ended = status === 'complete' ? 'settled' : 'failed';
  const live = status === 'pending' ? 'sent' : ended;
  return {
    id: `payment-${n}`,
    createdIndex: n,
    createdAtMs: n * 1000,
    request: { kind: 'xkeysend', amountMsat: BigInt(n) * 2000n, idempotencyKey: keyOf(n) },
    paymentHash: hashOf(n),
    groupId: 1n,
    status,
    attempts: [part(0, 'failed'), part(1, live), part(2, live)],
  } as unknown as Payment;
}

const statusOf = (n: number): Payment['status'] =>
  n % 10 === 0 ? 'pending' : n % 7 === 0 ? 'failed' : 'complete';

/** Correct books, which a test may falsify. */
class TrueBooks {
  readonly payments = Array.from({ length: 100 }, (_, index) => payment(index + 1, statusOf(index + 1)));
  readonly htlcs = new Map<string, SentHtlc & { state: HtlcState['status'] }>();
  readonly list = new Map<string, bigint>();
  canList = true;

  constructor() {
    for (const { attempts, paymentHash, groupId, request, status } of this.payments) {
      if (status === 'complete') this.list.set(request.idempotencyKey!, request.amountMsat);
      for (const { id, partId, amountSentMsat, status: ended } of attempts) {
        if (ended === 'failed') continue;
        const state = ended === 'settled' ? 'settled' : 'pending';
        this.htlcs.set(id, {
          attemptId: id,
          paymentHash,
          groupId,
          partId,
          amountMsat: amountSentMsat,
          state,
        });
      }
    }
  }

  get books(): Books {
    const { payments, htlcs, canList, list } = this;
    return {
      journal: {
        written: async () => undefined,
        lastAttemptIndex: 303,
        async *paymentPages() {
          for (let first = 0; first < payments.length; first += 30) yield payments.slice(first, first + 30);
        },
      },
      network: {
        capabilities: { pays: true } as Books['network']['capabilities'],
        ...(canList && { sentHtlcs: async () => [...htlcs.values()] }),
        outcomes: async (keys) =>
          new Map(
            keys.map(({ attemptId }) => [attemptId, { status: htlcs.get(attemptId)?.state ?? 'neverLeft' }]),
          ) as never,
      },
      list,
      sinceMs: 0,
    };
  }
}

describe.each([
  ['a node that can list its HTLCs', true],
  ['a node that is asked for each HTLC', false],
])('%s', (_, canList) => {
  const open = (): TrueBooks => Object.assign(new TrueBooks(), { canList });

  it('a failed part that was repeated unchanged is a difference only if the node can distinguish the two', async () => {
    const all = open();
    const { attempts, paymentHash } = all.payments[0]!;
    const { id, amountSentMsat: amountMsat } = attempts[0]!;
    all.htlcs.set(id, { attemptId: id, paymentHash, groupId: 1n, partId: 0, amountMsat, state: 'settled' });
    const { differences } = await reconcile(all.books);
    expect(differences.map(({ kind }) => kind)).toEqual(canList ? ['failedInJournal'] : []);
    // With a different height, the part differs from the failed one.
    Object.assign(attempts[0]!, { height: 101 });
    expect((await reconcile(all.books)).differences).toMatchObject([{ kind: 'failedInJournal' }]);
  });

  it('correct books have no differences, and their sums are exact', async () => {
    const found = await reconcile(open().books);
    expect(found.differences).toEqual([]);
    expect([found.differenceCount, found.unexplainedMsat, found.listUnexplainedMsat]).toEqual([0, 0n, 0n]);
    const complete = Array.from({ length: 100 }, (__, index) => index + 1).filter(
      (n) => statusOf(n) === 'complete',
    );
    const amountMsat = complete.reduce((sum, n) => sum + 2000n * BigInt(n), 0n);
    const sentMsat = amountMsat + 2n * FEE * BigInt(complete.length);
    expect(found.complete).toEqual({ count: complete.length, amountMsat, sentMsat });
    expect(found.failed.count).toBe(13);
    expect(
      found.open.map(({ payment: { createdIndex }, parts, inFlightMsat, certainAtHeight }) => [
        createdIndex,
        parts,
        inFlightMsat,
        certainAtHeight,
      ]),
    ).toEqual(
      Array.from({ length: 10 }, (__, index) => {
        const n = (index + 1) * 10;
        return [n, 2, 2n * (BigInt(n) * 1000n + FEE), 131];
      }),
    );
  });

  /** Twenty ways to falsify books, each in a different payment, with the difference that must be found. */
  const planted: readonly [
    name: string,
    plant: (books: TrueBooks) => void,
    found: Partial<Difference>,
    listOnly?: true,
  ][] = [
    ...[1, 2, 3].map((n): (typeof planted)[number] => [
      `the node lacks a settled part of payment ${n}`,
      ({ htlcs }) => htlcs.delete(`${n}-1`),
      { kind: 'missingAtNode', paymentId: `payment-${n}`, partId: 1, journalMsat: BigInt(n) * 1000n + FEE },
    ]),
    ...[4, 5].map((n): (typeof planted)[number] => [
      `the node has failed a part of payment ${n} that the journal calls settled`,
      ({ htlcs }) => {
        const htlc = htlcs.get(`${n}-2`)!;
        htlcs.delete(`${n}-2`);
        htlcs.set(`${n}-x`, { ...htlc, attemptId: `${n}-2`, state: 'failed' });
        htlcs.delete(`${n}-x`);
      },
      { kind: 'missingAtNode', paymentId: `payment-${n}`, partId: 2 },
    ]),
    ...[7, 14, 21].map((n): (typeof planted)[number] => [
      `the node has settled a part of payment ${n} that the journal calls failed`,
      ({ htlcs, payments }) => {
        const { amountSentMsat, id } = payments[n - 1]!.attempts[1]!;
        htlcs.set(id, {
          attemptId: id,
          paymentHash: hashOf(n),
          groupId: 1n,
          partId: 1,
          amountMsat: amountSentMsat,
          state: 'settled',
        });
      },
      {
        kind: 'failedInJournal',
        paymentId: `payment-${n}`,
        partId: 1,
        journalMsat: 0n,
        nodeMsat: BigInt(n) * 1000n + FEE,
      },
    ]),
    ...[8, 9, 11].map((n): (typeof planted)[number] => [
      `the node sent another amount for payment ${n}`,
      ({ htlcs }) => htlcs.set(`${n}-1`, { ...htlcs.get(`${n}-1`)!, amountMsat: msat(5) }),
      { kind: 'amountDiffers', paymentId: `payment-${n}`, partId: 1, nodeMsat: 5n },
      true,
    ]),
    ...[201, 202].map((n): (typeof planted)[number] => [
      `the node has an HTLC ${n} that the journal lacks`,
      ({ htlcs }) =>
        htlcs.set(`${n}-1`, {
          attemptId: `${n}-1`,
          paymentHash: hashOf(n),
          groupId: 1n,
          partId: 1,
          amountMsat: msat(99),
          state: 'settled',
        }),
      { kind: 'missingInJournal', paymentHash: toHex(hashOf(n)), nodeMsat: 99n },
      true,
    ]),
    [
      'the list has a payment that was never made',
      ({ list }) => list.set('other', 3n),
      { kind: 'missingPayment', key: 'other', listMsat: 3n },
    ],
    [
      'the list has a failed payment',
      ({ list }) => list.set(keyOf(28), 3n),
      { kind: 'notPaid', key: keyOf(28), listMsat: 3n },
    ],
    [
      'the list has a pending payment',
      ({ list }) => list.set(keyOf(30), 3n),
      { kind: 'stillPending', key: keyOf(30) },
    ],
    [
      'the list has another amount',
      ({ list }) => list.set(keyOf(31), 3n),
      { kind: 'listedAmountDiffers', listMsat: 3n, journalMsat: 62_000n },
    ],
    [
      'the list names another amount by the hash',
      ({ list }) => {
        list.delete(keyOf(32));
        list.set(toHex(hashOf(32)), 4n);
      },
      { kind: 'listedAmountDiffers', listMsat: 4n },
    ],
    [
      'the list lacks a payment',
      ({ list }) => list.delete(keyOf(33)),
      { kind: 'missingInList', key: keyOf(33), journalMsat: 66_000n },
    ],
    [
      'the list lacks another payment',
      ({ list }) => list.delete(keyOf(34)),
      { kind: 'missingInList', key: keyOf(34) },
    ],
  ];
  it.each([
    ['the id of its quote', 'q1'],
    ['the whole key', 'quote q1'],
    ['its payment hash', toHex(hashOf(33))],
  ])('a payment by quote may be listed by %s', async (__, key) => {
    const books = open();
    Object.assign(books.payments[32]!.request, { idempotencyKey: 'quote q1' });
    books.list.delete(keyOf(33));
    const missing = { kind: 'missingInList', key: 'q1', journalMsat: 66_000n };
    expect((await reconcile(books.books)).differences).toMatchObject([missing]);
    books.list.set(key, 66_000n);
    expect((await reconcile(books.books)).differences).toEqual([]);
  });

  const possible = planted.filter(([, , , listOnly]) => canList || listOnly !== true);

  it.each(possible)('%s', async (__, plant, expected) => {
    const books = open();
    plant(books);
    const { differences, differenceCount, unexplainedMsat, listUnexplainedMsat } = await reconcile(
      books.books,
    );
    expect(differences).toEqual([expect.objectContaining(expected)]);
    expect(differenceCount).toBe(1);
    const { kind, journalMsat = 0n, nodeMsat = 0n, listMsat } = differences[0]!;
    const isOfList = listMsat !== undefined || kind === 'missingInList';
    if (isOfList) expect([unexplainedMsat, listUnexplainedMsat > 0n]).toEqual([0n, true]);
    else
      expect([unexplainedMsat, listUnexplainedMsat]).toEqual([
        journalMsat > nodeMsat ? journalMsat - nodeMsat : nodeMsat - journalMsat,
        0n,
      ]);
  });

  it(`all ${possible.length} differences together are found, each once`, async () => {
    const books = open();
    for (const [, plant] of possible) plant(books);
    const { differences } = await reconcile(books.books);
    expect(differences).toHaveLength(possible.length);
    for (const [, , expected] of possible)
      expect(differences).toContainEqual(expect.objectContaining(expected));
  });
});

it('HTLCs that the node has forgotten because of their age are counted, and not judged', async () => {
  const all = new TrueBooks();
  all.htlcs.clear();
  const { network, ...books } = all.books;
  // The node remembers 3 HTLCs: those with the numbers 301 to 303. Payment n has 3n to 3n + 2.
  const forgetful = { ...network, capabilities: { ...network.capabilities, rememberedHtlcs: 3 } };
  const { notJudged, differences } = await reconcile({ ...books, network: forgetful });
  expect([notJudged, differences]).toEqual([298, []]);
});

it('a hash with a failed payment before the complete one counts as paid', async () => {
  const books = new TrueBooks();
  const failed = { ...payment(7, 'failed'), paymentHash: hashOf(8) };
  books.payments.unshift(failed);
  books.list.delete(keyOf(8));
  books.list.set(toHex(hashOf(8)), 16_000n);
  expect((await reconcile(books.books)).differences).toEqual([]);
});
