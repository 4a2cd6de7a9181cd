/**
 * Applies the complete records of a `gossip_store` (store-format.ts) to a channel graph, and remembers where it
 * stopped. It never applies part of a channel: an announcement waits for its capacity record.
 *
 * It stops at a corrupt record, and sets `problem` to the cause. The next call of `apply` tries this record again,
 * because the writer may have been rewriting its header.
 */
import { crc32c } from './crc32c.ts';
import { GossipMessages, type IgnoredMessages } from './gossip-messages.ts';
import type { GraphFileProblem } from './graph-file.ts';
import * as format from './store-format.ts';

/**
 * The deadline in a STORE_CHANNEL_DYING record is this many blocks after the block in which the funding was spent (BOLT
 * 7; gossipd of Core Lightning).
 */
const DYING_BLOCKS = 72;
const MAX_CAPACITY_SAT = 0xffff_ffff_ffff_ffffn / 1000n;

/** The record that closes a file, with the position in its successor. */
export interface StoreEnded {
  readonly equivalentOffset: number;
  /** Identity of the successor. Absent before version 16. */
  readonly uuid: string | undefined;
}

/** Numbers of ignored records, by reason. */
export interface IgnoredRecords extends IgnoredMessages {
  deleted: number;
  unknownType: number;
}

/** Reads a `gossip_store` into one graph, in any number of calls. */
export class GossipStoreLoader extends GossipMessages {
  /** File offset of the first byte not applied yet. 0 before the version byte. */
  offset = 0;
  minorVersion = 0;
  /** Identity of this generation of the file, as hex. Absent before version 16. */
  uuid: string | undefined;
  /** The closing record, once it is reached. No records after it are applied. */
  ended: StoreEnded | undefined;
  /** The cause and its offset, if the last call of `apply` stopped at a corrupt record. */
  problem: GraphFileProblem | undefined;
  override readonly ignored: IgnoredRecords = {
    deleted: 0,
    unknownType: 0,
    unknownChannel: 0,
    unknownNode: 0,
    knownChannel: 0,
  };

  /**
   * Applies the complete records among bytes[0, length), which begin at file offset `offset`. Returns the number of
   * bytes used. Progress is only guaranteed if the bytes can hold two records of the maximum size.
   */
  apply(bytes: Uint8Array, length: number): number {
    this.problem = undefined;
    if (this.ended !== undefined || length === 0) return 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = this.offset === 0 ? this.applyVersion(bytes) : 0;
    while (this.problem === undefined && this.ended === undefined) {
      const size = this.applyRecord(bytes, view, at, length);
      if (size === 0) break;
      at += size;
    }
    this.offset += at;
    return at;
  }

  private applyVersion(bytes: Uint8Array): number {
    const major = bytes[0]! >> 5;
    this.minorVersion = bytes[0]! & 31;
    if (major === 0 && this.minorVersion >= format.MINOR_VERSION_OLDEST) return 1;
    this.stop(0, `not a gossip_store, or one of an unsupported version (${major}.${this.minorVersion})`);
    return 0;
  }

  /**
   * Applies the record at `at`, and with a channel_announcement also its capacity record. Returns the number of bytes
   * used, 0 if a record is incomplete or corrupt.
   */
  private applyRecord(bytes: Uint8Array, view: DataView, at: number, length: number): number {
    const size = this.completeSize(view, at, length);
    if (size === 0) return 0;
    if ((view.getUint16(at) & format.FLAG_DELETED) !== 0) {
      this.ignored.deleted++;
      return size;
    }
    if (!this.checksumHolds(bytes, view, at, size)) return 0;
    const body = at + format.HEADER_BYTES;
    const end = at + size;
    switch (view.getUint16(body)) {
      case format.CHANNEL_UPDATE:
        return this.update(view, body, end) ? size : this.stop(at, 'malformed channel_update');
      case format.CHANNEL_ANNOUNCEMENT:
        return this.applyAnnouncedChannel(bytes, view, at, end, length);
      case format.NODE_ANNOUNCEMENT:
        return this.announceNode(bytes, body, end) ? size : this.stop(at, 'malformed node_announcement');
      case format.STORE_DELETE_CHANNEL:
        return this.applyTombstone(view, body, end) ? size : this.stop(at, 'malformed tombstone');
      case format.STORE_ENDED:
        return this.applyEnded(bytes, view, body, end) ? size : this.stop(at, 'malformed closing record');
      case format.STORE_UUID:
        return this.applyUuid(bytes, body, end) ? size : this.stop(at, 'malformed uuid');
      case format.STORE_CHANNEL_DYING:
        return this.applyDying(view, body, end) ? size : this.stop(at, 'malformed record of a dying channel');
      case format.STORE_CHANNEL_AMOUNT:
        return size;
      default:
        this.ignored.unknownType++;
        return size;
    }
  }

