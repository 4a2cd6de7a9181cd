/** Building one onion: what a thread of the onion pool runs, or whoever needs one at once. */
import { type BuiltOnion, createOnion, type OnionHop } from '../bolt/sphinx.ts';

/** What one onion is made of; plain data, so that it can cross to a thread. */
export interface OnionOrder {
  readonly hops: readonly OnionHop[];
  readonly sessionKey: Uint8Array;
  readonly paymentHash: Uint8Array;
}

export default function buildOnion({ hops, sessionKey, paymentHash }: OnionOrder): BuiltOnion {
  return createOnion(hops, { sessionKey, associatedData: paymentHash });
}
