/**
 * The payload in one node's layer of a payment onion (BOLT 4, "Payload Format"), with the preimage of a keysend (type
 * 5482373484) and custom records (types from 65536 on).
 *
 * There are two separate checks. `decodePayload` accepts any well-formed stream of known fields. `checkPayload` checks
 * whether a node in a given position may accept these fields.
 */

import { type Msat, msat, U64_MAX } from '../../model/msat.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import {
  anyBytes,
  decodeTruncated,
  encodeTruncated,
  fieldsOf,
  fixedBytes,
  point,
  shortChannelId,
  truncatedLength,
  tu32,
  tu64Msat,
} from '../coding.ts';
import { type TlvRecord, type TlvValues, tlvCodec, tlvRecordLength } from '../tlv.ts';
import { WireError } from '../wire-error.ts';
import { frameBytes } from './sphinx.ts';

/** TLV type of keysend's preimage. */
export const KEYSEND_PREIMAGE_TYPE = 5482373484n;
/** Types from this number on are free for applications. */
export const FIRST_CUSTOM_TYPE = 65536n;

const SECRET_BYTES = 32;

/** The recipient's `payment_data`: the secret of its invoice, and the total of all parts (BOLT 4). */
export interface PaymentData {
  readonly paymentSecret: Uint8Array;
  readonly totalMsat: Msat;
}

const codec = tlvCodec({
  amtToForwardMsat: { type: 2n, ...tu64Msat },
  outgoingCltvValue: { type: 4n, ...tu32 },
  shortChannelId: { type: 6n, ...shortChannelId },
  paymentData: {
    type: 8n,
    ...fieldsOf<PaymentData>(
      (writer, { paymentSecret, totalMsat }) =>
        void writer.put(fixedBytes(SECRET_BYTES).encode(paymentSecret)).put(encodeTruncated(totalMsat, 8)),
      (reader) => ({
        paymentSecret: reader.take(SECRET_BYTES),
        totalMsat: msat(decodeTruncated(reader.rest(), 8)),
      }),
    ),
  },
  encryptedRecipientData: { type: 10n, ...anyBytes },
  currentPathKey: { type: 12n, ...point },
  paymentMetadata: { type: 16n, ...anyBytes },
  totalAmountMsat: { type: 18n, ...tu64Msat },
  keysendPreimage: { type: KEYSEND_PREIMAGE_TYPE, ...fixedBytes(SECRET_BYTES) },
});

/** The name of a payload's field. */
export type PayloadField = keyof typeof codec.table;

const FIELD_TYPES = Object.entries(codec.table).map(
  ([name, { type }]) => [name as PayloadField, type] as const,
);

/** Fields of a payload. Amounts are in msat, and `outgoingCltvValue` is a block height. */
export interface HopPayload extends TlvValues<typeof codec.table> {
  /** Records of other types, in increasing order. */
  customRecords?: readonly TlvRecord[];
}

/** Writes a payload. @throws WireError when a value is out of range or a custom record repeats a type. */
export function encodePayload(payload: HopPayload): Uint8Array {
  return codec.encode(payload, payload.customRecords);
}

/**
 * Reads a payload.
 * @param acceptEven selects the unknown even types to accept, such as custom records for the recipient.
 * @throws WireError with the TLV type and offset that `invalid_onion_payload` reports.
 */
export function decodePayload(bytes: Uint8Array, acceptEven?: (type: bigint) => boolean): HopPayload {
  const { values, unknown } = codec.decode(bytes, acceptEven);
  return unknown.length === 0 ? values : { ...values, customRecords: unknown };
}

/**
 * How many of the onion's 1300 bytes the payload takes: length prefix, stream and hmac, computed without encoding. A
 * route fits if the sum over its hops is at most 1300.
 */
export function payloadSize(payload: HopPayload): number {
  let length = 0;
  for (const [name, type] of FIELD_TYPES) {
    const value = payload[name];
    if (value !== undefined) length += tlvRecordLength(type, valueLength(name, value));
  }
  for (const { type, value } of payload.customRecords ?? []) length += tlvRecordLength(type, value.length);
  return frameBytes(length);
}

function valueLength(name: PayloadField, value: NonNullable<HopPayload[PayloadField]>): number {
  if (value instanceof Uint8Array) return value.length;
  if (name === 'shortChannelId') return 8;
  if (typeof value === 'object') return SECRET_BYTES + truncatedLength(value.totalMsat);
  return truncatedLength(value);
}

/**
 * The maximum number of bytes that a forwarding hop takes in the onion: its payload has the maximum amount and expiry,
 * and a short channel id.
 */
export const MAX_FORWARD_FRAME_BYTES = payloadSize({
  amtToForwardMsat: msat(U64_MAX),
  outgoingCltvValue: 0xffff_ffff,
  shortChannelId: 0n as ShortChannelId,
});

/** The position of the node that checks a payload. */
export interface PayloadPosition {
  /** Whether the next hmac of the onion was zero. */
  readonly isFinal: boolean;
  /** Whether `path_key` came with the HTLC. The node is then inside a blinded path, after its introduction node. */
  readonly hasPathKey: boolean;
}

const BLINDED_FORWARD: readonly PayloadField[] = ['encryptedRecipientData', 'currentPathKey'];
const BLINDED_FINAL_REQUIRED: readonly PayloadField[] = [
  'amtToForwardMsat',
  'outgoingCltvValue',
  'totalAmountMsat',
];
const PLAIN_REQUIRED: readonly PayloadField[] = ['amtToForwardMsat', 'outgoingCltvValue'];

/**
 * Checks the rules of BOLT 4 about a payload's fields ("Payload Format", Requirements, the reader).
 * @throws WireError `fields`, with the type that is missing or not allowed.
 */
export function checkPayload(payload: HopPayload, { isFinal, hasPathKey }: PayloadPosition): void {
  if (payload.encryptedRecipientData === undefined) {
    if (hasPathKey) throw wrong('encryptedRecipientData', 'is missing in a blinded path');
    forbid(payload, 'currentPathKey');
    requireAll(payload, PLAIN_REQUIRED);
    if (!isFinal) requireAll(payload, ['shortChannelId']);
    return;
  }
  if (hasPathKey) forbid(payload, 'currentPathKey');
  else requireAll(payload, ['currentPathKey']);
  const allowed = isFinal ? [...BLINDED_FORWARD, ...BLINDED_FINAL_REQUIRED] : BLINDED_FORWARD;
  for (const name of Object.keys(codec.table) as PayloadField[]) {
    if (!allowed.includes(name)) forbid(payload, name);
  }
  const custom = payload.customRecords?.[0];
  if (custom !== undefined)
    throw new WireError('fields', 'a blinded path must not have custom records', { tlvType: custom.type });
  if (isFinal) requireAll(payload, BLINDED_FINAL_REQUIRED);
}

function requireAll(payload: HopPayload, names: readonly PayloadField[]): void {
  for (const name of names) if (payload[name] === undefined) throw wrong(name, 'is missing');
}

function forbid(payload: HopPayload, name: PayloadField): void {
  if (payload[name] !== undefined) throw wrong(name, 'must not be present');
}

function wrong(name: PayloadField, what: string): WireError {
  return new WireError('fields', `${name} ${what}`, { tlvType: codec.table[name].type, offset: 0 });
}
