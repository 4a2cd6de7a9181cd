/**
 * What a recipient does with an HTLC that ends at it (BOLT 4, "Failure Messages" and "Basic Multi-Part
 * Payments"): it refuses it, settles it, or keeps it until all parts of its payment have come.
 *
 * A recipient has the preimage from the record of a keysend, or from an invoice that was registered before.
 * Parts of one payment carry the same payment hash, payment secret and total. They settle together when they
 * reach the total. If they do not in time, they fail together with `mpp_timeout`.
 */
import { equalBytes, toHex } from '../../bolt/bytes.ts';
import { encodeFailure } from '../../bolt/failure.ts';
import { sha256 } from '../../bolt/hashes.ts';
import { type HopPayload, KEYSEND_PREIMAGE_TYPE, type PaymentData } from '../../bolt/payload.ts';
import { decodeTlvStream, tlvRecordLength } from '../../bolt/tlv.ts';
import type { Msat } from '../../model/msat.ts';
import { ZERO_MSAT } from '../../model/msat.ts';
import type { Htlc } from './htlc.ts';

/** `min_final_cltv_expiry_delta` of every recipient. */
export const MIN_FINAL_CLTV_EXPIRY_DELTA = 18;
/** How many payments recipients remember, so that they take none twice. Older ones are forgotten. */
const REMEMBERED_PAYMENTS = 200_000;
/** Most parts of one payment that are kept. */
const MAX_PARTS = 1000;

/** A preimage for which a node can be paid. */
export interface SimulatedInvoice {
  readonly preimage: Uint8Array;
  readonly paymentSecret: Uint8Array;
  readonly amountMsat: Msat;
}

/** What can be done with an HTLC. */
export interface HtlcControl {
  fail(htlc: Htlc, failure: Uint8Array): void;
  settle(htlc: Htlc, preimage: Uint8Array): void;
  /** Runs `action` after some time. */
  after(ms: number, order: number, action: () => void): void;
}

/** The state of the recipient when the HTLC arrives. */
export interface RecipientState {
  readonly height: number;
  readonly takesKeysend: boolean;
  readonly takesMultiPart: boolean;
}

/** Parts of one payment that wait for each other. */
interface PartialPayment {
  readonly totalMsat: Msat;
  readonly preimage: Uint8Array;
  readonly parts: Htlc[];
  receivedMsat: Msat;
}

/** Decides about HTLCs that have reached their recipient. */
export class Recipients {
  /** How many payments came to be paid a second time. They are refused; tests of senders read the count. */
  repeatedPayments = 0;
  private readonly control: HtlcControl;
  private readonly timeoutMs: number;
  private readonly invoices = new Map<string, SimulatedInvoice>();
  private readonly gathering = new Map<string, PartialPayment>();
  private readonly paid = new Set<string>();

  constructor(control: HtlcControl, timeoutMs: number) {
    this.control = control;
    this.timeoutMs = timeoutMs;
  }

  /** Registers that the node can be paid for this preimage. Returns the payment hash. */
  addInvoice(node: number, invoice: SimulatedInvoice): Uint8Array {
    const paymentHash = sha256(invoice.preimage);
    this.invoices.set(paymentKey(node, paymentHash), invoice);
    return paymentHash;
  }

  /** Takes an HTLC whose onion ends here. `payloadBytes` is the payload as the onion had it. */
  receive(htlc: Htlc, payload: HopPayload, payloadBytes: Uint8Array, state: RecipientState): void {
    const failure = this.judge(htlc, payload, payloadBytes, state);
    if (failure !== undefined) {
      this.control.fail(htlc, failure);
      return;
    }
    const key = paymentKey(htlc.node, htlc.attempt.paymentHash);
    const preimage = (payload.keysendPreimage ?? this.invoices.get(key)?.preimage) as Uint8Array;
    const total = payload.paymentData?.totalMsat;
    if (total === undefined) {
      this.settleAll(key, [htlc], preimage);
      return;
    }
    const data = payload.paymentData as PaymentData;
    if (!this.gather(key, htlc, preimage, data)) this.control.fail(htlc, unknownDetails(htlc, state));
  }

