/**
 * This node's own gossip_store (store-format.ts). It keeps gossip from peers across restarts. Messages are appended
 * when they are accepted. The file is read by the same loader as other gossip stores.
 *
 * A crash loses at most the end of the file. When the file is opened, an incomplete last record is cut off. Peers send
 * lost messages again, so writes do not wait for the disk, except before a rewritten file replaces the old one.
 *
 * Replaced messages waste space. If the file is much larger than its graph needs, it is rewritten with only the live
 * messages. Rewriting takes time proportional to the size of the file, but constant time per appended byte on average.
 */

import { randomBytes } from 'node:crypto';
import { constants, type FileHandle, open, readFile, rename } from 'node:fs/promises';
import {
  decodeChannelAnnouncement,
  decodeChannelUpdate,
  decodeNodeAnnouncement,
  directionOf,
} from '../bolt/peer/gossip-messages.ts';
import type { ChannelGraph } from '../model/channel-graph.ts';
import { drain } from './gossip-store.ts';
import { GossipStoreLoader } from './gossip-store-loader.ts';
import { graphFileError } from './graph-file.ts';
import { recordOf, recordsOf, salvage } from './salvage.ts';
import * as format from './store-format.ts';

/** Receives messages about repaired damage, rewriting and failed writes. */
export interface OwnGossipStoreLog {
  info(message: string): void;
  unusual(message: string): void;
}

/**
 * Estimated size of a channel with its two updates and its share of node announcements, including record headers, in
 * bytes.
 */
const BYTES_PER_CHANNEL = 1000;
/**
 * A file is rewritten if it is more than this many times as large as needed, and larger than `MIN_REWRITTEN_BYTES`.
 */
const MAX_DEAD = 2;
const MIN_REWRITTEN_BYTES = 8 * 1024 * 1024;
/** Number of bytes read at a time while rewriting. Other work continues between two reads. */
const CHUNK_BYTES = 256 * 1024;

/** Our own `gossip_store`: messages are appended to it and read back after a restart. */
export class OwnGossipStore {
  private readonly path: string;
  private readonly graph: ChannelGraph;
  private readonly log: OwnGossipStoreLog | undefined;
  private file: FileHandle;
  /** Offset at which the next record is written. */
  private end: number;
  /** Size after the last rewrite, when all messages were live. A file close to this size is not rewritten. */
  private liveBytes = 0;
  private writing: Promise<void> = Promise.resolve();
  private failed = false;

  private constructor(
    path: string,
    graph: ChannelGraph,
    file: FileHandle,
    end: number,
    log?: OwnGossipStoreLog,
  ) {
    this.path = path;
    this.graph = graph;
    this.file = file;
    this.end = end;
    this.log = log;
  }

