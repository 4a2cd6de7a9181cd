/** Builds onions. A thread of the onion pool runs this, and so does anyone who needs an onion at once. */
import { createOnion } from '../../bolt/onion/sphinx.ts';
import type { OutgoingHtlc } from '../port.ts';
import { onionHops } from './htlc-onion.ts';

/** What one onion is made of. It is plain data, so that it can cross to a thread. */
export type OnionOrder = Pick<
  OutgoingHtlc,
  'path' | 'finalPayload' | 'blindedEnd' | 'sessionKey' | 'paymentHash'
>;

/** The packet for the first node, or why it cannot be built. */
export type BuiltPacket = Uint8Array | Error;

/** Builds the onions of a batch. One that cannot be built spoils none of the others. */
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
