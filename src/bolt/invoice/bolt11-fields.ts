/**
 * Tagged fields of invoices (BOLT 11, "Tagged Fields"): a letter, a length in words, and words.
 *
 * The first valid field of each kind counts. Only fallback addresses and route hints may be repeated. Some fields are
 * ignored, and kept unchanged: fields with unknown letters or with a length that is invalid for their letter, repeated
 * fields, and addresses of unknown versions.
 */

import type { WireToll } from '../../model/policy.ts';
import type { ShortChannelId } from '../../model/short-channel-id.ts';
import { ByteReader, ByteWriter, toHex, utf8Text } from '../bytes.ts';
import { curve, POINT_BYTES } from '../crypto/curve.ts';
import { HASH_BYTES } from '../crypto/hashes.ts';
import { isAddressLength, P2SH_VERSION } from '../onchain-address.ts';
import { WireError } from '../wire-error.ts';
import {
  bitFieldOf,
  bitFieldWords,
  bytesOf,
  integerOf,
  integerWords,
  WORD_BITS,
  wordsOf,
} from './bolt11-words.ts';
import type { FallbackAddress } from './bolt12-fields.ts';

/** The letter for each value of a word (BIP-173). The names of fields are such letters too. */
export const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Words before a field's contents: one for its letter, and two for its length. */
const HEAD_WORDS = 3;
/** Maximum number of words in a field, which hold 639 bytes. */
const MAX_FIELD_WORDS = 1023;
const U32_MAX = 0xffff_ffffn;

/** A field as it is in the invoice. */
export interface TaggedField {
  /** The letter that names the kind of the field. */
  readonly tag: string;
  readonly words: Uint8Array;
}

/** An unannounced channel on the path to the payee. */
export interface RouteHintHop extends WireToll {
  /** The first node of the channel. */
  readonly nodeId: Uint8Array;
  readonly shortChannelId: ShortChannelId;
}

/** Bytes of one hop: node id, short channel id, two fees, delay. */
const HINT_HOP_BYTES = POINT_BYTES + 8 + 4 + 4 + 2;

interface FieldCoding<V> {
  encode(value: V): Uint8Array;
  /**
   * Decodes the field. `undefined` for a field that must be ignored. @throws WireError for a field that makes the
   * invoice invalid.
   */
  decode(words: Uint8Array): V | undefined;
}

const anyBytes: FieldCoding<Uint8Array> = { encode: wordsOf, decode: bytesOf };

function fixedBytes(length: number): FieldCoding<Uint8Array> {
  const wordCount = Math.ceil((8 * length) / WORD_BITS);
  return {
    encode(bytes) {
      if (bytes.length !== length) throw new WireError('invalid', `${length} bytes expected`);
      return wordsOf(bytes);
    },
    decode: (words) => (words.length === wordCount ? bytesOf(words) : undefined),
  };
}

const nodeId: FieldCoding<Uint8Array> = {
  encode: fixedBytes(POINT_BYTES).encode,
  decode(words) {
    const point = fixedBytes(POINT_BYTES).decode(words);
    if (point !== undefined && !curve.isPoint(point))
      throw new WireError('invalid', `invalid public key ${toHex(point)}`);
    return point;
  },
};

const text: FieldCoding<string> = {
  encode: (value) => wordsOf(new Uint8Array(Buffer.from(value, 'utf8'))),
  decode(words) {
    const bytes = bytesOf(words);
    // A zero byte ends a string in C programs, which would show a different description.
    if (bytes.includes(0)) throw new WireError('invalid', 'invalid utf8');
    try {
      return utf8Text(bytes);
    } catch {
      throw new WireError('invalid', 'invalid utf8');
    }
  },
};

const seconds: FieldCoding<bigint> = { encode: integerWords, decode: integerOf };

const blocks: FieldCoding<number> = {
  encode: integerWords,
  decode(words) {
    const value = integerOf(words);
    if (value > U32_MAX) throw new WireError('invalid', `${value} is too large`);
    return Number(value);
  },
};

