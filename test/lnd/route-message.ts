/**
 * `lnrpc.Route` as it arrives at LND, and the onion that LND makes of it (`UnmarshallRoute`, `route.ToSphinxPath`).
 */
import { randomBytes } from 'node:crypto';
import { encodePayload, type HopPayload, KEYSEND_PREIMAGE_TYPE } from '../../src/bolt/onion/payload.ts';
import { type BuiltOnion, createOnion } from '../../src/bolt/onion/sphinx.ts';
import { msat } from '../../src/model/msat.ts';
import type { ShortChannelId } from '../../src/model/short-channel-id.ts';
import { STATUS } from '../../src/network/lnd/client/calls.ts';
import { entriesByNumber } from '../../src/network/lnd/graph/map-keys.ts';
import { LndRefusal } from './refusal.ts';

/** `lnrpc.Hop`, with 64-bit numbers as decimal strings. */
export interface HopMessage {
  readonly chan_id: string;
  readonly expiry: number;
  readonly amt_to_forward_msat: string;
  readonly pub_key: string;
  readonly mpp_record: { readonly total_amt_msat: string; readonly payment_addr: Uint8Array } | null;
  /** Custom records by type, with keys as `entriesByNumber` reads them. */
  readonly custom_records: Readonly<Record<string, Uint8Array>>;
  readonly blinding_point: Uint8Array;
  readonly encrypted_data: Uint8Array;
  readonly total_amt_msat: string;
}

/** `lnrpc.Route`. */
export interface RouteMessage {
  readonly total_time_lock: number;
  readonly total_amt_msat: string;
  readonly hops: readonly HopMessage[];
}

const refused = (words: string): LndRefusal => new LndRefusal(STATUS.unknown, words);

/** The checks that LND makes before it looks at the payment. @throws LndRefusal */
export function requireRoute(route: RouteMessage | null): asserts route is RouteMessage {
  if (route === null) throw refused('unable to send, no routes provided');
  for (const [index, hop] of route.hops.entries()) {
    if (hop.total_amt_msat !== '0' && index < route.hops.length - 1)
      throw refused('blinded total amount can only be provided for the final hop');
    for (const [type] of entriesByNumber(hop.custom_records)) {
      if (type < 65_536n) throw refused('no custom records with types below 65536 allowed');
    }
    if (hop.blinding_point.length > 0 && hop.encrypted_data.length === 0)
      throw refused('encrypted data should be present if blinding point is provided');
    if (hop.total_amt_msat !== '0' && hop.encrypted_data.length === 0)
      throw refused('encrypted data should be present if blinded total amount is provided');
  }
  if (route.hops.length === 0) throw refused('cannot create a route with no hops');
}

/** The onion for a route, bound to the payment hash. */
export function onionOf({ hops }: RouteMessage, paymentHash: Uint8Array): BuiltOnion {
  const layers = hops.map((hop, index) => ({
    nodeId: Uint8Array.from(Buffer.from(hop.pub_key, 'hex')),
    payload: encodePayload(payloadOf(hop, hops[index + 1])),
  }));
  return createOnion(layers, {
    sessionKey: new Uint8Array(randomBytes(32)),
    associatedData: paymentHash,
  });
}

function payloadOf(hop: HopMessage, next: HopMessage | undefined): HopPayload {
  const amounts = {
    ...(hop.amt_to_forward_msat !== '0' && { amtToForwardMsat: msat(BigInt(hop.amt_to_forward_msat)) }),
    ...(hop.expiry !== 0 && { outgoingCltvValue: hop.expiry }),
  };
  if (hop.encrypted_data.length > 0) {
    return {
      ...(next === undefined && { ...amounts, totalAmountMsat: msat(BigInt(hop.total_amt_msat)) }),
      encryptedRecipientData: Uint8Array.from(hop.encrypted_data),
      ...(hop.blinding_point.length > 0 && { currentPathKey: Uint8Array.from(hop.blinding_point) }),
    };
  }
  if (next !== undefined) return { ...amounts, shortChannelId: BigInt(next.chan_id) as ShortChannelId };
  const records = entriesByNumber(hop.custom_records);
  const isPreimage = ([type]: readonly [bigint, Uint8Array]): boolean => type === KEYSEND_PREIMAGE_TYPE;
  const preimage = records.find(isPreimage)?.[1];
  const others = records.filter((record) => !isPreimage(record));
  return {
    ...amounts,
    ...(preimage !== undefined && { keysendPreimage: Uint8Array.from(preimage) }),
    ...(hop.mpp_record !== null && {
      paymentData: {
        paymentSecret: Uint8Array.from(hop.mpp_record.payment_addr),
        totalMsat: msat(BigInt(hop.mpp_record.total_amt_msat)),
      },
    }),
    ...(others.length > 0 && {
      customRecords: others
        .map(([type, value]) => ({ type, value: Uint8Array.from(value) }))
        .sort((a, b) => (a.type < b.type ? -1 : 1)),
    }),
  };
}
