/**
 * The payload that only the recipient reads (BOLT 4, "Payload Format"): the preimage of a keysend, the fields
 * that tie parts together, and the caller's own records. Also how many hops fit one onion beside it.
 */
import { MAX_FORWARD_FRAME_BYTES, payloadSize } from '../bolt/payload.ts';
import { PAYMENT_AREA_BYTES } from '../bolt/sphinx.ts';
import type { TlvRecord } from '../bolt/tlv.ts';
import { type Msat, msat, U64_MAX } from '../model/msat.ts';
import type { FinalPayload } from '../network/port.ts';
import { PaymentRefused } from './refusal.ts';

/** What goes into the recipient's payload. */
export interface FinalRecords {
  readonly preimage: Uint8Array;
  readonly extraTlvs: readonly TlvRecord[];
  readonly paymentSecret: Uint8Array | undefined;
  /** The sum of all parts. The payload has it only together with the payment secret. */
  readonly totalMsat: Msat;
}

/**
 * Most hops of a route. Nodes forward over this many in practice; more fit the packet only with the smallest
 * payloads.
 */
const MAX_HOPS = 20;

/** The recipient's payload. Without a payment secret it says nothing of other parts. */
export function finalPayload({ preimage, extraTlvs, paymentSecret, totalMsat }: FinalRecords): FinalPayload {
  return {
    ...(paymentSecret && { paymentData: { paymentSecret, totalMsat } }),
    keysendPreimage: preimage,
    ...(extraTlvs.length > 0 && { customRecords: extraTlvs }),
  };
}

/**
 * The most hops whose payloads fit one onion beside the recipient's own.
 * @throws PaymentRefused when not even the recipient's payload fits.
 */
export function hopsThatFit(extraTlvs: readonly TlvRecord[], withSecret: boolean): number {
  const left = bytesLeft(extraTlvs, withSecret);
  if (left < 0) {
    const bytes = PAYMENT_AREA_BYTES - left;
    throw new PaymentRefused({ kind: 'payloadTooLarge', bytes, room: PAYMENT_AREA_BYTES });
  }
  return Math.min(MAX_HOPS, 1 + Math.floor(left / MAX_FORWARD_FRAME_BYTES));
}

/**
 * Bytes of the onion that are left for other nodes beside the largest payload with these records. Negative
 * when not even that payload fits.
 */
export function bytesLeft(extraTlvs: readonly TlvRecord[], withSecret: boolean): number {
  const widest: FinalRecords = {
    preimage: new Uint8Array(32),
    extraTlvs,
    paymentSecret: withSecret ? new Uint8Array(32) : undefined,
    totalMsat: msat(U64_MAX),
  };
  const terms = { amtToForwardMsat: msat(U64_MAX), outgoingCltvValue: 0xffff_ffff };
  return PAYMENT_AREA_BYTES - payloadSize({ ...terms, ...finalPayload(widest) });
}
