/**
 * Where runes are kept: what the room of runes asks of a store. The SQLite database is one such store.
 *
 * A store promises:
 *   1. Changes are queued in the order they are made. What one call changes is written completely or
 *      not at all.
 *   2. `durable` resolves when they are safe. Callers that must not answer before that await it.
 *   3. Questions are answered with what was safe when they were asked.
 *   4. `nextUniqueId` never goes back, even when runes are gone, because no two runes may ever have the same name.
 */

/** A rune that this node made. */
export interface RuneRow {
  /** The number that names it: 0 to 2^63 - 1. */
  readonly uniqueId: bigint;
  /** Its text, which is a secret. */
  readonly text: string;
  /** UNIX nanoseconds of its last use. Undefined when it was never used. */
  readonly lastUsedNs: bigint | undefined;
}

/** Names of runes, both ends included. */
export interface BlacklistRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** What a store does beyond that when several daemons share it, and with it the runes. */
export interface SharedRunes {
  /** The secret of the runes of all daemons: the one given, if there is none yet. @throws FulguriteError storeFailed */
  secret(own: Uint8Array): Promise<Uint8Array>;

  /** A name for a new rune that no daemon uses. @throws FulguriteError storeFailed */
  takeUniqueId(): Promise<bigint>;

  /** Grows with each change of runes. Read it before what it stands for. @throws FulguriteError storeFailed */
  version(): Promise<bigint>;

  /**
   * Replaces the list of `version` with this one.
   * @returns false when another daemon changed runes since; then nothing is stored
   * @throws FulguriteError storeFailed
   */
  replaceBlacklist(ranges: readonly BlacklistRange[], version: bigint): Promise<boolean>;

  /**
   * Msat that other daemons counted as leaving with a rune, from a minute on. What this daemon wrote durably before it
   * asks is known to every daemon that asks later. @throws FulguriteError storeFailed
   */
  outgoElsewhere(uniqueId: bigint, sinceMinute: number): Promise<bigint>;

  /** Calls back when another daemon may have changed runes. */
  onChange(listener: () => void): void;
}

/** Msat that were counted as leaving with a rune within one minute, counted from 1970. */
export interface OutgoRow {
  readonly uniqueId: bigint;
  readonly minute: number;
  readonly msat: bigint;
}

/** What a store of runes must be able to do. Every answer may take its time. */
export interface RuneRepository {
  /** Only in a store that several daemons share. */
  readonly shared?: SharedRunes;

  /** All runes, in ascending order of their names. */
  runes(): Promise<readonly RuneRow[]>;

  /** The blacklist, in ascending order. */
  blacklist(): Promise<readonly BlacklistRange[]>;

  /** The smallest number that was never a name and may become one. */
  nextUniqueId(): Promise<bigint>;

  /**
   * Stores a new rune. The next name is then greater than its name. @throws FulguriteError storeFailed when
   * the queue is full; so do all changes
   */
  putRune(rune: RuneRow): void;

  /** Stores when a rune was used last. Does nothing for a rune that the store does not have. */
  putLastUsed(uniqueId: bigint, lastUsedNs: bigint): void;

  /** Replaces the list with this one. */
  putBlacklist(ranges: readonly BlacklistRange[]): void;

  /** What was counted as leaving, by rune and minute. Where several daemons share the store, what this one counted. */
  outgo(): Promise<readonly OutgoRow[]>;

  /** Stores what was counted in a minute, replacing what was there. 0 removes it. */
  putOutgo(row: OutgoRow): void;

  /** Skips this many names. After a restored backup, the lost runes may have had them. */
  skipUniqueIds(count: bigint): void;

  /** Resolves when everything queued so far is safe. @throws FulguriteError storeFailed */
  durable(): Promise<void>;
}
