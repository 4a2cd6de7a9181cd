/**
 * BOLT 7, "Query Messages". BOLT 7 has withdrawn the compressed encoding, so messages that use it are
 * refused. Optional fields follow the plain ones. We never request them, and skip them.
 */
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import * as queries from '../../../src/bolt/peer/gossip-queries.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import { formatShortChannelId, type ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { vectors } from '../vectors.ts';

interface Vector {
  readonly hex: string;
  readonly type: number;
  readonly chain_hash: string;
  readonly first_block?: number;
  readonly block_count?: number;
  readonly complete?: number;
  readonly compressed?: boolean;
  readonly ids?: readonly string[];
}

describe('bolt07/extended-queries.json', () => {
  const cases: readonly Vector[] = vectors('bolt07-queries');
  const ids = (list: readonly ShortChannelId[]) => list.map(formatShortChannelId);
  const of = (type: number, compressed?: boolean) =>
    cases.filter((one) => one.type === type && one.compressed === compressed);

  it('has the cases that are tested', () => {
    const counts = [of(263), of(264, false), of(264, true), of(261, false), of(261, true)];
    expect(counts.map((list) => list.length)).toEqual([2, 2, 2, 2, 2]);
  });

  it.each(of(263))('a range of blocks is requested: $first_block', (vector) => {
    const query = queries.decodeChannelRangeQuery(fromHex(vector.hex));
    expect(query).toEqual({
      chainHash: fromHex(vector.chain_hash),
      firstBlock: vector.first_block,
      blockCount: vector.block_count,
    });
    expect(vector.hex.startsWith(toHex(queries.encodeChannelRangeQuery(query)))).toBe(true);
  });

  it.each(of(264, false))('the reply for a range of blocks: $first_block', (vector) => {
    const reply = queries.decodeChannelRangeReply(fromHex(vector.hex));
    expect({ ...reply, shortChannelIds: ids(reply.shortChannelIds) }).toEqual({
      chainHash: fromHex(vector.chain_hash),
      firstBlock: vector.first_block,
      blockCount: vector.block_count,
      syncComplete: vector.complete === 1,
      shortChannelIds: vector.ids,
    });
    expect(vector.hex.startsWith(toHex(queries.encodeChannelRangeReply(reply)))).toBe(true);
  });

  it.each(of(261, false))('channels are requested: $ids', (vector) => {
    const query = queries.decodeChannelIdsQuery(fromHex(vector.hex));
    expect(ids(query.shortChannelIds)).toEqual(vector.ids);
    expect(vector.hex.startsWith(toHex(queries.encodeChannelIdsQuery(query)))).toBe(true);
  });

  it.each([...of(264, true), ...of(261, true)])('compressed ids are refused: $ids', ({ type, hex }) => {
    const decode = type === 264 ? queries.decodeChannelRangeReply : queries.decodeChannelIdsQuery;
    expect(() => decode(fromHex(hex))).toThrow(WireError);
  });
});
