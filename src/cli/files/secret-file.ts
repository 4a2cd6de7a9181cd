/**
 * Secrets of 32 bytes, each as hex in its own file that only its owner can read. An existing file is never replaced,
 * because it may be the only copy.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../../store/directory-mark.ts';

const OWNER_ONLY = 0o600;

/** The file exists but cannot be read, or does not contain an intact secret. */
export class SecretFileError extends Error {}

/**
 * The secret in a file. Undefined if the file does not exist.
 * @param what names the kind of secret in errors
 * @throws SecretFileError
 */
export function readSecret(file: string, what = '32 bytes in hex'): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'latin1').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SecretFileError(`${file}: ${(error as Error).message}`);
  }
  if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new SecretFileError(`${file} does not hold ${what}`);
  return new Uint8Array(Buffer.from(text, 'hex'));
}

/**
 * Writes a new secret under a temporary name and then links it, so that the file is complete or absent, and is never
 * overwritten. @returns the secret in the file, which another process may have created first.
 */
export function makeSecret(file: string, secret: Uint8Array = randomBytes(32)): Uint8Array {
  const unfinished = `${file}.${process.pid}.new`;
  const descriptor = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    writeSync(descriptor, `${Buffer.from(secret).toString('hex')}\n`);
    fsyncSync(descriptor);
    linkSync(unfinished, file);
    syncPath(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(unfinished);
  }
  return readSecret(file) ?? secret;
}
