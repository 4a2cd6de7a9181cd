/**
 * The node's own key: 32 bytes as hex, in a file that only its owner can read. The file is created at the first start.
 * The node id is the public key on secp256k1.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { utils } from '@noble/secp256k1';
import { curve } from '../../bolt/crypto/curve.ts';
import type { NodeIdentity } from '../../commands/context.ts';
import { nodeIdFromBytes } from '../../model/node-id.ts';
import { makeDirectory } from './make-directory.ts';
import { makeSecret, readSecret, SecretFileError } from './secret-file.ts';

/** Name of the key's file within the data directory. */
export const KEY_FILE = 'node-key';
const KEY_FORM = 'a secp256k1 key in hex';

/** The key file exists but cannot be used. The file is never replaced, because it may be the only copy of the key. */
export class IdentityError extends Error {}

/**
 * Reads the key of a data directory. Creates the directory and the key if they are missing.
 * @throws IdentityError when the file cannot be read or does not contain a key.
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
  const id = nodeIdFromBytes(curve.publicKey(secretKey));
  return {
    id,
    alias: `fulgurite-${id.slice(2, 10)}`,
    color: id.slice(0, 6),
    features: { init: '', node: '', channel: '', invoice: '' },
  };
}

/**
 * The secret key of the node, created if missing.
 * @throws IdentityError when the file cannot be read or does not contain a key.
 */
export function loadSecretKey(directory: string): Uint8Array {
  makeDirectory(directory);
  const file = join(directory, KEY_FILE);
  return readKey(file) ?? checked(file, makeSecret(file, utils.randomSecretKey()))!;
}

/** @throws IdentityError */
function checked(file: string, key: Uint8Array | undefined): Uint8Array | undefined {
  if (key === undefined || utils.isValidSecretKey(key)) return key;
  throw new IdentityError(`${file} does not hold ${KEY_FORM}`);
}

/** @throws IdentityError */
function readKey(file: string): Uint8Array | undefined {
  try {
    return checked(file, readSecret(file, KEY_FORM));
  } catch (error) {
    throw error instanceof SecretFileError ? new IdentityError(error.message) : error;
  }
}
