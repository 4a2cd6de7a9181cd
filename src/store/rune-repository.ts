/**
 * Where runes are stored: what `src/runes` needs from a store. The SQLite database is one such store.
 *
 * A store promises:
 *   1. Changes are queued in the order in which they are made. The changes of one call are written together or not at
 *      all.
 *   2. `durable` resolves once they are durable: a crash can then no longer lose them. A caller that must not
 *      answer earlier awaits it.
 *   3. Queries return what was durable when they started.
 *   4. `nextUniqueId` never decreases, even when runes are deleted, because no two runes may ever have the same unique
 *      id.
 */

/** A rune made by this node. */
export interface RuneRow {
  /** 0 to 2^63 - 1. */
  readonly uniqueId: bigint;
  /** The text of the rune, which is a secret. */
  readonly text: string;
  /** UNIX time of the last use, in nanoseconds. Undefined if the rune was never used. */
  readonly lastUsedNs: bigint | undefined;
}

/** A range of unique ids, inclusive at both ends. */
export interface BlacklistRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** Additional functions of a store whose runes several daemons share. */
export interface SharedRunes {
  /**
   * The secret shared by all daemons. `own` becomes this secret if there is none yet. @throws FulguriteError
   * storeFailed
   */
  secret(own: Uint8Array): Promise<Uint8Array>;

  /** An unused unique id for a new rune. @throws FulguriteError storeFailed */
  takeUniqueId(): Promise<bigint>;

  /**
   * A number that is incremented when a rune is added, or the blacklist changes. Read it before reading the runes.
   * @throws FulguriteError storeFailed
   */
  version(): Promise<bigint>;

  /**
   * Replaces the blacklist, unless another daemon has changed runes since `version` was read.
   * @returns false when another daemon has; nothing is then stored
   * @throws FulguriteError storeFailed
   */
  replaceBlacklist(ranges: readonly BlacklistRange[], version: bigint): Promise<boolean>;

  /**
   * Msat that other daemons have counted as spent with a rune since the start of a minute. What one daemon has durably
   * written is visible to every later query of any daemon. @throws FulguriteError storeFailed
   */
  outgoElsewhere(uniqueId: bigint, sinceMinute: number): Promise<bigint>;

  /** Calls back when another daemon may have changed runes. */
  onChange(listener: () => void): void;
}

/** Msat counted as spent with a rune within one minute of UNIX time. */
export interface OutgoRow {
  readonly uniqueId: bigint;
  readonly minute: number;
  readonly msat: bigint;
}

/** The interface of a store of runes. All queries are asynchronous. */
export interface RuneRepository {
  /** Additional functions. Only in a shared store. */
  readonly shared?: SharedRunes;

  /** All runes, in ascending order of their unique ids. */
  runes(): Promise<readonly RuneRow[]>;

  /** The blacklist, in ascending order. */
  blacklist(): Promise<readonly BlacklistRange[]>;

  /** The next unique id, greater than every unique id that was used or skipped. */
  nextUniqueId(): Promise<bigint>;

  /**
   * Stores a new rune. `nextUniqueId` is greater than its unique id from then on. @throws FulguriteError storeFailed
   * when the queue is full, as do all methods that change something
   */
  putRune(rune: RuneRow): void;

  /** Stores the last use of a rune. Does nothing for an unknown rune. */
  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void;

  /** Replaces the whole blacklist. */
  putBlacklist(ranges: readonly BlacklistRange[]): void;

  /** The amounts counted as spent, by rune and minute. In a shared store, only those counted by this daemon. */
  outgo(): Promise<readonly OutgoRow[]>;

  /** Stores the amount counted in a minute, replacing the previous amount. 0 removes it. */
  putOutgo(row: OutgoRow): void;

  /** Skips this many unique ids. They may have been used by runes that a restored backup does not contain. */
  skipUniqueIds(count: bigint): void;

  /** Resolves once everything queued so far is durable. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}
