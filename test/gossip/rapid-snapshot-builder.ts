/** Writes snapshots of rapid gossip sync, field by field as src/gossip/rapid-snapshot.ts describes them. */
import { writeBigSize } from '../../src/bolt/bigsize.ts';
import { ByteWriter } from '../../src/bolt/bytes.ts';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';

export interface WrittenChannel {
  readonly scid: bigint;
  /** Indexes of the nodes at both ends. */
  readonly ends: readonly [number, number];
  readonly features?: Uint8Array;
  /** Additional bytes in version 2, written unchanged. */
  readonly more?: Uint8Array;
}

/** Fields of channel_update. Absent fields have the default. */
export interface WrittenUpdate {
  readonly scid: bigint;
  readonly direction: 0 | 1;
  readonly disabled?: boolean;
  readonly delta?: number;
  readonly minimum?: bigint;
  readonly base?: number;
  readonly ppm?: number;
  readonly maximum?: bigint;
}

export interface WrittenSnapshot {
  readonly version: 1 | 2;
  readonly timestamp: number;
  readonly nodes: readonly Uint8Array[];
  readonly channels: readonly WrittenChannel[];
  readonly updates: readonly WrittenUpdate[];
  readonly usual: Required<Omit<WrittenUpdate, 'scid' | 'direction' | 'disabled'>>;
}

/** Channels and updates must be in ascending order of their ids. */
export function rapidSnapshot({
  version,
  timestamp,
  nodes,
  channels,
  updates,
  usual,
}: WrittenSnapshot): Uint8Array {
  const to = new ByteWriter();
  to.put(Buffer.from('LDK')).u8(version).put(CHAIN_HASHES.bitcoin).u32(timestamp);
  if (version === 2) to.u8(0);
  to.u32(nodes.length);
  for (const id of nodes) to.put(id);
  to.u32(channels.length);
  let before = 0n;
  for (const { scid, ends, features = new Uint8Array(0), more } of channels) {
    to.u16(features.length).put(features);
    writeBigSize(to, scid - before);
    before = scid;
    writeBigSize(to, ends[0]);
    writeBigSize(to, BigInt(ends[1]) | (more === undefined ? 0n : 1n << 63n));
    if (more !== undefined) to.u16(more.length).put(more);
  }
  to.u32(updates.length);
  if (updates.length === 0) return to.finish();
  to.u16(usual.delta).u64(usual.minimum).u32(usual.base).u32(usual.ppm).u64(usual.maximum);
  before = 0n;
  for (const { scid, direction, disabled = false, delta, minimum, base, ppm, maximum } of updates) {
    writeBigSize(to, scid - before);
    before = scid;
    const told = [maximum, ppm, base, minimum, delta].reduce<number>(
      (flags, field, bit) => flags | (field === undefined ? 0 : 4 << bit),
      direction | (disabled ? 2 : 0),
    );
    to.u8(told);
    if (delta !== undefined) to.u16(delta);
    if (minimum !== undefined) to.u64(minimum);
    if (base !== undefined) to.u32(base);
    if (ppm !== undefined) to.u32(ppm);
    if (maximum !== undefined) to.u64(maximum);
  }
  return to.finish();
}
