/**
 * DNSSEC signatures (RFC 4034, RFC 6840): checks whether a key signed a set of records. Methods: RSA with SHA-256 or
 * SHA-512 (RFC 5702), ECDSA on P-256 and P-384 (RFC 6605), Ed25519 and Ed448 (RFC 8080). BIP 353 excludes SHA-1 and RSA
 * keys below 1024 bits.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type DnsName, labelsOf, lastLabels, nameBytes, readName } from './dns-name.ts';
import type { DnsRecord } from './dns-record.ts';

/** A trust anchor or delegation: the digest of a key (RFC 4034 section 5). */
export interface Delegation {
  readonly keyTag: number;
  readonly algorithm: number;
  readonly digestType: number;
  readonly digest: Uint8Array;
}

/** A signature over all records of one name and type (RFC 4034 section 3). */
export interface Signature {
  readonly covered: number;
  readonly algorithm: number;
  /** Number of labels of the signed name. If the owner's name has more, the record came from a wildcard. */
  readonly labels: number;
  readonly originalTtl: number;
  /** Validity of the signature in UNIX seconds, modulo 2^32. */
  readonly expiration: number;
  readonly inception: number;
  readonly keyTag: number;
  readonly signer: DnsName;
  /** All fields before the signature; they are signed too. */
  readonly head: Uint8Array;
  readonly signature: Uint8Array;
}

const SIGNER_AT = 18;
const DIGESTS: Readonly<Record<number, string>> = { 2: 'sha256', 4: 'sha384' };
const KEY_FLAGS = { zone: 0x0100, revoked: 0x0080 };
const DNSSEC_PROTOCOL = 3;
const RSA_BITS = { least: 1024, most: 4096 };
const CURVES: Readonly<Record<number, { crv: string; kty: string; bytes: number; hash?: string }>> = {
  13: { kty: 'EC', crv: 'P-256', bytes: 64, hash: 'sha256' },
  14: { kty: 'EC', crv: 'P-384', bytes: 96, hash: 'sha384' },
  15: { kty: 'OKP', crv: 'Ed25519', bytes: 32 },
  16: { kty: 'OKP', crv: 'Ed448', bytes: 57 },
};
const RSA_HASHES: Readonly<Record<number, string>> = { 8: 'sha256', 10: 'sha512' };

/** Reads the contents of an RRSIG. Undefined if malformed. */
export function signatureOf({ data }: DnsRecord): Signature | undefined {
  if (data.length <= SIGNER_AT) return undefined;
  const view = Buffer.from(data.buffer, data.byteOffset, data.length);
  const { name: signer, end } = readName(data, SIGNER_AT, false);
  return {
    covered: view.readUInt16BE(0),
    algorithm: view.readUInt8(2),
    labels: view.readUInt8(3),
    originalTtl: view.readUInt32BE(4),
    expiration: view.readUInt32BE(8),
    inception: view.readUInt32BE(12),
    keyTag: view.readUInt16BE(16),
    signer,
    head: data.subarray(0, end),
    signature: data.subarray(end),
  };
}

/** Reads the contents of a DS. Undefined if malformed. */
export function delegationOf({ data }: DnsRecord): Delegation | undefined {
  if (data.length < 5) return undefined;
  const view = Buffer.from(data.buffer, data.byteOffset, data.length);
  return {
    keyTag: view.readUInt16BE(0),
    algorithm: view.readUInt8(2),
    digestType: view.readUInt8(3),
    digest: data.subarray(4),
  };
}

/** Whether a delegation contains the SHA-256 or SHA-384 digest of this key. */
export function isDelegated(key: DnsRecord, to: Delegation): boolean {
  const hash = DIGESTS[to.digestType];
  if (hash === undefined || key.data[3] !== to.algorithm || keyTagOf(key) !== to.keyTag) return false;
  const digest = createHash(hash).update(nameBytes(key.name)).update(key.data).digest();
  return digest.equals(to.digest);
}

/** Whether a key may sign records of its zone, and has the algorithm and key tag of this signature. */
export function couldSign(key: DnsRecord, signature: Signature): boolean {
  if (key.data.length < 5 || key.data[2] !== DNSSEC_PROTOCOL) return false;
  const flags = ((key.data[0] as number) << 8) | (key.data[1] as number);
  if ((flags & KEY_FLAGS.zone) === 0 || (flags & KEY_FLAGS.revoked) !== 0) return false;
  return key.data[3] === signature.algorithm && keyTagOf(key) === signature.keyTag;
}