  /** Size of the record at `at` with its header. 0 if it is incomplete or too short. */
  private completeSize(view: DataView, at: number, length: number): number {
    if (at + format.HEADER_BYTES > length) return 0;
    const completed = (view.getUint16(at) & format.FLAG_COMPLETED) !== 0;
    if (!completed && this.minorVersion >= format.MINOR_VERSION_COMPLETED) return 0;
    const bodyLength = view.getUint16(at + 2);
    if (bodyLength < 2) return this.stop(at, `a record of ${bodyLength} bytes is too short`);
    const size = format.HEADER_BYTES + bodyLength;
    return at + size > length ? 0 : size;
  }

  private checksumHolds(bytes: Uint8Array, view: DataView, at: number, size: number): boolean {
    const expected = view.getUint32(at + 4);
    const actual = crc32c(view.getUint32(at + 8), bytes, at + format.HEADER_BYTES, at + size, view);
    if (actual === expected) return true;
    this.stop(at, `checksum ${expected.toString(16)} does not match the record's ${actual.toString(16)}`);
    return false;
  }

  private stop(at: number, cause: string): 0 {
    this.problem = { offset: this.offset + at, cause };
    return 0;
  }

  /** Adds the channel announced by the record from `at` to `end`, with the capacity in the record that follows. */
  private applyAnnouncedChannel(
    bytes: Uint8Array,
    view: DataView,
    at: number,
    end: number,
    length: number,
  ): number {
    const amountSize = this.completeSize(view, end, length);
    if (amountSize === 0) return 0;
    const amountBody = end + format.HEADER_BYTES;
    if (
      amountSize < format.HEADER_BYTES + format.AMOUNT_BODY_BYTES ||
      view.getUint16(amountBody) !== format.STORE_CHANNEL_AMOUNT
    ) {
      return this.stop(end, 'no capacity record after a channel_announcement');
    }
    if (!this.checksumHolds(bytes, view, end, amountSize)) return 0;
    const capacitySat = view.getBigUint64(amountBody + 2);
    if (capacitySat > MAX_CAPACITY_SAT)
      return this.stop(end, `a capacity of ${capacitySat} sat is too large`);
    const isDying = (view.getUint16(at) & format.FLAG_DYING) !== 0;
    const cause = this.announce(bytes, view, at + format.HEADER_BYTES, end, capacitySat * 1000n, isDying);
    if (cause !== undefined) return this.stop(at, cause);
    return end + amountSize - at;
  }

  private applyTombstone(view: DataView, body: number, end: number): boolean {
    if (body + 10 > end) return false;
    const channel = this.graph.channelIndex(view.getBigUint64(body + 2));
    if (channel === -1) this.ignored.unknownChannel++;
    else this.graph.removeChannel(channel);
    return true;
  }

  private applyDying(view: DataView, body: number, end: number): boolean {
    if (body + 14 > end) return false;
    const channel = this.graph.channelIndex(view.getBigUint64(body + 2));
    if (channel === -1) this.ignored.unknownChannel++;
    else {
      const deadline = view.getUint32(body + 10);
      this.graph.setDying(channel, deadline > DYING_BLOCKS ? deadline - DYING_BLOCKS : undefined);
    }
    return true;
  }

  private applyEnded(bytes: Uint8Array, view: DataView, body: number, end: number): boolean {
    if (body + 10 > end) return false;
    const uuid = hexOf(bytes, body + 10, end);
    this.ended = { equivalentOffset: Number(view.getBigUint64(body + 2)), uuid };
    return true;
  }

  private applyUuid(bytes: Uint8Array, body: number, end: number): boolean {
    this.uuid = hexOf(bytes, body + 2, end);
    return this.uuid !== undefined;
  }
}

/** The 32-byte uuid at `start` as hex. `undefined` if it is incomplete. */
function hexOf(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (start + format.UUID_BYTES > end) return undefined;
  return Buffer.from(bytes.subarray(start, start + format.UUID_BYTES)).toString('hex');
}
