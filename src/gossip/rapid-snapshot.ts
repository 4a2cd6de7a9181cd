/**
 * Reads a snapshot of LDK's rapid gossip sync, as its servers send it to a client that starts at timestamp 0 (the file
 * `….lngossip`). Integers are big-endian; `bigsize` is that of BOLT 1; `features` are preceded by a u16 length. Source:
 * the lightning-rapid-gossip-sync crate, versions 1 and 2 of the format.
 *
 *     "LDK"  version u8  chain hash [32]  latest seen timestamp u32
 *     version 2: count u8, default node features …
 *     count u32, node ids [33] …
 *         version 2: the first byte of an id also describes what follows it (`NODE_…`)
 *     count u32, channels …     features, short channel id minus the previous one (a bigsize), index of node 1,
 *                               index of node 2 (version 2: bit 63 means that more follows, with its u16 length; it
 *                               begins with the funding in sat, a bigsize)
 *     count u32, updates …      before the first: the default cltv delta u16, htlc_minimum u64, base u32, ppm u32,
 *                               htlc_maximum u64; then for each: short channel id as above, flags u8
 *                               (`UPDATE_…`), the fields that differ from the defaults
 *
 * Nothing in a snapshot is signed, so its user must trust the server. If the funding is missing, we assume that the
 * capacity is the larger htlc_maximum of the two directions, as for LND's unchecked graphs. A direction without an
 * update is unknown. As in LDK, an update is left out if its channel is missing or cannot hold its htlc_maximum, and
 * bytes after the last update are ignored.
 */
import { readBigSize } from '../bolt/bigsize.ts';
import { ByteReader, equalBytes } from '../bolt/bytes.ts';
import { CHAIN_HASHES } from '../bolt/invoice/bolt12-offer.ts';
import { WireError } from '../bolt/wire-error.ts';
import { ChannelGraph } from '../model/channel-graph.ts';
import { MSAT_PER_SAT, msat, U64_MAX } from '../model/msat.ts';
import type { WirePolicy } from '../model/policy.ts';
import type { Direction } from '../model/short-channel-id.ts';
import { largestHtlcMaximum } from './assumed-capacity.ts';
import { graphFileError, readGraphFile } from './graph-file.ts';

/** First bytes of every file of this format. */
export const RAPID_SNAPSHOT_MAGIC = 'LDK';

const NODE_ID_BYTES = 33;
/** The total supply of bitcoin, in msat. */
const MAX_MSAT = 21_000_000n * 100_000_000n * MSAT_PER_SAT;

/** The first byte of a node id in version 2: the parity of the key in the lowest two bits, and the `NODE_…` flags. */
const NODE_PARITY = 0b11;
const NODE_ADDRESSES = 1 << 2;
/** Bits for the features: 0 for none, 1 to 6 for one of the defaults, 7 for the node's own features, which follow. */
const NODE_FEATURES = 0b111 << 3;
const NODE_OWN_FEATURES = 0b111 << 3;
const NODE_MORE = 1 << 7;

const CHANNEL_MORE = 1n << 63n;

/** Flags of an update. The two lowest bits are those of channel_update (BOLT 7). */
const UPDATE_DIRECTION = 1;
const UPDATE_DISABLED = 1 << 1;
const UPDATE_HTLC_MAXIMUM = 1 << 2;
const UPDATE_FEE_PROPORTIONAL = 1 << 3;
const UPDATE_FEE_BASE = 1 << 4;
const UPDATE_HTLC_MINIMUM = 1 << 5;
const UPDATE_CLTV_EXPIRY_DELTA = 1 << 6;
/** Flag of an incremental update, whose absent fields have the values of an earlier snapshot. */
const UPDATE_INCREMENTAL = 1 << 7;

/** Reads a file. @throws FulguriteError `graphSource`, with the offset, if it cannot be read or is malformed */
export function readRapidSnapshot(path: string): ChannelGraph {
  return parseRapidSnapshot(readGraphFile(path, 'rapid gossip sync snapshot'), path);
}

