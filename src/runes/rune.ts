/**
 * A rune: a bearer token that contains its permissions. Any holder can narrow it, and only the owner of the secret can
 * widen it.
 *
 *   M(0) = secret,  M(i+1) = M(i) ‖ pad(|M(i)|) ‖ r(i)      r(i) = text of restriction i
 *   authcode = SHA-256(M(n+1))
 *   rune     = base64url(authcode ‖ r(0) & r(1) & …)
 *
 * where pad(n) is what SHA-256 appends to a message of n bytes. So the authcode is the state of SHA-256 after the
 * last restriction. Anyone can continue hashing from that state, and so narrow the rune. Source: ccan/rune of Core
 * Lightning.
 *
 * The first restriction may have an empty field: `=ID` or `=ID-VERSION`. It identifies the rune, and is not tested
 * against requests.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { _SHA256 } from '@noble/hashes/sha2.js';
import { base64url, base64urlnopad } from '@scure/base';
import { parseRestrictions, type Restriction, restrictionText } from './restriction.ts';

const AUTHCODE_BYTES = 32;
const BLOCK_BYTES = 64;
/** Minimum padding in bytes: the byte 0x80 and the 64-bit length. */
const MIN_PAD_BYTES = 9;
/** Maximum length of the secret in bytes: with its padding, it must fill exactly one block. */
const MAX_SECRET_BYTES = BLOCK_BYTES - MIN_PAD_BYTES;
/** Maximum length of a rune in characters. The time to check it grows with its length. */
const MAX_CHARACTERS = 65_536;

/** A decoded or created rune, with an unchecked authcode. */
export interface Rune {
  readonly authcode: Uint8Array;
  readonly restrictions: readonly Restriction[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes the text of a rune. Undefined if the text is malformed. */
export function decodeRune(text: string): Rune | undefined {
  const bytes = text.length <= MAX_CHARACTERS ? decodeBase64(text) : undefined;
  if (bytes === undefined || bytes.length < AUTHCODE_BYTES) return undefined;
  const restrictions = parseUtf8(bytes.subarray(AUTHCODE_BYTES));
  if (restrictions === undefined || !hasGoodNames(restrictions)) return undefined;
  return { authcode: bytes.slice(0, AUTHCODE_BYTES), restrictions };
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return text.includes('=') ? base64url.decode(text) : base64urlnopad.decode(text);
  } catch {
    return undefined;
  }
}

function parseUtf8(bytes: Uint8Array): Restriction[] | undefined {
  try {
    return parseRestrictions(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Whether every field has a name. The first restriction may have an empty field if that is its only alternative and has
 * the condition `=`.
 */
function hasGoodNames(restrictions: readonly Restriction[]): boolean {
  return restrictions.every((alternatives, index) =>
    alternatives.every(
      ({ field, condition }) =>
        field !== '' || (index === 0 && alternatives.length === 1 && condition === '='),
    ),
  );
}

/** The text of a rune. */
export function encodeRune({ authcode, restrictions }: Rune): string {
  const text = restrictions.map(restrictionText).join('&');
  return base64url.encode(Buffer.concat([authcode, Buffer.from(text, 'utf8')]));
}

/** Creates a rune from the secret. @throws RangeError when the secret is too long. */
export function issueRune(secret: Uint8Array, restrictions: readonly Restriction[]): Rune {
  return { authcode: authcodeOf(secret, restrictions), restrictions };
}

function authcodeOf(secret: Uint8Array, restrictions: readonly Restriction[]): Uint8Array {
  if (secret.length > MAX_SECRET_BYTES) throw new RangeError('the secret of runes is too long');
  const hash = createHash('sha256').update(secret);
  let length = secret.length;
  for (const restriction of restrictions) {
    const bytes = Buffer.from(restrictionText(restriction), 'utf8');
    const pad = padding(length);
    hash.update(pad).update(bytes);
    length += pad.length + bytes.length;
  }
  return hash.digest();
}

/** SHA-256's padding of a message of this many bytes (FIPS 180-4, 5.1.1). */
function padding(length: number): Buffer {
  const pad = Buffer.alloc(paddedLength(length) - length);
  pad[0] = 0x80;
  pad.writeBigUInt64BE(BigInt(length) * 8n, pad.length - 8);
  return pad;
}

const paddedLength = (length: number): number =>
  BLOCK_BYTES * Math.ceil((length + MIN_PAD_BYTES) / BLOCK_BYTES);

/** A SHA-256 hash that continues from the state reached after a whole number of blocks. */
class ResumedSha256 extends _SHA256 {
  constructor(state: Uint8Array, hashedBytes: number) {
    super();
    const words = new DataView(state.buffer, state.byteOffset, state.byteLength);
    const word = (index: number): number => words.getInt32(index * 4);
    this.set(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7));
    this.length = hashedBytes;
  }
}

/** The rune with an additional restriction. This needs no secret, so it works for any rune. */
export function narrowRune({ authcode, restrictions }: Rune, added: Restriction): Rune {
  let hashedBytes = BLOCK_BYTES;
  for (const one of restrictions) hashedBytes += paddedLength(Buffer.byteLength(restrictionText(one)));
  const hash = new ResumedSha256(authcode, hashedBytes);
  hash.update(Buffer.from(restrictionText(added), 'utf8'));
  return { authcode: hash.digest(), restrictions: [...restrictions, added] };
}

/** The secret against which each rune was verified, so that a rune is hashed only once for all requests of a batch. */
const derivedFrom = new WeakMap<Rune, Uint8Array>();

/** Whether the rune was made from this secret, even if others have narrowed it since. Compares in constant time. */
export function isDerived(secret: Uint8Array, rune: Rune): boolean {
  if (derivedFrom.get(rune) === secret) return true;
  const isSame = timingSafeEqual(authcodeOf(secret, rune.restrictions), rune.authcode);
  if (isSame) derivedFrom.set(rune, secret);
  return isSame;
}

/** The unique id of a rune, and the version, which Core Lightning never sets. */
export interface RuneName {
  readonly uniqueId: string;
  readonly version: string | undefined;
}

/** The unique id and version in a rune's first restriction. Undefined if the rune has no unique id. */
export function runeName({ restrictions }: Rune): RuneName | undefined {
  const [first] = restrictions[0] ?? [];
  if (first === undefined || first.field !== '') return undefined;
  const [, uniqueId, version] = /^([^-]*)(?:-(.*))?$/s.exec(first.value)!;
  return { uniqueId: uniqueId!, version };
}

/** The restriction that holds a rune's unique id. */
export function namingRestriction(uniqueId: bigint): Restriction {
  return [{ field: '', condition: '=', value: String(uniqueId) }];
}

/** The restrictions to test: all but the one that holds the rune's unique id. */
export function testedRestrictions(rune: Rune): readonly Restriction[] {
  return runeName(rune) === undefined ? rune.restrictions : rune.restrictions.slice(1);
}
