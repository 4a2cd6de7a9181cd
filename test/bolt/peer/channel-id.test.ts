/**
 * Channel ids as BOLT 2 derives them ("Definition of `channel_id`"). The first example is a real channel, whose id a
 * Core Lightning node gave.
 */
import { expect, test } from 'vitest';
import { channelIdOf } from '../../../src/bolt/peer/channel-id.ts';

const TXID = '8a129d2ca174365b59117bab0dcfd69de550e840395f7663d4dac7869f6a7d66';
const REVERSED = '667d6a9f86c7dad463765f3940e850e59dd6cf0dab7b11595b3674a12c9d';

test.each([
  [0, '128a'],
  // 0x128a ^ 0x0001, 0x0100 and 0xffff.
  [1, '128b'],
  [256, '138a'],
  [65535, 'ed75'],
])('output %i', (output, tail) => {
  expect(channelIdOf(TXID, output)).toBe(REVERSED + tail);
});

test.each([
  [TXID.slice(2), 0],
  [TXID, -1],
  [TXID, 65536],
  [TXID, 0.5],
])('there is no channel id for %s and %s', (txid, output) => {
  expect(() => channelIdOf(txid, output)).toThrow(RangeError);
});
