/** A peer's end of a connection as clients expect it. */
import { isIPv4, isIPv6 } from 'node:net';
import { parseHostPort } from '../../network/peer/index.ts';

/** A host and a TCP port, as `connect` and `getinfo` answer them. */
export interface AddressEntry {
  readonly type: 'ipv4' | 'ipv6' | 'dns';
  readonly address: string;
  readonly port: number;
}

/** Reads `host:port`. @throws FulguriteError invalidParams when the text is something else. */
export function addressEntry(text: string): AddressEntry {
  const { host, port } = parseHostPort(text);
  return { type: isIPv4(host) ? 'ipv4' : isIPv6(host) ? 'ipv6' : 'dns', address: host, port };
}
