/**
 * Parses, checks and makes BOLT 11 invoices.
 *
 *     invoice = bech32( hrp, timestamp (7 words) || fields || signature (104 words) )
 *     digest  = SHA-256( hrp || timestamp || fields, padded to whole bytes )
 *
 * If the invoice contains the payee's id, the signature is checked against it, and s must be low. Otherwise the payee's
 * id is recovered from the signature (BOLT 11, "Requirements", the reader).
 */

import { bech32 } from '@scure/base';
import { concatBytes, equalBytes } from '../bytes.ts';
import { curve, SIGNATURE_BYTES } from '../crypto/curve.ts';
import type { RecoveryId } from '../crypto/curve-engine.ts';
import { sha256 } from '../crypto/hashes.ts';
import { FEATURE, unknownRequiredFeature } from '../peer/features.ts';
import { WireError } from '../wire-error.ts';
import {
  type Bolt11Currency,
  formatHumanReadablePart,
  type HumanReadablePart,
  parseHumanReadablePart,
} from './bolt11-amount.ts';
import {
  type Bolt11Fields,
  decodeFields,
  encodeFields,
  readTaggedFields,
  type TaggedField,
  writeTaggedFields,
} from './bolt11-fields.ts';
import { bytesOf, integerOf, integerWords, packedWords, wordsOf } from './bolt11-words.ts';

/** Default validity of an invoice in seconds. */
export const DEFAULT_EXPIRY_SECONDS = 3600n;
/** Default minimum final CLTV expiry delta, in blocks. */
export const DEFAULT_MIN_FINAL_CLTV_EXPIRY_DELTA = 18;

/**
 * The even bits of the invoice features that a payer supports (BOLT 9, context "9"). The set is that of Core Lightning.
 * The only feature on which others in the set depend is that of payment secrets, which BOLT 9 assumes.
 */
export const BOLT11_FEATURES: readonly number[] = [
  FEATURE.var_onion_optin,
  FEATURE.payment_secret,
  FEATURE.basic_mpp,
  FEATURE.option_route_blinding,
  FEATURE.option_payment_metadata,
];

/** Maximum number of characters to read. It is more than a QR code can hold (7,089). */
const MAX_CHARACTERS = 8 * 1024;
const TIMESTAMP_WORDS = 7;
const SIGNATURE_WORDS = 104;
const RECOVERY_IDS = [0, 1, 2, 3] as const;

/** A BOLT 11 invoice. */
export interface Bolt11Invoice extends HumanReadablePart {
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Id of the node that signed the invoice and receives the payment. */
  readonly payee: Uint8Array;
  readonly fields: Bolt11Fields & Required<Pick<Bolt11Fields, 'paymentHash' | 'paymentSecret'>>;
  /** All fields in order, including the ignored ones. */
  readonly tagged: readonly TaggedField[];
  readonly ignored: readonly TaggedField[];
  /** 64 bytes in compact form. */
  readonly signature: Uint8Array;
  readonly recoveryId: RecoveryId;
}

/** The contents of an invoice to be made. */
export interface Bolt11Terms extends HumanReadablePart {
  readonly timestamp: number;
  readonly fields: Omit<Bolt11Fields, 'payeeId'>;
  /** Whether the invoice also contains the payee's id in a field of its own. */
  readonly withPayeeId?: boolean;
}

/**
 * Parses an invoice and makes every check that does not depend on the payer's chain and clock.
 * @throws WireError whose message is the reason, in Core Lightning's words.
 */
export function parseBolt11(text: string): Bolt11Invoice {
  const { hrp, words } = decodeBech32(text);
  const head = parseHumanReadablePart(hrp);
  const signed = words.subarray(0, Math.max(0, words.length - SIGNATURE_WORDS));
  if (signed.length < TIMESTAMP_WORDS)
    throw new WireError('truncated', "Can't get 35-bit timestamp: truncated");
  const timestamp = Number(integerOf(trimmed(signed.subarray(0, TIMESTAMP_WORDS))));
  const tagged = readTaggedFields(signed.subarray(TIMESTAMP_WORDS));
  const { values, ignored } = decodeFields(tagged);
  const fields = requiredFields(values);
  const signature = bytesOf(words.subarray(signed.length));
  const { payee, recoveryId } = checkSignature(signature, digestOf(hrp, signed), fields.payeeId);
  return {
    ...head,
    ...{ timestamp, payee, fields, tagged, ignored, recoveryId },
    signature: signature.subarray(0, SIGNATURE_BYTES),
  };
}

/** Decodes the bech32 text. @throws WireError for anything but ASCII, for mixed case, and for a wrong checksum. */
function decodeBech32(text: string): { hrp: string; words: Uint8Array } {
  if (text.length > MAX_CHARACTERS) throw new WireError('tooLong', 'Bad bech32 string');
  // Lower-casing turns some non-ASCII letters into ASCII letters, so non-ASCII text is refused first.
  const decoded = /^[!-~]*$/.test(text) ? bech32.decodeUnsafe(text, false) : undefined;
  if (decoded === undefined) throw new WireError('invalid', 'Bad bech32 string');
  return { hrp: decoded.prefix, words: Uint8Array.from(decoded.words) };
}

