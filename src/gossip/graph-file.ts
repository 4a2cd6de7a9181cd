/** Reads graph files completely, up to a maximum size. */
import { readFileSync, statSync } from 'node:fs';
import { graphFileError } from './graph-file-error.ts';

/** Maximum bytes of a file. The main network takes about 40 MB in the most verbose of the formats. */
const MAX_BYTES = 256 * 1024 * 1024;

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
