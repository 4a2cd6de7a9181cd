/** Small files of results, written as a whole, and the folders that contain them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FulguriteError } from '../../model/errors.ts';

/** Writes a file. @throws FulguriteError `storeFailed` */
export function writeResult(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw resultFailed(file, error);
  }
}

/** Creates a folder and its parents, as far as they are missing. @throws FulguriteError `storeFailed` */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw resultFailed(folder, error);
  }
}

/** The error for a file or folder of results that cannot be written. */
export function resultFailed(file: string, error: unknown): FulguriteError {
  const { message } = error as Error;
  return new FulguriteError('storeFailed', `${file}: ${message}`, { file, cause: message });
}
