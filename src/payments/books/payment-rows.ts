/**
 * Payments and attempts as rows of the store. Values that are only read as a whole are packed with msgpack, which
 * preserves bigint and bytes.
 */
import { Packr } from 'msgpackr/pack';
import type { RouteHop } from '../../engine/question/route.ts';
import type { Msat } from '../../model/msat.ts';
import { recordedPlace } from '../../store/outlines.ts';
import type { AttemptRow, PaymentOutlineRow, PaymentRow } from '../../store/payment-record.ts';
import type {
  Attempt,
  AttemptFailure,
  AttemptOutline,
  AttemptStatus,
  Payment,
  PaymentFailure,
  PaymentOutline,
  PaymentRequest,
  PaymentStatus,
} from '../payment.ts';
import { singleUseRequest } from '../plan/invoice-terms.ts';

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

const pack = (value: unknown): Uint8Array => Uint8Array.from(packr.pack(value));
const packOptional = (value: unknown): Uint8Array | undefined =>
  value === undefined ? undefined : pack(value);
const unpack = <T>(bytes: Uint8Array): T => packr.unpack(bytes) as T;
const unpackOptional = <T>(bytes: Uint8Array | undefined): T | undefined =>
  bytes === undefined ? undefined : unpack<T>(bytes);

/** Packed requests and routes. Their rows are written several times, but they never change. */
const packedOnce = new WeakMap<PaymentRequest | readonly RouteHop[], Uint8Array>();

function packOnce(value: PaymentRequest | readonly RouteHop[]): Uint8Array {
  const known = packedOnce.get(value);
  if (known !== undefined) return known;
  const packed = pack(value);
  packedOnce.set(value, packed);
  return packed;
}

/** The row of a payment. */
export const paymentRow = (payment: Payment): PaymentRow => ({
  id: payment.id,
  createdIndex: payment.createdIndex,
  paymentHash: payment.paymentHash,
  preimage: payment.preimage,
  groupId: payment.groupId,
  paymentSecret: payment.paymentSecret,
  totalMsat: payment.totalMsat,
  request: packOnce(payment.request),
  idempotencyKey: payment.request.idempotencyKey,
  localRequestId: payment.request.asked?.localRequest?.id,
  singleUseRequestId: singleUseRequest(payment.request.asked),
  status: payment.status,
  failure: packOptional(payment.failure),
  createdAtMs: payment.createdAtMs,
  completedAtMs: payment.completedAtMs,
  createdOrder: payment.createdOrder,
});

/** The row of an attempt. */
export const attemptRow = (payment: Payment, attempt: Attempt): AttemptRow => ({
  id: attempt.id,
  createdIndex: attempt.createdIndex,
  paymentIndex: payment.createdIndex,
  partId: attempt.partId,
  amountMsat: attempt.amountMsat,
  amountSentMsat: attempt.amountSentMsat,
  probabilityPpm: attempt.probabilityPpm,
  uncorrectedPpm: attempt.uncorrectedPpm,
  height: attempt.height,
  partOfSeveral: attempt.partOfSeveral,
  sessionKey: attempt.sessionKey,
  path: packOnce(attempt.path),
  status: attempt.status,
  failure: packOptional(attempt.failure),
  learned: attempt.learned.length === 0 ? undefined : pack(attempt.learned),
  createdAtMs: attempt.createdAtMs,
  completedAtMs: attempt.completedAtMs,
  updatedIndex: attempt.updatedIndex,
  ownNode: attempt.ownNode,
});

/** A stored payment. @param attempts its attempts; the payment keeps this array */
export const storedPayment = (row: PaymentRow, attempts: Attempt[]): Payment => ({
  id: row.id,
  createdIndex: row.createdIndex,
  createdOrder: recordedPlace(row),
  request: unpack<PaymentRequest>(row.request),
  paymentHash: plain(row.paymentHash),
  preimage: row.preimage && plain(row.preimage),
  groupId: row.groupId,
  paymentSecret: row.paymentSecret && plain(row.paymentSecret),
  totalMsat: row.totalMsat as Msat,
  createdAtMs: row.createdAtMs,
  attempts,
  status: row.status as PaymentStatus,
  completedAtMs: row.completedAtMs,
  failure: unpackOptional<PaymentFailure>(row.failure),
});

/** A stored attempt. */
export const attemptOf = (row: AttemptRow): Attempt => ({
  id: row.id,
  createdIndex: row.createdIndex,
  ...(row.createdOrder !== undefined && { createdOrder: row.createdOrder }),
  partId: row.partId,
  path: pathOf(row),
  amountMsat: row.amountMsat as Msat,
  amountSentMsat: row.amountSentMsat as Msat,
  probabilityPpm: row.probabilityPpm,
  uncorrectedPpm: row.uncorrectedPpm,
  height: row.height,
  partOfSeveral: row.partOfSeveral,
  sessionKey: plain(row.sessionKey),
  createdAtMs: row.createdAtMs,
  status: row.status as AttemptStatus,
  completedAtMs: row.completedAtMs,
  updatedIndex: row.updatedIndex,
  ownNode: row.ownNode,
  failure: failureOf(row),
  learned: learnedOf(row),
});

const pathOf = (row: AttemptRow): RouteHop[] => unpack<RouteHop[]>(row.path);
const failureOf = (row: AttemptRow): Attempt['failure'] => unpackOptional<AttemptFailure>(row.failure);
const learnedOf = (row: AttemptRow): Attempt['learned'] =>
  unpackOptional<Attempt['learned']>(row.learned) ?? [];

/**
 * A stored attempt whose route, failure and lessons are unpacked on demand. Most lists of attempts show none of the
 * three, and unpacking them takes as long as everything else.
 */
export const attemptAsAsked = (row: AttemptRow): Attempt => ({
  id: row.id,
  createdIndex: row.createdIndex,
  createdOrder: row.createdOrder,
  partId: row.partId,
  get path() {
    return pathOf(row);
  },
  amountMsat: row.amountMsat as Msat,
  amountSentMsat: row.amountSentMsat as Msat,
  probabilityPpm: row.probabilityPpm,
  uncorrectedPpm: row.uncorrectedPpm,
  height: row.height,
  partOfSeveral: row.partOfSeveral,
  sessionKey: row.sessionKey,
  createdAtMs: row.createdAtMs,
  status: row.status as AttemptStatus,
  completedAtMs: row.completedAtMs,
  updatedIndex: row.updatedIndex,
  ownNode: row.ownNode,
  get failure() {
    return failureOf(row);
  },
  get learned() {
    return learnedOf(row);
  },
});

/** A payment in a list. Its bytes are views into the page. */
export const outlineOf = (row: PaymentOutlineRow): PaymentOutline => ({
  id: row.id,
  createdIndex: row.createdIndex,
  request: unpack<PaymentRequest>(row.request),
  paymentHash: row.paymentHash,
  preimage: row.preimage,
  groupId: row.groupId,
  createdAtMs: row.createdAtMs,
  attempts: row.attempts as readonly AttemptOutline[],
  status: row.status as PaymentStatus,
});

/** A copy of the bytes as a plain array, because the database may return views or its own types. */
const plain = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);
