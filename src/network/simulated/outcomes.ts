/**
 * The network's record of our HTLCs: whether each is pending, or how it ended. The record outlives our side of the
 * network, so after a crash of our side it still shows how each attempt ended. Only a limited number of finished HTLCs
 * is kept; the oldest are forgotten first.
 *
 * Nearly all HTLCs settle, and what is kept of them has a fixed length. It is in columns, a tenth of the memory that as
 * many objects take.
 */
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { msat } from '../../model/msat.ts';
import type { HtlcOutcome, SentHtlc } from '../port.ts';
import { KEY_BYTES, RecentKeys } from './recent-keys.ts';

/**
 * Maximum number of finished HTLCs remembered. After a crash, only pending HTLCs are looked up, which are far fewer.
 */
export const REMEMBERED_OUTCOMES = 50_000;
const PREIMAGE_BYTES = 32;
/** Attempt ids of this form are kept as their bytes; others as text. */
const USUAL_ID = /^[0-9a-f]{32}$/;

/**
 * `unknown`: the network has never seen the attempt, or has forgotten its outcome. The network is one process, so it is
 * certain that nothing is in flight.
 */
export type KnownState = HtlcOutcome | { readonly status: 'pending' } | { readonly status: 'unknown' };

/** Remembers how attempts ended, up to a maximum number of attempts. */
export class OutcomeBook {
  private readonly pending = new Map<string, SentHtlc>();
  private readonly ended = new RecentKeys(REMEMBERED_OUTCOMES);
  // The columns, by row of `ended`.
  /** 1 for attempts that settled in this run, else 0. */
  private readonly settledNow = new Uint8Array(REMEMBERED_OUTCOMES);
  private readonly preimages = new Uint8Array(REMEMBERED_OUTCOMES * PREIMAGE_BYTES);
  private readonly groupIds = new BigUint64Array(REMEMBERED_OUTCOMES);
  private readonly partIds = new Float64Array(REMEMBERED_OUTCOMES);
  private readonly amountsMsat = new BigUint64Array(REMEMBERED_OUTCOMES);
  /** Outcomes that are no plain preimage, by row. */
  private readonly others = new Map<number, HtlcOutcome>();
  /** Attempt ids of an unusual form, by row. */
  private readonly unusualIds = new Map<number, string>();

  get pendingCount(): number {
    return this.pending.size;
  }

  /** Registers an attempt. False if it is already known. */
  open(htlc: SentHtlc): boolean {
    const { attemptId } = htlc;
    if (this.pending.has(attemptId) || this.ended.rowOf(keyOf(attemptId)) >= 0) return false;
    this.pending.set(attemptId, htlc);
    return true;
  }

  /** Attempts in flight, and attempts that settled in this run and are still remembered. */
  list(): SentHtlc[] {
    const settled = [...this.ended.rows()].filter((row) => this.settledNow[row] === 1);
    return [...this.pending.values(), ...settled.map((row) => this.settledAt(row))];
  }

  /** Restores the outcome of an attempt from an earlier run of the network. */
  restore(attemptId: string, outcome: HtlcOutcome): void {
    this.remember(attemptId, outcome);
  }

  /** Records how an attempt ended. */
  end(attemptId: string, outcome: HtlcOutcome): void {
    const htlc = this.pending.get(attemptId);
    this.pending.delete(attemptId);
    const row = this.remember(attemptId, outcome);
    if (htlc === undefined || outcome.status !== 'settled') return;
    this.settledNow[row] = 1;
    this.groupIds[row] = htlc.groupId;
    this.partIds[row] = htlc.partId;
    this.amountsMsat[row] = htlc.amountMsat;
  }

  lookUp(attemptId: string): KnownState {
    if (this.pending.has(attemptId)) return { status: 'pending' };
    const row = this.ended.rowOf(keyOf(attemptId));
    if (row < 0) return { status: 'unknown' };
    return this.others.get(row) ?? { status: 'settled', preimage: this.preimageAt(row) };
  }

  /** @returns the row of the attempt */
  private remember(attemptId: string, outcome: HtlcOutcome): number {
    const key = keyOf(attemptId);
    const isNew = this.ended.rowOf(key) < 0;
    const row = this.ended.add(key);
    if (isNew) {
      this.settledNow[row] = 0;
      if (USUAL_ID.test(attemptId)) this.unusualIds.delete(row);
      else this.unusualIds.set(row, attemptId);
    }
    if (outcome.status === 'settled') this.preimages.set(outcome.preimage, row * PREIMAGE_BYTES);
    if (outcome.status === 'settled' && outcome.attribution === undefined) this.others.delete(row);
    else this.others.set(row, outcome);
    return row;
  }

  private preimageAt(row: number): Uint8Array {
    return this.preimages.slice(row * PREIMAGE_BYTES, (row + 1) * PREIMAGE_BYTES);
  }

  /** The HTLC in a row, which settled in this run. */
  private settledAt(row: number): SentHtlc {
    return {
      attemptId: this.unusualIds.get(row) ?? Buffer.from(this.ended.keyAt(row)).toString('hex'),
      paymentHash: sha256(this.preimageAt(row)),
      groupId: this.groupIds[row]!,
      partId: this.partIds[row]!,
      amountMsat: msat(this.amountsMsat[row]!),
    };
  }
}

const keyOf = (attemptId: string): Uint8Array =>
  USUAL_ID.test(attemptId)
    ? Buffer.from(attemptId, 'hex')
    : sha256(Buffer.from(attemptId, 'utf8')).subarray(0, KEY_BYTES);
