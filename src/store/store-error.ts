/** The errors of a store. A database that is refused as newer, damaged, foreign or locked stays unchanged. */

/** The reasons why a database cannot be used. */
export type StoreProblem =
  /** Written by a later release, whose schema this one does not know. */
  | 'newer-schema'
  /**
   * Prepared by an earlier release, or empty, and this process has no right to change it; or a migration into it is
   * incomplete.
   */
  | 'unprepared'
  /** Damaged, or not a database at all. */
  | 'corrupt'
  /** It belongs to another program, or to a different network or chain. */
  | 'foreign'
  /** Another process has the database open. */
  | 'locked'
  /** A later run of this daemon has begun: it was retired, or started elsewhere with a copy of its data directory. */
  | 'retired'
  /** The file system or the database server cannot be used, or the address is malformed. */
  | 'unavailable';

/**
 * The database or its directory cannot be used. `problem` is the machine-readable reason, and the message is for the
 * operator.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly problem: StoreProblem;
  readonly path: string;
  /** The message without the path. */
  readonly fault: string;

  constructor(problem: StoreProblem, path: string, fault: string, cause?: unknown) {
    super(`${path}: ${fault}`, { cause });
    this.problem = problem;
    this.path = path;
    this.fault = fault;
  }
}
