/**
 * How a recipient handles an HTLC (BOLT 4, "Failure Messages" and "Basic Multi-Part Payments"): the recipient refuses
 * it, settles it, or holds it until all parts of its payment have arrived.
 *
 * A recipient gets the preimage from the record of a keysend, from an invoice that was registered earlier, or from the
 * secret of an invoice that it issued itself (payment-ticket.ts). Parts of one payment carry the same payment hash,
 * secret and total. Once they reach the total, they settle together. If they do not reach the total in time, they fail
 * together with `mpp_timeout`. If one of them has a different total, all fail immediately. The secret is the payment
 * secret of BOLT 11, or the `path_id` of the recipient's blinded path.
 */
import { equalBytes, toHex } from '../../../bolt/bytes.ts';
import { sha256 } from '../../../bolt/crypto/hashes.ts';
import { encodeFailure } from '../../../bolt/onion/failure.ts';
import { type HopPayload, KEYSEND_PREIMAGE_TYPE, type PaymentData } from '../../../bolt/onion/payload.ts';
import { decodeTlvStream, tlvRecordLength } from '../../../bolt/tlv.ts';
import type { Msat } from '../../../model/msat.ts';
import { ZERO_MSAT } from '../../../model/msat.ts';
import type { Htlc } from '../htlc.ts';
import { KEY_BYTES, RecentKeys } from '../recent-keys.ts';
import { readTicket, ticketMetadata, ticketPreimage } from './payment-ticket.ts';

/** `min_final_cltv_expiry_delta` of every recipient, unless the recipient's invoice contains a different value. */
export const MIN_FINAL_CLTV_EXPIRY_DELTA = 18;
/**
 * Number of payments that recipients remember, to refuse a second payment with the same hash. The oldest are forgotten
 * first.
 */
const REMEMBERED_PAYMENTS = 200_000;
/** Maximum number of parts that a recipient holds per payment. */
const MAX_PARTS = 1000;

/** A preimage for which a node can be paid. */
export interface SimulatedInvoice {
  readonly preimage: Uint8Array;
  readonly paymentSecret: Uint8Array;
  readonly amountMsat: Msat;
}

/** The actions that can be taken on an HTLC. */
export interface HtlcControl {
  fail(htlc: Htlc, failure: Uint8Array): void;
  /** The recipient releases the preimage for all parts of a payment. From then on, they settle whatever happens. */
  settleAll(parts: readonly Htlc[], preimage: Uint8Array): void;
  /** Runs `action` after some time. */
  after(ms: number, order: number, action: () => void): void;
}

/** The state of the recipient when the HTLC arrives. */
export interface RecipientState {
  readonly height: number;
  readonly takesKeysend: boolean;
  readonly takesMultiPart: boolean;
  readonly nowSeconds: bigint;
  /** Secret key of the node, with which it recognises its own invoices. */
  readonly secretKey: Uint8Array;
  /** The `path_id` of the blinded path over which the HTLC came. Undefined without such a path. */
  readonly pathId: Uint8Array | undefined;
}

/** Parts of one payment that wait for the rest. */
interface PartialPayment {
  readonly totalMsat: Msat;
  readonly preimage: Uint8Array;
  readonly parts: Htlc[];
  receivedMsat: Msat;
}

/** Decides about HTLCs that have reached their recipient. */
export class Recipients {
  /** Number of HTLCs refused because their payment was already complete. Tests of senders use it. */
  repeatedPayments = 0;
  private readonly control: HtlcControl;
  private readonly timeoutMs: number;
  private readonly invoices = new Map<string, SimulatedInvoice>();
  private readonly gathering = new Map<string, PartialPayment>();
  /** Payments by `paidKey`. */
  private readonly paid = new RecentKeys(REMEMBERED_PAYMENTS);

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

  /** Receives an HTLC whose onion ends here. `payloadBytes` is the raw payload from the onion. */
  receive(htlc: Htlc, payload: HopPayload, payloadBytes: Uint8Array, state: RecipientState): void {
    const data = dataOf(payload, state);
    const preimage = this.preimageFor(htlc, payload, data, state);
    const failure = this.judge(htlc, payload, payloadBytes, state, data, preimage !== undefined);
    if (failure !== undefined) {
      this.control.fail(htlc, failure);
      return;
    }
    if (data === undefined) this.settleAll([htlc], preimage as Uint8Array);
    else this.gather(htlc, preimage as Uint8Array, data, state);
  }

  private judge(
    htlc: Htlc,
    payload: HopPayload,
    payloadBytes: Uint8Array,
    state: RecipientState,
    data: PaymentData | undefined,
    isKnown: boolean,
  ): Uint8Array | undefined {
    const { amtToForwardMsat = ZERO_MSAT, outgoingCltvValue = 0, keysendPreimage } = payload;
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
    const parts = data !== undefined && data.totalMsat > amtToForwardMsat;
    // Every invoice with a blinded path allows several parts here, regardless of the node's own features.
    const takesParts = state.takesMultiPart || state.pathId !== undefined;
    if (isKnown && (!parts || takesParts) && !this.isRepeated(htlc)) return undefined;
    return unknownDetails(htlc, state);
  }

