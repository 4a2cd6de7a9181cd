/**
 * Replaces small files so that a crash or a power cut leaves either the old content or the new one, and so that the new
 * content is on disk when the call returns.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../../store/directory-mark.ts';

const OWNER_ONLY = 0o600;

/** Writes a file that only its owner can read. @throws Error of the file system; the old content then stays */
export function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`;
  try {
    const descriptor = openSync(unfinished, 'w', OWNER_ONLY);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncPath(dirname(path));
}
