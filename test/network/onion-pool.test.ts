/** Onions built by threads: each order gets its own onion, even if other orders fail. */
import { afterAll, describe, expect, it } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { msat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../src/model/node-id.ts';
import { randomBytes } from '../../src/model/random-bytes.ts';
import { type ShortChannelId, shortChannelId } from '../../src/model/short-channel-id.ts';
import { InlineOnions } from '../../src/network/onions/onion-builder.ts';
import { OnionPool } from '../../src/network/onions/onion-pool.ts';
import type { OutgoingHtlc } from '../../src/network/port.ts';

const key = (byte: number) => new Uint8Array(32).fill(byte);
const nodes = [1, 2, 3, 4].map((byte) => nodeIdFromBytes(curve.publicKey(key(byte))));
/** x = 5 is on no point of the curve: 5³ + 7 = 132 has no square root modulo the field's prime. */
const NO_NODE = `02${'5'.padStart(64, '0')}` as NodeId;

function htlc(seed: number, nodeIds: readonly NodeId[] = nodes): OutgoingHtlc {
  return {
    attemptId: `${seed}`.padStart(32, '0'),
    paymentHash: key(seed),
    groupId: 1n,
    partId: 1,
    sessionKey: key(seed + 1),
    finalPayload: { keysendPreimage: key(seed + 2) },
    path: nodeIds.map((nodeId, index) => ({
      nodeId,
      shortChannelId: shortChannelId(100 + index, 1, 0) as ShortChannelId,
      amountMsat: msat(BigInt(5000 - index)),
      cltvExpiry: 1000 - index,
    })),
  };
}

describe('the pool', () => {
  const pool = new OnionPool();
  afterAll(() => pool.close());

  it('builds the same onions as the calling thread, however many are ordered at once', async () => {
    const orders = Array.from({ length: 70 }, (_, index) => htlc(index + 1));
    const built = await Promise.all(orders.map((order) => pool.build(order)));
    const inline = new InlineOnions();
    for (const [index, order] of orders.entries()) expect(built[index]).toEqual(await inline.build(order));
  });

  it('refuses an onion that cannot be built, and builds the others ordered with it', async () => {
    const orders = [htlc(1), htlc(2, [NO_NODE]), htlc(3)];
    const built = await Promise.allSettled(orders.map((order) => pool.build(order)));
    expect(built.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(built[1]).toMatchObject({ reason: { message: 'not a point on the curve' } });
  });
});

it('a pool that closes fails pending orders', async () => {
  const pool = new OnionPool();
  const orders = Array.from({ length: 70 }, (_, index) => pool.build(htlc(index + 1)));
  const ends = Promise.allSettled(orders);
  await pool.close();
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
  await expect(pool.build(htlc(1))).rejects.toMatchObject({ name: 'shuttingDown' });
});

it('random bytes never repeat, for every length up to the size of the pool', () => {
  const seen = new Set<string>();
  for (let length = 16; length <= 4096; length += 97) {
    const bytes = randomBytes(length);
    expect(bytes).toHaveLength(length);
    // Two draws of 16 bytes are equal with probability 2⁻¹²⁸.
    for (let at = 0; at + 16 <= length; at += 16)
      seen.add(Buffer.from(bytes.slice(at, at + 16)).toString('hex'));
  }
  const drawn = Array.from({ length: 43 }, (_, index) => Math.floor((16 + index * 97) / 16));
  expect(seen.size).toBe(drawn.filter((count) => count <= 256).reduce((sum, count) => sum + count, 0));
  expect(() => randomBytes(4097)).toThrow(RangeError);
});
