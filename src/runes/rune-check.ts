/**
 * Checks whether a rune permits a request, given the secret and the stored state of runes. The book (rune-book.ts)
 * passes the complete state of this node. A thread that has only part of the state can still refuse most requests
 * without calling the book.
 */
import { FulguriteError } from '../model/errors.ts';
import type { BlacklistRange } from '../store/rune-repository.ts';
import type { RuneRequest } from './asked.ts';
import { complaintAbout, type Usage } from './judge.ts';
import { isDerived, type Rune, runeName, testedRestrictions } from './rune.ts';

const I64_MAX = 2n ** 63n - 1n;

/**
 * The secret, the blacklist, and a function that returns the use of a rune by unique id. The id is undefined for a rune
 * without one.
 */
export interface RuneMemory {
  /** 32 random bytes, from which all runes of this node are made. */
  readonly secret: Uint8Array;
  /** Blacklisted unique ids, as disjoint ranges in ascending order. */
  readonly blacklist: readonly BlacklistRange[];
  readonly usageOf: (uniqueId: bigint | undefined) => Usage;
}

/** The unique id of a rune. Undefined if it is missing, or is not a decimal number of at most 63 bits. */
export function uniqueIdOf(rune: Rune): bigint | undefined {
  const digits = runeName(rune)?.uniqueId ?? '';
  const id = /^\d{1,19}$/.test(digits) ? BigInt(digits) : undefined;
  return id !== undefined && id <= I64_MAX ? id : undefined;
}

/** The reason why a rune cannot have been made by this node. Undefined if this node made it. */
export function foreignness(secret: Uint8Array, rune: Rune): string | undefined {
  if (runeName(rune)?.version !== undefined) return 'Version mismatch';
  return isDerived(secret, rune) ? undefined : 'Not derived from master';
}

/** Whether a unique id is in a blacklist of disjoint ranges in ascending order. */
export function isListed(blacklist: readonly BlacklistRange[], uniqueId: bigint | undefined): boolean {
  if (uniqueId === undefined) return false;
  let low = 0;
  let high = blacklist.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (blacklist[middle]!.end < uniqueId) low = middle + 1;
    else high = middle;
  }
  return low < blacklist.length && blacklist[low]!.start <= uniqueId;
}

/**
 * The error if a rune permits no request, because it is blacklisted or not from this node. Undefined if it may permit
 * some requests.
 */
export function standingFault(
  rune: Rune,
  { secret, blacklist }: Omit<RuneMemory, 'usageOf'>,
): { readonly name: 'runeBlacklisted' | 'notAuthorized'; readonly message: string } | undefined {
  if (isListed(blacklist, uniqueIdOf(rune))) {
    return { name: 'runeBlacklisted', message: 'Not authorized: Blacklisted rune' };
  }
  const foreign = foreignness(secret, rune);
  return foreign === undefined ? undefined : { name: 'notAuthorized', message: `Not authorized: ${foreign}` };
}

/**
 * Checks that a rune permits all of these requests.
 * @param nowMs UNIX time in milliseconds
 * @param complain finds the complaint; pass `complaintWithoutParameters` if the parameters have not been read
 * @throws FulguriteError runeBlacklisted, notAuthorized or notPermitted, checked in this order
 */
export function checkRune(
  rune: Rune,
  requests: readonly RuneRequest[],
  memory: RuneMemory,
  nowMs: number,
  complain: typeof complaintAbout = complaintAbout,
): void {
  const fault = standingFault(rune, memory);
  if (fault !== undefined) throw new FulguriteError(fault.name, fault.message);
  const usage = memory.usageOf(uniqueIdOf(rune));
  for (const asked of requests) {
    const complaint = complain(testedRestrictions(rune), asked, usage, nowMs);
    if (complaint !== undefined) throw new FulguriteError('notPermitted', `Not permitted: ${complaint}`);
  }
}
