/**
 * Makes TCP connections to a peer, one address after another, each with a timeout.
 *
 * Addresses announced by strangers are untrusted. So, unless the operator allows private addresses, they are dialled
 * only if they belong to the public internet, and their host names are resolved to public addresses only. Addresses
 * from the operator are dialled unchanged.
 */

import { lookup as lookUpHost } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { isPublicAddress } from '../../model/public-address.ts';
import { formatHostPort, type HostPort } from './address.ts';

/** Maximum number of addresses tried for one peer. An announcement can list hundreds. */
const MAX_ADDRESSES = 8;

/** A place to dial. */
export interface DialTarget extends HostPort {
  /** Whether only public addresses may be dialled, because the address is untrusted. */
  readonly publicOnly: boolean;
}

const NOT_PUBLIC = 'the announced address is not public: see --allow-private-addresses';

/**
 * Connects to the first address that responds, and returns the socket.
 * @throws FulguriteError noAddress, shuttingDown; connectFailed with the attempts in `data`
 */
export async function dialFirst(
  nodeId: NodeId,
  addresses: readonly DialTarget[],
  dialMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  if (addresses.length === 0) {
    throw new FulguriteError('noAddress', 'Unable to connect, no address known for peer', {
      node_id: nodeId,
    });
  }
  const attempts: { address: string; error: string }[] = [];
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    try {
      return await dial(address, dialMs, signal);
    } catch (error) {
      if (signal.aborted) throw new FulguriteError('shuttingDown', 'the network is closed');
      attempts.push({ address: formatHostPort(address), error: (error as Error).message });
    }
  }
  const text = attempts.map(({ address, error }) => `${address}: ${error}`).join('; ');
  throw new FulguriteError('connectFailed', `All addresses failed: ${text}`, { node_id: nodeId, attempts });
}

function dial({ host, port, publicOnly }: DialTarget, dialMs: number, signal: AbortSignal): Promise<Socket> {
  if (publicOnly && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.reject(new Error(NOT_PUBLIC));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(publicOnly && { lookup: lookUpPublic }) });
    const fail = (error: Error): void => {
      finish();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(new Error('the network is closed'));
    const timer = setTimeout(() => fail(new Error('Connection establishment: timed out')), dialMs);
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners('connect').removeAllListeners('error');
      // An abandoned socket may still report an error. Without a listener, that would end the process.
      socket.on('error', () => undefined);
    };
    signal.addEventListener('abort', onAbort);
    socket.once('error', fail);
    socket.once('connect', () => {
      finish();
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}

/** Resolves a host name to its public addresses only, so that we connect to no other address. */
const lookUpPublic: LookupFunction = (host, options, done) => {
  lookUpHost(host, { ...options, all: true }, (error, addresses) => {
    const found = (addresses ?? []).filter(({ address }) => isPublicAddress(address));
    const [first] = found;
    if (error !== null || first === undefined) done(error ?? new Error(NOT_PUBLIC), '', 0);
    else if (options.all === true) done(null, found);
    else done(null, first.address, first.family);
  });
};
