/**
 * Determines which IP addresses belong to the public internet (IANA's special-purpose registries, RFC 6890). All other
 * addresses lead to this machine, to its local networks, or nowhere. A stranger who could make us connect to them could
 * reach private networks.
 */

import { BlockList, isIP } from 'node:net';

const SPECIAL = new BlockList();
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
for (const [network, prefix] of IPV4) SPECIAL.addSubnet(network, prefix, 'ipv4');
/**
 * Reserved parts of 2000::/3: protocol assignments (including Teredo), documentation, and 6to4, which contains an IPv4
 * address.
 */
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
for (const [network, prefix] of IPV6) SPECIAL.addSubnet(network, prefix, 'ipv6');
/** The range currently allocated to the public internet. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is public. False for text that is not an IP address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !SPECIAL.check(address, 'ipv4');
  return version === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6');
}

/** The IPv4 address in an IPv4-mapped IPv6 address (`::ffff:1.2.3.4`). Any other address is returned unchanged. */
export function plainAddress(host: string): string {
  return /^::ffff:([\d.]+)$/i.exec(host)?.[1] ?? host;
}

/**
 * The network of a public address: the first 16 bits of an IPv4 address, or the first 32 of an IPv6 address. Providers
 * get blocks of about these sizes. Undefined if the address is not public.
 */
export function networkOf(host: string): string | undefined {
  const address = plainAddress(host);
  if (!isPublicAddress(address)) return undefined;
  return isIP(address) === 4 ? address.split('.').slice(0, 2).join('.') : ipv6Prefix(address, 2);
}

/** The first `groups` 16-bit groups of an IPv6 address. */
export function ipv6Prefix(address: string, groups: number): string {
  const [head = ''] = address.split('::');
  return [...head.split(':'), ...new Array<string>(groups).fill('0')].slice(0, groups).join(':');
}
