/**
 * Where runes are stored: what the room of runes needs from a store. The SQLite database is one such store.
 *
 * A store promises:
 *   1. Changes are queued in the order they are made. What one call changes is written completely or
 *      not at all.
 *   2. `durable` resolves when they are safe. Callers that must not answer before that await it.
 *   3. Queries return what was safe when they started.
 *   4. `nextUniqueId` never decreases, even when runes are deleted, because no two runes may ever have the same name.
 */

/** A rune made by this node. */
export interface RuneRow {
  /** Its number: 0 to 2^63 - 1. */
  readonly uniqueId: bigint;
  /** Its text, which is a secret. */
  readonly text: string;
  /** UNIX nanoseconds of its last use. Undefined when it was never used. */
  readonly lastUsedNs: bigint | undefined;
}

/** Names of runes, inclusive at both ends. */
export interface BlacklistRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** Additional functions of a store whose runes several daemons share. */
export interface SharedRunes {
  /** The secret of the runes of all daemons: the given one, if there is none yet. @throws FulguriteError storeFailed */
  secret(own: Uint8Array): Promise<Uint8Array>;

  /** An unused name for a new rune. @throws FulguriteError storeFailed */
  takeUniqueId(): Promise<bigint>;

  /** Incremented with each change of runes. Read it before what it describes. @throws FulguriteError storeFailed */
  version(): Promise<bigint>;

  /**
   * Replaces the list of `version` with this one.
   * @returns false when another daemon has changed runes since; nothing is then stored
   * @throws FulguriteError storeFailed
   */
  replaceBlacklist(ranges: readonly BlacklistRange[], version: bigint): Promise<boolean>;

  /**
   * Msat that other daemons counted as spent with a rune, from a minute on. What a daemon has durably written is
   * visible to every later query of any daemon. @throws FulguriteError storeFailed
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

/** The interface of a store of runes. Every answer may take time. */
export interface RuneRepository {
  /** Only in a shared store. */
  readonly shared?: SharedRunes;

  /** All runes, in ascending order of their names. */
  runes(): Promise<readonly RuneRow[]>;

  /** The blacklist, in ascending order. */
  blacklist(): Promise<readonly BlacklistRange[]>;

  /** The smallest unique id that was never used. */
  nextUniqueId(): Promise<bigint>;

  /**
   * Stores a new rune. The next unique id is then greater than its own. @throws FulguriteError storeFailed when
   * the queue is full; so do all changes
   */
  putRune(rune: RuneRow): void;

  /** Stores the last use of a rune. Does nothing for an unknown rune. */
  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void;

  /** Replaces the list with this one. */
  putBlacklist(ranges: readonly BlacklistRange[]): void;

  /** What was counted as spent, by rune and minute. In a shared store, only what this daemon counted. */
  outgo(): Promise<readonly OutgoRow[]>;

  /** Stores what was counted in a minute, replacing the previous value. 0 removes it. */
  putOutgo(row: OutgoRow): void;

  /** Skips this many names. After a restored backup, lost runes may have used them. */
  skipUniqueIds(count: bigint): void;

  /** Resolves once everything queued so far is safe. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}
