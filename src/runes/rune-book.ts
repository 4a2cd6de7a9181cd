/**
 * The runes of this node: creates and checks them, and stores created runes, their last use, and the blacklist.
 *
 * Each rune has a unique id. All runes narrowed from it have the same id, so they share its last use and its blacklist
 * entry.
 *
 * A use counts at once. Times of use are written at most once a second, so a crash can lose the uses of the last
 * second.
 */
import type { Clock } from '../model/clock.ts';
import { FulguriteError } from '../model/errors.ts';
import type { BlacklistRange, RuneRepository } from '../store/rune-repository.ts';
import type { RuneRequest } from './asked.ts';
import { complaintAbout, type Usage } from './judge.ts';
import { MINUTE_MS, OUTGO_MINUTES, type OutgoCharge, OutgoLedger } from './outgo-ledger.ts';
import type { Restriction } from './restriction.ts';
import {
  decodeRune,
  encodeRune,
  issueRune,
  namingRestriction,
  narrowRune,
  type Rune,
  testedRestrictions,
} from './rune.ts';
import { checkRune, foreignness, isListed, type RuneMemory, uniqueIdOf } from './rune-check.ts';

/** The smallest unique id that cannot be blacklisted. */
export const BLACKLIST_END = 100_000_000n;

/** Maximum number of ranges in the blacklist. Each change writes all ranges. */
const MAX_RANGES = 10_000;
/** Maximum number of attempts to change a blacklist that other daemons change at the same time. */
const MAX_ATTEMPTS = 10;
const WRITE_AFTER_MS = 1000;
const NS_PER_MS = 1_000_000n;

/** A rune that this node made and stores. */
export interface StoredRune {
  readonly uniqueId: bigint;
  readonly text: string;
  /** UNIX nanoseconds of the last use. Undefined if never used. */
  readonly lastUsedNs: bigint | undefined;
}

/** Facts about a rune, which another node may have made. */
export interface RuneStanding {
  readonly isOurs: boolean;
  readonly isBlacklisted: boolean;
  /** Whether exactly this text is stored. A rune narrowed from a stored rune is not itself stored. */
  readonly isStored: boolean;
  readonly lastUsedNs: bigint | undefined;
}

/** The services and settings that the book needs. */
export interface RuneBookOptions {
  /** 32 random bytes. A different secret invalidates all runes. */
  readonly secret: Uint8Array;
  readonly repository: RuneRepository;
  readonly clock: Clock;
}

/** Receives changes in the book immediately. */
export interface RuneBookListener {
  /** The whole blacklist after a change. */
  readonly onBlacklist: (blacklist: readonly BlacklistRange[]) => void;
  /** A rune with a rate limit was used at this time in UNIX nanoseconds. */
  readonly onUsed: (uniqueId: bigint, lastUsedNs: bigint) => void;
}

/** A permitted use of a rune with a daily limit. */
export interface RuneUse {
  /** The amount counted as spent. */
  readonly charge: OutgoCharge;
  /**
   * Resolves when the count is on disk. Nothing may be sent earlier. Rejects with FulguriteError storeFailed or
   * notPermitted.
   */
  readonly durable: Promise<void>;
}

/** Fields of restrictions that limit how often a rune is used. */
const RATE_FIELDS: readonly string[] = ['rate', 'per'];

/** Holds the runes in memory and stores them in a repository. */
export class RuneBook {
  readonly #secret: Uint8Array;
  readonly #repository: RuneRepository;
  readonly #clock: Clock;
  readonly #runes = new Map<bigint, StoredRune>();
  /** Disjoint ranges in ascending order. */
  #blacklist: readonly BlacklistRange[] = [];
  #nextUniqueId = 0n;
  /** Unique ids of runes whose last use is not stored yet. */
  readonly #used = new Set<bigint>();
  #ledger: OutgoLedger;
  #cancelWrite: (() => void) | undefined;
  #listener: RuneBookListener | undefined;

  private constructor({ secret, repository, clock }: RuneBookOptions) {
    this.#secret = secret;
    this.#repository = repository;
    this.#clock = clock;
    this.#ledger = new OutgoLedger([], () => undefined);
  }

