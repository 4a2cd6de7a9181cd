/**
 * Random but repeatable work on the journal of payments. The same seed has the same effect on any repository.
 * The constant columns of a row follow from its index.
 */

import type { AttemptOutlineRow, AttemptRow, PaymentRow } from '../../src/store/payment-record.ts';
import type {
  PaymentFilter,
  PaymentRepository,
  StoredOutlineRow,
} from '../../src/store/payment-repository.ts';
import { plain } from './offer-actions.ts';

type Random = (below: number) => number;
type Changes = Pick<PaymentRepository, 'put' | 'remove'>;

const bytes = (n: number, length = 32): Uint8Array => new Uint8Array(length).fill(n);
const id = (kind: string, n: number): string => `${kind}${n}`.padEnd(32, '0');
/** A different hash for each number, of any size. */
const hashOf = (n: number): Uint8Array => {
  const hash = bytes(n);
  new DataView(hash.buffer).setUint32(0, n);
  return hash;
};
/** Number of payments: few, so that most are changed again. */
const PAYMENTS = 6;
const ATTEMPTS = 4;

/**
 * Payment `n` in a state. The first two have the same hash: 2 failed to pay the invoice before 1 paid it (see
 * `act`).
 */
export function paymentRow(n: number, state: Partial<PaymentRow> = {}): PaymentRow {
  return {
    id: id('a', n),
    createdIndex: n,
    paymentHash: hashOf(n === 2 ? 1 : n),
    preimage: bytes(n + 100),
    groupId: n === 1 ? 2n ** 64n - 1n : BigInt(n),
    paymentSecret: n % 2 === 0 ? bytes(n + 50) : undefined,
    totalMsat: 2n ** 63n + BigInt(n),
    request: bytes(n, 3),
    idempotencyKey: n % 3 === 0 ? undefined : `key \u0000 ${n}`,
    localRequestId: n % 3 === 1 ? bytes(77) : undefined,
    status: 'pending',
    failure: undefined,
    createdAtMs: 1_700_000_000_000 + n,
    completedAtMs: undefined,
    // The order of positions differs from that of the numbers, and rows of earlier releases have no position.
    createdOrder: n % 2 === 0 ? 100 - n : undefined,
    ...state,
  };
}

/** Attempt `k` of payment `n`, counted from 0. */
export function attemptRow(n: number, k: number, state: Partial<AttemptRow> = {}): AttemptRow {
  const createdIndex = n * ATTEMPTS + k + 1;
  return {
    id: id('b', createdIndex),
    createdIndex,
    paymentIndex: n,
    partId: k,
    amountMsat: BigInt(createdIndex),
    amountSentMsat: 2n ** 64n - BigInt(createdIndex),
    probabilityPpm: 999_999,
    uncorrectedPpm: k % 2 === 1 ? 999_998 : undefined,
    height: 800_000,
    partOfSeveral: k % 2 === 1,
    sessionKey: bytes(createdIndex),
    path: bytes(createdIndex, 5),
    status: 'sent',
    failure: undefined,
    learned: undefined,
    createdAtMs: 1_700_000_000_000 + createdIndex,
    completedAtMs: undefined,
    updatedIndex: undefined,
    ownNode: undefined,
    ...state,
  };
}

/** Makes one random change. */
export function act(store: Changes, step: number, random: Random): void {
  const n = 1 + random(PAYMENTS);
  const isDone = random(2) === 0;
  const completedAtMs = isDone ? step : undefined;
  const drawn = ['pending', 'complete', 'failed'][random(3)]!;
  const payment = paymentRow(n, { status: n === 2 ? 'failed' : drawn, completedAtMs });
  const attempts = [0, 1, 2, 3].slice(0, random(ATTEMPTS + 1)).map((k) =>
    attemptRow(n, k, {
      status: ['sent', 'settled', 'failed'][random(3)]!,
      failure: random(2) === 0 ? undefined : bytes(step, 2),
      learned: random(2) === 0 ? undefined : bytes(step, 4),
      completedAtMs,
      updatedIndex: isDone ? step * ATTEMPTS + k + 1 : undefined,
    }),
  );
  const kind = random(10);
  if (kind === 0) store.remove(n, undefined);
  else if (kind === 1) store.remove(n, [attemptRow(n, 0).createdIndex]);
  else store.put({}, payment, attempts);
}

const FILTERS: readonly PaymentFilter[] = [
  {},
  { paymentHash: hashOf(1) },
  { paymentHash: hashOf(99) },
  { localRequestId: bytes(77) },
  { localRequestId: bytes(78) },
  { idempotencyKey: 'key \u0000 1' },
  { status: 'pending' },
  { status: 'complete', afterIndex: 1 },
  { afterIndex: 2, limit: 2 },
];

/** The repository's answers to every query, as text. */
export async function snapshot(store: PaymentRepository): Promise<string> {
  const answers = [
    await store.lastIndexes(),
    await store.unfinished(),
    await Promise.all(FILTERS.map((filter) => store.payments(filter))),
    await store.recorded(1, 1000, 1000),
    await store.recorded(2, 98, 2),
    await Promise.all([0, 1, 2, 9].map((count) => store.recordedBefore(97, count))),
    await store.attempts('created', 1, 1000),
    await store.attempts('created', 9, 3),
    await store.attempts('updated', 1, 1000),
    await store.attempts('updated', 40, 3),
    await store.attempts('created', 1, 1000, 'pending'),
    await store.attempts('updated', 7, 50, 'complete'),
    outlined(await store.outlines('created', 1, 1000, 1000)),
    outlined(await store.outlines('created', 3, 15, 4)),
    outlined(await store.outlines('updated', 1, 1000, 3)),
    outlined(await store.outlines('updated', 20, 100, 5, { paymentStatus: 'complete' })),
    outlined(await store.outlines('created', 1, 1000, 4, { attemptStatus: 'settled' })),
    outlined(
      await store.outlines('created', 2, 20, 1000, { paymentStatus: 'pending', attemptStatus: 'sent' }),
    ),
  ];
  return JSON.stringify(answers.map(plain));
}

/** Outlines reduced to what the interface promises. A store may return more. */
function outlined(found: readonly StoredOutlineRow[]): unknown {
  return found.map(({ attempt, payment }) => {
    const { id, createdIndex, paymentHash, preimage, groupId, request, status, createdAtMs } = payment;
    const ofPayment = { id, createdIndex, paymentHash, preimage, groupId, request, status, createdAtMs };
    return [outlineOf(attempt), ofPayment, payment.attempts.map(outlineOf)];
  });
}

function outlineOf(row: AttemptOutlineRow): AttemptOutlineRow {
  const { createdIndex, partId, amountMsat, amountSentMsat, status } = row;
  const { createdAtMs, completedAtMs, updatedIndex, ownNode } = row;
  return {
    createdIndex,
    partId,
    amountMsat,
    amountSentMsat,
    status,
    createdAtMs,
    completedAtMs,
    updatedIndex,
    ownNode,
  };
}
