/**
 * Checks proofs that a name does not exist. Records from a wildcard need such a proof, because a wildcard applies only
 * to names that do not exist themselves. NSEC (RFC 4034 section 4) contains the next existing name; NSEC3 (RFC 5155)
 * contains its hash.
 */
import { createHash } from 'node:crypto';
import { compareNames, type DnsName, isWithin, labelsOf, nameBytes, readName } from './dns-name.ts';
import type { DnsRecord } from './dns-record.ts';

/** Maximum extra hash iterations of NSEC3. RFC 9276 recommends none; validators commonly accept up to 150. */
const MAX_ITERATIONS = 150;
const SHA1 = 1;
const OPT_OUT = 1;
const TYPE = { ns: 2, soa: 6, dname: 39 };
const BASE32HEX = '0123456789abcdefghijklmnopqrstuv';

/** Whether a proven NSEC record shows that neither this name nor any name below it exists. */
export function nsecDenies({ name: owner, data }: DnsRecord, name: DnsName): boolean {
  const { name: next, end } = readName(data, 0, false);
  if (compareNames(owner, name) >= 0) return false;
  // In the last record of a zone, the next name is the first name of the zone.
  const isLast = compareNames(next, owner) <= 0;
  if (!isLast && compareNames(name, next) >= 0) return false;
  if (isLast && !isWithin(name, next)) return false;
  if (isWithin(next, name)) return false;
  return !(isWithin(name, owner) && leadsElsewhere(data.subarray(end)));
}

/** Whether a proven NSEC3 record shows that this name of the zone does not exist. */
export function nsec3Denies({ name: owner, data }: DnsRecord, name: DnsName, zone: DnsName): boolean {
  const [algorithm, flags, high, low, saltLength] = data;
  if (saltLength === undefined || algorithm !== SHA1 || ((flags as number) & OPT_OUT) !== 0) return false;
  const iterations = ((high as number) << 8) | (low as number);
  if (iterations > MAX_ITERATIONS) return false;
  const salt = data.subarray(5, 5 + saltLength);
  const hashAt = 5 + saltLength;
  const next = data.subarray(hashAt + 1, hashAt + 1 + (data[hashAt] ?? 0));
  const labels = labelsOf(owner);
  if (labels.length !== labelsOf(zone).length + 1 || !isWithin(owner, zone)) return false;
  let hash = createHash('sha1').update(nameBytes(name)).update(salt).digest();
  for (let round = 0; round < iterations; round++)
    hash = createHash('sha1').update(hash).update(salt).digest();
  const [from, at, to] = [labels[0] as string, base32hex(hash), base32hex(next)];
  return from < to ? from < at && at < to : at > from || at < to;
}

/** Whether names below the owner belong to a different zone, or to the target of a DNAME (RFC 6840 section 4.1). */
function leadsElsewhere(bitmap: Uint8Array): boolean {
  const isZoneCut = hasType(bitmap, TYPE.ns) && !hasType(bitmap, TYPE.soa);
  return isZoneCut || hasType(bitmap, TYPE.dname);
}

/**
 * Whether a type bitmap (RFC 4034 section 4.1.2) contains a type. All types that are looked up here are in the first
 * window.
 */
function hasType(bitmap: Uint8Array, type: number): boolean {
  if (bitmap[0] !== 0) return false;
  const at = type >> 3;
  return at < (bitmap[1] ?? 0) && ((bitmap[2 + at] ?? 0) & (0x80 >> (type & 7))) !== 0;
}

/**
 * Base 32 with the extended hex alphabet (RFC 4648 section 7), in lower case and without padding. Sorting these texts
 * gives the order of the bytes.
 */
function base32hex(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32HEX[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + BASE32HEX[(value << (5 - bits)) & 31];
}
