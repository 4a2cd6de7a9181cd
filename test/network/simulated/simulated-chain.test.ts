/** The rules that replace the chain and the real network. The tests use Node's own SHA-256. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import { msat } from '../../../src/model/msat.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import {
  channelTypeOf,
  SHUTDOWN_SCRIPT,
  simulatedAddress,
  simulatedCommitmentTxid,
  simulatedFundingTxid,
} from '../../../src/network/simulated/simulated-chain.ts';

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const txid = (hex: string, tag: string): string =>
  sha256(sha256(Buffer.concat([Buffer.from(tag), Buffer.from(hex, 'hex')])))
    .reverse()
    .toString('hex');

/** 1000x1x0: 24 bits, 24 bits, 16 bits. */
const scid = shortChannelId(1000, 1, 0);
const SCID_HEX = '0003e80000010000';

test('transaction ids are hashes of the data that they represent', () => {
  const funding = simulatedFundingTxid(scid);
  expect(funding).toBe(txid(SCID_HEX, 'fulgurite simulated funding'));
  const hash = Buffer.from(funding, 'hex').reverse().toString('hex');
  const expected = txid(`${hash}00000000000003e8`, 'fulgurite simulated commitment');
  expect(simulatedCommitmentTxid(funding, msat(1000))).toBe(expected);
});

test('a channel type has the bits that both ends offer, and no others', () => {
  expect(channelTypeOf(featuresOf([12, 17, 23, 39]), featuresOf([13, 17, 22, 46]))).toEqual([12, 22]);
  expect(channelTypeOf(featuresOf([13]), featuresOf([17]))).toEqual([]);
});

test('nothing paid to the shutdown script can be spent', () => {
  const OP_RETURN = 0x6a;
  expect([...SHUTDOWN_SCRIPT]).toEqual([OP_RETURN, 9, ...Buffer.from('simulated')]);
});

test('addresses are in the range for documentation and differ by node', () => {
  const id = (tail: string) => `02${tail.padStart(2, '0').repeat(32)}` as NodeId;
  expect(simulatedAddress(id('ab'))).toBe('[2001:db8:abab:abab:abab:abab:abab:abab]:9735');
  expect(simulatedAddress(id('00'))).toBe('[2001:db8:0:0:0:0:0:0]:9735');
  for (const tail of ['00', '0a', 'ff']) {
    const host = /^\[(.*)\]:9735$/.exec(simulatedAddress(id(tail)))?.[1] as string;
    expect(isIPv6(host)).toBe(true);
  }
});
