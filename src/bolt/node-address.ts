/**
 * Where a node can be reached: the address descriptors of `node_announcement` (BOLT 7).
 *
 *     1 IPv4 (4 + port)   2 IPv6 (16 + port)   4 Tor v3 (35 + port)   5 DNS name (length, name, port)
 *
 * Type 3 (Tor v2) no longer exists and is passed over. A descriptor of an unknown type has an unknown length, so
 * reading stops there and keeps what came before.
 */

import { ByteReader, ByteWriter } from './bytes.ts';
import { WireError } from './wire-error.ts';

/** One address at which a node says it can be reached. */
export interface AddressDescriptor {
  readonly type: 'ipv4' | 'ipv6' | 'torv3' | 'dns';
  /** Dotted quad; eight groups of hex; name ending in `.onion`; host name. */
  readonly host: string;
  readonly port: number;
}

const TORV2_BYTES = 12;
const TORV3_BYTES = 35;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const HOSTNAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/;

/** @throws WireError when a known descriptor is cut off or a host name is not plain ASCII. */
export function decodeAddresses(bytes: Uint8Array): AddressDescriptor[] {
  const reader = new ByteReader(bytes);
  const addresses: AddressDescriptor[] = [];
  while (reader.remaining > 0) {
    const type = reader.u8();
    if (type === 1) addresses.push({ type: 'ipv4', host: reader.take(4).join('.'), port: reader.u16() });
    else if (type === 2) addresses.push({ type: 'ipv6', host: groups(reader.take(16)), port: reader.u16() });
    else if (type === 3) reader.take(TORV2_BYTES);
    else if (type === 4)
      addresses.push({ type: 'torv3', host: onion(reader.take(TORV3_BYTES)), port: reader.u16() });
    else if (type === 5)
      addresses.push({ type: 'dns', host: hostname(reader.take(reader.u8())), port: reader.u16() });
    else break;
  }
  return addresses;
}

/** @throws WireError when a host is not of its type's form. */
export function encodeAddresses(addresses: readonly AddressDescriptor[]): Uint8Array {
  const writer = new ByteWriter();
  for (const { type, host, port } of addresses) {
    if (type === 'ipv4') writer.u8(1).put(numbers(host.split('.'), 4, 10));
    else if (type === 'ipv6') putGroups(writer.u8(2), host);
    else if (type === 'torv3') writer.u8(4).put(fromOnion(host));
    else {
      const name = new Uint8Array(Buffer.from(host, 'latin1'));
      hostname(name);
      writer.u8(5).u8(name.length).put(name);
    }
    writer.u16(port);
  }
  return writer.finish();
}

function hostname(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (!HOSTNAME.test(text)) throw new WireError('invalid', 'not a host name');
  return text;
}

function numbers(parts: readonly string[], count: number, radix: number): Uint8Array {
  const values = parts.map((part) =>
    /^[0-9a-f]{1,3}$/.test(part) ? Number.parseInt(part, radix) : Number.NaN,
  );
  if (values.length !== count || !values.every((value) => value <= 255))
    throw new WireError('invalid', 'not an address');
  return Uint8Array.from(values);
}

function groups(bytes: Uint8Array): string {
  const reader = new ByteReader(bytes);
  return Array.from({ length: 8 }, () => reader.u16().toString(16)).join(':');
}

function putGroups(writer: ByteWriter, host: string): void {
  const parts = host.split(':');
  if (parts.length !== 8 || !parts.every((part) => /^[0-9a-f]{1,4}$/.test(part))) {
    throw new WireError('invalid', 'not eight groups of an IPv6 address');
  }
  for (const part of parts) writer.u16(Number.parseInt(part, 16));
}

/** 35 bytes are 56 digits of base32 without remainder. */
function onion(bytes: Uint8Array): string {
  let digits = '';
  for (let bit = 0; bit < 8 * bytes.length; bit += 5) {
    const pair = ((bytes[bit >> 3] as number) << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    digits += BASE32[(pair >> (11 - (bit & 7))) & 31];
  }
  return `${digits}.onion`;
}

function fromOnion(host: string): Uint8Array {
  if (!/^[a-z2-7]{56}\.onion$/.test(host)) throw new WireError('invalid', 'not a Tor v3 name');
  const bytes = new Uint8Array(TORV3_BYTES);
  let value = 0n;
  for (const digit of host.slice(0, 56)) value = (value << 5n) | BigInt(BASE32.indexOf(digit));
  for (let i = TORV3_BYTES - 1; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 0xffn);
  return bytes;
}
