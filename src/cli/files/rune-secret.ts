/**
 * The secret from which all runes of a node are derived. If the file is missing, a new secret is created, and all
 * earlier runes become invalid. So an operator can revoke all runes by removing the file while the node is stopped.
 *
 * A checksum file, with the first 8 bytes of the secret's SHA-256 in hex, reveals damage. Without the checksum, a
 * flipped bit would silently invalidate all runes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import type { Log } from '../../rpc/log.ts';
import { makeSecret, readSecret, SecretFileError } from './secret-file.ts';

/** Name of the file within the data directory. */
export const RUNE_SECRET_FILE = 'rune-secret';
const SUM_BYTES = 8;
const OWNER_ONLY = 0o600;

/**
 * The secret of a data directory, created if missing.
 * @param runeCount number of existing runes, for the warning about a missing secret
 * @throws SecretFileError
 */
export function openRuneSecret(directory: string, runeCount: number, log: Log): Uint8Array {
  const file = join(directory, RUNE_SECRET_FILE);
  const secret = readSecret(file);
  if (secret !== undefined) {
    compareWithSum(file, secret);
    return secret;
  }
  if (runeCount > 0)
    log.unusual(
      `${file} was missing and has been created again: the ${runeCount} earlier runes are no longer valid`,
    );
  const made = makeSecret(file);
  writeSum(file, made);
  return made;
}

const sumPath = (file: string): string => `${file}.sum`;
const sumOf = (secret: Uint8Array): string => toHex(sha256(secret).subarray(0, SUM_BYTES));

function writeSum(file: string, secret: Uint8Array): void {
  writeFileSync(sumPath(file), `${sumOf(secret)}\n`, { mode: OWNER_ONLY });
}

/**
 * Compares the secret with its checksum. If there is no checksum, as in backups and in directories of older releases,
 * writes it.
 * @throws SecretFileError when they differ
 */
function compareWithSum(file: string, secret: Uint8Array): void {
  let sum: string;
  try {
    sum = readFileSync(sumPath(file), 'latin1').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    writeSum(file, secret);
    return;
  }
  if (sum === sumOf(secret)) return;
  throw new SecretFileError(
    `${file} differs from its checksum in ${sumPath(file)}: restore the secret from a backup, remove the checksum to ` +
      'use the secret as it is, or remove both files to revoke all runes',
  );
}
