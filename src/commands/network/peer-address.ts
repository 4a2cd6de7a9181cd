/** The address of a peer in the form that clients expect. */
import { isIPv4, isIPv6 } from 'node:net';
import { parseHostPort } from '../../network/peer/index.ts';

/** A host and a TCP port, as in the results of `connect` and `getinfo`. */
export interface AddressEntry {
  readonly type: 'ipv4' | 'ipv6' | 'dns';
  readonly address: string;
  readonly port: number;
}

/** Parses `HOST` or `HOST:PORT`. @throws FulguriteError invalidParams for any other text */
export function addressEntry(text: string): AddressEntry {
  const { host, port } = parseHostPort(text);
  return { type: isIPv4(host) ? 'ipv4' : isIPv6(host) ? 'ipv6' : 'dns', address: host, port };
}
