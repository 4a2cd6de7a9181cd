/** Converts LND's node addresses, `HOST:PORT`, to the address descriptors of a node_announcement (BOLT 7). */
import { isIPv4, isIPv6 } from 'node:net';
import { base32 } from '@scure/base';
import { parseHostPort } from '../../peer/index.ts';

const ONION_V3_BYTES = 35;
const MAX_DNS_BYTES = 255;

/** The descriptors of the addresses. Addresses that cannot be parsed are left out. */
export function encodeNodeAddresses(addresses: readonly string[]): Uint8Array {
  const parts = addresses.map(descriptorOf);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function descriptorOf(address: string): Uint8Array {
  try {
    const { host, port } = parseHostPort(address);
    const [type, bytes] = hostBytes(host);
    return Uint8Array.of(type, ...bytes, port >> 8, port & 0xff);
  } catch {
    return new Uint8Array(0);
  }
}

/** @throws Error when the host has no form in BOLT 7 */
function hostBytes(host: string): readonly [type: number, bytes: Uint8Array | readonly number[]] {
  if (isIPv4(host)) return [1, host.split('.').map(Number)];
  if (isIPv6(host)) return [2, ipv6Bytes(host)];
  if (host.endsWith('.onion')) {
    const bytes = base32.decode(host.slice(0, -'.onion'.length).toUpperCase());
    if (bytes.length !== ONION_V3_BYTES) throw new RangeError('no onion service of version 3');
    return [4, bytes];
  }
  const name = Buffer.from(host, 'latin1');
  if (name.length > MAX_DNS_BYTES) throw new RangeError('the name is too long');
  return [5, Uint8Array.of(name.length, ...name)];
}

/** The 16 bytes of a valid address. An IPv4 address at the end counts as two groups. */
function ipv6Bytes(host: string): number[] {
  const text = host.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...four: string[]) => {
    const [a, b, c, d] = four.map(Number);
    return `${((a! << 8) | b!).toString(16)}:${((c! << 8) | d!).toString(16)}`;
  });
  const [head = '', tail] = text.split('::');
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const gap = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...gap, ...last]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((n) => [n >> 8, n & 0xff]);
}
