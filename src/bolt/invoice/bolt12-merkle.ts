/**
 * Signatures over TLV streams (BOLT 12, "Signature Calculation").
 *
 *     leaf(record)  = H("LnLeaf", record)           nonce(record) = H("LnNonce" || first record, type)
 *     pair          = branch(leaf, nonce)           branch(a, b) = H("LnBranch", lesser || greater)
 *
 * H is the tagged hash of BIP-340. The pairs are the leaves of a tree whose left side is always full; its root is
 * signed. Records of types 240 to 1000 hold signatures and are left out. Records are hashed exactly as they were
 * received.
 */

import { writeBigSize } from '../bigsize.ts';
import { ByteWriter, compareBytes, concatBytes } from '../bytes.ts';
import { SIGNATURE_BYTES } from '../crypto/curve.ts';
import { sha256, taggedHash, tagPrefix } from '../crypto/hashes.ts';
import { schnorrSign, schnorrVerify, xOnly } from '../crypto/schnorr.ts';
import { decodeTlvStream, encodeTlvStream } from '../tlv.ts';
import { WireError } from '../wire-error.ts';

/** A record with its original bytes. */
export interface RawRecord {
  readonly type: bigint;
  readonly value: Uint8Array;
  readonly bytes: Uint8Array;
}

/** The kind of the signed message. Its name is part of the tag of the signed hash. */
export type SignedMessage = 'invoice_request' | 'invoice' | 'static_invoice';

/** Ranges of types, both ends included. */
export type TypeRanges = readonly (readonly [bigint, bigint])[];

/** The TLV types that belong to offers (BOLT 12). */
export const OFFER_RANGES: TypeRanges = [
  [1n, 79n],
  [1_000_000_000n, 1_999_999_999n],
];

/** The TLV types that an invoice mirrors from its request (BOLT 12). */
export const INVOICE_REQUEST_RANGES: TypeRanges = [
  [0n, 159n],
  [1_000_000_000n, 2_999_999_999n],
];

/**
 * Maximum number of records read from a message. We know fewer than 50 types. To check a signature, each record is
 * hashed four times, so without this limit, a message full of tiny records could keep us busy for half a second.
 */
export const MOST_RECORDS = 512;
const SIGNATURE_TYPE = 240n;
const SIGNATURES: TypeRanges = [[240n, 1000n]];
const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'ascii'));
const LEAF = tagPrefix(ascii('LnLeaf'));
const NONCE = ascii('LnNonce');
const BRANCH = tagPrefix(ascii('LnBranch'));

/** Whether a TLV type is in one of the ranges, ends included. */
export function isInRanges(type: bigint, ranges: TypeRanges): boolean {
  return ranges.some(([first, last]) => type >= first && type <= last);
}

/** Whether a TLV type holds a signature; the signature does not cover records of these types (BOLT 12). */
export function isSignatureType(type: bigint): boolean {
  return isInRanges(type, SIGNATURES);
}

/** The records of a stream. @throws WireError when the bytes are not a TLV stream, or there are too many. */
export function rawRecords(stream: Uint8Array): RawRecord[] {
  let start = 0;
  return decodeTlvStream(stream, MOST_RECORDS).map(({ type, value }) => {
    const end = value.byteOffset - stream.byteOffset + value.length;
    const bytes = stream.subarray(start, end);
    start = end;
    return { type, value, bytes };
  });
}

/** The joined bytes of the records in the ranges, for mirroring, comparing, and hashing to an id. */
export function bytesInRanges(stream: Uint8Array, ranges: TypeRanges): Uint8Array {
  return concatBytes(
    ...rawRecords(stream)
      .filter(({ type }) => isInRanges(type, ranges))
      .map(({ bytes }) => bytes),
  );
}

/** SHA-256 of the offer's records. The stream is the offer, or a request or invoice made from it. */
export function offerId(stream: Uint8Array): Uint8Array {
  return sha256(bytesInRanges(stream, OFFER_RANGES));
}

