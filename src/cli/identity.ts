/**
 * The node's own key: 32 bytes of hex in a file that only its owner can read. It is made on the first start.
 * The node id is its public key on secp256k1.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { getPublicKey, utils } from '@noble/secp256k1';
import type { NodeIdentity } from '../commands/context.ts';
import { nodeIdFromBytes } from '../model/node-id.ts';
import { makeDirectory } from './make-directory.ts';

/** Name of the key's file within the data directory. */
export const KEY_FILE = 'node-key';

/** The key file exists and cannot be used. Nothing replaces it, since it may be somebody's only copy. */
export class IdentityError extends Error {}

/**
 * Reads the key of a data directory. Makes both when they are missing.
 * @throws IdentityError when the file does not hold a key.
 */
export function loadIdentity(directory: string): NodeIdentity {
  return identityOf(loadSecretKey(directory));
}

/** Whether the directory has a key file, usable or not. */
export function hasKey(directory: string): boolean {
  return existsSync(join(directory, KEY_FILE));
}

/** The identity of the node with this key. */
export function identityOf(secretKey: Uint8Array): NodeIdentity {
  const id = nodeIdFromBytes(getPublicKey(secretKey));
  return {
    id,
    alias: `fulgurite-${id.slice(2, 10)}`,
    color: id.slice(0, 6),
    features: { init: '', node: '', channel: '', invoice: '' },
  };
}

/**
 * The secret key of the node. It is made when it is missing.
 * @throws IdentityError when the file does not hold a key.
 */
export function loadSecretKey(directory: string): Uint8Array {
  makeDirectory(directory);
  const file = join(directory, KEY_FILE);
  return readKey(file) ?? makeKey(file);
}

function readKey(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'latin1').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new IdentityError(`${file}: ${(error as Error).message}`);
  }
  const key = new Uint8Array(/^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : []);
  if (!utils.isValidSecretKey(key)) throw new IdentityError(`${file} does not hold a secp256k1 key in hex`);
  return key;
}

/**
 * Writes a new key under another name and then links it. So the file is complete or absent, and is never
 * overwritten.
 */
function makeKey(file: string): Uint8Array {
  const key = utils.randomSecretKey();
  const unfinished = `${file}.${process.pid}.new`;
  const descriptor = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(descriptor, `${Buffer.from(key).toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(unfinished);
  }
  // Another process may have been first. The file decides.
  return readKey(file) ?? key;
}
