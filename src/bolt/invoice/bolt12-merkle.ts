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
import { HASH_BYTES, sha256, sha256Into, taggedHash, tagPrefix } from '../crypto/hashes.ts';
import { schnorrSign, schnorrVerify, xOnly } from '../crypto/schnorr.ts';
import { eachTlvRecord, encodeTlvStream } from '../tlv.ts';
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
export const MAX_RECORDS = 512;
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
  const records: RawRecord[] = [];
  const add = (type: bigint, start: number, valueStart: number, end: number): void => {
    records.push({ type, value: stream.subarray(valueStart, end), bytes: stream.subarray(start, end) });
  };
  eachTlvRecord(stream, add, MAX_RECORDS);
  return records;
}

/** The joined bytes of the records in the ranges, for mirroring, comparing, and hashing to an id. */
export function bytesInRanges(stream: Uint8Array, ranges: TypeRanges): Uint8Array {
  const runs: Uint8Array[] = [];
  let [from, to] = [0, 0];
  const add = (type: bigint, start: number, _valueStart: number, end: number): void => {
    if (!isInRanges(type, ranges)) return;
    if (start !== to) {
      runs.push(stream.subarray(from, to));
      from = start;
    }
    to = end;
  };
  eachTlvRecord(stream, add, MAX_RECORDS);
  return concatBytes(...runs, stream.subarray(from, to));
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

const isSigned = ({ type }: RawRecord): boolean => !isSignatureType(type);

function rootOf(all: readonly RawRecord[]): Uint8Array {
  const records = all.filter(isSigned);
  const [first] = records;
  if (first === undefined) throw new WireError('fields', 'nothing to sign');
  // A level is one array, and the next level replaces it. An array for each hash would be a fifth of the garbage of a
  // fetch.
  const level = new Uint8Array(records.length * HASH_BYTES);
  const prefix = noncePrefix(first);
  records.forEach(({ type, bytes }, i) => {
    sha256Into(pair, 0, LEAF, bytes);
    sha256Into(pair, HASH_BYTES, prefix, encodedType(type));
    branchInto(level, i, pair, 0, 1);
  });
  for (let count = records.length; count > 1; count = (count + 1) >> 1) {
    for (let i = 0; i < count; i += 2) {
      if (i + 1 < count) branchInto(level, i >> 1, level, i, i + 1);
      else level.copyWithin((i >> 1) * HASH_BYTES, i * HASH_BYTES, count * HASH_BYTES);
    }
  }
  return level.slice(0, HASH_BYTES);
}

/** The hash of a record and its nonce, while a leaf is computed. */
const pair = new Uint8Array(2 * HASH_BYTES);
/** The bytes to hash for a branch: the prefix of the tag, and two hashes. */
const branch = concatBytes(BRANCH, pair);

/** Writes the hash of the branch over hashes `a` and `b` of `source` in place of hash `to` of `target`. */
function branchInto(target: Uint8Array, to: number, source: Uint8Array, a: number, b: number): void {
  const [first, second] = isLess(source, a * HASH_BYTES, b * HASH_BYTES) ? [a, b] : [b, a];
  for (let i = 0; i < HASH_BYTES; i++) {
    branch[BRANCH.length + i] = source[first * HASH_BYTES + i]!;
    branch[BRANCH.length + HASH_BYTES + i] = source[second * HASH_BYTES + i]!;
  }
  sha256Into(target, to * HASH_BYTES, branch);
}

/** Whether the hash at one offset comes before the hash at another, in lexicographic order. */
function isLess(source: Uint8Array, at: number, than: number): boolean {
  for (let i = 0; i < HASH_BYTES; i++) {
    const difference = source[at + i]! - source[than + i]!;
    if (difference !== 0) return difference < 0;
  }
  return false;
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

const isSignature = ({ type }: RawRecord): boolean => type === SIGNATURE_TYPE;

/**
 * Whether the stream has a valid signature, made with the secret key of this point. @throws WireError when the stream
 * is malformed.
 */
export function verifyStream(message: SignedMessage, stream: Uint8Array, point: Uint8Array): boolean {
  const records = rawRecords(stream);
  const signature = records.find(isSignature)?.value;
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
  const prefix = noncePrefix(first);
  return (type) => sha256(prefix, encodedType(type));
}

function noncePrefix(first: Pick<RawRecord, 'bytes'>): Uint8Array {
  return tagPrefix(concatBytes(NONCE, first.bytes));
}

/** The encoded types of one byte, which are most of them. */
const SHORT_TYPES = Array.from({ length: 0xfd }, (_, type) => Uint8Array.of(type));

function encodedType(type: bigint): Uint8Array {
  return SHORT_TYPES[Number(type)] ?? writeBigSize(new ByteWriter(9), type).finish();
}

/** The hash of two branches, in either order. */
export function branchHash(a: Uint8Array, b: Uint8Array): Uint8Array {
  return compareBytes(a, b) < 0 ? sha256(BRANCH, a, b) : sha256(BRANCH, b, a);
}
