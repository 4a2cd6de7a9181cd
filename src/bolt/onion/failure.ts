/**
 * Failure messages: what a refusing node returns to the payer (BOLT 4, "Failure Messages").
 *
 *     message = code (u16) || the fields of that code || optional TLV stream
 *
 * The high bits of a code classify it, even an unknown one: BADONION (the onion could not be read), PERM (permanent),
 * NODE (the whole node is affected, not just one channel), UPDATE (a parameter of a channel was violated).
 *
 * Encoding is strict. Decoding is not, because even the code alone is useful. A truncated message keeps the fields that
 * it has, and is marked incomplete.
 */

import { type Msat, msat } from '../../model/msat.ts';
import { readBigSize, writeBigSize } from '../bigsize.ts';
import { ByteReader, ByteWriter } from '../bytes.ts';
import { HASH_BYTES } from '../crypto/hashes.ts';
import { decodeTlvStream, encodeTlvStream, type TlvRecord } from '../tlv.ts';
import { WireError } from '../wire-error.ts';

const BADONION = 0x8000;
const PERM = 0x4000;
const NODE = 0x2000;
const UPDATE = 0x1000;

/** Fields of failure messages; each code has some of them. */
export interface FailureFields {
  readonly sha256OfOnion?: Uint8Array;
  readonly htlcMsat?: Msat;
  /** Expiry of the incoming HTLC, as a block height. */
  readonly cltvExpiry?: number;
  /** Block height of the failing node. */
  readonly height?: number;
  readonly disabledFlags?: number;
  /** The original bytes of a `channel_update`, with or without its type in front. Empty when the node sent none. */
  readonly channelUpdate?: Uint8Array;
  /** TLV type of the payload field that the node refused. */
  readonly tlvType?: bigint;
  /** Byte offset of the refused field in the payload. */
  readonly offset?: number;
}

type FieldName = keyof FailureFields;

const failureKind = <F extends readonly FieldName[]>(code: number, ...fields: F) => ({ code, fields });

/** All failures of BOLT 4: code and fields in wire order. */
export const FAILURES = {
  temporary_node_failure: failureKind(NODE | 2),
  permanent_node_failure: failureKind(PERM | NODE | 2),
  required_node_feature_missing: failureKind(PERM | NODE | 3),
  invalid_onion_version: failureKind(BADONION | PERM | 4, 'sha256OfOnion'),
  invalid_onion_hmac: failureKind(BADONION | PERM | 5, 'sha256OfOnion'),
  invalid_onion_key: failureKind(BADONION | PERM | 6, 'sha256OfOnion'),
  temporary_channel_failure: failureKind(UPDATE | 7, 'channelUpdate'),
  permanent_channel_failure: failureKind(PERM | 8),
  required_channel_feature_missing: failureKind(PERM | 9),
  unknown_next_peer: failureKind(PERM | 10),
  amount_below_minimum: failureKind(UPDATE | 11, 'htlcMsat', 'channelUpdate'),
  fee_insufficient: failureKind(UPDATE | 12, 'htlcMsat', 'channelUpdate'),
  incorrect_cltv_expiry: failureKind(UPDATE | 13, 'cltvExpiry', 'channelUpdate'),
  expiry_too_soon: failureKind(UPDATE | 14, 'channelUpdate'),
  incorrect_or_unknown_payment_details: failureKind(PERM | 15, 'htlcMsat', 'height'),
  final_incorrect_cltv_expiry: failureKind(18, 'cltvExpiry'),
  final_incorrect_htlc_amount: failureKind(19, 'htlcMsat'),
  channel_disabled: failureKind(UPDATE | 20, 'disabledFlags', 'channelUpdate'),
  expiry_too_far: failureKind(21),
  invalid_onion_payload: failureKind(PERM | 22, 'tlvType', 'offset'),
  mpp_timeout: failureKind(23),
  invalid_onion_blinding: failureKind(BADONION | PERM | 24, 'sha256OfOnion'),
} as const;

/** The name of a failure message in BOLT 4. */
export type FailureName = keyof typeof FAILURES;

/** The fields required for a failure with this name. A `channel_update` is optional. */
export type FieldsOf<N extends FailureName> = {
  readonly [K in Exclude<(typeof FAILURES)[N]['fields'][number], 'channelUpdate'>]: NonNullable<
    FailureFields[K]
  >;
} & {
  readonly [K in Extract<(typeof FAILURES)[N]['fields'][number], 'channelUpdate'>]?: Uint8Array;
};

