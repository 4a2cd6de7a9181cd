/** The address of a peer in the form that clients expect. */
import { isIPv4, isIPv6 } from 'node:net';
import { parseHostPort } from '../../network/peer/index.ts';

/** A host and a TCP port, as in the results of `connect` and `getinfo`. */
export interface AddressEntry {
  readonly type: 'ipv4' | 'ipv6' | 'torv3' | 'dns';
  readonly address: string;
  readonly port: number;
}

/** Parses `HOST` or `HOST:PORT`. @throws FulguriteError invalidParams for any other text */
export function addressEntry(text: string): AddressEntry {
  const { host, port } = parseHostPort(text);
  return { type: typeOf(host), address: host, port };
}

function typeOf(host: string): AddressEntry['type'] {
  if (isIPv4(host)) return 'ipv4';
  if (isIPv6(host)) return 'ipv6';
  return host.endsWith('.onion') ? 'torv3' : 'dns';
}
