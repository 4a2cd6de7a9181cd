/** Paths of the daemon's files, and of the socket that its clients connect to. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { MAX_SOCKET_PATH, SocketPathError } from '../../rpc/socket-server.ts';
import { makeDirectory } from './make-directory.ts';

const SOCKET_NAME = 'fulgurite-rpc';

/**
 * The absolute path of the data directory: the given one, else the value of FULGURITE_DIR if not empty, else
 * `~/.fulgurite`.
 */
export function dataDirectory(given: string | undefined): string {
  return resolve(given ?? (process.env.FULGURITE_DIR || join(homedir(), '.fulgurite')));
}

/**
 * The path of the socket: the given one, else a file in the data directory. If that path is too long for a socket, the
 * socket is in a private directory within XDG_RUNTIME_DIR or the system's temporary directory. The daemon and its
 * clients derive the name of the socket from the data directory.
 */
export function socketPath(given: string | undefined, directory: string): string {
  if (given !== undefined) return resolve(given);
  const path = join(directory, SOCKET_NAME);
  if (Buffer.byteLength(path) < MAX_SOCKET_PATH) return path;
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return join(shortDirectory(), name);
}

/**
 * The socket of a Core Lightning node. `given` is the directory of all its chains or of a single chain. Default: the
 * default directory of Core Lightning.
 */
export function nodeSocketIn(given: string | undefined, chain: string): string {
  const directory = resolve(given ?? join(homedir(), '.lightning'));
  const own = join(directory, 'lightning-rpc');
  return existsSync(own) ? own : join(directory, chain, 'lightning-rpc');
}

/** The default path of our macaroon: next to the macaroons that LND creates for the chain. */
export function lndMacaroonPath(chain: string): string {
  const named = chain === 'bitcoin' ? 'mainnet' : chain;
  return join(homedir(), '.lnd/data/chain/bitcoin', named, 'fulgurite.macaroon');
}

function shortDirectory(): string {
  return join(process.env.XDG_RUNTIME_DIR ?? tmpdir(), `fulgurite-${userInfo().uid}`);
}

/**
 * If the socket is in the private directory (see `socketPath`), creates that directory. Other users can write to the
 * temporary directory, so an existing directory must belong to us and be inaccessible to them.
 * @throws SocketPathError when the directory belongs to another user, or others can access it
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