/** A failure as decoded. */
export interface Failure {
  readonly code: number;
  /** Undefined for codes that BOLT 4 does not define. */
  readonly name: FailureName | undefined;
  readonly fields: FailureFields;
  /** Whether the message had all fields of its code. */
  readonly isComplete: boolean;
  /** The optional TLV stream at the end. Empty if the stream is missing or malformed. */
  readonly tlvs: readonly TlvRecord[];
}

const NAMES = new Map(Object.entries(FAILURES).map(([name, { code }]) => [code, name as FailureName]));

/** The name of a code. `undefined` when BOLT 4 does not define it. */
export function failureName(code: number): FailureName | undefined {
  return NAMES.get(code);
}

/** Whether the code means that a node could not read the onion. The node before it on the route reports this. */
export function isBadOnion(code: number): boolean {
  return (code & BADONION) !== 0;
}

/** Whether the code means that the same attempt would fail again. */
export function isPermanent(code: number): boolean {
  return (code & PERM) !== 0;
}

/** Whether the code means that the whole node failed, and not just one of its channels. */
export function isNodeFailure(code: number): boolean {
  return (code & NODE) !== 0;
}

/**
 * Whether the code means that a parameter of a channel was violated. The message may then contain a `channel_update`.
 */
export function isUpdate(code: number): boolean {
  return (code & UPDATE) !== 0;
}

/** Writes a failure message. @throws WireError when a value is out of range. */
export function encodeFailure<N extends FailureName>(
  name: N,
  fields: FieldsOf<N>,
  tlvs: readonly TlvRecord[] = [],
): Uint8Array {
  const { code, fields: names } = FAILURES[name];
  const writer = new ByteWriter().u16(code);
  for (const field of names) writeField(writer, field, fields);
  return writer.put(encodeTlvStream(tlvs)).finish();
}

/** Decodes a failure message. @throws WireError only when there is no code, that is, with fewer than two bytes. */
export function decodeFailure(bytes: Uint8Array): Failure {
  const reader = new ByteReader(bytes);
  const code = reader.u16();
  const name = failureName(code);
  const fields: FailureFields = {};
  if (name === undefined) return { code, name, fields, isComplete: true, tlvs: [] };
  try {
    for (const field of FAILURES[name].fields) readField(reader, field, fields);
  } catch (error) {
    if (error instanceof WireError) return { code, name, fields, isComplete: false, tlvs: [] };
    throw error;
  }
  return { code, name, fields, isComplete: true, tlvs: readTlvs(reader.rest()) };
}

function writeField(writer: ByteWriter, field: FieldName, fields: FailureFields): void {
  switch (field) {
    case 'sha256OfOnion':
      writer.put(requireHash(fields.sha256OfOnion));
      break;
    case 'htlcMsat':
      writer.u64(required(fields.htlcMsat));
      break;
    case 'cltvExpiry':
    case 'height':
      writer.u32(required(fields[field]));
      break;
    case 'disabledFlags':
    case 'offset':
      writer.u16(required(fields[field]));
      break;
    case 'tlvType':
      writeBigSize(writer, required(fields.tlvType));
      break;
    case 'channelUpdate': {
      const update = fields.channelUpdate ?? new Uint8Array(0);
      writer.u16(update.length).put(update);
    }
  }
}

function readField(
  reader: ByteReader,
  field: FieldName,
  into: { -readonly [K in FieldName]?: FailureFields[K] },
): void {
  switch (field) {
    case 'sha256OfOnion':
      into.sha256OfOnion = reader.take(HASH_BYTES);
      break;
    case 'htlcMsat':
      into.htlcMsat = msat(reader.u64());
      break;
    case 'cltvExpiry':
    case 'height':
      into[field] = reader.u32();
      break;
    case 'disabledFlags':
    case 'offset':
      into[field] = reader.u16();
      break;
    case 'tlvType':
      into.tlvType = readBigSize(reader);
      break;
    case 'channelUpdate':
      into.channelUpdate = reader.take(reader.u16());
  }
}

function required<V>(value: V | undefined): V {
  if (value === undefined) throw new WireError('fields', 'a field of the failure is missing');
  return value;
}

function requireHash(value: Uint8Array | undefined): Uint8Array {
  if (required(value).length !== HASH_BYTES) throw new WireError('invalid', 'not a SHA-256');
  return required(value);
}

/**
 * The TLV stream at the end. Nodes may append anything, so data that is not a stream is ignored (BOLT 4, "Failure
 * Messages").
 */
function readTlvs(bytes: Uint8Array): TlvRecord[] {
  try {
    return decodeTlvStream(bytes);
  } catch {
    return [];
  }
}
