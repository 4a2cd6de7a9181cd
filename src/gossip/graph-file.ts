/** Graph files: reading them completely, up to a maximum size, and their errors. */
import { readFileSync, statSync } from 'node:fs';
import { FulguriteError } from '../model/errors.ts';

/** Maximum bytes of a file. The main network takes about 40 MB in the most verbose of the formats. */
const MAX_BYTES = 256 * 1024 * 1024;

/** What is wrong with a graph file, and the byte offset. */
export interface GraphFileProblem {
  readonly offset: number;
  readonly cause: string;
}

/** An error with the file, the byte offset (if any) and the cause. `data` contains the same. */
export function graphFileError(file: string, cause: string, offset?: number): FulguriteError {
  const where = offset === undefined ? '' : ` at offset ${offset}`;
  return new FulguriteError('graphSource', `${file}: ${cause}${where}`, { file, cause, offset });
}

/** The bytes of a file. @param what the format, for the error @throws FulguriteError `graphSource`, with the cause */
export function readGraphFile(path: string, what: string): Buffer {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw new RangeError(`${size} bytes are too many for a ${what}`);
    return readFileSync(path);
  } catch (error) {
    throw graphFileError(path, (error as Error).message);
  }
}
