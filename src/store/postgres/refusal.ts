/** The errors of a database: it refuses a statement, or is unusable. */
import { FulguriteError } from '../../model/errors.ts';

/** The database understood a statement, but refuses it, and would refuse it again. */
export class PostgresRefusal extends Error {
  /** SQLSTATE (PostgreSQL, errcodes-appendix). */
  readonly state: string;
  /** Name of the violated constraint, if the statement violated one. */
  readonly constraint: string | undefined;

  constructor(state: string, message: string, constraint: string | undefined) {
    super(message);
    this.state = state;
    this.constraint = constraint;
  }
}

/** Classes of SQLSTATE for faults of the statement or its values: data exception, integrity constraint. */
const REFUSALS = ['22', '23'];

/** PgBouncer's answer when a session sends its settings at its start. */
const POOLER = /^unsupported startup parameter/;

/** The explanation for a session that lacks its settings. */
export const BEHIND_POOLER =
  'it is behind a connection pooler that does not keep session settings (transaction pooling with PgBouncer is not ' +
  'supported): give the address of PostgreSQL itself';

/** Converts the client library's error to ours: a refusal, or FulguriteError storeFailed. */
export function asOurs(error: unknown): Error {
  if (error instanceof FulguriteError || error instanceof PostgresRefusal) return error;
  const { code, message, constraint_name } = error as {
    code?: string;
    message: string;
    constraint_name?: string;
  };
  if (code !== undefined && REFUSALS.includes(code.slice(0, 2)) && code.length === 5) {
    return new PostgresRefusal(code, message, constraint_name);
  }
  return storeFailed(POOLER.test(message) ? `${BEHIND_POOLER} (${message})` : message, code);
}

/** The error for a database that cannot be reached or used. */
export function storeFailed(reason: string, state?: string): FulguriteError {
  const data = { reason, ...(state !== undefined && { state }) };
  return new FulguriteError('storeFailed', `The database cannot be used: ${reason}`, data);
}
