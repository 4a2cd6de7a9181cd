/** An error as a client sees it: its row in the table (src/model/errors.ts), a text, and data for programs. */

import { type ErrorName, FulguriteError } from '../model/errors.ts';
import { withoutStack } from '../model/without-stack.ts';

/** The members of an error's data, by name, in the order in which they are sent. */
export type Data = Readonly<Record<string, unknown>>;

/** An error with its text. */
export interface ClientError {
  readonly error: ErrorName;
  readonly message: string;
  readonly data?: Data;
}

/** The error with which the dispatcher responds. */
export function asError({ error, message, data }: ClientError): FulguriteError {
  return withoutStack(() => new FulguriteError(error, message, data));
}
