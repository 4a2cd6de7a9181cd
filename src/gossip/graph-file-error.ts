/** The one error of graph files: which file, where in it, why. */
import { FulguriteError } from '../model/errors.ts';

/** What is wrong with a graph file, and at which byte. */
export interface GraphFileProblem {
  readonly offset: number;
  readonly cause: string;
}

/** An error naming file, byte offset (where there is one) and cause; `data` carries the same. */
export function graphFileError(file: string, cause: string, offset?: number): FulguriteError {
  const where = offset === undefined ? '' : ` at offset ${offset}`;
  return new FulguriteError('graphSource', `${file}: ${cause}${where}`, { file, cause, offset });
}
