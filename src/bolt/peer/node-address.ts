/**
 * A node's addresses: the address descriptors of `node_announcement` (BOLT 7).
 *
 *     1 IPv4 (4 + port)   2 IPv6 (16 + port)   3 Tor v2 (10 + port)   4 Tor v3 (35 + port)
 *     5 DNS name (length, name, port)
 */

/** A node address in the form in which Core Lightning lists it. */
export interface NodeAddress {
  readonly type: 'ipv4' | 'ipv6' | 'torv2' | 'torv3' | 'dns';
  readonly address: string;
  readonly port: number;
}

const PORT_BYTES = 2;

/** Name and length of the address, by type of descriptor. A DNS name (type 5) is prefixed with its length. */
const KINDS: Readonly<Record<number, { readonly type: NodeAddress['type']; readonly length: number }>> = {
  1: { type: 'ipv4', length: 4 },
  2: { type: 'ipv6', length: 16 },
  3: { type: 'torv2', length: 10 },
  4: { type: 'torv3', length: 35 },
};
const TYPE_DNS = 5;

/**
 * Decodes the addresses, up to the first descriptor that is unknown or incomplete, because the start of the next
 * descriptor is then unknown.
 */
export function decodeNodeAddresses(bytes: Uint8Array): NodeAddress[] {
  const addresses: NodeAddress[] = [];
  let at = 0;
  while (at < bytes.length) {
    const dns = bytes[at] === TYPE_DNS;
    const kind = dns ? { type: 'dns' as const, length: bytes[at + 1] ?? 0 } : KINDS[bytes[at]!];
    const start = at + (dns ? 2 : 1);
    if (kind === undefined || start + kind.length + PORT_BYTES > bytes.length) break;
    const end = start + kind.length;
    const address = formatAddress(kind.type, bytes.subarray(start, end));
    addresses.push({ type: kind.type, address, port: (bytes[end]! << 8) | bytes[end + 1]! });
    at = end + PORT_BYTES;
  }
  return addresses;
}

function formatAddress(type: NodeAddress['type'], bytes: Uint8Array): string {
  if (type === 'ipv4') return bytes.join('.');
  if (type === 'ipv6') return formatIpv6(bytes);
  if (type === 'dns')
    return Buffer.from(bytes)
      .toString('latin1')
      .replace(/[^\x21-\x7e]/g, '?');
  return `${base32(bytes)}.onion`;
}

/** The text of an address (RFC 5952): lower case, the longest run of at least two zero groups as `::`. */
function formatIpv6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2]! << 8) | bytes[i * 2 + 1]!);
  let [runStart, runLength] = [-1, 1];
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > runLength) [runStart, runLength] = [start, length];
  }
  const text = (part: number[]) => part.map((group) => group.toString(16)).join(':');
  if (runStart === -1) return text(groups);
  return `${text(groups.slice(0, runStart))}::${text(groups.slice(runStart + runLength))}`;
}

/** Base32 (RFC 4648) in lower case. No padding is needed, since the lengths here are multiples of five bytes. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5)
      text += 'abcdefghijklmnopqrstuvwxyz234567'[(pending >>> (bits - 5)) & 31];
    pending &= 0xff;
  }
  return text;
}