  /**
   * The preimage that the node releases, if it expects this payment, and if the HTLC came in time and with the right
   * secret.
   */
  private preimageFor(
    htlc: Htlc,
    { keysendPreimage, paymentMetadata }: HopPayload,
    data: PaymentData | undefined,
    state: RecipientState,
  ): Uint8Array | undefined {
    const { paymentHash } = htlc.attempt;
    const blocksLeft = htlc.cltvExpiry - state.height;
    if (keysendPreimage !== undefined) {
      const isRight = equalBytes(sha256(keysendPreimage), paymentHash);
      return isRight && blocksLeft >= MIN_FINAL_CLTV_EXPIRY_DELTA ? keysendPreimage : undefined;
    }
    const ticket = ticketedPreimage(data, paymentMetadata, blocksLeft, state);
    if (ticket !== undefined) return equalBytes(sha256(ticket), paymentHash) ? ticket : undefined;
    const invoice = this.invoices.get(paymentKey(htlc.node, paymentHash));
    if (invoice === undefined || data === undefined || state.pathId !== undefined) return undefined;
    const isOurs = equalBytes(data.paymentSecret, invoice.paymentSecret);
    const isEnough = isInRange(data.totalMsat, invoice.amountMsat);
    return isOurs && isEnough && blocksLeft >= MIN_FINAL_CLTV_EXPIRY_DELTA ? invoice.preimage : undefined;
  }

  private isRepeated(htlc: Htlc): boolean {
    const repeated = this.paid.rowOf(paidKey(htlc)) >= 0;
    if (repeated) this.repeatedPayments++;
    return repeated;
  }

  /**
   * Collects the parts of a payment. If their totals differ, all of them fail (BOLT 4). A part beyond the maximum
   * number fails too.
   */
  private gather(
    htlc: Htlc,
    preimage: Uint8Array,
    { paymentSecret, totalMsat }: PaymentData,
    state: RecipientState,
  ): void {
    const key = `${paymentKey(htlc.node, htlc.attempt.paymentHash)}:${toHex(paymentSecret)}`;
    let set = this.gathering.get(key);
    if (set === undefined) {
      set = { totalMsat, preimage, parts: [], receivedMsat: ZERO_MSAT };
      this.gathering.set(key, set);
      const started = set;
      this.control.after(this.timeoutMs, htlc.attempt.order, () => this.timeOut(key, started));
    }
    if (set.totalMsat !== totalMsat) {
      this.gathering.delete(key);
      for (const part of [...set.parts, htlc]) this.control.fail(part, unknownDetails(part, state));
      return;
    }
    if (set.parts.length >= MAX_PARTS) {
      this.control.fail(htlc, unknownDetails(htlc, state));
      return;
    }
    set.parts.push(htlc);
    set.receivedMsat = (set.receivedMsat + htlc.amountMsat) as Msat;
    if (set.receivedMsat < totalMsat) return;
    this.gathering.delete(key);
    this.settleAll(set.parts, set.preimage);
  }

  private settleAll(parts: readonly Htlc[], preimage: Uint8Array): void {
    this.paid.add(paidKey(parts[0] as Htlc));
    this.control.settleAll(parts, preimage);
  }

  private timeOut(key: string, set: PartialPayment): void {
    if (this.gathering.get(key) !== set) return;
    this.gathering.delete(key);
    for (const part of set.parts) this.control.fail(part, encodeFailure('mpp_timeout', {}));
  }
}

/**
 * The secret that the parts of a payment share, and the total of the payment: both from `payment_data` (BOLT 4); over a
 * blinded path, the path's `path_id` and the payload's `total_amount_msat`.
 */
function dataOf(
  { paymentData, totalAmountMsat }: HopPayload,
  { pathId }: RecipientState,
): PaymentData | undefined {
  if (pathId === undefined) return paymentData;
  return { paymentSecret: pathId, totalMsat: totalAmountMsat as Msat };
}

/** Whether the total is between one and two times the requested amount (BOLT 4). */
const isInRange = (totalMsat: bigint, askedMsat: bigint): boolean =>
  totalMsat >= askedMsat && totalMsat <= 2n * askedMsat;

/** The preimage of an invoice issued by the node itself. Undefined if the HTLC does not match the invoice. */
function ticketedPreimage(
  data: PaymentData | undefined,
  metadata: Uint8Array | undefined,
  blocksLeft: number,
  { secretKey, pathId, nowSeconds }: RecipientState,
): Uint8Array | undefined {
  const ticket = data && readTicket(secretKey, data.paymentSecret);
  if (data === undefined || ticket === undefined) return undefined;
  const { form, amountMsat, expiresAt, minFinalCltvExpiryDelta } = ticket;
  const { paymentSecret, totalMsat } = data;
  if ((form === 'bolt12') !== (pathId !== undefined)) return undefined;
  const wanted = form === 'bolt11WithMetadata' ? ticketMetadata(secretKey, paymentSecret) : NO_METADATA;
  if (!equalBytes(metadata ?? NO_METADATA, wanted)) return undefined;
  if (amountMsat !== undefined && !isInRange(totalMsat, amountMsat)) return undefined;
  if (nowSeconds > expiresAt || blocksLeft < minFinalCltvExpiryDelta) return undefined;
  return ticketPreimage(secretKey, paymentSecret);
}

const NO_METADATA = new Uint8Array(0);

function unknownDetails({ amountMsat }: Htlc, { height }: RecipientState): Uint8Array {
  return encodeFailure('incorrect_or_unknown_payment_details', { htlcMsat: amountMsat, height });
}

/** The key of a payment that a node has received: half of its hash, combined with the node. */
function paidKey({ node, attempt: { paymentHash } }: Htlc): Uint8Array {
  const key = paymentHash.slice(0, KEY_BYTES);
  for (let byte = 0; byte < 4; byte++) key[byte]! ^= node >>> (8 * byte);
  return key;
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
