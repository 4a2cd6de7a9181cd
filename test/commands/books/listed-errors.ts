/**
 * A command may return only errors that its description lists. All tests that call a whole node go through
 * here, so an error that is not listed fails the test in which it occurs.
 */
import { COMMANDS } from '../../../src/commands/index.ts';
import { ERRORS } from '../../../src/model/errors.ts';
import { ERRORS_OF_ALL } from '../../../src/rpc/describe.ts';

const LISTED = new Map(
  COMMANDS.map(({ name, errors = [] }) => [
    name,
    new Set([...errors, ...ERRORS_OF_ALL].map((one): number => ERRORS[one].code)),
  ]),
);

/**
 * The answer of a command, unchanged. @throws Error if the answer is an error that the command does not list
 */
export function withListedError<
  A extends { readonly error?: { readonly code: number; readonly message: string } },
>(method: string, answer: A): A {
  const { error } = answer;
  if (error === undefined || LISTED.get(method)?.has(error.code) !== false) return answer;
  throw new Error(`${method} returns ${error.code}, which its description does not list: ${error.message}`);
}
