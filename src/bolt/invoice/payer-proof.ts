/**
 * Payer proofs (a draft extension of BOLT 12, compatible with Core Lightning). A proof shows that the owner of the
 * payer's key paid an invoice. It may hide records of the invoice.
 *
 *     proof = some records of the invoice || its signature || preimage || hashes for the other records || note
 *             || signature of the payer's key
 *
 * The invoice's signature covers the root of a tree of hashes (bolt12-merkle.ts). The reader computes the same root
 * from three lists. `proof_omitted_tlvs` has a number for each hidden record, except the first (type 0, the payer's
 * metadata), which is always hidden. The numbers reveal the places in the tree, but not the types.
 * `proof_missing_hashes` has the hash of each branch without shown records that is not part of a larger such branch.
 * `proof_leaf_hashes` has the nonce of each record that is shown.
 *
 *     241 proof_signature     1001 proof_preimage        1002 proof_omitted_tlvs      1003 proof_missing_hashes
 *     1004 proof_leaf_hashes  1005 proof_note
 */
import { readBigSize, writeBigSize } from '../bigsize.ts';
import { ByteReader, ByteWriter, concatBytes, equalBytes } from '../bytes.ts';
import { utf8 } from '../coding.ts';
import { SIGNATURE_BYTES } from '../crypto/curve.ts';
import { HASH_BYTES, sha256 } from '../crypto/hashes.ts';
import { schnorrSign, schnorrVerify, xOnly } from '../crypto/schnorr.ts';
import { encodeTlvStream, type TlvRecord } from '../tlv.ts';
import { WireError } from '../wire-error.ts';
import { type InvoiceFields, invoiceCodec } from './bolt12-fields.ts';
import {
  branchHash,
  digestOfRoot,
  isInRanges,
  isSignatureType,
  leafHash,
  merkleRoot,
  noncesBeside,
  type RawRecord,
  rawRecords,
  type TypeRanges,
} from './bolt12-merkle.ts';
import { decodeBolt12String, encodeBolt12String } from './bolt12-string.ts';

const PAYER_ID = 88n;
const PAYMENT_HASH = 168n;
const NODE_ID = 176n;
const SIGNATURE = 240n;
const PROOF_SIGNATURE = 241n;
const PREIMAGE = 1001n;
const OMITTED = 1002n;
const MISSING_HASHES = 1003n;
const LEAF_HASHES = 1004n;
const NOTE = 1005n;

/** Types that are always shown: payer, payment hash, features, and the signing node. */
const ALWAYS: readonly bigint[] = [PAYER_ID, PAYMENT_HASH, 174n, NODE_ID];
/** Types shown by default, if the invoice has them: what was bought, from whom, when, and for how much. */
const USUALLY: readonly bigint[] = [10n, 22n, 164n, 170n];
/** Types of the records that a proof adds to those of the invoice, except the signature of the proof. */
const PROOF_ONLY: TypeRanges = [[1001n, 999_999_999n]];
const INVOICE_TYPES: TypeRanges = [
  [1n, 239n],
  [1_000_000_000n, 3_999_999_999n],
];

/**
 * Whether an invoice's record of this type may be shown. The first record must stay hidden, because it is the payer's
 * metadata, which would reveal the payer's key.
 */
export function mayBeShown(type: bigint): boolean {
  return isInRanges(type, INVOICE_TYPES);
}

/** Optional parts of a proof. */
export interface ProofWishes {
  readonly note?: string | undefined;
  /** Types of records to show if the invoice has them. Default: description, issuer, time and amount. */
  readonly include?: readonly bigint[] | undefined;
}

/** A new proof: its text, and the types of the invoice's shown records, in order. */
export interface MadeProof {
  readonly text: string;
  readonly shown: readonly bigint[];
}

/** The contents of a proof that has been checked. */
export interface PayerProof {
  /** The shown fields of the invoice. */
  readonly fields: InvoiceFields;
  readonly preimage: Uint8Array;
  readonly note: string | undefined;
}

/** A node of the tree: its hash, and whether nothing below it is shown. */
interface Branch {
  readonly hash: Uint8Array | undefined;
  readonly isOmitted: boolean;
}

/**
 * Makes a proof of payment.
 * @param invoice the invoice's stream, signature included.
 * @param payerKey the secret key behind `invreq_payer_id`.
 * @throws WireError when the invoice has no signature, or the preimage does not match.
 */
