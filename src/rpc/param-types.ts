/**
 * Types of parameters. Each converts a JSON token to a typed value, or gives a reason for refusing it.
 *
 * As in Core Lightning, the text of the token is parsed. So `5` and `"5"` are the same integer, and any value is
 * accepted as a string, namely its text. The reasons are worded as in Core Lightning. Integers have neither a fraction
 * nor an exponent, and amounts are bigint msat.
 */
import { curve } from '../bolt/crypto/curve.ts';
import { type Msat, parseMsat, U64_MAX } from '../model/msat.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes, parseNodeId } from '../model/node-id.ts';
import {
  parseShortChannelId,
  parseShortChannelIdDir,
  type ShortChannelId,
  type ShortChannelIdDir,
} from '../model/short-channel-id.ts';
import type { JsonToken } from './json-token.ts';

/** The JSON Schema of a parameter or result, for the API description. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A parameter type. `C` is the context in which the parser looks things up, as for "the name of an existing layer". The
 * types in this file need no context.
 */
export interface ParamType<T, C = unknown> {
  /** The name in the documentation: `u16`, `msat`, `array of string`. */
  readonly name: string;
  readonly schema: JsonSchema;
  /** Set by types that accept only this kind of token, so that positional parameters can be distinguished by kind. */
  readonly kind?: 'array' | 'object';
  /** Parses a token. @throws BadToken for an invalid value. */
  readonly parse: (token: JsonToken, context: C) => T;
}

/** Thrown when a token is not a valid value. `reason` is the text for the client: "should be …". */
export class BadToken extends Error {
  readonly reason: string;
  readonly token: JsonToken;

  constructor(reason: string, token: JsonToken) {
    super(reason);
    this.reason = reason;
    this.token = token;
  }
}

/** A type whose values are given as text. `parse` returns undefined for invalid text. */
export function textType<T>(
  name: string,
  reason: string,
  schema: JsonSchema,
  parse: (text: string) => T | undefined,
): ParamType<T> {
  return {
    name,
    schema,
    parse(token) {
      const scalar = token.kind === 'string' || token.kind === 'number';
      const value = scalar ? parse(token.text) : undefined;
      if (value === undefined) throw new BadToken(reason, token);
      return value;
    },
  };
}

/** Any token. A token that is not a string counts as its source text, so `5` is "5". */
export const string: ParamType<string> = {
  name: 'string',
  schema: { type: 'string' },
  parse: (token) => token.text,
};

/** A label: a JSON string or number, kept as text. */
export const stringOrNumber = textType(
  'string or number',
  'should be a string or number',
  { oneOf: [{ type: 'string' }, { type: 'number' }] },
  (text) => text,
);

/** The JSON words true and false. Neither strings nor 0 and 1 are accepted. */
export const bool: ParamType<boolean> = {
  name: 'boolean',
  schema: { type: 'boolean' },
  parse(token) {
    if (token.kind !== 'boolean') throw new BadToken("should be 'true' or 'false'", token);
    return token.raw === 'true';
  },
};

const DIGITS = /^\d{1,64}$/;

function unsigned(text: string, maximum: bigint): bigint | undefined {
  if (!DIGITS.test(text)) return undefined;
  const value = BigInt(text);
  return value <= maximum ? value : undefined;
}

/**
 * An unsigned integer within a range of at most 53 bits. @param reason the text for the client if a value is invalid
 */
export function unsignedInteger(
  name: string,
  reason: string,
  maximum: number,
  minimum = 0,
): ParamType<number> {
  return textType(name, reason, { type: 'integer', minimum, maximum }, (text) => {
    const value = unsigned(text, BigInt(maximum));
    return value === undefined || value < BigInt(minimum) ? undefined : Number(value);
  });
}

/** An unsigned 16-bit integer. */
export const u16 = unsignedInteger('u16', 'should be an unsigned 16 bit integer', 2 ** 16 - 1);

/** An unsigned 32-bit integer. */
export const u32 = unsignedInteger('u32', 'should be an unsigned 32 bit integer', 2 ** 32 - 1);

/** An unsigned 64-bit integer, as a bigint. */
export const u64 = textType(
  'u64',
  'should be an unsigned 64 bit integer',
  { type: 'integer', minimum: 0 },
  (text) => unsigned(text, U64_MAX),
);

/**
 * A signed integer within a range: digits with an optional minus. @param reason the text for the client if a value is
 * invalid. By default, it states the range.
 */