  /** Loads everything from the store. */
  static async open(options: RuneBookOptions): Promise<RuneBook> {
    const book = new RuneBook(options);
    await book.#read();
    const { repository } = options;
    book.#ledger = new OutgoLedger(await repository.outgo(), (entry) => repository.putOutgo(entry));
    book.#repository.shared?.onChange(() => void book.#readAgain());
    return book;
  }

  async #read(): Promise<void> {
    for (const rune of await this.#repository.runes()) {
      const known = this.#runes.get(rune.uniqueId)?.lastUsedNs;
      const isNewer = known !== undefined && known > (rune.lastUsedNs ?? 0n);
      this.#runes.set(rune.uniqueId, isNewer ? { ...rune, lastUsedNs: known } : rune);
    }
    this.#blacklist = await this.#repository.blacklist();
    this.#nextUniqueId = await this.#repository.nextUniqueId();
  }

  /** Reads the changes of another daemon. While the store is unreachable, the book stays as it is. */
  async #readAgain(): Promise<void> {
    try {
      await this.#read();
      this.#listener?.onBlacklist(this.#blacklist);
    } catch (error) {
      if (!(error instanceof FulguriteError && error.name === 'storeFailed')) throw error;
    }
  }

  /** The runes that this node made, ordered by unique id. */
  list(): readonly StoredRune[] {
    return [...this.#runes.values()].sort((a, b) => (a.uniqueId < b.uniqueId ? -1 : 1));
  }

  get blacklist(): readonly BlacklistRange[] {
    return this.#blacklist;
  }

  /** The state that another thread needs to refuse runes on its own. The listener is notified of each later change. */
  share(listener: RuneBookListener): Omit<RuneMemory, 'usageOf'> {
    this.#listener = listener;
    return { secret: this.#secret, blacklist: this.#blacklist };
  }

  /** Creates and stores a rune with the next unique id. @throws FulguriteError storeFailed */
  async create(restrictions: readonly Restriction[]): Promise<Rune> {
    const uniqueId = (await this.#repository.shared?.takeUniqueId()) ?? this.#nextUniqueId;
    const rune = issueRune(this.#secret, [namingRestriction(uniqueId), ...restrictions]);
    const stored: StoredRune = { uniqueId, text: encodeRune(rune), lastUsedNs: undefined };
    this.#repository.putRune(stored);
    this.#nextUniqueId = uniqueId + 1n;
    this.#runes.set(uniqueId, stored);
    await this.#repository.durable();
    return rune;
  }

  /** Whether a rune was made with `forward=true`, and without `forward=false`. */
  forwardsAll(rune: Rune): boolean {
    const id = uniqueIdOf(rune);
    const stored = id === undefined ? undefined : this.#runes.get(id);
    const made = (stored && decodeRune(stored.text)?.restrictions) ?? [];
    return made.some((one) => isMark(one, FORWARDS_ALL)) && !made.some((one) => isMark(one, FORWARDS_NONE));
  }

  /** The rune with more restrictions. It is not stored. */
  narrow(rune: Rune, restrictions: readonly Restriction[]): Rune {
    return restrictions.reduce(narrowRune, rune);
  }

  /**
   * Checks that a rune permits a method of the attached node: the rune was made with `method=METHOD` or `forward=true`,
   * and without `forward=false`. Restrictions added later permit nothing, because anyone may add them.
   * @throws FulguriteError notPermitted
   */
  requireForward(rune: Rune, method: string): void {
    const id = uniqueIdOf(rune);
    const stored = id === undefined ? undefined : this.#runes.get(id);
    const made = stored && decodeRune(stored.text)?.restrictions;
    if (made !== undefined && reachesNode(made, method)) return;
    const needed = `the attached node executes ${method}, so the rune must be made with method=${method} or forward=true`;
    throw new FulguriteError('notPermitted', `Not permitted: ${needed}`);
  }

  /** Facts about a rune with this text. */
  standing(rune: Rune, text: string): RuneStanding {
    const id = uniqueIdOf(rune);
    const stored = id === undefined ? undefined : this.#runes.get(id);
    return {
      isOurs: foreignness(this.#secret, rune) === undefined,
      isBlacklisted: isListed(this.#blacklist, id),
      isStored: stored?.text === text,
      lastUsedNs: stored?.lastUsedNs,
    };
  }

  /**
   * Checks that a rune permits all of these requests, and records its use. The first request contains the others, so
   * they count as one use. If the rune has a daily limit, the possible spending of the first request is counted.
   * @returns the use, with its counted amount. Undefined if the rune has no daily limit, or nothing can be spent
   * @throws FulguriteError runeBlacklisted, notAuthorized or notPermitted, checked in this order
   */
  check(rune: Rune, ...requests: readonly RuneRequest[]): RuneUse | undefined {
    const nowMs = this.#clock.nowMs();
    checkRune(
      rune,
      requests,
      { secret: this.#secret, blacklist: this.#blacklist, usageOf: (id) => this.#usageOf(id, nowMs) },
      nowMs,
    );
    const usage = this.#usageOf(uniqueIdOf(rune), nowMs);
    this.#noteUse(rune, nowMs);
    return this.#charge(rune, requests[0], usage, nowMs);
  }

  #charge(rune: Rune, request: RuneRequest | undefined, usage: Usage, nowMs: number): RuneUse | undefined {
    if (request === undefined || !hasField(rune, ['outgoday'])) return undefined;
    const outgo = request.outgo?.();
    const id = uniqueIdOf(rune);
    if (id === undefined || outgo?.kind !== 'integer' || outgo.integer === 0n) return undefined;
    const charge = this.#ledger.charge(id, outgo.integer, nowMs);
    return { charge, durable: this.#confirm(rune, request, usage, charge, nowMs) };
  }

  /**
   * Waits until a charge is on disk. Then, if several daemons share runes, checks the limit again with the charges of
   * the other daemons. Each daemon writes before it reads, so of two daemons that charge at the same time, at least one
   * sees both charges.
   */
  async #confirm(
    rune: Rune,
    request: RuneRequest,
    usage: Usage,
    charge: OutgoCharge,
    nowMs: number,
  ): Promise<void> {
    await this.#repository.durable();
    const { shared } = this.#repository;
    if (shared === undefined) return;
    const since = Math.floor(nowMs / MINUTE_MS) - OUTGO_MINUTES;
    const elsewhereMsat = await shared.outgoElsewhere(uniqueIdOf(rune)!, since);
    const all = { ...usage, spentMsat: usage.spentMsat + elsewhereMsat };
    const complaint = complaintAbout(testedRestrictions(rune), request, all, nowMs);
    if (complaint === undefined) return;
    charge.settle(0n);
    throw new FulguriteError('notPermitted', `Not permitted: ${complaint}`);
  }

  /**
   * Adds a range of unique ids to the blacklist, or removes it.
   * @throws FulguriteError storeFailed, invalidParams
   */
  async setBlacklisted({ start, end }: BlacklistRange, isBlacklisted: boolean): Promise<void> {
    const { shared } = this.#repository;
    if (shared === undefined) {
      this.#blacklist = changedBlacklist(this.#blacklist, { start, end }, isBlacklisted);
      this.#listener?.onBlacklist(this.#blacklist);
      this.#repository.putBlacklist(this.#blacklist);
      await this.#repository.durable();
      return;
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const version = await shared.version();
      const current = await this.#repository.blacklist();
      const blacklist = changedBlacklist(current, { start, end }, isBlacklisted);
      if (!(await shared.replaceBlacklist(blacklist, version))) continue;
      this.#blacklist = blacklist;
      this.#listener?.onBlacklist(this.#blacklist);
      return;
    }
    const reason = 'other daemons keep changing runes';
    throw new FulguriteError('storeFailed', `The blacklist was not changed: ${reason}`, { reason });
  }

  /** Stores the times of use that are not stored yet. */
  close(): void {
    this.#writeUses();
  }

  #usageOf(id: bigint | undefined, nowMs: number): Usage {
    const stored = id === undefined ? undefined : this.#runes.get(id);
    const spentMsat = id === undefined ? 0n : this.#ledger.spentMsat(id, nowMs);
    return { isKnown: stored !== undefined, lastUsedNs: stored && this.#datedBack(stored, nowMs), spentMsat };
  }

  /**
   * The time when a rune was last used, at most the present. If the clock has gone back, an old use may lie in the
   * future, and a rate limit would refuse uses until the clock caught up. So such a use counts as happening now.
   */
  #datedBack(stored: StoredRune, nowMs: number): bigint | undefined {
    const { lastUsedNs, uniqueId } = stored;
    const nowNs = BigInt(Math.floor(nowMs)) * NS_PER_MS;
    if (lastUsedNs === undefined || lastUsedNs <= nowNs) return lastUsedNs;
    this.#runes.set(uniqueId, { ...stored, lastUsedNs: nowNs });
    return nowNs;
  }

  #noteUse(rune: Rune, nowMs: number): void {
    const id = uniqueIdOf(rune);
    const stored = id === undefined ? undefined : this.#runes.get(id);
    if (id === undefined || stored === undefined) return;
    const lastUsedNs = BigInt(Math.floor(nowMs)) * NS_PER_MS;
    this.#runes.set(id, { ...stored, lastUsedNs });
    if (isRateLimited(rune)) this.#listener?.onUsed(id, lastUsedNs);
    this.#used.add(id);
    this.#cancelWrite ??= this.#clock.after(WRITE_AFTER_MS, () => this.#writeUses());
  }

  #writeUses(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    for (const id of this.#used) this.#repository.putLastUsed(id, this.#runes.get(id)!.lastUsedNs!);
    this.#used.clear();
  }
}

const hasField = ({ restrictions }: Rune, fields: readonly string[]): boolean =>
  restrictions.some((alternatives) => alternatives.some(({ field }) => fields.includes(field)));

const isRateLimited = (rune: Rune): boolean => hasField(rune, RATE_FIELDS);

/** A comment, which always passes. It means that the rune permits every method of the attached node. */
export const FORWARDS_ALL: Restriction = [{ field: 'forward', condition: '#', value: 'true' }];
/** A comment. It means that the rune permits no method of the attached node, regardless of its other restrictions. */
export const FORWARDS_NONE: Restriction = [{ field: 'forward', condition: '#', value: 'false' }];

const isMark = ([first]: Restriction, [mark]: Restriction): boolean =>
  first?.field === mark!.field && first.condition === mark!.condition && first.value === mark!.value;

/** Whether a rune with these original restrictions permits a method of the attached node. */
function reachesNode(made: readonly Restriction[], method: string): boolean {
  if (made.some((one) => isMark(one, FORWARDS_NONE))) return false;
  return made.some(
    (alternatives) =>
      isMark(alternatives, FORWARDS_ALL) ||
      alternatives.some(
        ({ field, condition, value }) => field === 'method' && condition === '=' && value === method,
      ),
  );
}

/** The blacklist after adding or removing a range. @throws FulguriteError invalidParams */
function changedBlacklist(
  before: readonly BlacklistRange[],
  { start, end }: BlacklistRange,
  isBlacklisted: boolean,
): readonly BlacklistRange[] {
  const apart = before.flatMap((one) => [
    { start: one.start, end: one.end < start ? one.end : start - 1n },
    { start: one.start > end ? one.start : end + 1n, end: one.end },
  ]);
  const kept = apart.filter((one) => one.start <= one.end);
  const blacklist = merged(isBlacklisted ? [...kept, { start, end }] : kept);
  if (blacklist.length > MAX_RANGES) {
    throw new FulguriteError('invalidParams', `The blacklist would have more than ${MAX_RANGES} ranges`);
  }
  return blacklist;
}

/** Joins ranges that touch or overlap, in ascending order. */
function merged(ranges: readonly BlacklistRange[]): BlacklistRange[] {
  const joined: { start: bigint; end: bigint }[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => (a.start < b.start ? -1 : 1))) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end + 1n) last.end = end > last.end ? end : last.end;
    else joined.push({ start, end });
  }
  return joined;
}
