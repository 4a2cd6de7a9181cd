/** Where the daemon keeps its files, and where its clients find the socket. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { MAX_SOCKET_PATH, SocketPathError } from '../../rpc/socket-server.ts';
import { makeDirectory } from './make-directory.ts';

const SOCKET_NAME = 'fulgurite-rpc';

/** The given directory, otherwise that of FULGURITE_DIR unless empty, otherwise `~/.fulgurite`. Absolute. */
export function dataDirectory(given: string | undefined): string {
  return resolve(given ?? (process.env.FULGURITE_DIR || join(homedir(), '.fulgurite')));
}

/**
 * The given socket, otherwise the one in the data directory. If the directory's path is too long for a socket, the
 * socket is in the system's temporary directory, in a directory of the user's own. Daemon and clients derive its name
 * from the data directory.
 */
export function socketPath(given: string | undefined, directory: string): string {
  if (given !== undefined) return resolve(given);
  const path = join(directory, SOCKET_NAME);
  if (Buffer.byteLength(path) < MAX_SOCKET_PATH) return path;
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(shortDirectory(), name);
}

/**
 * The socket of a Core Lightning node in its directory: either the directory of all its chains, by default the node's
 * own default, or that of one chain.
 */
export function nodeSocketIn(given: string | undefined, chain: string): string {
  const directory = resolve(given ?? join(homedir(), '.lightning'));
  const own = join(directory, 'lightning-rpc');
  return existsSync(own) ? own : join(directory, chain, 'lightning-rpc');
}

/** The default path of our macaroon: next to those that LND creates for the chain. */
export function lndMacaroonPath(chain: string): string {
  const named = chain === 'bitcoin' ? 'mainnet' : chain;
  return join(homedir(), '.lnd/data/chain/bitcoin', named, 'fulgurite.macaroon');
}

function shortDirectory(): string {
  return join(process.env.XDG_RUNTIME_DIR ?? tmpdir(), `fulgurite-${userInfo().uid}`);
}

/**
 * Creates the short directory if the socket belongs in it. Others can write to the temporary directory, so an existing
 * directory must be ours and inaccessible to others.
 * @throws SocketPathError when it is not.
 */
export function prepareSocketDirectory(path: string): void {
  const directory = shortDirectory();
  if (dirname(path) !== directory) return;
  makeDirectory(directory);
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== userInfo().uid || (found.mode & 0o077) !== 0) {
    throw new SocketPathError(`${directory} is open to other users; name another socket with --rpc-file`);
  }
}
