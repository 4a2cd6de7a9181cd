/**
 * `encrypted_data_tlv`: the data that the maker of a blinded path writes for one of its nodes (BOLT 4, "Inside
 * encrypted_recipient_data"), and the fees that follow from the data.
 */

import { type Msat, msat } from '../../model/msat.ts';
import type { WireToll } from '../../model/policy.ts';
import { concatBytes } from '../bytes.ts';
import {
  anyBytes,
  decodeTruncated,
  encodeTruncated,
  fieldsOf,
  point,
  shortChannelId,
  tu64Msat,
} from '../coding.ts';
import { featureBits } from '../peer/features.ts';
import { encodeTlvStream, type TlvRecord, type TlvValues, tlvCodec, tlvRecordLength } from '../tlv.ts';
import { WireError } from '../wire-error.ts';

/** The fees and the delay of a node in a blinded path, as the recipient has chosen them. */
export type PaymentRelay = WireToll;

/** The conditions under which a blinded path may be used for a payment. */
export interface PaymentConstraints {
  /** Largest expiry, as a block height, of an HTLC that the node may accept. */
  readonly maxCltvExpiry: number;
  readonly htlcMinimumMsat: Msat;
}

const PADDING_TYPE = 1n;

const codec = tlvCodec({
  padding: { type: PADDING_TYPE, ...anyBytes },
  shortChannelId: { type: 2n, ...shortChannelId },
  nextNodeId: { type: 4n, ...point },
  pathId: { type: 6n, ...anyBytes },
  nextPathKeyOverride: { type: 8n, ...point },
  paymentRelay: {
    type: 10n,
    ...fieldsOf<PaymentRelay>(
      (writer, relay) =>
        void writer
          .u16(relay.cltvExpiryDelta)
          .u32(relay.feeProportionalMillionths)
          .put(encodeTruncated(relay.feeBaseMsat, 4)),
      (reader) => ({
        cltvExpiryDelta: reader.u16(),
        feeProportionalMillionths: reader.u32(),
        feeBaseMsat: Number(decodeTruncated(reader.rest(), 4)),
      }),
    ),
  },
  paymentConstraints: {
    type: 12n,
    ...fieldsOf<PaymentConstraints>(
      (writer, constraints) =>
        void writer.u32(constraints.maxCltvExpiry).put(tu64Msat.encode(constraints.htlcMinimumMsat)),
      (reader) => ({ maxCltvExpiry: reader.u32(), htlcMinimumMsat: tu64Msat.decode(reader.rest()) }),
    ),
  },
  allowedFeatures: { type: 14n, ...anyBytes },
});

/**
 * The decrypted data for one hop of a blinded path. The fields present depend on the position of the hop and on the use
 * of the path.
 */
export interface EncryptedData extends TlvValues<typeof codec.table> {
  /** Records of unknown odd types. */
  unknownRecords?: readonly TlvRecord[];
}

/** Writes the data. @throws WireError when a value is out of range. */
export function encodeEncryptedData(data: EncryptedData): Uint8Array {
  return codec.encode(data, data.unknownRecords);
}

/**
 * Decodes the data. @throws WireError, also for unknown even types, and when the data identifies the next node both by
 * id and by channel.
 */
export function decodeEncryptedData(bytes: Uint8Array): EncryptedData {
  const { values, unknown } = codec.decode(bytes);
  if (values.shortChannelId !== undefined && values.nextNodeId !== undefined) {
    throw new WireError('fields', 'short_channel_id and next_node_id must not both be present', {
      tlvType: 4n,
    });
  }
  return unknown.length === 0 ? values : { ...values, unknownRecords: unknown };
}

/** Whether a node may process the HTLC or message without supporting any particular feature. */
export function allowsNoFeatures(data: EncryptedData): boolean {
  return data.allowedFeatures === undefined || featureBits(data.allowedFeatures).length === 0;
}

/**
 * Encodes the data of several nodes, padded to one common length, so that the size does not reveal the recipient or
 * dummy hops.
 */
export function encodePadded(all: readonly EncryptedData[]): Uint8Array[] {
  const plain = all.map((data) => encodeEncryptedData({ ...data, padding: undefined }));
  const lengths = plain.map((bytes) => bytes.length);
  const longest = Math.max(...lengths, 0);
  // A padding record takes at least 2 bytes, and never 255 or 256, because its length prefix grows from 1 byte to 3
  // bytes. So no stream may be exactly 1, 255 or 256 bytes short of the common length.
  const reachable = (target: number): boolean =>
    lengths.every((length) => paddingFor(target - length) !== undefined);
  let target = longest;
  while (!reachable(target)) target++;
  // Padding has the lowest type of all fields, so it comes first.
  return plain.map((bytes) => {
    const padding = paddingFor(target - bytes.length);
    if (!padding) return bytes;
    const record = { type: PADDING_TYPE, value: new Uint8Array(padding.length) };
    return concatBytes(encodeTlvStream([record]), bytes);
  });
}

/**
 * The length of padding that takes exactly `bytes`, type and length prefix included. `null` when no record is needed,
 * `undefined` when no padding takes exactly this many bytes.
 */
function paddingFor(bytes: number): { length: number } | null | undefined {
  if (bytes === 0) return null;
  for (const head of [2, 4]) {
    const length = bytes - head;
    if (length >= 0 && tlvRecordLength(PADDING_TYPE, length) === bytes) return { length };
  }
  return undefined;
}

const MILLION = 1_000_000n;

/**
 * The amount that a blinded node forwards when it receives `incoming` (BOLT 4, "Payload Format", the reader):
 * ceil((incoming - base) x 10^6 / (10^6 + proportional)).
 * @returns `undefined` when the incoming amount does not even cover the base fee.
 */
export function amountToForward(incoming: Msat, relay: PaymentRelay): Msat | undefined {
  const net = incoming - BigInt(relay.feeBaseMsat);
  if (net < 0n) return undefined;
  const divisor = MILLION + BigInt(relay.feeProportionalMillionths);
  return msat((net * MILLION + divisor - 1n) / divisor);
}

/** Fees and delay of a whole path, as announced to the payer. */
export interface PathTotals {
  readonly feeBaseMsat: bigint;
  readonly feeProportionalMillionths: bigint;
  readonly cltvExpiryDelta: number;
}

/**
 * Adds up the fees and delays of the forwarding nodes of a path, which are listed from first to last. Fees are rounded
 * up at every node (BOLT 4, "Payload Format", the creator).
 */
export function pathTotals(relays: readonly PaymentRelay[], minFinalCltvExpiryDelta: number): PathTotals {
  let base = 0n;
  let proportional = 0n;
  let cltvExpiryDelta = minFinalCltvExpiryDelta;
  for (const relay of [...relays].reverse()) {
    const nextBase = BigInt(relay.feeBaseMsat);
    const nextProportional = BigInt(relay.feeProportionalMillionths);
    base = (nextBase * MILLION + base * (MILLION + nextProportional) + MILLION - 1n) / MILLION;
    proportional =
      ((proportional + nextProportional) * MILLION + proportional * nextProportional + MILLION - 1n) /
      MILLION;
    cltvExpiryDelta += relay.cltvExpiryDelta;
  }
  return { feeBaseMsat: base, feeProportionalMillionths: proportional, cltvExpiryDelta };
}