  /**
   * Reads a file into an empty graph, or creates the file. Messages appended later must also be applied to this graph.
   * @throws the file system's error if the file cannot be opened or read; FulguriteError `graphSource` if it has a
   *   different version
   */
  static async open(path: string, graph: ChannelGraph, log?: OwnGossipStoreLog): Promise<OwnGossipStore> {
    const { O_CREAT, O_RDWR } = constants;
    const file = await open(path, O_CREAT | O_RDWR, 0o600);
    try {
      const end = await readInto(graph, file, path, log);
      return new OwnGossipStore(path, graph, file, end, log);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.end;
  }

  /**
   * Appends messages (types 256, 257, 258) that were applied to the graph. Resolves once they are passed to the
   * operating system. After a failed write, which is logged, nothing more is stored, and the graph continues without a
   * store.
   * @param capacitySat capacity of the announced channels, from the chain; 0 if unchecked
   */
  append(messages: readonly Uint8Array[], capacitySat = 0n): Promise<void> {
    return this.keep(messages.flatMap((message) => recordsOf(message, capacitySat)));
  }

  /** Records that channels were removed, so that they do not return after a restart. Resolves as `append` does. */
  forget(shortChannelIds: readonly bigint[]): Promise<void> {
    return this.keep(shortChannelIds.map(tombstoneOf));
  }

  /** Waits until everything appended is written, and closes the file. */
  async close(): Promise<void> {
    this.failed = true;
    await this.writing;
    await this.file.close();
  }

  private keep(records: readonly Uint8Array[]): Promise<void> {
    if (records.length === 0 || this.failed) return this.writing;
    this.writing = this.writing.then(() => this.write(records)).catch((error: Error) => this.onFailed(error));
    return this.writing;
  }

  private async write(records: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(records);
    await writeAt(this.file, bytes, this.end);
    this.end += bytes.length;
    const expected = Math.max(this.liveBytes, this.graph.channelCount * BYTES_PER_CHANNEL);
    if (this.end > MIN_REWRITTEN_BYTES && this.end > MAX_DEAD * expected) await this.rewrite();
  }

  private onFailed(error: Error): void {
    if (!this.failed) this.log?.unusual(`${this.path}: cannot store gossip any more: ${error.message}`);
    this.failed = true;
  }

  /**
   * Rewrites the file with only the records that the graph still needs. The old file stays until the new one is
   * complete.
   */
  private async rewrite(): Promise<void> {
    const before = this.end;
    const temporary = `${this.path}.new`;
    const next = await open(temporary, 'w+', 0o600);
    try {
      const end = await copyLive(this.file, before, next, this.graph);
      await next.sync();
      await rename(temporary, this.path);
      await this.file.close();
      this.file = next;
      this.end = end;
      this.liveBytes = end;
    } catch (error) {
      await next.close();
      throw error;
    }
    this.log?.info(`${this.path}: rewritten from ${before} to ${this.end} bytes`);
  }
}

/**
 * Reads the complete records, cuts off an incomplete last record, and sets aside damaged parts.
 * @returns the offset for the next record
 * @throws FulguriteError `graphSource` if the file has a different version. The file is then not changed.
 */
async function readInto(
  graph: ChannelGraph,
  file: FileHandle,
  path: string,
  log: OwnGossipStoreLog | undefined,
): Promise<number> {
  await refuseOtherVersion(file, path);
  const loader = new GossipStoreLoader(graph);
  await drain(file, loader);
  const { size } = await file.stat();
  const end = loader.offset < size ? await mend(graph, file, path, loader, log) : loader.offset;
  if (end > 0) return end;
  const head = headOfFile();
  await writeAt(file, head, 0);
  return head.length;
}

/** @throws FulguriteError for a file of an unsupported version, which must be neither truncated nor extended */
async function refuseOtherVersion(file: FileHandle, path: string): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, 0);
  if (bytesRead === 0) return;
  const [major, minor] = [buffer[0]! >> 5, buffer[0]! & 31];
  if (major === 0 && minor >= format.MINOR_VERSION_OLDEST && minor <= format.MINOR_VERSION) return;
  throw graphFileError(
    path,
    `this release does not support version ${major}.${minor} of the file; upgrade, or move the file away: peers send ` +
      'its content again',
  );
}

/** Repairs a file with an unreadable part after `loader.offset`. @returns the offset for the next record */
async function mend(
  graph: ChannelGraph,
  file: FileHandle,
  path: string,
  loader: GossipStoreLoader,
  log: OwnGossipStoreLog | undefined,
): Promise<number> {
  const { offset, problem } = loader;
  const bytes = await readFile(path);
  const { records, damaged, isWholeBeforeEnd } = salvage(bytes);
  if (isWholeBeforeEnd && problem === undefined) {
    log?.unusual(
      `${path}: truncated ${bytes.length - offset} bytes at offset ${offset}: the last record is incomplete`,
    );
    await file.truncate(offset);
    return offset;
  }
  const whole = Buffer.concat([headOfFile(), ...records]);
  const bad = Buffer.concat(damaged);
  await replaceFile(`${path}.bad`, bad);
  // Records only move towards the beginning of the file, so a crash during the write damages at most one record.
  await writeAt(file, whole, 0);
  await file.truncate(whole.length);
  const again = new GossipStoreLoader(graph);
  await drain(file, again);
  log?.unusual(
    `${path}: damaged at offset ${offset} (${problem?.cause ?? 'a record that does not end'}): ${bad.length} of ` +
      `${bytes.length} bytes set aside in ${path}.bad, ${records.length} records kept`,
  );
  return again.offset;
}

