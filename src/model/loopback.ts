/** Detects this machine's loopback addresses and names. */
import { isIPv4 } from 'node:net';

const LOCALHOST = 'localhost';

/** Whether an address or name is this machine's loopback: 127.0.0.0/8, ::1 or localhost. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:/i, '');
  if (isIPv4(address)) return address.startsWith('127.');
  return address === '::1' || address.toLowerCase() === LOCALHOST;
}
