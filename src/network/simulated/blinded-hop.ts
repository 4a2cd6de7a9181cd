/**
 * What a node does with the blinded part of an onion (BOLT 4, "Route Blinding"). The node decrypts the data that the
 * recipient wrote for it, and forwards on the terms in that data instead of its own terms.
 *
 *     amount out = ceil((amount in − base) · 10⁶ / (10⁶ + ppm))          expiry out = expiry in − delta
 *
 * A hop may lead to the node itself. The recipient adds such dummy hops to make a path look longer.
 */

import { publicKeysCurve } from '../../bolt/crypto/curve.ts';
import {
  blindedSecretKey,
  nextPathKey,
  openRecipientData,
  pathSecret,
} from '../../bolt/onion/blinded-path.ts';
import {
  allowsNoFeatures,
  amountToForward,
  decodeEncryptedData,
  type EncryptedData,
} from '../../bolt/onion/encrypted-data.ts';
import { WireError } from '../../bolt/wire-error.ts';
import type { Msat } from '../../model/msat.ts';
import type { WirePolicy } from '../../model/policy.ts';

/** The decrypted data for one node of a blinded path, and the path key for the next node. */
export interface OpenedHop {
  readonly data: EncryptedData;
  readonly pathKey: Uint8Array;
}

/** The key with which a node inside a blinded path peels its onion. */
export function peelingKey(secretKey: Uint8Array, pathKey: Uint8Array): Uint8Array {
  const secret = pathSecret(secretKey, pathKey, publicKeysCurve);
  return blindedSecretKey(secretKey, secret, publicKeysCurve);
}

/** Decrypts the node's data. @throws WireError when it was not made for this node and path key, or is not allowed */
export function openHop(secretKey: Uint8Array, pathKey: Uint8Array, encrypted: Uint8Array): OpenedHop {
  const secret = pathSecret(secretKey, pathKey, publicKeysCurve);
  const data = decodeEncryptedData(openRecipientData(secret, encrypted));
  return { data, pathKey: data.nextPathKeyOverride ?? nextPathKey(pathKey, secret, publicKeysCurve) };
}

/** The HTLC as it arrived at the node. */
export interface ArrivedHtlc {
  readonly amountMsat: Msat;
  readonly cltvExpiry: number;
}

/** Whether the path allows this HTLC at this node (`payment_constraints`, `allowed_features`). */
export function isAllowed(data: EncryptedData, { amountMsat, cltvExpiry }: ArrivedHtlc): boolean {
  const { paymentConstraints: limits } = data;
  if (!allowsNoFeatures(data)) return false;
  if (limits === undefined) return true;
  return cltvExpiry <= limits.maxCltvExpiry && amountMsat >= limits.htlcMinimumMsat;
}

/**
 * The amount and expiry that the node forwards. Undefined when the node's data does not define them, or when too little
 * arrived.
 */
export function forwardedBy(data: EncryptedData, arrived: ArrivedHtlc): ArrivedHtlc | undefined {
  const { paymentRelay } = data;
  if (paymentRelay === undefined) return undefined;
  const amountMsat = amountToForward(arrived.amountMsat, paymentRelay);
  const cltvExpiry = arrived.cltvExpiry - paymentRelay.cltvExpiryDelta;
  return amountMsat === undefined ? undefined : { amountMsat, cltvExpiry };
}

/** Whether the fee and delay that the path gives a node are at least those of the node's channel. */
export function paysPolicy({ paymentRelay }: EncryptedData, policy: WirePolicy): boolean {
  return (
    paymentRelay !== undefined &&
    paymentRelay.feeBaseMsat >= policy.feeBaseMsat &&
    paymentRelay.feeProportionalMillionths >= policy.feeProportionalMillionths &&
    paymentRelay.cltvExpiryDelta >= policy.cltvExpiryDelta
  );
}

/** Runs a function that decrypts part of a path. Returns undefined if decryption fails. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}
