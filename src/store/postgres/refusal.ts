/** The errors of a database: it refuses a statement, or it cannot be used. */
import { FulguriteError } from '../../model/errors.ts';

/** The database understood a statement, and refuses it. It would refuse it again. */
export class PostgresRefusal extends Error {
  /** SQLSTATE (PostgreSQL, errcodes-appendix). */
  readonly state: string;
  /** Name of the constraint that was broken, if it was one. */
  readonly constraint: string | undefined;

  constructor(state: string, message: string, constraint: string | undefined) {
    super(message);
    this.state = state;
    this.constraint = constraint;
  }
}

/** Classes of SQLSTATE that blame the statement or its values: data exception, integrity constraint. */
const REFUSALS = ['22', '23'];

/** What PgBouncer answers to a session that brings its own settings. */
const POOLER = /^unsupported startup parameter/;

/** Why sessions without their settings are of no use: what a pooler of transactions makes of them. */
export const BEHIND_POOLER =
  'it is behind a connection pooler, which does not keep the settings of a session (a pooler of transactions such as ' +
  'PgBouncer is not supported): give the address of PostgreSQL itself';

/** The error of the client library as one of ours: a refusal, or FulguriteError storeFailed. */
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

/** The error of a database that cannot be reached or does not do its work. */
export function storeFailed(reason: string, state?: string): FulguriteError {
  const data = { reason, ...(state !== undefined && { state }) };
  return new FulguriteError('storeFailed', `The database cannot be used: ${reason}`, data);
}
