/** Tells which hosts and addresses name this server, and which belong to this machine. */
import { isIP, isIPv4 } from 'node:net';

const LOCALHOST = 'localhost';

/** Whether an address or name is this machine's loopback: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:/i, '');
  if (isIPv4(address)) return address.startsWith('127.');
  return address === '::1' || address.toLowerCase() === LOCALHOST;
}

/** A Host header without its port and brackets, in lower case. Undefined when it is malformed. */
export function hostOf(header: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/**
 * Whether a Host header may name this server. A name counts only if the operator listed it, because an attacker can
 * point a name of his own at this server (DNS rebinding). An address cannot be redirected like that, so any address
 * counts. On a server that listens on loopback, only addresses of loopback count.
 */
export function isOwnHost(header: string, bound: string, names: readonly string[]): boolean {
  const host = hostOf(header);
  if (host === undefined) return false;
  if (isLoopback(host) || names.includes(host)) return true;
  return isIP(host) !== 0 && !isLoopback(bound);
}

/**
 * Whether a request comes from this machine. A request that a proxy forwarded does not count, even if the proxy runs
 * here.
 */
export function isLocalRequest(bound: string, remote: string, forwardedFor: string | undefined): boolean {
  return isLoopback(bound) && isLoopback(remote) && forwardedFor === undefined;
}