  private judge(
    htlc: Htlc,
    payload: HopPayload,
    payloadBytes: Uint8Array,
    state: RecipientState,
  ): Uint8Array | undefined {
    const { amtToForwardMsat = ZERO_MSAT, outgoingCltvValue = 0, keysendPreimage, paymentData } = payload;
    if (keysendPreimage !== undefined && !state.takesKeysend) {
      const offset = offsetOfType(payloadBytes, KEYSEND_PREIMAGE_TYPE);
      return encodeFailure('invalid_onion_payload', { tlvType: KEYSEND_PREIMAGE_TYPE, offset });
    }
    if (htlc.cltvExpiry < outgoingCltvValue) {
      return encodeFailure('final_incorrect_cltv_expiry', { cltvExpiry: htlc.cltvExpiry });
    }
    if (htlc.amountMsat < amtToForwardMsat) {
      return encodeFailure('final_incorrect_htlc_amount', { htlcMsat: htlc.amountMsat });
    }
    const late = htlc.cltvExpiry < state.height + MIN_FINAL_CLTV_EXPIRY_DELTA;
    const parts = paymentData !== undefined && paymentData.totalMsat > amtToForwardMsat;
    const known =
      keysendPreimage === undefined
        ? this.matchesInvoice(htlc, paymentData)
        : equalBytes(sha256(keysendPreimage), htlc.attempt.paymentHash);
    if (!late && known && (!parts || state.takesMultiPart) && !this.isRepeated(htlc)) return undefined;
    return unknownDetails(htlc, state);
  }

  /**
   * Whether the hash is known, the secret is right, and the total is between one and two times the amount
   * asked (BOLT 4).
   */
  private matchesInvoice(htlc: Htlc, data: PaymentData | undefined): boolean {
    const invoice = this.invoices.get(paymentKey(htlc.node, htlc.attempt.paymentHash));
    if (invoice === undefined || data === undefined) return false;
    const inRange = data.totalMsat >= invoice.amountMsat && data.totalMsat <= 2n * invoice.amountMsat;
    return inRange && equalBytes(data.paymentSecret, invoice.paymentSecret);
  }

  private isRepeated(htlc: Htlc): boolean {
    const repeated = this.paid.has(paymentKey(htlc.node, htlc.attempt.paymentHash));
    if (repeated) this.repeatedPayments++;
    return repeated;
  }

  /** Adds a part. Returns false when it contradicts the others, or when there are too many. */
  private gather(
    payment: string,
    htlc: Htlc,
    preimage: Uint8Array,
    { paymentSecret, totalMsat }: PaymentData,
  ): boolean {
    const key = `${payment}:${toHex(paymentSecret)}`;
    let set = this.gathering.get(key);
    if (set === undefined) {
      set = { totalMsat, preimage, parts: [], receivedMsat: ZERO_MSAT };
      this.gathering.set(key, set);
      const started = set;
      this.control.after(this.timeoutMs, htlc.attempt.order, () => this.timeOut(key, started));
    }
    if (set.totalMsat !== totalMsat || set.parts.length >= MAX_PARTS) return false;
    set.parts.push(htlc);
    set.receivedMsat = (set.receivedMsat + htlc.amountMsat) as Msat;
    if (set.receivedMsat < totalMsat) return true;
    this.gathering.delete(key);
    this.settleAll(payment, set.parts, set.preimage);
    return true;
  }

  private settleAll(payment: string, parts: readonly Htlc[], preimage: Uint8Array): void {
    this.paid.add(payment);
    if (this.paid.size > REMEMBERED_PAYMENTS) this.paid.delete(this.paid.values().next().value as string);
    for (const part of parts) this.control.settle(part, preimage);
  }

  private timeOut(key: string, set: PartialPayment): void {
    if (this.gathering.get(key) !== set) return;
    this.gathering.delete(key);
    for (const part of set.parts) this.control.fail(part, encodeFailure('mpp_timeout', {}));
  }
}

function unknownDetails({ amountMsat }: Htlc, { height }: RecipientState): Uint8Array {
  return encodeFailure('incorrect_or_unknown_payment_details', { htlcMsat: amountMsat, height });
}

function paymentKey(node: number, paymentHash: Uint8Array): string {
  return `${node}:${toHex(paymentHash)}`;
}

/** Byte offset of a record in a payload. The payload must be well-formed. */
function offsetOfType(payload: Uint8Array, wanted: bigint): number {
  let offset = 0;
  for (const { type, value } of decodeTlvStream(payload)) {
    if (type === wanted) return offset;
    offset += tlvRecordLength(type, value.length);
  }
  return offset;
}