/** SHA-256 of the request's records except its signature. The stream is the request or its invoice. */
export function invoiceRequestId(stream: Uint8Array): Uint8Array {
  return sha256(bytesInRanges(stream, INVOICE_REQUEST_RANGES));
}

/**
 * The Merkle root that the signature covers. @throws WireError when the stream is malformed or has no record to sign.
 */
export function merkleRoot(stream: Uint8Array): Uint8Array {
  return rootOf(rawRecords(stream));
}

function rootOf(all: readonly RawRecord[]): Uint8Array {
  const records = all.filter(({ type }) => !isSignatureType(type));
  const [first] = records;
  if (first === undefined) throw new WireError('fields', 'nothing to sign');
  const nonceOf = noncesBeside(first);
  let level = records.map((record) => branchHash(leafHash(record), nonceOf(record.type)));
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i] as Uint8Array, level[i + 1]];
      above.push(right === undefined ? left : branchHash(left, right));
    }
    level = above;
  }
  return level[0] as Uint8Array;
}

/** The 32 bytes to sign for a stream. */
export function signatureDigest(message: SignedMessage, stream: Uint8Array): Uint8Array {
  return digestOf(message, rawRecords(stream));
}

function digestOf(message: SignedMessage, records: readonly RawRecord[]): Uint8Array {
  return digestOfRoot(message, 'signature', rootOf(records));
}

/**
 * The 32 bytes to sign for a root: a tagged hash, whose tag contains the names of the message and of its signature
 * field.
 */
export function digestOfRoot(message: string, field: string, root: Uint8Array): Uint8Array {
  return taggedHash(ascii(`lightning${message}${field}`), root);
}

/**
 * Signs the stream.
 * @param publicKey the point computed from the secret key, if the caller has it already; see `schnorrSign`
 * @returns the stream with its new signature in place of any earlier signature
 */
export function signStream(
  message: SignedMessage,
  stream: Uint8Array,
  secretKey: Uint8Array,
  publicKey?: Uint8Array,
): Uint8Array {
  const records = rawRecords(stream).filter(({ type }) => type !== SIGNATURE_TYPE);
  const value = schnorrSign(digestOf(message, records), secretKey, undefined, undefined, publicKey);
  const at = records.findIndex(({ type }) => type > SIGNATURE_TYPE);
  return encodeTlvStream(
    records.toSpliced(at < 0 ? records.length : at, 0, { type: SIGNATURE_TYPE, value, bytes: value }),
  );
}

/**
 * Whether the stream has a valid signature, made with the secret key of this point. @throws WireError when the stream
 * is malformed.
 */
export function verifyStream(message: SignedMessage, stream: Uint8Array, point: Uint8Array): boolean {
  const records = rawRecords(stream);
  const signature = records.find(({ type }) => type === SIGNATURE_TYPE)?.value;
  if (signature?.length !== SIGNATURE_BYTES) return false;
  return schnorrVerify(signature, digestOf(message, records), xOnly(point));
}

/** The leaf hash of a record. */
export function leafHash({ bytes }: Pick<RawRecord, 'bytes'>): Uint8Array {
  return sha256(LEAF, bytes);
}

/**
 * Returns a function that computes the nonce for a record from the record's type. Nonces depend on the first record of
 * the stream, so that hidden records cannot be guessed. The first record may be long, so it is hashed once for all
 * nonces. Otherwise the work for a stranger's message could grow with the square of its length.
 */
export function noncesBeside(first: Pick<RawRecord, 'bytes'>): (type: bigint) => Uint8Array {
  const prefix = tagPrefix(concatBytes(NONCE, first.bytes));
  return (type) => sha256(prefix, writeBigSize(new ByteWriter(9), type).finish());
}

/** The hash of two branches, in either order. */
export function branchHash(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareBytes(a, b) < 0 ? sha256(BRANCH, a, b) : sha256(BRANCH, b, a);
}
