/** A peer's end of a connection as clients expect it. */
import { isIPv4, isIPv6 } from 'node:net';
import { parseHostPort } from '../../network/peer/index.ts';

export interface AddressEntry {
  readonly type: 'ipv4' | 'ipv6' | 'dns';
  readonly address: string;
  readonly port: number;
}

/** @throws FulguriteError when the text is no `host:port`. */
export function addressEntry(text: string): AddressEntry {
  const { host, port } = parseHostPort(text);
  return { type: isIPv4(host) ? 'ipv4' : isIPv6(host) ? 'ipv6' : 'dns', address: host, port };
}
