/** The error of graph files: which file, where in it, and why. */
import { FulguriteError } from '../model/errors.ts';

/** What is wrong with a graph file, and at which byte. */
export interface GraphFileProblem {
  readonly offset: number;
  readonly cause: string;
}

/** An error that names the file, the byte offset (if there is one) and the cause. `data` has the same. */
export function graphFileError(file: string, cause: string, offset?: number): FulguriteError {
  const where = offset === undefined ? '' : ` at offset ${offset}`;
  return new FulguriteError('graphSource', `${file}: ${cause}${where}`, { file, cause, offset });
}
