/**
 * The secret from which all runes of a node are made. When the file is missing, a new secret is made, and every rune
 * of the old one is worthless. So an operator revokes all runes by removing the file while the node is stopped.
 */
import { join } from 'node:path';
import type { Log } from '../rpc/log.ts';
import { makeSecret, readSecret } from './secret-file.ts';

/** Name of the file within the data directory. */
export const RUNE_SECRET_FILE = 'rune-secret';

/**
 * The secret of a data directory. It is made when it is missing.
 * @param runeCount number of runes that were made before. @throws SecretFileError
 */
export function openRuneSecret(directory: string, runeCount: number, log: Log): Uint8Array {
  const file = join(directory, RUNE_SECRET_FILE);
  const secret = readSecret(file);
  if (secret !== undefined) return secret;
  if (runeCount > 0)
    log.unusual(
      `${file} was missing and has been created again: the ${runeCount} earlier runes are no longer valid`,
    );
  return makeSecret(file);
}
