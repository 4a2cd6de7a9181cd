/**
 * What a simulated network stores across restarts: how our attempts ended, how balances changed, and which channels
 * were closed.
 *
 * It is one append-only file of frames `u32 length || msgpack || u32 CRC-32C`. A frame is written before our side
 * learns the outcome in it, without waiting for the disk. So after a crash of the process, the file has every outcome
 * that our side had learned. What is not in the file never happened: an HTLC in flight at the crash is unknown
 * afterwards, and its amount is back in the balance of every channel that it had crossed. So nothing is paid twice or
 * lost.
 *
 * On the real network, a recipient that has released a preimage gets all parts of the payment, even if a node crashes
 * before all of them have travelled back. So here all parts of a payment are one frame, made when the preimage is
 * released. After a crash, either all parts have settled, or none has.
 *
 * Balance changes are replayed only on the same network (same channels, same seed). On a different network, the
 * outcomes are kept, but the balances start afresh. A crash during a write may damage the end of the file, which is
 * then cut off. A full disk may accept only part of a write, which is cut off too, and written again with the next
 * frame. When a large file has doubled in size, it is rewritten with the outcomes still remembered and the sum of all
 * balance changes.
 */
import {
  closeSync,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { Packr } from 'msgpackr/pack';
import { toHex } from '../../bolt/bytes.ts';
import { sha256 } from '../../bolt/crypto/hashes.ts';
import { crc32c } from '../../gossip/crc32c.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { HtlcOutcome } from '../port.ts';
import { addTotals, NO_HTLCS } from './channel-life.ts';
import type { NetworkMap } from './network-map.ts';
import type { SimulationOptions } from './options.ts';
import { REMEMBERED_OUTCOMES } from './outcomes.ts';
import type { HtlcTotals } from './own/described-channel.ts';

/** The first frame of a journal file. */
interface Header {
  /** Frames of format 1 have no checksums. Format 2 has no groups of entries and no closures. */
  readonly format: 1 | 2 | 3;
  /** Identifies the network by its channels and seed. */
  readonly fingerprint: string;
  /** When this network was first started, in UNIX milliseconds. Absent in older files. */
  readonly openedAtMs?: number;
}

/** How much side 0 of each channel gained, in msat. Losses are negative. */
export type Shifts = readonly (readonly [scid: bigint, gainMsat: bigint])[];

/** What attempts add to the totals of our own channels. */
export type Traffic = readonly (readonly [scid: bigint, totals: HtlcTotals])[];

/** The outcome of one attempt, and how it changed the balance of each channel that it crossed. */
export interface JournalEntry {
  readonly attemptId: string;
  readonly outcome: HtlcOutcome;
  readonly shifts: Shifts;
  /** What the attempt adds to the totals of our channel. Absent in older files. */
  readonly traffic?: Traffic;
  readonly height: number;
}

/** Entries that are written together or not at all. */
interface JournalGroup {
  readonly entries: readonly JournalEntry[];
}

/** The closure of a channel. `atMs` is in UNIX milliseconds. */
interface JournalClosure {
  readonly closed: bigint;
  readonly atMs: number;
}

type JournalFrame = JournalEntry | JournalGroup | JournalClosure;

/** The contents of a journal file. */
export interface JournalContent {
  readonly outcomes: ReadonlyMap<string, HtlcOutcome>;
  /** The sum of the balance changes of each channel. Empty when the file belongs to a different network. */
  readonly shifts: ReadonlyMap<bigint, bigint>;
  /** The totals of our own channels. Empty when the file belongs to a different network. */
  readonly traffic: ReadonlyMap<bigint, HtlcTotals>;
  /** When channels were closed, in UNIX milliseconds. Empty when the file belongs to a different network. */
  readonly closures: ReadonlyMap<bigint, number>;
  /** When this network was first started, in UNIX milliseconds. Undefined if not recorded. */
  readonly openedAtMs: number | undefined;
  /** Chain height at the last entry. 0 if there is none. */
  readonly height: number;
}

const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Bit in the length of a frame that has a checksum. */
const HAS_CHECKSUM = 0x8000_0000;
const CHECKSUM_BYTES = 4;
/** First byte of an object, as written by our packer. */
const MAP_16 = 0xde;
/** Smaller files are not compacted. Reading this many bytes takes about 0.3 s, during which the network is blocked. */
const COMPACT_ABOVE_BYTES = 64 * 1024 * 1024;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/**
 * Identifies a network by everything that determines its initial balances: channels, capacities, seed, distribution of
 * balances, and which nodes and channels are ours.
 */
export function fingerprintOf(map: NetworkMap, options: SimulationOptions): string {
  const bytes = ({ buffer, byteOffset, byteLength }: BigUint64Array): Uint8Array =>
    new Uint8Array(buffer, byteOffset, byteLength);
  const { seed = 1, balances = 'uniform', ownNodeId, ownNodes, ownChannels = {}, faults = {} } = options;
  // The share of offline nodes affects which peers our channels have.
  const facts = [String(seed), balances, ownNodeId, ownChannels, faults.offlineNodes ?? 0];
  if (ownNodes !== undefined) facts.push(...ownNodes);
  const text = JSON.stringify(facts, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
  return toHex(sha256(bytes(map.shortChannelIds), bytes(map.capacityMsat), Buffer.from(text, 'utf8')));
}

/** Thrown when the journal is damaged. Restarting does not help. */
class DamagedJournal extends Error {}

/** Writes outcomes and balance changes to a file, and reads them back. */
export class NetworkJournal {
  /** The contents of the file when it was opened. */
  readonly content: JournalContent;
  private readonly path: string;
  private readonly fingerprint: string;
  private readonly compactAboveBytes: number;
  private descriptor: number;
  private isOpen = true;
  private sizeBytes: number;
  private compactAtBytes: number;
  private waiting: Uint8Array[] = [];

  /**
   * Opens or creates the file and reads all of it. `nowMs` is UNIX time. A file damaged before its end is refused. With
   * `recover` it is copied to `.bad`, and the intact frames are kept.
   * @throws FulguriteError `storeFailed`
   */
  constructor(
    path: string,
    fingerprint: string,
    nowMs = Date.now(),
    compactAboveBytes = COMPACT_ABOVE_BYTES,
    recover = false,
  ) {
    this.path = path;
    this.fingerprint = fingerprint;
    this.compactAboveBytes = compactAboveBytes;
    try {
      const { content, header, usedBytes, damagedAt } = readFile(path, fingerprint);
      if (damagedAt !== undefined && !recover) throw new DamagedJournal(refusal(path, damagedAt));
      if (damagedAt !== undefined) copyFileSync(path, `${path}.bad`);
      this.content = content;
      const isFit = header?.format === 3 && header.fingerprint === fingerprint && damagedAt === undefined;
      if (isFit && usedBytes <= compactAboveBytes) {
        truncateSync(path, usedBytes);
        this.descriptor = openSync(path, 'a', 0o600);
      } else {
        const { openedAtMs = nowMs } = content;
        this.descriptor = writeAnew(path, fingerprint, { ...content, openedAtMs });
      }
      this.sizeBytes = fstatSync(this.descriptor).size;
      this.compactAtBytes = Math.max(compactAboveBytes, 2 * this.sizeBytes);
    } catch (error) {
      throw failed(error);
    }
  }

  /** Adds outcomes that are written together or not at all. `flush` writes them. */
  add(...entries: readonly JournalEntry[]): void {
    const [entry] = entries;
    if (entry !== undefined) this.waiting.push(frame(entries.length === 1 ? entry : { entries }));
  }

  /** Adds the closure of a channel, at a time in UNIX milliseconds. `flush` writes it. */
  addClosure(scid: bigint, atMs: number): void {
    this.waiting.push(frame({ closed: scid, atMs }));
  }

  /**
   * Writes everything that was added, or nothing. After a failure, `flush` can be called again.
   * @throws FulguriteError `storeFailed`
   */
  flush(): void {
    if (this.waiting.length === 0 || !this.isOpen) return;
    const bytes = Buffer.concat(this.waiting);
    try {
      writeAll(this.descriptor, bytes);
    } catch (error) {
      ftruncateSync(this.descriptor, this.sizeBytes);
      throw failed(error);
    }
    this.waiting = [];
    this.sizeBytes += bytes.length;
    if (this.sizeBytes > this.compactAtBytes) this.compact();
  }

  /**
   * Closes the file. @throws FulguriteError `storeFailed` when the last additions cannot be written. The file is closed
   * even then.
   */
  close(): void {
    if (!this.isOpen) return;
    try {
      this.flush();
    } finally {
      this.isOpen = false;
      closeSync(this.descriptor);
    }
  }

  /** Rewrites the file. If there is no room for a second file, the old file stays in use and grows. */
  private compact(): void {
    try {
      const { content, damagedAt } = readFile(this.path, this.fingerprint);
      if (damagedAt !== undefined) throw new DamagedJournal(refusal(this.path, damagedAt));
      const descriptor = writeAnew(this.path, this.fingerprint, content);
      closeSync(this.descriptor);
      this.descriptor = descriptor;
      this.sizeBytes = fstatSync(descriptor).size;
    } catch {
      // The old file stays valid. The next attempt follows once the file has doubled again.
    }
    this.compactAtBytes = Math.max(this.compactAboveBytes, 2 * this.sizeBytes);
  }
}

const refusal = (path: string, at: number): string =>
  `${path} is damaged at byte ${at}. Nothing was changed. Restore the file, or use another ` +
  '--data-dir, or start with --recover, which discards unreadable outcomes and their balance changes';

function failed(error: unknown): FulguriteError {
  const message = `journal of the simulated network: ${(error as Error).message}`;
  return new FulguriteError('storeFailed', message, {
    ...(error instanceof DamagedJournal && { problem: 'corrupt' }),
  });
}

function frame(message: JournalFrame | Header): Uint8Array {
  const body = packr.pack(message);
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(HAS_CHECKSUM + body.length);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(crc32c(0, body));
  return Buffer.concat([head, body, checksum]);
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

/**
 * Maximum size of the first frame, in bytes. If a longer file has no complete first frame, the cause is not an
 * interrupted write.
 */
const MAX_HEADER_BYTES = 1024;

interface ReadFile {
  readonly content: JournalContent;
  readonly header: Header | undefined;
  /** Total size of the intact frames, in bytes. */
  readonly usedBytes: number;
  /** Position of damage that is not explained by an interrupted write at the end of the file. */
  readonly damagedAt: number | undefined;
}

function readFile(path: string, fingerprint: string): ReadFile {
  const bytes = readIfThere(path);
  const sum = new ContentSum();
  let at = 0;
  let header: Header | undefined;
  let damagedAt: number | undefined;
  for (;;) {
    const next = messageAt(bytes, at);
    if (next === undefined) {
      const after = wholeAfter(bytes, at);
      const isForeign = at === 0 && bytes.length > MAX_HEADER_BYTES;
      if (after !== undefined || isComplete(bytes, at) || isForeign) damagedAt ??= at;
      if (after === undefined) break;
      at = after;
      continue;
    }
    if (at === 0) {
      header = next.message as Header;
      if (![1, 2, 3].includes(header?.format)) throw new DamagedJournal(`${path} has an unknown format`);
    } else if (!isFrame(next.message)) {
      break;
    } else {
      sum.add(next.message);
    }
    at = next.end;
  }
  const isOfThisNetwork = header?.fingerprint === fingerprint;
  if (!isOfThisNetwork) sum.forgetChannels();
  const openedAtMs = isOfThisNetwork ? header?.openedAtMs : undefined;
  const { outcomes, shifts, traffic, closures, height } = sum;
  const content = { outcomes, shifts, traffic, closures, openedAtMs, height };
  return { content, header, usedBytes: at, damagedAt };
}

/** The accumulated contents of the frames of a journal file. */
class ContentSum {
  readonly outcomes = new Map<string, HtlcOutcome>();
  readonly shifts = new Map<bigint, bigint>();
  readonly traffic = new Map<bigint, HtlcTotals>();
  readonly closures = new Map<bigint, number>();
  height = 0;

  add(frame: JournalFrame): void {
    if ('closed' in frame) this.closures.set(frame.closed, frame.atMs);
    else for (const entry of 'entries' in frame ? frame.entries : [frame]) this.addEntry(entry);
  }

  /**
   * Call this for a file of a different network. Keeps outcomes, because the attempts were ours, and forgets channels.
   */
  forgetChannels(): void {
    for (const map of [this.shifts, this.traffic, this.closures]) map.clear();
  }

  private addEntry({ attemptId, outcome, shifts, traffic = [], height }: JournalEntry): void {
    const { outcomes } = this;
    outcomes.set(attemptId, outcome);
    if (outcomes.size > REMEMBERED_OUTCOMES) outcomes.delete(outcomes.keys().next().value as string);
    for (const [scid, gain] of shifts) this.shifts.set(scid, (this.shifts.get(scid) ?? 0n) + gain);
    for (const [scid, totals] of traffic) {
      this.traffic.set(scid, addTotals(this.traffic.get(scid) ?? NO_HTLCS, totals));
    }
    this.height = height;
  }
}

/**
 * Whether a decoded message is a frame of this journal. Random bytes at the end of a damaged file can decode to some
 * message, but not to a frame.
 */
function isFrame(message: unknown): message is JournalFrame {
  const { entries, closed, atMs } = (message ?? {}) as Partial<JournalGroup & JournalClosure>;
  if (closed !== undefined) return typeof closed === 'bigint' && Number.isSafeInteger(atMs);
  return Array.isArray(entries) ? entries.every(isEntry) : isEntry(message);
}

function isEntry(message: unknown): message is JournalEntry {
  const { attemptId, outcome, shifts, traffic = [], height } = (message ?? {}) as Partial<JournalEntry>;
  const isPair = (pair: unknown): boolean =>
    Array.isArray(pair) && typeof pair[0] === 'bigint' && typeof pair[1] === 'bigint';
  return (
    typeof attemptId === 'string' &&
    typeof outcome?.status === 'string' &&
    typeof height === 'number' &&
    Array.isArray(shifts) &&
    shifts.every(isPair) &&
    Array.isArray(traffic) &&
    traffic.every(isTraffic)
  );
}

function isTraffic(pair: unknown): boolean {
  if (!Array.isArray(pair) || typeof pair[0] !== 'bigint') return false;
  const { offeredCount, offeredMsat, fulfilledCount, fulfilledMsat } = (pair[1] ?? {}) as Partial<HtlcTotals>;
  return (
    [offeredCount, fulfilledCount].every((count) => Number.isSafeInteger(count)) &&
    [offeredMsat, fulfilledMsat].every((amount) => typeof amount === 'bigint' && amount >= 0n)
  );
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/**
 * Whether the last frame has its full length. If such a frame cannot be read, an interrupted write is not the reason.
 */
function isComplete(bytes: Buffer, at: number): boolean {
  if (at + LENGTH_BYTES > bytes.length) return false;
  const length = bytes.readUInt32BE(at);
  return (
    length >= HAS_CHECKSUM && at + LENGTH_BYTES + (length - HAS_CHECKSUM) + CHECKSUM_BYTES === bytes.length
  );
}

/**
 * Where the next intact frame with a checksum starts, after an unreadable place. Undefined when no such frame follows.
 */
function wholeAfter(bytes: Buffer, at: number): number | undefined {
  for (let place = at + 1; place + LENGTH_BYTES <= bytes.length; place++) {
    // A frame starts with a length below 2^24 and the checksum bit, and its body is an object.
    const isLikely = bytes[place] === HAS_CHECKSUM >>> 24 && bytes[place + LENGTH_BYTES] === MAP_16;
    if (isLikely && isFrame(messageAt(bytes, place)?.message)) return place;
  }
  return undefined;
}

/** The frame at this position. `undefined` if there is no intact frame. */
function messageAt(bytes: Buffer, at: number): { message: unknown; end: number } | undefined {
  if (at + LENGTH_BYTES > bytes.length) return undefined;
  const length = bytes.readUInt32BE(at);
  const bodyEnd = at + LENGTH_BYTES + (length % HAS_CHECKSUM);
  const end = bodyEnd + (length >= HAS_CHECKSUM ? CHECKSUM_BYTES : 0);
  if (end > bytes.length || end - at > MAX_FRAME_BYTES) return undefined;
  const body = bytes.subarray(at + LENGTH_BYTES, bodyEnd);
  if (end > bodyEnd && bytes.readUInt32BE(bodyEnd) !== crc32c(0, body)) return undefined;
  try {
    return { message: packr.unpack(body), end };
  } catch {
    return undefined;
  }
}

/**
 * Writes a new file with the header, the outcomes and the closures. The last outcome is written twice: its second frame
 * contains the sums of all balance changes and of all traffic. If writing fails, the old file stays unchanged.
 * @returns the new file, open for appending.
 */
function writeAnew(path: string, fingerprint: string, content: JournalContent): number {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const descriptor = openSync(unfinished, 'ax', 0o600);
  try {
    const { openedAtMs, height } = content;
    const opened = openedAtMs === undefined ? {} : { openedAtMs };
    const frames = [frame({ format: 3, fingerprint, ...opened })];
    for (const [attemptId, outcome] of content.outcomes) {
      frames.push(frame({ attemptId, outcome, shifts: [], height }));
    }
    const last = [...content.outcomes].at(-1);
    if (last !== undefined) {
      const [attemptId, outcome] = last;
      const traffic = [...content.traffic];
      frames.push(frame({ attemptId, outcome, shifts: [...content.shifts], traffic, height }));
    }
    for (const [closed, atMs] of content.closures) frames.push(frame({ closed, atMs }));
    writeAll(descriptor, Buffer.concat(frames));
    renameSync(unfinished, path);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    rmSync(unfinished, { force: true });
    throw error;
  }
}
