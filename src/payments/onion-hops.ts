/**
 * A route as the payloads of its onion (BOLT 4, "payload format"): every node is told what to forward over
 * which channel and until when, the last one what it gets, the preimage (keysend) and the caller's records.
 */
import { encodePayload, type HopPayload, MAX_FORWARD_FRAME_BYTES, payloadSize } from '../bolt/payload.ts';
import { type OnionHop, PAYMENT_AREA_BYTES } from '../bolt/sphinx.ts';
import type { TlvRecord } from '../bolt/tlv.ts';
import type { RouteHop } from '../engine/route.ts';
import { FulguriteError } from '../model/errors.ts';
import { type Msat, msat, U64_MAX } from '../model/msat.ts';
import { nodeIdToBytes } from '../model/node-id.ts';
import { absoluteExpiry } from './payment.ts';

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

export function onionHops(path: readonly RouteHop[], height: number, final: FinalRecords): OnionHop[] {
  return path.map((hop, index) => ({
    nodeId: nodeIdToBytes(hop.nodeIdOut),
    payload: encodePayload(payloadAfter(hop, path[index + 1], height, final)),
  }));
}

function payloadAfter(
  hop: RouteHop,
  next: RouteHop | undefined,
  height: number,
  final: FinalRecords,
): HopPayload {
  if (next === undefined) return finalPayload(hop.amountOutMsat, absoluteExpiry(height, hop.cltvOut), final);
  return {
    amtToForwardMsat: next.amountOutMsat,
    outgoingCltvValue: absoluteExpiry(height, next.cltvOut),
    shortChannelId: next.shortChannelIdDir.shortChannelId,
  };
}

function finalPayload(amountMsat: Msat, expiry: number, final: FinalRecords): HopPayload {
  const { preimage, extraTlvs, paymentSecret, totalMsat } = final;
  return {
    amtToForwardMsat: amountMsat,
    outgoingCltvValue: expiry,
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
  return PAYMENT_AREA_BYTES - payloadSize(finalPayload(msat(U64_MAX), 0xffff_ffff, widest));
}
