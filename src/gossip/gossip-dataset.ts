/**
 * Reads a recording of gossip in the format of the lnresearch datasets (`gossip-YYYYMMDD.gsp`, unpacked): every message
 * that the recorders received, in order of arrival.
 *
 *     "GSP" 0x01, then messages …     length, a BigSize (BOLT 1); the message (BOLT 7), its type first
 *
 * The result is the graph at the time of the newest update. Each direction has its newest policy. A channel without an
 * update in the two weeks before that time is left out, because nodes prune it (BOLT 7). Closings are not recorded, so
 * channels closed in the last two weeks are still included. Funding amounts are not recorded, so the capacity is the
 * larger htlc_maximum of the two directions.
 *
 * Such a file can be several gigabytes large, so it is read in pieces.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { bigSizeLength, readBigSize } from '../bolt/bigsize.ts';
import { ByteReader } from '../bolt/bytes.ts';
import { ChannelGraph } from '../model/channel-graph.ts';
import { FulguriteError } from '../model/errors.ts';
import { GossipMessages } from './gossip-messages.ts';
import { graphFileError } from './graph-file.ts';
import { CHANNEL_ANNOUNCEMENT, CHANNEL_UPDATE, NODE_ANNOUNCEMENT } from './store-format.ts';

/** First bytes of every file of this format, followed by a version byte. */
export const DATASET_MAGIC = 'GSP';
const VERSION = 1;
const HEAD_BYTES = 4;
/** Maximum size of a message, in bytes (BOLT 1). */
const MAX_MESSAGE_BYTES = 65_535;
/** Maximum size of a message's length (a BigSize in its shortest form), in bytes. */
const MAX_LENGTH_BYTES = bigSizeLength(MAX_MESSAGE_BYTES);
const PIECE_BYTES = 4 << 20;
/** Seconds without an update after which a channel is stale (BOLT 7). */
const STALE_S = 1_209_600;

/** Reads a file. @throws FulguriteError `graphSource`, with the offset, if it cannot be read or is malformed */
export async function readGossipDataset(path: string): Promise<ChannelGraph> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const reader = new DatasetReader(path);
    const buffer = Buffer.alloc(PIECE_BYTES);
    let held = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, held, buffer.length - held);
      const length = held + bytesRead;
      const taken = reader.take(buffer, length, bytesRead === 0);
      buffer.copyWithin(0, taken, length);
      held = length - taken;
      if (bytesRead === 0) return reader.graph();
    }
  } catch (error) {
    if (error instanceof FulguriteError) throw error;
    throw graphFileError(path, (error as Error).message);
  } finally {
    await file?.close();
  }
}

class DatasetReader {
  readonly #path: string;
  readonly #messages = new GossipMessages(new ChannelGraph());
  /** File offset of the current piece. */
  #before = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Applies the messages in the first `length` bytes of a piece. Unless the piece is the last, stops where a message
   * might be incomplete.
   * @param isLast whether nothing follows
   * @returns the number of bytes used
   */
  take(piece: Buffer, length: number, isLast: boolean): number {
    const view = new DataView(piece.buffer, piece.byteOffset, length);
    let at = this.#before === 0 ? this.#takeHead(piece.subarray(0, length)) : 0;
    for (;;) {
      const left = length - at;
      if (left === 0) break;
      if (left < MAX_LENGTH_BYTES + MAX_MESSAGE_BYTES && !isLast) break;
      const start = at;
      const [head, size] = this.#length(piece.subarray(at, Math.min(length, at + 9)), at);
      at += head + size;
      if (at > length) this.#fail(start, `a message of ${size} bytes is cut short`);
      this.#apply(piece, view, start + head, at);
    }
    this.#before += at;
    return at;
  }

  #takeHead(bytes: Buffer): number {
    const version = bytes[DATASET_MAGIC.length];
    if (bytes.toString('latin1', 0, DATASET_MAGIC.length) !== DATASET_MAGIC) {
      this.#fail(0, 'not a recording of gossip');
    }
    if (version !== VERSION) this.#fail(DATASET_MAGIC.length, `version ${version} of the format is unknown`);
    return HEAD_BYTES;
  }

  /** Reads the length of a message. @returns the size of the length field, and of the message */
  #length(bytes: Uint8Array, at: number): [number, number] {
    const reader = new ByteReader(bytes);
    let size = 0n;
    try {
      size = readBigSize(reader);
    } catch (error) {
      this.#fail(at, (error as Error).message);
    }
    if (size < 2n || size > MAX_MESSAGE_BYTES) this.#fail(at, `a message cannot have ${size} bytes`);
    return [reader.offset, Number(size)];
  }

  #apply(bytes: Buffer, view: DataView, body: number, end: number): void {
    const messages = this.#messages;
    switch (view.getUint16(body)) {
      case CHANNEL_ANNOUNCEMENT: {
        const cause = messages.announce(bytes, view, body, end, 0n);
        if (cause !== undefined) this.#fail(body, cause);
        break;
      }
      case CHANNEL_UPDATE:
        if (!messages.update(view, body, end, true)) this.#fail(body, 'malformed channel_update');
        break;
      case NODE_ANNOUNCEMENT:
        if (!messages.announceNode(bytes, body, end)) this.#fail(body, 'malformed node_announcement');
        break;
      default:
      // The recording also contains queries and their answers, which do not change the graph.
    }
  }

  #fail(at: number, cause: string): never {
    throw graphFileError(this.#path, cause, this.#before + at);
  }

  /** The graph at the time of the newest update. */
  graph(): ChannelGraph {
    const { graph } = this.#messages;
    const times = graph.policyTimestamp;
    let newest = 0;
    for (let direction = 0; direction < 2 * graph.channelCount; direction++) {
      newest = Math.max(newest, times[direction]!);
    }
    for (let channel = graph.channelCount - 1; channel >= 0; channel--) {
      const latest = Math.max(times[2 * channel]!, times[2 * channel + 1]!);
      if (latest + STALE_S < newest) graph.removeChannel(channel);
      else settleCapacity(graph, channel);
    }
    return graph;
  }
}

/** Sets the capacity of a channel, and the maxima that are missing in old updates. */
function settleCapacity(graph: ChannelGraph, channel: number): void {
  const maxima = graph.htlcMaximumMsat;
  const [one, other] = [maxima[2 * channel]!, maxima[2 * channel + 1]!];
  const capacityMsat = one > other ? one : other;
  graph.capacityMsat[channel] = capacityMsat;
  for (const direction of [2 * channel, 2 * channel + 1]) {
    if (maxima[direction] === 0n) maxima[direction] = capacityMsat;
  }
}
