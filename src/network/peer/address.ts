/** Addresses of peers as text: `HOST:PORT`, `[IPV6]:PORT`, and `ID@HOST:PORT`. */

import { isIPv6 } from 'node:net';
import { FulguriteError } from '../../model/errors.ts';
import { type NodeId, parseNodeId } from '../../model/node-id.ts';

/** The port of an address without a port. Unlike in BOLT 1, it is the same on every chain. */
export const DEFAULT_PORT = 9735;

/** A host, which is a name or an address, and a TCP port. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** A peer to connect to. If the address is missing, it is looked up in the graph. */
export interface PeerLocation {
  readonly nodeId: NodeId;
  readonly address: HostPort | undefined;
}

const BRACKETED = /^\[([0-9a-fA-F:.]+)\](?::(\d{1,5}))?$/;
const NAMED = /^([A-Za-z0-9._-]{1,255})(?::(\d{1,5}))?$/;

/** Parses an address. @throws FulguriteError invalidParams when the text is not an address */
export function parseHostPort(text: string): HostPort {
  const match = isIPv6(text) ? [text, text] : (BRACKETED.exec(text) ?? NAMED.exec(text));
  const host = match?.[1];
  const port = Number(match?.[2] ?? DEFAULT_PORT);
  if (host === undefined || port > 65535) {
    throw new FulguriteError('invalidParams', `not an address of the form HOST:PORT: ${quoted(text)}`);
  }
  return { host, port };
}

/** The text `HOST:PORT`, with brackets around an IPv6 address. */
export function formatHostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Parses `ID` or `ID@HOST[:PORT]`. @throws FulguriteError invalidParams */
export function parsePeerLocation(text: string): PeerLocation {
  const at = text.indexOf('@');
  const nodeId = parseNodeId(at < 0 ? text : text.slice(0, at));
  if (nodeId === undefined) {
    throw new FulguriteError('invalidParams', `not a peer of the form ID@HOST:PORT: ${quoted(text)}`);
  }
  return { nodeId, address: at < 0 ? undefined : parseHostPort(text.slice(at + 1)) };
}

/** Shortens a text, escapes its control characters and quotes it, for an error message. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