export function createPayerProof(
  invoice: Uint8Array,
  preimage: Uint8Array,
  payerKey: Uint8Array,
  { note, include = USUALLY }: ProofWishes = {},
): MadeProof {
  const all = rawRecords(invoice);
  const signature = all.find(({ type }) => type === SIGNATURE);
  const hash = all.find(({ type }) => type === PAYMENT_HASH)?.value;
  if (signature === undefined) throw new WireError('signature', 'the invoice has no signature');
  if (hash === undefined || !equalBytes(sha256(preimage), hash)) {
    throw new WireError('invalid', 'the preimage does not belong to this invoice');
  }
  const records = all.filter(({ type }) => !isSignatureType(type));
  const nonceOf = noncesBeside(records[0] as RawRecord);
  const isShown = ({ type }: RawRecord): boolean =>
    mayBeShown(type) && (ALWAYS.includes(type) || include.includes(type));
  const shown = records.filter(isShown);
  const missing: Uint8Array[] = [];
  const leaves = records.map((record): Branch => {
    const pair = branchHash(leafHash(record), nonceOf(record.type));
    return { hash: pair, isOmitted: !isShown(record) };
  });
  fold(leaves, ({ hash: omitted }) => {
    missing.push(omitted as Uint8Array);
    return omitted as Uint8Array;
  });
  const proof: TlvRecord[] = [
    ...shown.filter(({ type }) => type < SIGNATURE),
    signature,
    { type: PREIMAGE, value: preimage },
    { type: OMITTED, value: omittedMarkers(records, isShown) },
    { type: MISSING_HASHES, value: concatBytes(...missing) },
    { type: LEAF_HASHES, value: concatBytes(...shown.map(({ type }) => nonceOf(type))) },
    ...(note === undefined ? [] : [{ type: NOTE, value: utf8.encode(note) }]),
    ...shown.filter(({ type }) => type > SIGNATURE),
  ];
  const digest = digestOfRoot('payer_proof', 'proof_signature', merkleRoot(encodeTlvStream(proof)));
  const at = proof.findIndex(({ type }) => type > PROOF_SIGNATURE);
  const value = schnorrSign(digest, payerKey);
  return {
    text: encodeBolt12String(
      'lnp',
      encodeTlvStream(proof.toSpliced(at, 0, { type: PROOF_SIGNATURE, value })),
    ),
    shown: [
      ...shown.filter(({ type }) => type < SIGNATURE),
      signature,
      ...shown.filter(({ type }) => type > SIGNATURE),
    ].map(({ type }) => type),
  };
}

/**
 * Checks three things about a proof: the node signed an invoice with the shown records, the preimage matches the
 * invoice, and the maker of the proof has the payer's key.
 * @throws WireError with the check that failed
 */
export function checkPayerProof(text: string): PayerProof {
  const { prefix, data } = decodeBolt12String(text);
  if (prefix !== 'lnp') throw new WireError('invalid', `unexpected prefix ${prefix}`);
  const records = rawRecords(data);
  const need = (type: bigint, name: string, length?: number): Uint8Array => {
    const value = records.find((one) => one.type === type)?.value;
    if (value === undefined) throw new WireError('fields', `Missing ${name}`, { tlvType: type });
    if (length !== undefined && value.length !== length) {
      throw new WireError('invalid', `${name} has ${value.length} bytes`, { tlvType: type });
    }
    return value;
  };
  const payerId = need(PAYER_ID, 'invreq_payer_id');
  const paymentHash = need(PAYMENT_HASH, 'invoice_payment_hash');
  const nodeId = need(NODE_ID, 'invoice_node_id');
  const signature = need(SIGNATURE, 'signature', SIGNATURE_BYTES);
  const preimage = need(PREIMAGE, 'proof_preimage', HASH_BYTES);
  const ofPayer = need(PROOF_SIGNATURE, 'proof_signature', SIGNATURE_BYTES);
  if (!equalBytes(sha256(preimage), paymentHash)) throw new WireError('invalid', 'Incorrect preimage');
  const shown = records.filter(({ type }) => isInRanges(type, INVOICE_TYPES));
  const stray = records.find(
    ({ type }) => !isInRanges(type, INVOICE_TYPES) && !isSignatureType(type) && !isInRanges(type, PROOF_ONLY),
  );
  if (stray !== undefined) throw new WireError('fields', `field ${stray.type} cannot be part of an invoice`);
  const root = rootOf(shown, {
    omitted: omittedTypes(records.find(({ type }) => type === OMITTED)?.value, shown),
    missing: hashesIn(need(MISSING_HASHES, 'proof_missing_hashes'), 'proof_missing_hashes'),
    nonces: hashesIn(need(LEAF_HASHES, 'proof_leaf_hashes'), 'proof_leaf_hashes'),
  });
  const fields = invoiceCodec.decode(encodeTlvStream(shown)).values;
  if (!schnorrVerify(signature, digestOfRoot('invoice', 'signature', root), xOnly(nodeId))) {
    throw new WireError('signature', 'Invalid signature');
  }
  const digest = digestOfRoot('payer_proof', 'proof_signature', merkleRoot(data));
  if (!schnorrVerify(ofPayer, digest, xOnly(payerId)))
    throw new WireError('signature', 'Invalid proof_signature');
  const note = records.find(({ type }) => type === NOTE)?.value;
  return { fields: { ...fields, signature }, preimage, note: note && utf8.decode(note) };
}

