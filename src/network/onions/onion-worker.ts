/** Builds onions: in the threads of the onion pool, or in the calling thread (`InlineOnions`). */
import { createOnion } from '../../bolt/onion/sphinx.ts';
import type { OutgoingHtlc } from '../port.ts';
import { onionHops } from './htlc-onion.ts';

/** The input for one onion: plain data that can be sent to a thread. */
export type OnionOrder = Pick<
  OutgoingHtlc,
  'path' | 'finalPayload' | 'blindedEnd' | 'sessionKey' | 'paymentHash'
>;

/** The packet for the first node, or the error if building failed. */
export type BuiltPacket = Uint8Array | Error;

/** Builds the onions of a batch. An invalid order does not affect the other orders. */
export function buildOnions(orders: readonly OnionOrder[]): BuiltPacket[] {
  return orders.map((order) => {
    try {
      return buildOnion(order);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  });
}

/** @returns the packet for the first node. */
export function buildOnion(order: OnionOrder): Uint8Array {
  const { sessionKey, paymentHash } = order;
  return createOnion(onionHops(order), { sessionKey, associatedData: paymentHash }).packet;
}
