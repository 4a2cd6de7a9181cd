/**
 * Reads resource records from a DNS message (RFC 1035 section 4.1) or from an RFC 9102 proof (`AuthenticationChain`),
 * which is a plain sequence of records. Contents are stored in the canonical form (RFC 4034 section 6.2), which is the
 * form that is signed.
 */
import { type DnsName, nameBytes, readName } from './dns-name.ts';
import { NameError } from './name-error.ts';

/** The supported record types. Records of other types are ignored. */
export const RECORD_TYPE = {
  cname: 5,
  txt: 16,
  dname: 39,
  ds: 43,
  rrsig: 46,
  nsec: 47,
  dnskey: 48,
  nsec3: 50,
} as const;

/** One record of the class IN. */
export interface DnsRecord {
  readonly name: DnsName;
  readonly type: number;
  readonly ttlSeconds: number;
  readonly data: Uint8Array;
}

/** An answer from a resolver. */
export interface DnsAnswer {
  readonly id: number;
  /** Response code (RFC 1035): 0 means success, 3 that the name does not exist. */
  readonly code: number;
  readonly isTruncated: boolean;
  /** Records of the answer and authority sections. */
  readonly records: readonly DnsRecord[];
}

const CLASS_IN = 1;
const HEADER_BYTES = 12;
const FIXED_BYTES = 10;
/** Offset of the signer's name in an RRSIG (RFC 4034 section 3.1). */
const SIGNER_AT = 18;
const MAX_RECORDS = 512;

/**
 * Reads a plain sequence of records, which has no message header and no name compression. @throws NameError resolver
 */
export function readProof(bytes: Uint8Array): DnsRecord[] {
  const records: DnsRecord[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (records.length === MAX_RECORDS) throw malformed();
    const { record, end } = readRecord(bytes, at, false);
    if (record !== undefined) records.push(record);
    at = end;
  }
  return records;
}

/** Writes the sequence of records that {@link readProof} reads. */
export function writeProof(records: readonly DnsRecord[]): Uint8Array {
  return Buffer.concat(
    records.map(({ name, type, ttlSeconds, data }) => {
      const fixed = Buffer.alloc(FIXED_BYTES);
      fixed.writeUInt16BE(type, 0);
      fixed.writeUInt16BE(CLASS_IN, 2);
      fixed.writeUInt32BE(ttlSeconds, 4);
      fixed.writeUInt16BE(data.length, 8);
      return Buffer.concat([nameBytes(name), fixed, data]);
    }),
  );
}

/** Reads a message. @throws NameError resolver */
export function readAnswer(bytes: Uint8Array): DnsAnswer {
  if (bytes.length < HEADER_BYTES) throw malformed();
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const flags = view.readUInt16BE(2);
  const [questions, answers, authorities] = [4, 6, 8].map((at) => view.readUInt16BE(at)) as [
    number,
    number,
    number,
  ];
  if (answers + authorities > MAX_RECORDS || questions > 1) throw malformed();
  let at = HEADER_BYTES;
  if (questions === 1) at = readName(bytes, at, true).end + 4;
  const records: DnsRecord[] = [];
  for (let left = answers + authorities; left > 0; left--) {
    const { record, end } = readRecord(bytes, at, true);
    if (record !== undefined) records.push(record);
    at = end;
  }
  return { id: view.readUInt16BE(0), code: flags & 0xf, isTruncated: (flags & 0x0200) !== 0, records };
}

/** The strings of a TXT record, joined (BIP 353 uses no separator). Undefined if malformed. */
export function txtOf(data: Uint8Array): string | undefined {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 1 + (data[at] as number)) {
    const end = at + 1 + (data[at] as number);
    if (end > data.length) return undefined;
    parts.push(data.subarray(at + 1, end));
  }
  return Buffer.concat(parts).toString('latin1');
}

function readRecord(
  bytes: Uint8Array,
  start: number,
  mayPoint: boolean,
): { record?: DnsRecord; end: number } {
  const { name, end: at } = readName(bytes, start, mayPoint);
  if (at + FIXED_BYTES > bytes.length) throw malformed();
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [type, recordClass, length] = [0, 2, 8].map((offset) => view.readUInt16BE(at + offset)) as [
    number,
    number,
    number,
  ];
  const from = at + FIXED_BYTES;
  const end = from + length;
  if (end > bytes.length) throw malformed();
  if (recordClass !== CLASS_IN) return { end };
  const data = canonicalData(bytes, type, from, end, mayPoint);
  return { record: { name, type, ttlSeconds: view.readUInt32BE(at + 4), data }, end };
}

/** The canonical contents of a record. For types that contain names, the names are uncompressed and in lower case. */
function canonicalData(
  bytes: Uint8Array,
  type: number,
  from: number,
  end: number,
  mayPoint: boolean,
): Uint8Array {
  const before = type === RECORD_TYPE.rrsig ? SIGNER_AT : 0;
  const hasName = type === RECORD_TYPE.cname || type === RECORD_TYPE.dname || type === RECORD_TYPE.rrsig;
  if (!hasName) return bytes.slice(from, end);
  const { name, end: after } = readName(bytes, from + before, mayPoint);
  if (after > end || (before === 0 && after !== end)) throw malformed();
  return Buffer.concat([bytes.subarray(from, from + before), nameBytes(name), bytes.subarray(after, end)]);
}

function malformed(): NameError {
  return new NameError('resolver', 'the resolver sent a malformed DNS message');
}