/**
 * The value of `proof_omitted_tlvs`. Each hidden record, except type 0, gets a number: one more than the type of the
 * previous record, or one more than that record's number if it is hidden too.
 */
function omittedMarkers(records: readonly RawRecord[], isShown: (record: RawRecord) => boolean): Uint8Array {
  const writer = new ByteWriter();
  let last = 0n;
  for (const record of records) {
    if (isShown(record)) last = record.type;
    else if (record.type !== 0n) writeBigSize(writer, ++last);
  }
  return writer.finish();
}

/**
 * Reads the numbers of the hidden records. Each must be one more than the previous number (initially 0), or one more
 * than the type of a shown record.
 * @throws WireError when a number is neither
 */
function omittedTypes(value: Uint8Array | undefined, shown: readonly RawRecord[]): bigint[] {
  const types: bigint[] = [];
  const reader = new ByteReader(value ?? new Uint8Array(0));
  const shownTypes = new Set(shown.map(({ type }) => type));
  while (reader.remaining > 0) {
    const type = readBigSize(reader);
    const previous = types.at(-1) ?? 0n;
    const follows = type === previous + 1n || (type > previous && shownTypes.has(type - 1n));
    if (!isInRanges(type, INVOICE_TYPES) || shownTypes.has(type) || !follows) {
      throw new WireError('invalid', `proof_omitted_tlvs has the invalid number ${type}`, {
        tlvType: OMITTED,
      });
    }
    types.push(type);
  }
  return types;
}

function hashesIn(value: Uint8Array, name: string): Uint8Array[] {
  if (value.length % HASH_BYTES !== 0) throw new WireError('invalid', `${name} has ${value.length} bytes`);
  return Array.from({ length: value.length / HASH_BYTES }, (_, i) =>
    value.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

interface Hidden {
  readonly omitted: readonly bigint[];
  readonly missing: readonly Uint8Array[];
  readonly nonces: readonly Uint8Array[];
}

/** The root of the invoice's tree, from the shown records and the hashes for the others. @throws WireError */
function rootOf(shown: readonly RawRecord[], { omitted, missing, nonces }: Hidden): Uint8Array {
  if (nonces.length !== shown.length) {
    throw new WireError('fields', `${nonces.length} proof_leaf_hashes for ${shown.length} fields`);
  }
  const leaves: (Branch & { readonly type: bigint })[] = [
    // The first record (type 0), the payer's metadata, is never shown and has no number.
    ...[0n, ...omitted].map((type) => ({ type, hash: undefined, isOmitted: true })),
    ...shown.map((record, i) => ({
      type: record.type,
      hash: branchHash(leafHash(record), nonces[i] as Uint8Array),
      isOmitted: false,
    })),
  ];
  leaves.sort((a, b) => (a.type < b.type ? -1 : 1));
  let used = 0;
  const root = fold(leaves, () => {
    const hash = missing[used++];
    if (hash === undefined) throw new WireError('fields', 'Not enough proof_missing_hashes');
    return hash;
  });
  if (used !== missing.length) throw new WireError('fields', 'Too many proof_missing_hashes');
  if (root.hash === undefined) throw new WireError('fields', 'the proof shows no field of the invoice');
  return root.hash;
}

/**
 * Folds leaves to their root. The left side of every branch is full. `resolve` returns the hash of a branch without
 * shown records whose sibling has shown records. For each branch, `resolve` is called first within the left side, then
 * within the right side, and last for the two sides themselves.
 */
function fold(leaves: readonly Branch[], resolve: (omitted: Branch) => Uint8Array): Branch {
  const width = 2 ** Math.ceil(Math.log2(leaves.length));
  const below = (from: number, size: number): Branch | undefined => {
    if (from >= leaves.length) return undefined;
    if (size === 1) return leaves[from];
    const left = below(from, size / 2) as Branch;
    const right = below(from + size / 2, size / 2);
    if (right === undefined) return left;
    const isOmitted = left.isOmitted && right.isOmitted;
    const a = left.isOmitted && !isOmitted ? resolve(left) : left.hash;
    const b = right.isOmitted && !isOmitted ? resolve(right) : right.hash;
    return { isOmitted, hash: a && b && branchHash(a, b) };
  };
  return below(0, width) as Branch;
}
