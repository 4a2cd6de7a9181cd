/** Payment paths to an issuer: blinded paths for its invoices (BOLT 12, "Invoices"). */
import { randomBytes } from 'node:crypto';
import { hmacSha256 } from '../../src/bolt/crypto/hashes.ts';
import type { PaymentPath } from '../../src/bolt/invoice/bolt12-invoice.ts';
import { createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import { msat } from '../../src/model/msat.ts';

/**
 * Number of blocks left for the recipient to claim a payment. Other nodes use the same value on the main network.
 */
const FINAL_CLTV_EXPIRY_DELTA = 18;
/** The maximum supply of bitcoin, in msat. */
const MAX_MSAT = msat(2_100_000_000_000_000_000n);

/** A path of one hop to a public node. It hides nothing, and adds no cost to the route to the node. */
export function pathToSelf(
  nodeId: Uint8Array,
  nodeSecretKey: Uint8Array,
  paymentHash: Uint8Array,
): PaymentPath {
  const pathId = hmacSha256(nodeSecretKey, new Uint8Array(Buffer.from('invoice path', 'ascii')), paymentHash);
  const data = encodeEncryptedData({ pathId });
  return {
    path: createBlindedPath([{ nodeId, data }], new Uint8Array(randomBytes(32))),
    payInfo: {
      feeBaseMsat: 0,
      feeProportionalMillionths: 0,
      cltvExpiryDelta: FINAL_CLTV_EXPIRY_DELTA,
      htlcMinimumMsat: msat(0n),
      htlcMaximumMsat: MAX_MSAT,
      features: new Uint8Array(0),
    },
  };
}
