/**
 * Bytes of small `gossip_store` files, written from the format's description, and a text form of a graph for
 * comparisons.
 */
import { crc32c } from '../../src/gossip/crc32c.ts';
import { snapshotNodeIds } from '../../src/gossip/node-keys.ts';
import type { ChannelGraph } from '../../src/model/channel-graph.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';

export const COMPLETED = 0x2000;
export const DELETED = 0x8000;

const u8 = (value: number) => Buffer.from([value]);
const u16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const u64 = (value: bigint | number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const zeros = (length: number) => Buffer.alloc(length);

const ids = snapshotNodeIds(32);
/** The ids of test nodes 0 … 31, in ascending order. */
export const IDS: readonly Buffer[] = Array.from({ length: 32 }, (_, i) =>
  Buffer.from(ids.subarray(i * 33, i * 33 + 33)),
).sort(Buffer.compare);

export interface RecordOptions {
  readonly flags?: number;
  readonly timestamp?: number;
  /** Written instead of the correct checksum. */
  readonly crc?: number;
}

export function record(body: Uint8Array, options: RecordOptions = {}): Buffer {
  const { flags = COMPLETED, timestamp = 0 } = options;
  const crc = options.crc ?? crc32c(timestamp, body);
  return Buffer.concat([u16(flags), u16(body.length), u32(crc), u32(timestamp), body]);
}

export const version = (minor = 16): Buffer => u8(minor);
export const uuid = (fill: number): Buffer => record(Buffer.concat([u16(4107), Buffer.alloc(32, fill)]));

/** A channel_announcement between test nodes a < b. */
export function announcementBody(scid: bigint, a: number, b: number, features: Buffer = zeros(0)): Buffer {
  return Buffer.concat([
    u16(256),
    zeros(256),
    u16(features.length),
    features,
    zeros(32),
    u64(scid),
    IDS[a]!,
    IDS[b]!,
    IDS[a]!,
    IDS[b]!,
  ]);
}

export const amountBody = (sat: bigint | number): Buffer => Buffer.concat([u16(4101), u64(sat)]);

/** Announcement and capacity. */
export function channel(scid: bigint, a: number, b: number, sat: number, features?: Buffer): Buffer {
  return Buffer.concat([record(announcementBody(scid, a, b, features)), record(amountBody(sat))]);
}

export interface Update {
  readonly direction?: 0 | 1;
  readonly disabled?: boolean;
  readonly messageFlags?: number;
  readonly timestamp?: number;
  readonly delta?: number;
  readonly min?: bigint | number;
  readonly max?: bigint | number;
  readonly base?: number;
  readonly ppm?: number;
}

export function updateBody(scid: bigint, update: Update = {}): Buffer {
  return Buffer.concat([
    u16(258),
    zeros(96),
    u64(scid),
    u32(update.timestamp ?? 0),
    u8(update.messageFlags ?? 1),
    u8((update.direction ?? 0) | (update.disabled ? 2 : 0)),
    u16(update.delta ?? 6),
    u64(update.min ?? 0),
    u32(update.base ?? 0),
    u32(update.ppm ?? 0),
    update.messageFlags === 0 ? zeros(0) : u64(update.max ?? 1000),
  ]);
}

export const update = (scid: bigint, fields: Update = {}): Buffer =>
  record(updateBody(scid, fields), { timestamp: fields.timestamp ?? 0 });

export function nodeBody(
  node: number,
  timestamp: number,
  alias = '',
  addresses: Buffer = zeros(0),
  features: Uint8Array = Buffer.from([0x80, 0x01]),
): Buffer {
  const aliasBytes = zeros(32);
  aliasBytes.write(alias);
  return Buffer.concat([
    u16(257),
    zeros(64),
    u16(features.length),
    features,
    u32(timestamp),
    IDS[node]!,
    Buffer.from([1, 2, 3]),
    aliasBytes,
    u16(addresses.length),
    addresses,
  ]);
}

export const tombstone = (scid: bigint): Buffer => record(Buffer.concat([u16(4103), u64(scid)]));
export const dying = (scid: bigint, deadline = 800_000): Buffer =>
  record(Buffer.concat([u16(4106), u64(scid), u32(deadline)]));
export const ended = (offset: number, uuidFill: number): Buffer =>
  record(Buffer.concat([u16(4105), u64(offset), Buffer.alloc(32, uuidFill)]));

/** The whole content of a graph, sorted, as lines of text. */
export function picture(graph: ChannelGraph): string[] {
  const lines: string[] = [];
  for (let index = 0; index < graph.channelCount; index++) {
    const ends = [graph.node1[index]!, graph.node2[index]!].map((node) => graph.nodeId(node).slice(0, 10));
    const features = Buffer.from(graph.channelFeatures.get(index) ?? []).toString('hex');
    const scid = formatShortChannelId(graph.shortChannelIds[index]!);
    lines.push(`${scid} ${ends.join('-')} ${graph.capacityMsat[index]} ${features}`);
    for (const direction of [0, 1]) {
      const policy = graph.policy(index * 2 + direction);
      if (policy !== undefined) lines.push(`${scid}/${direction} ${Object.values(policy).join(' ')}`);
    }
  }
  for (const [node, announcement] of graph.announcements) {
    const { timestamp, alias, color, features, addresses } = announcement;
    const hex = [alias, color, features, addresses].map((field) => Buffer.from(field).toString('hex'));
    lines.push(`${graph.nodeId(node).slice(0, 10)} ${timestamp} ${hex.join(' ')}`);
  }
  return lines.sort();
}
