/**
 * Messages of BOLT 1 and the gossip queries of BOLT 7: bytes written by hand, in both directions, and random
 * bytes.
 */

import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import * as queries from '../../../src/bolt/peer/gossip-queries.ts';
import * as messages from '../../../src/bolt/peer/peer-messages.ts';
import { WireError } from '../../../src/bolt/wire-error.ts';
import type { ShortChannelId } from '../../../src/model/short-channel-id.ts';
import { expectOnlyWireErrors, FUZZ_TIMEOUT_MS } from '../hostile.ts';

const CHAIN = fromHex('06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f');
const CHAIN_HEX = toHex(CHAIN);

describe('init', () => {
  it('writes features and networks', () => {
    const init = { features: fromHex('20800202a282'), networks: [CHAIN], remoteAddress: undefined };
    expect(toHex(messages.encodeInit(init))).toBe(`0010000000062080${'0202a282'}0120${CHAIN_HEX}`);
    expect(messages.decodeInit(messages.encodeInit(init))).toEqual(init);
  });

  it('joins both feature fields, aligned at the last byte', () => {
    const init = messages.decodeInit(fromHex(`0010${'00020211'}${'0003800002'}`));
    expect(toHex(init.features)).toBe('800213');
  });

  it('accepts unknown odd fields and no networks, refuses half a chain hash and even fields', () => {
    expect(messages.decodeInit(fromHex('0010000000000501ff')).networks).toBeUndefined();
    expect(() => messages.decodeInit(fromHex('00100000000001021234'))).toThrow(WireError);
    expect(() => messages.decodeInit(fromHex('0010000000000201ff'))).toThrow(WireError);
  });
});

describe('ping and pong', () => {
  it.each([
    [0, '00130000'],
    [3, '00130003000000'],
  ])('answers a ping for %i bytes', (pongBytes, expected) => {
    expect(toHex(messages.pongFor({ pongBytes, ignoredBytes: 0 })!)).toBe(expected);
  });

  it('answers up to 65531 bytes and stays silent from 65532', () => {
    expect(messages.pongFor({ pongBytes: 65531, ignoredBytes: 0 })).toHaveLength(65535);
    expect(messages.pongFor({ pongBytes: 65532, ignoredBytes: 0 })).toBeUndefined();
  });

  it('reads what it writes', () => {
    expect(messages.decodePing(messages.encodePing({ pongBytes: 7, ignoredBytes: 2 }))).toEqual({
      pongBytes: 7,
      ignoredBytes: 2,
    });
    expect(messages.decodePong(fromHex('0013000100'))).toBe(1);
    expect(() => messages.decodePing(fromHex('001200000002ff'))).toThrow(WireError);
  });
});

describe('warning and error', () => {
  it('are distinguished by type', () => {
    const warning = messages.encodeWarning('no');
    expect(toHex(warning)).toBe(`0001${'00'.repeat(32)}00026e6f`);
    expect(messages.decodeComplaint(warning).isError).toBe(false);
    const error = messages.encodeComplaint({ isError: true, channelId: CHAIN, data: fromHex('ff') });
    expect(messages.decodeComplaint(error)).toEqual({ isError: true, channelId: CHAIN, data: fromHex('ff') });
  });
});

describe('gossip queries', () => {
  const ids = [1n, 0x0102030405060708n] as ShortChannelId[];

  it('write ids uncompressed', () => {
    expect(toHex(queries.encodeChannelIdsQuery({ chainHash: CHAIN, shortChannelIds: ids }))).toBe(
      `0105${CHAIN_HEX}001100${'0000000000000001'}${'0102030405060708'}`,
    );
  });

  it('read what they write', () => {
    const range = { chainHash: CHAIN, firstBlock: 5, blockCount: 0xffffffff };
    expect(queries.decodeChannelRangeQuery(queries.encodeChannelRangeQuery(range))).toEqual(range);
    const reply = { ...range, syncComplete: true, shortChannelIds: ids };
    expect(queries.decodeChannelRangeReply(queries.encodeChannelRangeReply(reply))).toEqual(reply);
    const end = { chainHash: CHAIN, fullInformation: false };
    expect(queries.decodeChannelIdsEnd(queries.encodeChannelIdsEnd(end))).toEqual(end);
    const filter = { chainHash: CHAIN, firstTimestamp: 1_700_000_000, timestampRange: 0xffffffff };
    expect(queries.decodeTimestampFilter(queries.encodeTimestampFilter(filter))).toEqual(filter);
  });

  it('refuse zlib, ragged lists and too many ids', () => {
    const list = (encoded: string) => fromHex(`0105${CHAIN_HEX}${encoded}`);
    expect(() => queries.decodeChannelIdsQuery(list('000101'))).toThrow(/encoding 1/);
    expect(() => queries.decodeChannelIdsQuery(list('00030000ff'))).toThrow(WireError);
    expect(queries.decodeChannelIdsQuery(list('0000')).shortChannelIds).toEqual([]);
    const many = new Array<ShortChannelId>(8001).fill(ids[0]!);
    expect(() => queries.encodeChannelIdsQuery({ chainHash: CHAIN, shortChannelIds: many })).toThrow(
      WireError,
    );
  });
});

describe('foreign bytes', () => {
  const range = { chainHash: CHAIN, firstBlock: 5, blockCount: 6 };
  const shortChannelIds = [1n, 2n, 3n] as ShortChannelId[];
  const init = { features: fromHex('20800202a282'), networks: [CHAIN, CHAIN], remoteAddress: fromHex('aa') };
  const decoders: readonly [string, Uint8Array, (bytes: Uint8Array) => unknown][] = [
    ['init', messages.encodeInit(init), messages.decodeInit],
    ['ping', messages.encodePing({ pongBytes: 7, ignoredBytes: 9 }), messages.decodePing],
    ['pong', messages.pongFor({ pongBytes: 7, ignoredBytes: 0 })!, messages.decodePong],
    [
      'error',
      messages.encodeComplaint({ isError: true, channelId: CHAIN, data: CHAIN }),
      messages.decodeComplaint,
    ],
    ['warning', messages.encodeWarning('no'), messages.decodeComplaint],
    [
      'query_short_channel_ids',
      queries.encodeChannelIdsQuery({ chainHash: CHAIN, shortChannelIds }),
      queries.decodeChannelIdsQuery,
    ],
    [
      'reply_short_channel_ids_end',
      queries.encodeChannelIdsEnd({ chainHash: CHAIN, fullInformation: true }),
      queries.decodeChannelIdsEnd,
    ],
    ['query_channel_range', queries.encodeChannelRangeQuery(range), queries.decodeChannelRangeQuery],
    [
      'reply_channel_range',
      queries.encodeChannelRangeReply({ ...range, syncComplete: true, shortChannelIds }),
      queries.decodeChannelRangeReply,
    ],
    [
      'gossip_timestamp_filter',
      queries.encodeTimestampFilter({ chainHash: CHAIN, firstTimestamp: 1, timestampRange: 2 }),
      queries.decodeTimestampFilter,
    ],
  ];

  it.each(decoders)('%s: nothing but WireError', { timeout: FUZZ_TIMEOUT_MS }, (name, valid, decode) => {
    expectOnlyWireErrors(name, valid, decode);
  });
});