/** Like `readRapidSnapshot`, but reads bytes in memory. @param file name of these bytes in errors */
export function parseRapidSnapshot(bytes: Uint8Array, file = 'rapid gossip sync snapshot'): ChannelGraph {
  const reader = new ByteReader(bytes);
  try {
    return new SnapshotReader(reader).read();
  } catch (error) {
    if (!(error instanceof WireError || error instanceof RangeError)) throw error;
    throw graphFileError(file, error.message, reader.offset);
  }
}

interface AnnouncedChannel {
  readonly node1: Uint8Array;
  readonly node2: Uint8Array;
  /** Funding amount. Undefined if the snapshot does not contain it. */
  readonly fundingMsat: bigint | undefined;
  readonly features: Uint8Array;
  /** Policies by direction. All updates have the same time, so the first usable update of each direction is used. */
  readonly policies: [WirePolicy | undefined, WirePolicy | undefined];
}

class SnapshotReader {
  readonly #from: ByteReader;
  #version = 0;
  #timestamp = 0;

  constructor(from: ByteReader) {
    this.#from = from;
  }

  read(): ChannelGraph {
    this.#head();
    const nodes = this.#nodes();
    const channels = this.#channels(nodes);
    this.#updates(channels);
    const graph = new ChannelGraph(nodes.length, channels.size);
    for (const [scid, channel] of channels) this.#add(graph, scid, channel);
    return graph;
  }

  #head(): void {
    const from = this.#from;
    if (Buffer.from(from.take(RAPID_SNAPSHOT_MAGIC.length)).toString('latin1') !== RAPID_SNAPSHOT_MAGIC) {
      throw new WireError('invalid', 'not a snapshot of rapid gossip sync');
    }
    this.#version = from.u8();
    if (this.#version !== 1 && this.#version !== 2) {
      throw new WireError('invalid', `version ${this.#version} of rapid gossip sync is unknown`);
    }
    const chain = from.take(32);
    if (!Object.values(CHAIN_HASHES).some((known) => equalBytes(known, chain))) {
      throw new WireError('invalid', 'unknown chain');
    }
    this.#timestamp = from.u32();
    if (this.#version === 2) for (let left = from.u8(); left > 0; left--) this.#sized();
  }

