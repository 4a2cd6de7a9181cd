/** The error of graph files: file, offset and cause. */
import { FulguriteError } from '../model/errors.ts';

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
