/**
 * What the recipient's payload says (BOLT 4, "payload format"): the preimage (keysend), what ties parts together,
 * and the caller's records; and how many hops fit one onion beside it.
 */
import { MAX_FORWARD_FRAME_BYTES, payloadSize } from '../bolt/payload.ts';
import { PAYMENT_AREA_BYTES } from '../bolt/sphinx.ts';
import type { TlvRecord } from '../bolt/tlv.ts';
import { FulguriteError } from '../model/errors.ts';
import { type Msat, msat, U64_MAX } from '../model/msat.ts';
import type { FinalPayload } from '../network/port.ts';

/** What only the recipient reads. */
export interface FinalRecords {
  readonly preimage: Uint8Array;
  readonly extraTlvs: readonly TlvRecord[];
  readonly paymentSecret: Uint8Array | undefined;
  /** Of all parts; told together with the secret. */
  readonly totalMsat: Msat;
}

/** Hops that nodes forward over in practice; more fit the packet only with the smallest payloads. */
const MAX_HOPS = 20;

export function finalPayload({ preimage, extraTlvs, paymentSecret, totalMsat }: FinalRecords): FinalPayload {
  return {
    ...(paymentSecret && { paymentData: { paymentSecret, totalMsat } }),
    keysendPreimage: preimage,
    ...(extraTlvs.length > 0 && { customRecords: extraTlvs }),
  };
}

/**
 * The most hops whose payloads fit one onion beside the recipient's own.
 * @throws FulguriteError -32602 when not even the recipient's payload fits.
 */
export function hopsThatFit(extraTlvs: readonly TlvRecord[], withSecret: boolean): number {
  const left = bytesLeft(extraTlvs, withSecret);
  if (left < 0) {
    throw new FulguriteError('invalidParams', 'extratlvs: Payloads exceed maximum onion packet size.', {
      parameter: 'extratlvs',
      reason: `the recipient's payload takes ${PAYMENT_AREA_BYTES - left} of ${PAYMENT_AREA_BYTES} bytes`,
    });
  }
  return Math.min(MAX_HOPS, 1 + Math.floor(left / MAX_FORWARD_FRAME_BYTES));
}

/** Bytes of the onion that the largest payload with these records leaves to other nodes; negative: too large. */
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
