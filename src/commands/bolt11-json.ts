/**
 * BOLT 11 invoices as `decode` shows them. The library reads the fields; who signed is worked out here, from the
 * recoverable signature over SHA-256(prefix || data without signature).
 */
import { recoverPublicKey, Signature } from '@noble/secp256k1';
import light from 'light-bolt11-decoder';
import { fromHex, toHex } from '../bolt/bytes.ts';
import { sha256 } from '../bolt/hashes.ts';

const DIGITS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const COMPACT_BYTES = 64;
const DEFAULT_EXPIRY = 3600;
const DEFAULT_FINAL_CLTV = 18;
/** Letters of a field before its value: the tag and two for the length. */
const FIELD_HEAD = 3;

interface Section {
  readonly name: string;
  readonly letters?: string;
  readonly value?: unknown;
}

/** Undefined for a text that is no BOLT 11 invoice. */
export function bolt11Json(text: string): object | undefined {
  const lower = text.toLowerCase();
  let sections: readonly Section[];
  try {
    sections = light.decode(lower).sections as readonly Section[];
  } catch {
    // The library reports what is wrong with the text by errors of every kind.
    return undefined;
  }
  const section = (name: string): Section | undefined => sections.find((one) => one.name === name);
  const value = (name: string): unknown => section(name)?.value;
  const amount = value('amount');
  const signed = signatureOf(lower, section('signature'));
  if (signed === undefined) return undefined;
  return {
    type: 'bolt11 invoice',
    currency: section('coin_network')?.letters,
    created_at: value('timestamp'),
    expiry: value('expiry') ?? DEFAULT_EXPIRY,
    payee: value('payee') ?? signed.payee,
    amount_msat: amount === undefined ? undefined : BigInt(String(amount)),
    description: value('description'),
    description_hash: value('description_hash'),
    min_final_cltv_expiry: value('min_final_cltv_expiry') ?? DEFAULT_FINAL_CLTV,
    payment_secret: value('payment_secret'),
    features: featuresHex(section('feature_bits')),
    payment_hash: value('payment_hash'),
    payment_metadata: value('metadata'),
    signature: signed.der,
    valid: true,
  };
}

/** The signer and the signature in DER; undefined when it is no signature of anybody. */
function signatureOf(text: string, section: Section | undefined): { payee: string; der: string } | undefined {
  const { letters, value } = section ?? {};
  if (letters === undefined || typeof value !== 'string') return undefined;
  const bytes = fromHex(value);
  const separator = text.lastIndexOf('1');
  const data = text.slice(separator + 1, text.lastIndexOf(letters));
  const digest = sha256(new Uint8Array(Buffer.from(text.slice(0, separator), 'ascii')), packed(data));
  const compact = bytes.subarray(0, COMPACT_BYTES);
  const recovered = Uint8Array.of(bytes[COMPACT_BYTES] ?? 0, ...compact);
  try {
    Signature.fromBytes(compact);
    return { payee: toHex(recoverPublicKey(recovered, digest, { prehash: false })), der: derOf(compact) };
  } catch {
    // Numbers out of range, or a point that is none: nobody signed this.
    return undefined;
  }
}

/** Five bits a letter, filled up with zeros to whole bytes. */
function packed(letters: string): Uint8Array {
  let bits = '';
  for (const letter of letters) bits += DIGITS.indexOf(letter).toString(2).padStart(5, '0');
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
  return Uint8Array.from({ length: bits.length / 8 }, (_, i) =>
    Number.parseInt(bits.slice(8 * i, 8 * i + 8), 2),
  );
}

/** A bit field: the letters are one big number. */
function featuresHex(section: Section | undefined): string | undefined {
  if (section?.letters === undefined) return undefined;
  let bits = 0n;
  for (const letter of section.letters.slice(FIELD_HEAD))
    bits = (bits << 5n) | BigInt(DIGITS.indexOf(letter));
  const hex = bits.toString(16);
  return hex.length % 2 === 0 ? hex : `0${hex}`;
}

function derOf(compact: Uint8Array): string {
  const integer = (bytes: Uint8Array): string => {
    let hex = toHex(bytes).replace(/^(00)+(?=..)/, '');
    if (Number.parseInt(hex.slice(0, 2), 16) >= 0x80) hex = `00${hex}`;
    return `02${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`;
  };
  const body = integer(compact.subarray(0, 32)) + integer(compact.subarray(32));
  return `30${(body.length / 2).toString(16).padStart(2, '0')}${body}`;
}
