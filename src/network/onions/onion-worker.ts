/** Builds one onion. A thread of the onion pool runs this, and so does anyone who needs an onion at once. */
import { createOnion, type OnionHop } from '../../bolt/sphinx.ts';

/** What one onion is made of. It is plain data, so that it can cross to a thread. */
export interface OnionOrder {
  readonly hops: readonly OnionHop[];
  readonly sessionKey: Uint8Array;
  readonly paymentHash: Uint8Array;
}

/** @returns the packet for the first node. */
export default function buildOnion({ hops, sessionKey, paymentHash }: OnionOrder): Uint8Array {
  return createOnion(hops, { sessionKey, associatedData: paymentHash }).packet;
}
