/** Reads whole graph files up to a maximum size, and creates the errors for them. */
import { readFileSync, statSync } from 'node:fs';
import { FulguriteError } from '../model/errors.ts';

/** Maximum size of a file, in bytes. In the most verbose format, the main network's graph takes about 40 MB. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What is wrong with a graph file, and at which byte offset. */
export interface GraphFileProblem {
  readonly offset: number;
  readonly cause: string;
}

/** An error whose message and `data` contain the file, the byte offset (if any) and the cause. */
export function graphFileError(file: string, cause: string, offset?: number): FulguriteError {
  const where = offset === undefined ? '' : ` at offset ${offset}`;
  return new FulguriteError('graphSource', `${file}: ${cause}${where}`, { file, cause, offset });
}

/**
 * The bytes of a file.
 * @param what name of the format in the error
 * @throws FulguriteError `graphSource`, with the cause
 */
export function readGraphFile(path: string, what: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new RangeError(`${size} bytes exceed the maximum size of a ${what}`);
    return readFileSync(path);
  } catch (error) {
    throw graphFileError(path, (error as Error).message);
  }
}
