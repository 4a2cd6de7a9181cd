/**
 * The text form of BOLT 12 messages (BOLT 12, "Encoding"): prefix, `1`, and the bytes in digits of bech32 with five
 * bits each, without a checksum. The text is all lower or all upper case. A `+`, with or without white space after it,
 * may separate any two characters, so that long strings can be split.
 */

import { WireError } from '../wire-error.ts';

/** The prefix of an offer, an invoice request, an invoice, or a payer proof. */
export type Bolt12Prefix = 'lno' | 'lnr' | 'lni' | 'lnp';

/** A decoded text: its prefix and bytes. */
export interface Bolt12String {
  readonly prefix: string;
  readonly data: Uint8Array;
}

/**
 * Maximum bytes of a message. No onion message is longer (BOLT 1), and every offer and request must fit into its
 * invoice.
 */
export const MAX_BYTES = 65_535;
/** Maximum number of characters to read. A message of the maximum size has 104,856 digits, plus line breaks. */
export const MAX_CHARACTERS = 128 * 1024;
const DIGITS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** The character code of each digit, by its value. */
const CODES = Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));
/** The value of each digit, by its character code; −1 for other ASCII characters. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));
const MAX_PADDING_BITS = 4;
const PREFIX = /^[a-z]+$/;

/** Encodes the bytes as text, in lower case. */
export function encodeBolt12String(prefix: Bolt12Prefix, data: Uint8Array): string {
  // A string that grows by one character at a time would need a new object for each character.
  const text = Buffer.allocUnsafe(prefix.length + 1 + Math.ceil((8 * data.length) / 5));
  let at = text.write(`${prefix}1`, 'latin1');
  const whole = data.length - (data.length % 5);
  for (let i = 0; i < whole; i += 5, at += 8) write8(text, at, data, i);
  let bits = 0;
  let held = 0;
  for (const byte of data.subarray(whole)) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text[at++] = CODES[(held >> (bits - 5)) & 31]!;
  }
  if (bits > 0) text[at] = CODES[(held << (5 - bits)) & 31]!;
  return text.toString('latin1');
}

/** Writes five bytes as eight digits. Faster than one digit at a time. */
function write8(text: Uint8Array, at: number, data: Uint8Array, from: number): void {
  const high = (data[from]! << 12) | (data[from + 1]! << 4) | (data[from + 2]! >> 4);
  const low = ((data[from + 2]! & 15) << 16) | (data[from + 3]! << 8) | data[from + 4]!;
  text[at] = CODES[high >> 15]!;
  text[at + 1] = CODES[(high >> 10) & 31]!;
  text[at + 2] = CODES[(high >> 5) & 31]!;
  text[at + 3] = CODES[high & 31]!;
  text[at + 4] = CODES[low >> 15]!;
  text[at + 5] = CODES[(low >> 10) & 31]!;
  text[at + 6] = CODES[(low >> 5) & 31]!;
  text[at + 7] = CODES[low & 31]!;
}

/**
 * Decodes a text. Accepts any prefix; the caller must check it.
 * @throws WireError `unfinished string` for a misplaced `+`, `more than …` if the text or the data are too long, and
 *   `invalid bech32 string` for everything else.
 */
export function decodeBolt12String(text: string): Bolt12String {
  const joined = joinLines(text);
  const lower = joined.toLowerCase();
  if (joined !== lower && joined !== joined.toUpperCase()) throw invalid();
  const separator = lower.indexOf('1');
  const prefix = lower.slice(0, Math.max(0, separator));
  if (!PREFIX.test(prefix)) throw invalid();
  return { prefix, data: toBytes(lower.slice(separator + 1)) };
}

function joinLines(text: string): string {
  if (text.length > MAX_CHARACTERS) throw new WireError('tooLong', `more than ${MAX_CHARACTERS} characters`);
  const joined = text.replace(/(?<=[0-9A-Za-z])\+\s*(?=[0-9A-Za-z])/g, '');
  if (joined.includes('+')) throw new WireError('invalid', 'unfinished string');
  return joined;
}

function toBytes(digits: string): Uint8Array {
  const length = (digits.length * 5) >> 3;
  if (length > MAX_BYTES) throw new WireError('tooLong', `more than ${MAX_BYTES} bytes`);
  const data = new Uint8Array(length);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < digits.length; i++) {
    const value = VALUES[digits.charCodeAt(i)] ?? -1;
    if (value < 0) throw invalid();
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      data[at++] = held >> bits;
    }
  }
  if (bits > MAX_PADDING_BITS || (held & ((1 << bits) - 1)) !== 0) throw invalid();
  return data;
}

function invalid(): WireError {
  return new WireError('invalid', 'invalid bech32 string');
}
