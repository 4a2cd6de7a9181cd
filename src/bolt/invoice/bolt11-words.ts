/**
 * Words: the 5-bit digits that make up invoices (BOLT 11, "Data Part"; BIP-173). A field of n words holds floor(5n / 8)
 * bytes, and at most four more bits, which must be zero. A field may also hold a big-endian number or a bit field.
 */

import { bech32 } from '@scure/base';
import { featureBits } from '../peer/features.ts';
import { WireError } from '../wire-error.ts';

/** Bits in one digit of bech32 (BIP-173). */
export const WORD_BITS = 5;
/** Maximum number of words in a number to read: 60 bits. */
const MAX_INTEGER_WORDS = 12;

/** The bytes as words, padded with zero bits. */
export function wordsOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bech32.toWords(bytes));
}

/**
 * The bytes in words. @throws WireError when a bit after the last whole byte is set, or when the last word is not
 * needed.
 */
export function bytesOf(words: Uint8Array): Uint8Array {
  const bytes = bech32.fromWordsUnsafe(Array.from(words));
  if (bytes === undefined) throw new WireError('invalid', 'non-zero trailing bits');
  return bytes as Uint8Array;
}

/** All bits of the words, padded at the end with zero bits to whole bytes. Signatures cover these bytes. */
export function packedWords(words: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((words.length * WORD_BITS) / 8));
  words.forEach((word, i) => {
    const bit = i * WORD_BITS;
    const shifted = (word << 11) >> (bit & 7);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) | (shifted >> 8);
    if ((shifted & 255) !== 0) bytes[(bit >> 3) + 1] = shifted & 255;
  });
  return bytes;
}

/**
 * Words as one big-endian number. @throws WireError when there are too many words, or when the first of several words
 * is zero.
 */
export function integerOf(words: Uint8Array): bigint {
  if (words.length > MAX_INTEGER_WORDS) throw new WireError('tooLong', 'integer too large');
  if (words.length > 1 && words[0] === 0) throw new WireError('notMinimal', 'not a minimal value');
  let value = 0n;
  for (const word of words) value = (value << BigInt(WORD_BITS)) | BigInt(word);
  return value;
}

/** A number in the minimum number of words, or in exactly `length` words. @throws WireError when it does not fit. */
export function integerWords(value: bigint | number, length?: number): Uint8Array {
  const words: number[] = [];
  for (let left = BigInt(value); left > 0n; left >>= BigInt(WORD_BITS)) words.unshift(Number(left & 31n));
  const wanted = length ?? Math.max(1, words.length);
  if (value < 0 || words.length > Math.min(wanted, MAX_INTEGER_WORDS))
    throw new WireError('invalid', `${value} does not fit ${wanted} words`);
  return Uint8Array.from([...new Array<number>(wanted - words.length).fill(0), ...words]);
}

/**
 * Words as a bit field (BOLT 9). Bit 0 is the lowest bit of the last word. The field has as many bytes as the words
 * need, so its first byte may be zero.
 */
export function bitFieldOf(words: Uint8Array): Uint8Array {
  const field = new Uint8Array(Math.ceil((words.length * WORD_BITS) / 8));
  words.forEach((word, i) => {
    const bit = (words.length - 1 - i) * WORD_BITS;
    const at = field.length - 1 - (bit >> 3);
    const shifted = word << (bit & 7);
    field[at] = (field[at] as number) | (shifted & 255);
    if (shifted > 255) field[at - 1] = (field[at - 1] as number) | (shifted >> 8);
  });
  return field;
}

/** A bit field in the minimum number of words. */
export function bitFieldWords(field: Uint8Array): Uint8Array {
  const bits = featureBits(field);
  const words = new Uint8Array(Math.floor((bits.at(-1) ?? -1) / WORD_BITS) + 1);
  for (const bit of bits) {
    const at = words.length - 1 - Math.floor(bit / WORD_BITS);
    words[at] = (words[at] as number) | (1 << (bit % WORD_BITS));
  }
  return words;
}