/** Whether a signature's method is supported and accepted. */
export function isMethodAccepted({ algorithm }: Pick<Signature, 'algorithm'>): boolean {
  return CURVES[algorithm] !== undefined || RSA_HASHES[algorithm] !== undefined;
}

/** Whether a signature is valid at a time. Times wrap around after 136 years (RFC 1982). */
export function isInForce({ inception, expiration }: Signature, nowSeconds: number): boolean {
  const since = (nowSeconds - inception) | 0;
  const left = (expiration - nowSeconds) | 0;
  return since >= 0 && left >= 0;
}

/** Whether this key made the signature over these records, which all have the same name and type. */
export function isSignedBy(records: readonly DnsRecord[], signature: Signature, key: DnsRecord): boolean {
  const publicKey = publicKeyOf(key);
  if (publicKey === undefined) return false;
  const curve = CURVES[signature.algorithm];
  const hash = curve === undefined ? RSA_HASHES[signature.algorithm] : curve.hash;
  if (curve !== undefined && curve.kty === 'EC' && signature.signature.length !== curve.bytes) return false;
  const message = signedBytes(records, signature);
  try {
    return verify(hash, message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature.signature);
  } catch {
    return false;
  }
}

/** Number of labels of a name as counted in a signature, without a leading asterisk (RFC 4034 section 3.1.3). */
export function countedLabels(name: DnsName): number {
  const labels = labelsOf(name);
  return labels[0] === '*' ? labels.length - 1 : labels.length;
}

/** The signed bytes (RFC 4034 section 3.1.8.1): the signature's head, and the records in canonical form and order. */
function signedBytes(records: readonly DnsRecord[], { head, originalTtl, labels }: Signature): Uint8Array {
  const rows = records.map(({ name, type, data }) => {
    const owner = labels < countedLabels(name) ? `\x01*${lastLabels(name, labels)}` : name;
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(type, 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(originalTtl, 4);
    fixed.writeUInt16BE(data.length, 8);
    return { row: Buffer.concat([nameBytes(owner), fixed, data]), data };
  });
  rows.sort((a, b) => Buffer.compare(a.data, b.data));
  const distinct = rows.filter(
    ({ data }, at) => at === 0 || Buffer.compare(data, (rows[at - 1] as SignedRow).data) !== 0,
  );
  return Buffer.concat([head, ...distinct.map(({ row }) => row)]);
}

interface SignedRow {
  readonly row: Uint8Array;
  readonly data: Uint8Array;
}

/** The key tag of a key (RFC 4034 appendix B). */
function keyTagOf({ data }: DnsRecord): number {
  let sum = 0;
  for (const [at, byte] of data.entries()) sum += at % 2 === 0 ? byte << 8 : byte;
  return (sum + (sum >>> 16)) & 0xffff;
}

function publicKeyOf({ data }: DnsRecord): KeyObject | undefined {
  const algorithm = data[3] as number;
  const material = data.subarray(4);
  try {
    const curve = CURVES[algorithm];
    if (curve === undefined) return rsaKey(material);
    if (material.length !== curve.bytes) return undefined;
    const half = curve.bytes / 2;
    const point =
      curve.kty === 'OKP'
        ? { x: base64(material) }
        : { x: base64(material.subarray(0, half)), y: base64(material.subarray(half)) };
    return createPublicKey({ key: { kty: curve.kty, crv: curve.crv, ...point }, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Reads an RSA key (RFC 3110 section 2): exponent length in one byte, or a zero and two bytes; exponent; modulus. */
function rsaKey(material: Uint8Array): KeyObject | undefined {
  const isLong = material[0] === 0;
  const length = isLong ? ((material[1] ?? 0) << 8) | (material[2] ?? 0) : (material[0] ?? 0);
  const from = isLong ? 3 : 1;
  const modulus = material.subarray(from + length);
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  if (length === 0 || modulus[0] === 0 || bits < RSA_BITS.least || bits > RSA_BITS.most) return undefined;
  const numbers = { e: base64(material.subarray(from, from + length)), n: base64(modulus) };
  return createPublicKey({ key: { kty: 'RSA', ...numbers }, format: 'jwk' });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
