/**
 * LND's table of payments: one row per hash, with its attempts. It accepts and refuses attempts as
 * `payments/db` and `sendToRoute` of LND do (v0.19 to v0.22), with the same messages.
 *
 *     status       in flight if an attempt is, or if all attempts failed and the payment has no failure reason;
 *                  settled if one is settled and none in flight; failed by its reason; initiated without
 *                  attempts
 */
import { STATUS } from '../../src/network/lnd/client/calls.ts';
import { LndRefusal } from './refusal.ts';
import type { RouteMessage } from './route-message.ts';

/** `HTLCAttempt.status`. */
export type AttemptStatus = 0 | 1 | 2;

/** `lnrpc.Failure`, limited to the members that the stand-in reports. */
export interface FailureMessage {
  readonly code: number;
  readonly failure_source_index: number;
  readonly [field: string]: unknown;
}

/** One attempt of a payment. */
export interface AttemptRow {
  readonly attempt_id: string;
  readonly route: RouteMessage;
  readonly attempt_time_ns: string;
  status: AttemptStatus;
  failure: FailureMessage | undefined;
  preimage: Uint8Array | undefined;
}

/** One payment. */
export interface PaymentRow {
  readonly payment_hash: string;
  readonly valueMsat: bigint;
  readonly creation_time_ns: string;
  readonly index: number;
  attempts: AttemptRow[];
  /** `failure_reason`: 0 while there is none, otherwise one of `REASON`. */
  reason: number;
}

/** `Payment.status`. */
export function statusOf({ attempts, reason }: PaymentRow): number {
  const has = (status: AttemptStatus): boolean => attempts.some((one) => one.status === status);
  if (has(0)) return 1;
  if (has(1)) return 2;
  if (reason !== 0) return 3;
  return attempts.length > 0 ? 1 : 4;
}

/** `FAILURE_REASON_ERROR` and `FAILURE_REASON_INCORRECT_PAYMENT_DETAILS`. */
export const REASON = { error: 3, details: 4 } as const;

const alreadyExists = (words: string): LndRefusal => new LndRefusal(STATUS.alreadyExists, words);
const refused = (words: string): LndRefusal => new LndRefusal(STATUS.unknown, words);

/** The rows, and the checks before a further attempt. */
export class PaymentTable {
  readonly rows = new Map<string, PaymentRow>();
  #nextAttempt = 1;
  #nextIndex = 1;

  /**
   * Records a further attempt, as `SendToRouteV2` does before the HTLC is sent.
   * @throws LndRefusal if LND refuses the attempt; then nothing is sent
   */
  register(hash: string, route: RouteMessage, skipTempErr: boolean): AttemptRow {
    const last = route.hops.at(-1)!;
    const mpp = last.mpp_record;
    const amount = BigInt(last.amt_to_forward_msat);
    if (skipTempErr && !mpp) throw refused('cannot skip temp error for non-MPP');
    const row = this.#initiated(hash, mpp ? BigInt(mpp.total_amt_msat) : amount, mpp !== null);
    const status = statusOf(row);
    if (status === 1 && row.attempts.some((one) => one.status === 1))
      throw refused('payment has settled htlcs');
    if (status === 1 && row.reason !== 0) throw refused('payment has failure reason');
    for (const one of row.attempts.filter((each) => each.status === 0)) requireAlike(one.route, route);
    if (!mpp && last.encrypted_data.length === 0 && amount !== row.valueMsat)
      throw refused("attempted value doesn't match payment amount");
    if (sentMsat(row) + amount > row.valueMsat) {
      throw refused(
        `attempted value exceeds payment amount: attempted=${mSat(sentMsat(row) + amount)}, ` +
          `payment amount=${mSat(row.valueMsat)}`,
      );
    }
    const attempt: AttemptRow = {
      ...{ attempt_id: String(this.#nextAttempt++), route, attempt_time_ns: nowNs() },
      ...{ status: 0, failure: undefined, preimage: undefined },
    };
    row.attempts.push(attempt);
    return attempt;
  }

  /**
   * LND's action at startup: it fails each payment whose attempts have all failed, since nothing continues
   * it.
   */
  restart(): void {
    for (const row of this.rows.values()) {
      const isOver = row.attempts.every(({ status }) => status === 2);
      if (isOver && row.reason === 0) row.reason = REASON.error;
    }
  }

  #initiated(hash: string, valueMsat: bigint, isMpp: boolean): PaymentRow {
    const before = this.rows.get(hash);
    const status = before && statusOf(before);
    if (status === 2) throw alreadyExists('invoice is already paid');
    if (before !== undefined && (status === 1 || status === 4)) {
      if (isMpp) return before;
      throw alreadyExists(status === 1 ? 'payment is in transition' : 'payment already exists');
    }
    // Starting again with the same hash removes the earlier attempts.
    const row: PaymentRow = {
      ...{ payment_hash: hash, valueMsat, creation_time_ns: nowNs(), index: this.#nextIndex++ },
      ...{ attempts: [], reason: 0 },
    };
    this.rows.set(hash, row);
    return row;
  }
}

const sentMsat = ({ attempts }: PaymentRow): bigint =>
  attempts
    .filter(({ status }) => status !== 2)
    .reduce((sum, { route }) => sum + BigInt(route.hops.at(-1)!.amt_to_forward_msat), 0n);

/** Makes the checks of LND's `verifyAttempt`. @throws LndRefusal */
function requireAlike(inFlight: RouteMessage, route: RouteMessage): void {
  const [theirs, ours] = [inFlight.hops.at(-1)!, route.hops.at(-1)!];
  const isBlinded = ours.encrypted_data.length > 0;
  if (isBlinded !== theirs.encrypted_data.length > 0) throw refused('mixed blinded and non-blinded payments');
  if (isBlinded) {
    if (ours.total_amt_msat !== theirs.total_amt_msat) throw refused('blinded path total amount mismatch');
    return;
  }
  if (!ours.mpp_record && theirs.mpp_record) throw refused('payment has MPP attempts');
  if (ours.mpp_record && !theirs.mpp_record) throw refused('payment has non-MPP attempts');
  if (!ours.mpp_record || !theirs.mpp_record) return;
  if (Buffer.compare(ours.mpp_record.payment_addr, theirs.mpp_record.payment_addr) !== 0)
    throw refused('payment address mismatch');
  if (ours.mpp_record.total_amt_msat !== theirs.mpp_record.total_amt_msat)
    throw refused('mp payment total amount mismatch');
}

const nowNs = (): string => String(BigInt(Date.now()) * 1_000_000n);
const mSat = (amount: bigint): string => `${amount} mSAT`;
