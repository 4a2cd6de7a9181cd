/** Determines which hosts and addresses name this server, and which requests come from this machine. */
import { isIP } from 'node:net';
import { isLoopback } from '../model/loopback.ts';

/** A Host header without its port and brackets, in lower case. Undefined when it is malformed. */
export function hostOf(header: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/**
 * Whether a Host header may name this server. A name other than `localhost` counts only if the operator listed it,
 * because attackers can point their own names at this server (DNS rebinding). An address cannot be redirected like
 * that, so any address counts, except that a server that listens on loopback accepts only loopback addresses.
 */
export function isOwnHost(header: string, bound: string, names: readonly string[]): boolean {
  const host = hostOf(header);
  if (host === undefined) return false;
  if (isLoopback(host) || names.includes(host)) return true;
  return isIP(host) !== 0 && !isLoopback(bound);
}

/** Headers by which proxies are recognised. */
const OF_PROXIES = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/** The parts of a request that show where it comes from. */
export interface RequestOrigin {
  /** Address at which this server listens. */
  readonly bound: string;
  /** The client's address. */
  readonly remote: string;
  /** HTTP version of the request. */
  readonly version: string;
  readonly header: (name: string) => string | undefined;
}

/**
 * Whether a request comes from this machine. A request forwarded by a proxy does not count, even if the proxy runs
 * here. Proxies are recognised by the headers that they add, by a Host that is not this machine's, or by HTTP/1.0,
 * which nginx uses by default and current clients do not.
 */
export function isLocalRequest({ bound, remote, version, header }: RequestOrigin): boolean {
  const isProxied = version === '1.0' || OF_PROXIES.some((name) => header(name) !== undefined);
  return (
    isLoopback(bound) && isLoopback(remote) && isLoopback(hostOf(header('host') ?? '') ?? '') && !isProxied
  );
}