const bitField: FieldCoding<Uint8Array> = {
  encode: bitFieldWords,
  decode(words) {
    if (words[0] === 0) throw new WireError('notMinimal', 'non-minimal length (begins with 0)');
    return bitFieldOf(words);
  },
};

const fallback: FieldCoding<FallbackAddress> = {
  encode: ({ version, address }) => Uint8Array.of(version, ...wordsOf(address)),
  decode(words) {
    const [version] = words;
    if (version === undefined) throw new WireError('truncated', 'truncated');
    if (version > P2SH_VERSION) return undefined;
    const address = bytesOf(words.subarray(1));
    if (!isAddressLength(version, address.length))
      throw new WireError('invalid', `bad length ${address.length} for version ${version}`);
    return { version, address };
  },
};

const routeHint: FieldCoding<readonly RouteHintHop[]> = {
  encode(hops) {
    const writer = new ByteWriter();
    for (const hop of hops) {
      writer.put(hop.nodeId).u64(hop.shortChannelId).u32(hop.feeBaseMsat);
      writer.u32(hop.feeProportionalMillionths).u16(hop.cltvExpiryDelta);
    }
    return wordsOf(writer.finish());
  },
  decode(words) {
    const reader = new ByteReader(bytesOf(words));
    const hops: RouteHintHop[] = [];
    do {
      if (reader.remaining < HINT_HOP_BYTES) throw new WireError('truncated', `hop ${hops.length} truncated`);
      const point = reader.take(POINT_BYTES);
      if (!curve.isPoint(point)) throw new WireError('invalid', `hop ${hops.length} pubkey invalid`);
      hops.push({
        nodeId: point,
        shortChannelId: reader.u64() as ShortChannelId,
        feeBaseMsat: reader.u32(),
        feeProportionalMillionths: reader.u32(),
        cltvExpiryDelta: reader.u16(),
      });
    } while (reader.remaining > 0);
    return hops;
  },
};

/** Fields that occur once, in the order in which they are written. */
const SINGLE = {
  paymentSecret: { tag: 's', ...fixedBytes(HASH_BYTES) },
  paymentHash: { tag: 'p', ...fixedBytes(HASH_BYTES) },
  description: { tag: 'd', ...text },
  /** SHA-256 of a description that is transmitted separately. */
  descriptionHash: { tag: 'h', ...fixedBytes(HASH_BYTES) },
  /** Opaque bytes that the payee requires in the payment. */
  paymentMetadata: { tag: 'm', ...anyBytes },
  /** The signing key. Without it, the key is recovered from the signature. */
  payeeId: { tag: 'n', ...nodeId },
  /** Validity of the invoice after its timestamp, in seconds. Default 3600. */
  expirySeconds: { tag: 'x', ...seconds },
  /** Minimum number of blocks between the current block and the expiry of the last HTLC. Default 18. */
  minFinalCltvExpiryDelta: { tag: 'c', ...blocks },
  features: { tag: '9', ...bitField },
} as const;

/** Fields that may occur several times. All are read, except addresses of unknown versions. */
const REPEATED = {
  /** On-chain addresses: witness programs, and hashes of keys and scripts (see `onchain-address.ts`). */
  fallbacks: { tag: 'f', ...fallback },
  /** Each hint is a list of channels that leads from a public node to the payee, in forward order. */
  routeHints: { tag: 'r', ...routeHint },
} as const;

type Value<C> = C extends FieldCoding<infer V> ? V : never;
type SingleName = keyof typeof SINGLE;
type RepeatedName = keyof typeof REPEATED;

/** The tagged fields of an invoice by name. Fields that may be repeated are lists (BOLT 11, "Tagged Fields"). */
export type Bolt11Fields = {
  readonly [K in SingleName]?: Value<(typeof SINGLE)[K]>;
} & { readonly [K in RepeatedName]?: readonly Value<(typeof REPEATED)[K]>[] };