  #nodes(): Uint8Array[] {
    const count = this.#count('nodes', NODE_ID_BYTES);
    return Array.from({ length: count }, () => {
      const id = this.#version === 1 ? this.#from.take(NODE_ID_BYTES) : this.#node();
      if (id[0] !== 2 && id[0] !== 3) throw new WireError('invalid', 'not a node id');
      return id;
    });
  }

  /** Reads a node of version 2. Its features and addresses are skipped, because routes do not need them. */
  #node(): Uint8Array {
    const from = this.#from;
    const id = from.take(NODE_ID_BYTES).slice();
    const told = id[0]!;
    id[0] = told & NODE_PARITY;
    if (told & NODE_ADDRESSES) for (let left = from.u8(); left > 0; left--) from.take(from.u8());
    if ((told & NODE_FEATURES) === NODE_OWN_FEATURES) this.#sized();
    if (told & NODE_MORE) this.#sized();
    return id;
  }

  #channels(nodes: readonly Uint8Array[]): Map<bigint, AnnouncedChannel> {
    const channels = new Map<bigint, AnnouncedChannel>();
    let scid = 0n;
    for (let left = this.#count('channels', 5); left > 0; left--) {
      const features = this.#sized();
      scid = this.#nextScid(scid);
      const first = readBigSize(this.#from);
      const second = readBigSize(this.#from);
      const hasMore = (second & CHANNEL_MORE) !== 0n;
      const [node1, node2] = [nodes[Number(first)], nodes[Number(second & ~CHANNEL_MORE)]];
      if (node1 === undefined || node2 === undefined)
        throw new WireError('invalid', 'a channel end is not a node of the snapshot');
      const more = this.#version === 2 && hasMore ? this.#sized() : undefined;
      const fundingMsat = more && readBigSize(new ByteReader(more)) * MSAT_PER_SAT;
      if (fundingMsat !== undefined && fundingMsat > MAX_MSAT) {
        throw new WireError('invalid', `channel ${scid}: the funding exceeds the total supply of bitcoin`);
      }
      if (channels.has(scid)) continue;
      channels.set(scid, { node1, node2, fundingMsat, features, policies: [undefined, undefined] });
    }
    return channels;
  }

  #updates(channels: ReadonlyMap<bigint, AnnouncedChannel>): void {
    const from = this.#from;
    const count = this.#count('updates', 2);
    if (count === 0) return;
    const usual = this.#usual();
    let scid = 0n;
    let before: Direction | undefined;
    for (let left = count; left > 0; left--) {
      const next = this.#nextScid(scid);
      const flags = from.u8();
      const direction = (flags & UPDATE_DIRECTION) as Direction;
      const isMore = this.#version === 2 && next === scid && direction === before;
      scid = next;
      before = direction;
      if (isMore) {
        this.#sized();
        continue;
      }
      const policy = this.#policy(flags, usual);
      const channel = channels.get(scid);
      if (channel === undefined || policy.htlcMaximumMsat > (channel.fundingMsat ?? MAX_MSAT)) continue;
      channel.policies[direction] ??= policy;
    }
  }

  /** Reads the default values of fields that an update omits. */
  #usual(): WirePolicy {
    const from = this.#from;
    return {
      enabled: true,
      cltvExpiryDelta: from.u16(),
      htlcMinimumMsat: msat(from.u64()),
      feeBaseMsat: from.u32(),
      feeProportionalMillionths: from.u32(),
      htlcMaximumMsat: msat(from.u64()),
    };
  }

  #policy(flags: number, usual: WirePolicy): WirePolicy {
    const from = this.#from;
    if (flags & UPDATE_INCREMENTAL) {
      throw new WireError(
        'invalid',
        'contains only changes to an earlier snapshot; request a complete snapshot, with timestamp 0, from the server',
      );
    }
    return {
      enabled: (flags & UPDATE_DISABLED) === 0,
      cltvExpiryDelta: flags & UPDATE_CLTV_EXPIRY_DELTA ? from.u16() : usual.cltvExpiryDelta,
      htlcMinimumMsat: flags & UPDATE_HTLC_MINIMUM ? msat(from.u64()) : usual.htlcMinimumMsat,
      feeBaseMsat: flags & UPDATE_FEE_BASE ? from.u32() : usual.feeBaseMsat,
      feeProportionalMillionths:
        flags & UPDATE_FEE_PROPORTIONAL ? from.u32() : usual.feeProportionalMillionths,
      htlcMaximumMsat: flags & UPDATE_HTLC_MAXIMUM ? msat(from.u64()) : usual.htlcMaximumMsat,
    };
  }

  #add(graph: ChannelGraph, scid: bigint, channel: AnnouncedChannel): void {
    const { node1, node2, fundingMsat, features, policies } = channel;
    const capacityMsat = fundingMsat ?? largestHtlcMaximum(policies);
    const ends = [graph.internNode(node1), graph.internNode(node2)] as const;
    const index = graph.addChannel(scid, ...ends, capacityMsat, features);
    for (const direction of [0, 1] as const) {
      const policy = policies[direction];
      if (policy) graph.setPolicy(index, direction, { ...policy, timestamp: this.#timestamp });
    }
  }

  /**
   * Reads a count of items with at least `leastBytes` bytes each. The count is checked against the remaining bytes, so
   * that no more memory is reserved than the file can fill.
   */
  #count(what: string, leastBytes: number): number {
    const count = this.#from.u32();
    if (count * leastBytes > this.#from.remaining) {
      throw new WireError('truncated', `${count} ${what} announced, ${this.#from.remaining} bytes left`);
    }
    return count;
  }

  #nextScid(before: bigint): bigint {
    const scid = before + readBigSize(this.#from);
    if (scid > U64_MAX) throw new WireError('invalid', 'a short channel id exceeds 64 bits');
    return scid;
  }

  /** Reads bytes preceded by their u16 length: features, or additional data. */
  #sized(): Uint8Array {
    return this.#from.take(this.#from.u16());
  }
}
