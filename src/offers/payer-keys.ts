/**
 * Derives the transient keys used to request invoices.
 *
 *     base     = HMAC("payer keys", node's secret key)           known only to us
 *     tweak    = SHA-256(base || invreq_metadata)
 *     payer id = node id + tweak G                               unlinkable to the node id without the base
 *
 * The metadata is random, or given by the caller. For a recurring offer, it is derived from the offer and the label, so
 * that all requests of a series come from the same payer id, even after a restart.
 */
import { curve, scalarFromHash } from '../bolt/crypto/curve.ts';
import { hmacSha256, sha256 } from '../bolt/crypto/hashes.ts';

const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'ascii'));

/** Derives the keys that sign our invoice requests: one for each request, or for each series of requests. */
export class PayerKeys {
  readonly #nodeSecretKey: Uint8Array;
  readonly #base: Uint8Array;

  constructor(nodeSecretKey: Uint8Array) {
    this.#nodeSecretKey = nodeSecretKey;
    this.#base = hmacSha256(ascii('payer keys'), nodeSecretKey);
  }

  /** The secret key of the payer id for this metadata. */
  secretKey(metadata: Uint8Array): Uint8Array {
    return curve.secretKeyAdd(this.#nodeSecretKey, scalarFromHash(sha256(this.#base, metadata)));
  }

  /** Metadata of a series. The same offer and label always give the same metadata. */
  seriesMetadata(offerId: Uint8Array, label: string): Uint8Array {
    return sha256(this.#base, offerId, new Uint8Array(Buffer.from(label, 'utf8')));
  }
}