/** The tagged fields of an invoice, decoded if they are known, unchanged if they are ignored. */
export interface DecodedFields {
  readonly values: Bolt11Fields;
  /** Ignored fields, in the order of the invoice. */
  readonly ignored: readonly TaggedField[];
}

const singleNames = namesByTag(SINGLE);
const repeatedNames = namesByTag(REPEATED);

function namesByTag<N extends string>(table: Readonly<Record<N, { readonly tag: string }>>): Map<string, N> {
  const names = Object.keys(table) as N[];
  return new Map(names.map((name) => [table[name].tag, name]));
}

/** Splits the words into fields. @throws WireError when a field is cut short. */
export function readTaggedFields(words: Uint8Array): TaggedField[] {
  const fields: TaggedField[] = [];
  for (let at = 0; at < words.length; ) {
    const [type = 0, high = 0, low] = words.subarray(at, at + HEAD_WORDS);
    const tag = LETTERS[type] as string;
    const start = at + HEAD_WORDS;
    const end = start + high * 32 + (low ?? 0);
    if (low === undefined || end > words.length) throw new WireError('truncated', `${tag}: truncated`);
    fields.push({ tag, words: words.subarray(start, end) });
    at = end;
  }
  return fields;
}

/** Encodes fields as words. @throws WireError when a field is too long, or its letter is invalid. */
export function writeTaggedFields(fields: readonly TaggedField[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(({ tag, words }) => {
      const type = LETTERS.indexOf(tag);
      if (type < 0) throw new WireError('invalid', `no field has the letter ${tag}`);
      if (words.length > MAX_FIELD_WORDS) throw new WireError('tooLong', `${tag}: too long for a field`);
      return [type, words.length >> 5, words.length & 31, ...words];
    }),
  );
}

/**
 * Decodes the fields. @throws WireError, whose message starts with the letter, for a field that makes the invoice
 * invalid.
 */
export function decodeFields(fields: readonly TaggedField[]): DecodedFields {
  const values: Partial<Record<SingleName, unknown>> = {};
  const lists: Record<RepeatedName, unknown[]> = { fallbacks: [], routeHints: [] };
  const ignored: TaggedField[] = [];
  for (const field of fields) {
    const single = singleNames.get(field.tag);
    const repeated = repeatedNames.get(field.tag);
    const coding = single === undefined ? repeated && REPEATED[repeated] : SINGLE[single];
    const isRepetition = single !== undefined && values[single] !== undefined;
    const value = coding === undefined || isRepetition ? undefined : decodeField(coding, field);
    if (value === undefined) ignored.push(field);
    else if (single !== undefined) values[single] = value;
    else if (repeated !== undefined) lists[repeated].push(value);
  }
  return { values: { ...values, ...lists } as Bolt11Fields, ignored };
}

function decodeField(coding: FieldCoding<unknown>, { tag, words }: TaggedField): unknown {
  try {
    return coding.decode(words);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw new WireError(error.reason, `${tag}: ${error.message}`);
  }
}

/** The fields for these values, in the order of the tables. @throws WireError when a value is out of range. */
export function encodeFields(values: Bolt11Fields): TaggedField[] {
  const fields: TaggedField[] = [];
  for (const [name, coding] of Object.entries(SINGLE)) {
    const value = values[name as SingleName];
    if (value !== undefined) fields.push(fieldOf(coding as Tagged, value));
  }
  for (const [name, coding] of Object.entries(REPEATED)) {
    for (const value of values[name as RepeatedName] ?? []) fields.push(fieldOf(coding as Tagged, value));
  }
  return fields;
}

type Tagged = FieldCoding<unknown> & { readonly tag: string };

function fieldOf({ tag, encode }: Tagged, value: unknown): TaggedField {
  return { tag, words: encode(value) };
}
