/** An error as a client sees it: its place in the table (src/model/errors.ts), a text, and data for programs. */
import { type ErrorName, FulguriteError } from '../model/errors.ts';

/** Members with the names and in the order they are sent. */
export type Data = Readonly<Record<string, unknown>>;

/** An error in the words of the interface. */
export interface Told {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: Data;
}

/** The error that the dispatcher answers. */
export function asError({ error, message, data }: Told): FulguriteError {
  return new FulguriteError(error, message, data);
}
