/**
 * Builds onions. Building takes two multiplications on the curve per hop: 0.3 to 0.5 ms for a usual route with the
 * fastest curve engine, 20 ms with the slowest. So `OnionPool` (onion-pool.ts) builds in separate threads.
 * `InlineOnions` builds in the calling thread, for tests that want every step in one place.
 */
import type { OutgoingHtlc } from '../port.ts';
import { buildOnion, type OnionOrder } from './onion-worker.ts';

/** Builds the onions of our HTLCs. */
export interface OnionBuilder {
  /** @returns the 1366 bytes for the first peer. */
  build(htlc: OutgoingHtlc): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Builds onions in the calling thread. */
export class InlineOnions implements OnionBuilder {
  async build(htlc: OutgoingHtlc): Promise<Uint8Array> {
    return buildOnion(orderOf(htlc));
  }
  async close(): Promise<void> {}
}

/** The input for building an HTLC's onion. Payloads are encoded later, in the thread that builds the onion. */
export function orderOf({
  path,
  finalPayload,
  blindedEnd,
  sessionKey,
  paymentHash,
}: OutgoingHtlc): OnionOrder {
  return { path, finalPayload, ...(blindedEnd && { blindedEnd }), sessionKey, paymentHash };
}