/** Replaces the file atomically. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await writeAt(file, bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Copies the live messages of file[0, end) after a new head. @returns the size of the new file. */
async function copyLive(
  file: FileHandle,
  end: number,
  next: FileHandle,
  graph: ChannelGraph,
): Promise<number> {
  const live = new LiveRecords(graph);
  let written = 0;
  const put = async (bytes: Uint8Array): Promise<void> => {
    await writeAt(next, bytes, written);
    written += bytes.length;
  };
  await put(headOfFile());
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let offset = 1; offset < end; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - offset), offset);
    const { bodies, taken } = bodiesIn(buffer.subarray(0, bytesRead));
    if (taken === 0) break;
    await put(Buffer.concat(bodies.filter((body) => live.has(body)).map(recordOf)));
    offset += taken;
  }
  return written;
}

/** The bodies of the complete records, and the number of bytes in these records. */
function bodiesIn(bytes: Buffer): { bodies: Buffer[]; taken: number } {
  const bodies: Buffer[] = [];
  let at = 0;
  while (at + format.HEADER_BYTES <= bytes.length) {
    const next = at + format.HEADER_BYTES + bytes.readUInt16BE(at + 2);
    if (next > bytes.length) break;
    bodies.push(bytes.subarray(at + format.HEADER_BYTES, next));
    at = next;
  }
  return { bodies, taken: at };
}

/** Decides which records the graph still needs. `has` must be called with the records in the order of the file. */
class LiveRecords {
  private readonly graph: ChannelGraph;
  private readonly copied = new Set<bigint>();
  /** Whether the last announcement is live. Its capacity record follows directly after it. */
  private isAnnouncementLive = false;

  constructor(graph: ChannelGraph) {
    this.graph = graph;
  }

  has(body: Buffer): boolean {
    const { graph } = this;
    const type = body.readUInt16BE(0);
    if (type === format.STORE_CHANNEL_AMOUNT) return this.isAnnouncementLive;
    // A channel that was removed and announced again has several announcements. Its removal is copied between them, so
    // that readers use the last announcement.
    if (type === format.STORE_DELETE_CHANNEL) return this.copied.delete(body.readBigUInt64BE(2));
    if (type === format.CHANNEL_ANNOUNCEMENT) {
      this.isAnnouncementLive = this.isFirst(decodeChannelAnnouncement(body).shortChannelId);
      return this.isAnnouncementLive;
    }
    if (type === format.CHANNEL_UPDATE) {
      const update = decodeChannelUpdate(body);
      const channel = graph.channelIndex(update.shortChannelId);
      return channel !== -1 && graph.policyTimestamp[channel * 2 + directionOf(update)] === update.timestamp;
    }
    if (type !== format.NODE_ANNOUNCEMENT) return false;
    const { nodeId, timestamp } = decodeNodeAnnouncement(body);
    return graph.announcements.get(graph.nodeIndexOfBytes(nodeId))?.timestamp === timestamp;
  }

  private isFirst(shortChannelId: bigint): boolean {
    if (this.graph.channelIndex(shortChannelId) === -1 || this.copied.has(shortChannelId)) return false;
    this.copied.add(shortChannelId);
    return true;
  }
}

/** The first bytes of a file: version and identity. */
function headOfFile(): Uint8Array {
  const uuid = Buffer.alloc(2 + format.UUID_BYTES);
  uuid.writeUInt16BE(format.STORE_UUID);
  randomBytes(format.UUID_BYTES).copy(uuid, 2);
  return Buffer.concat([Uint8Array.of(format.MINOR_VERSION), recordOf(uuid)]);
}

function tombstoneOf(shortChannelId: bigint): Uint8Array {
  const body = Buffer.alloc(2 + 8);
  body.writeUInt16BE(format.STORE_DELETE_CHANNEL);
  body.writeBigUInt64BE(shortChannelId, 2);
  return recordOf(body);
}