export function integer(
  minimum: number,
  maximum: number,
  reason = `should be an integer from ${minimum} to ${maximum}`,
): ParamType<number> {
  return textType('integer', reason, { type: 'integer', minimum, maximum }, (text) => {
    const value = /^-?\d{1,15}$/.test(text) ? Number(text) + 0 : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** A decimal number, as a number of millionths: `0.5` is 500000n. Digits after the sixth decimal place are dropped. */
export const millionths = textType(
  'number',
  'should be a non-negative floating-point number',
  { type: 'number', minimum: 0 },
  (text) => {
    const match = text.length <= 64 ? /^(\d*)(?:\.(\d*))?$/.exec(text) : null;
    if (match === null || (match[1] === '' && (match[2] ?? '') === '')) return undefined;
    const fraction = (match[2] ?? '').slice(0, 6).padEnd(6, '0');
    const value = BigInt(match[1] as string) * 1_000_000n + BigInt(fraction);
    return value <= U64_MAX ? value : undefined;
  },
);

/** An amount: `N`, `Nmsat`, `Nsat`, `N.DDDsat`, `Nbtc`, `N.D{1,11}btc`. */
export const msat: ParamType<Msat> = textType(
  'msat',
  'should be a millisatoshi amount',
  { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'string' }] },
  parseMsat,
);

/** An amount above zero, for payments and routes, where zero makes no sense. */
export const positiveMsat: ParamType<Msat> = {
  ...msat,
  schema: { oneOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] },
  parse(token, context) {
    const amount = msat.parse(token, context);
    if (amount === 0n) throw new BadToken('must be non-zero', token);
    return amount;
  },
};

/** Maximum number of cached points: about 10 MB, four times the public network. */
const MAX_REMEMBERED_POINTS = 65_536;
const rememberedPoints = new Map<string, NodeId>();

/**
 * The id, if its x coordinate is on secp256k1. Valid points are cached, because the check takes a square root. The
 * returned string is a copy: for V8, a part of a text is a reference to the whole text, so an id that is remembered
 * anywhere would keep its request in memory, with all requests that arrived together with it.
 */
function pointOnCurve(id: NodeId): NodeId | undefined {
  const known = rememberedPoints.get(id);
  if (known !== undefined) return known;
  const bytes = nodeIdToBytes(id);
  if (!curve.isPoint(bytes)) return undefined;
  if (rememberedPoints.size >= MAX_REMEMBERED_POINTS) rememberedPoints.clear();
  const copy = nodeIdFromBytes(bytes);
  rememberedPoints.set(copy, copy);
  return copy;
}

function pointType(reason: string): ParamType<NodeId> {
  return textType('pubkey', reason, { type: 'string', pattern: '^0[23][0-9a-fA-F]{64}$' }, (text) => {
    const id = parseNodeId(text);
    return id && pointOnCurve(id);
  });
}

/** A node id: 66 hex digits of either case that are a point of secp256k1. */
export const nodeId = pointType('should be a node id');
/** Like `nodeId`, with the error text of payment commands. */
export const pubkey = pointType('should be a compressed pubkey');

/** A short channel id, `BxTxO`. */
export const shortChannelId: ParamType<ShortChannelId> = textType(
  'short_channel_id',
  'should be a short_channel_id of form NxNxN',
  { type: 'string', pattern: '^\\d+x\\d+x\\d+$' },
  parseShortChannelId,
);

/** A channel's direction, `BxTxO/D`. */
export const shortChannelIdDir: ParamType<ShortChannelIdDir> = textType(
  'short_channel_id_dir',
  'should be a short_channel_id_dir of form NxNxN/N',
  { type: 'string', pattern: '^\\d+x\\d+x\\d+/[01]$' },
  parseShortChannelIdDir,
);

/** 32 bytes as 64 hex digits, converted to lower case. */
export const hash = textType(
  'hash',
  'should be a 32 byte hex value',
  { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined),
);

/** One of the given words. */
export function oneOf<const W extends string>(words: readonly W[], reason: string): ParamType<W> {
  return textType(words.join('|'), reason, { type: 'string', enum: words }, (text) =>
    words.find((word) => word === text),
  );
}

/**
 * An array whose elements have one type. The reason for refusing an element comes from its type.
 * @param most maximum number of elements. By default, only the size of a request limits the number.
 */
export function arrayOf<T, C>(element: ParamType<T, C>, most?: number): ParamType<readonly T[], C> {
  return {
    name: `array of ${element.name}`,
    schema: { type: 'array', items: element.schema, ...(most !== undefined && { maxItems: most }) },
    kind: 'array',
    parse(token, context) {
      if (token.kind !== 'array') throw new BadToken('should be an array', token);
      const items = token.elements();
      if (most !== undefined && items.length > most) {
        throw new BadToken(`should have at most ${most} elements`, token);
      }
      return items.map((item) => element.parse(item, context));
    },
  };
}

/**
 * Maximum size in bytes of a name or note chosen by the caller. The size is limited because the text is stored and
 * every list repeats it.
 */
export const MAX_TEXT_BYTES = 4096;

/** Restricts a type to values whose text is at most this many bytes long in UTF-8. */
export function atMost<T, C>(type: ParamType<T, C>, bytes: number): ParamType<T, C> {
  return {
    ...type,
    parse(token, context) {
      const value = type.parse(token, context);
      if (Buffer.byteLength(token.text) <= bytes) return value;
      throw new BadToken(`should have at most ${bytes} bytes`, token);
    },
  };
}

/** Stored text chosen by the caller: a name or a note. */
export const shortText = atMost(string, MAX_TEXT_BYTES);