/** The words without leading zeros, which only the timestamp may have. */
function trimmed(words: Uint8Array): Uint8Array {
  const first = words.findIndex((word) => word !== 0);
  return words.subarray(first < 0 ? words.length : first);
}

/**
 * Returns the fields, after checking that those needed for any payment are present. @throws WireError when one is
 * missing, when both a description and its hash are present, or when an unknown feature is required.
 */
function requiredFields(values: Bolt11Fields): Bolt11Invoice['fields'] {
  const { paymentHash, paymentSecret, description, descriptionHash, features } = values;
  const bit = unknownRequiredFeature(features ?? new Uint8Array(0), BOLT11_FEATURES);
  if (bit !== undefined) throw new WireError('fields', `9: unknown feature bit ${bit}`);
  if (paymentHash === undefined) throw new WireError('fields', "No valid 'p' field found");
  if (paymentSecret === undefined) throw new WireError('fields', 'Missing required payment secret (s field)');
  if (description === undefined && descriptionHash === undefined)
    throw new WireError('fields', "must have either 'd' or 'h' field");
  if (description !== undefined && descriptionHash !== undefined)
    throw new WireError('fields', "must not have both 'd' and 'h' fields");
  return { ...values, paymentHash, paymentSecret };
}

function digestOf(hrp: string, words: Uint8Array): Uint8Array {
  return sha256(new Uint8Array(Buffer.from(hrp, 'ascii')), packedWords(words));
}

/**
 * Determines the payee, and checks the signature.
 * @throws WireError `signature` when the given payee did not sign, or no key can be recovered.
 */
function checkSignature(
  bytes: Uint8Array,
  digest: Uint8Array,
  named: Uint8Array | undefined,
): { payee: Uint8Array; recoveryId: RecoveryId } {
  const signature = bytes.subarray(0, SIGNATURE_BYTES);
  const recoveryId = RECOVERY_IDS.find((id) => id === bytes[SIGNATURE_BYTES]);
  if (recoveryId === undefined)
    throw new WireError('signature', `invalid recovery ID: ${bytes[SIGNATURE_BYTES]}`);
  if (named !== undefined) {
    if (!curve.ecdsaVerify(signature, digest, named)) throw new WireError('signature', 'invalid signature');
    return { payee: named, recoveryId };
  }
  const payee = curve.ecdsaRecover(signature, recoveryId, digest);
  if (payee === undefined) throw new WireError('signature', 'signature recovery failed');
  return { payee, recoveryId };
}

/** The last second, in UNIX time, at which the invoice may be paid. */
export function bolt11Expiry({ timestamp, fields }: Pick<Bolt11Invoice, 'timestamp' | 'fields'>): bigint {
  return BigInt(timestamp) + (fields.expirySeconds ?? DEFAULT_EXPIRY_SECONDS);
}

/**
 * Checks whether the invoice can be paid on this chain, now.
 * @param now UNIX seconds.
 * @throws WireError when the invoice is for a different chain, or has expired.
 */
export function checkPayable(invoice: Bolt11Invoice, currency: Bolt11Currency, now: bigint): void {
  if (invoice.currency !== currency)
    throw new WireError(
      'invalid',
      `Invoice is for another network: ln${invoice.currency}, not ln${currency}`,
    );
  if (now > bolt11Expiry(invoice)) throw new WireError('invalid', 'Invoice expired');
}

/**
 * Makes a signed invoice, in lower case.
 * @throws WireError when a value is out of range, when a required field is missing, when there is not exactly one of
 *   description and its hash, or when an unknown feature is required.
 */
export function createBolt11(terms: Bolt11Terms, secretKey: Uint8Array): string {
  const payeeId = terms.withPayeeId ? curve.publicKey(secretKey) : undefined;
  const fields = { ...terms.fields, payeeId };
  requiredFields(fields);
  return signBolt11(formatHumanReadablePart(terms), terms.timestamp, encodeFields(fields), secretKey);
}

/** Signs any fields in any order. Other payers may refuse such an invoice. @throws WireError */
export function signBolt11(
  hrp: string,
  timestamp: number,
  fields: readonly TaggedField[],
  secretKey: Uint8Array,
): string {
  const words = concatBytes(integerWords(timestamp, TIMESTAMP_WORDS), writeTaggedFields(fields));
  const digest = digestOf(hrp, words);
  const signature = curve.ecdsaSign(digest, secretKey);
  const signer = curve.publicKey(secretKey);
  const recoveryId = RECOVERY_IDS.find((id) => {
    const recovered = curve.ecdsaRecover(signature, id, digest);
    return recovered !== undefined && equalBytes(recovered, signer);
  }) as RecoveryId;
  const end = wordsOf(concatBytes(signature, Uint8Array.of(recoveryId)));
  return bech32.encode(hrp, concatBytes(words, end), false);
}
