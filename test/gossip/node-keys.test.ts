import { getPublicKey } from '@noble/secp256k1';
import { describe, expect, it } from 'vitest';
import { computedNodeIds, snapshotNodeIds, snapshotNodePrivateKey } from '../../src/gossip/node-keys.ts';
import { storedNodeIds } from '../../src/gossip/stored-node-ids.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const idOf = (ids: Uint8Array, index: number) => hex(ids.subarray(index * 33, index * 33 + 33));

describe('keys of snapshot nodes', () => {
  it('puts the index into the first eight bytes, least significant first', () => {
    expect(hex(snapshotNodePrivateKey(0x0102_0304))).toBe(`0403020100000000${'01'.repeat(24)}`);
  });

  it('derives the ids published with the 2026-02-03 snapshot', () => {
    const ids = computedNodeIds(17_324);
    expect([0, 1, 255, 256, 2134, 17_323].map((index) => idOf(ids, index))).toEqual([
      '03c581bf310c4c97b05e5e6fed2f82d872f388ec9ab7f1feddfd5380ddb3c6531c',
      '03091f559e2704cd80e41cd103ca4a60fd91010927674016b09f40c1d450368cf4',
      '020447a1bd6eb79944ec1f0af41e66f711e19e0277bf941af3f048337982e9ae41',
      '0383c1ce5f0866628910138c1a9d69c923bf1fd653b1441b5d8050ed5141c0c0c5',
      '025ee48553ca7241570e631e34fbf084ff6a7601c432b88c6d0af1f594dc8d5996',
      '025ff5a7669d0b5430b4906a85a8df7f8a2a02ea7d642ae7e2dd26d88bad10a438',
    ]);
  });

  it('agrees with one multiplication per key, across every boundary of the batches', () => {
    const ids = computedNodeIds(0x1_0000 + 600);
    for (const index of [
      2, 3, 4, 127, 128, 254, 257, 511, 512, 65_279, 65_535, 65_536, 65_791, 65_792, 66_135,
    ]) {
      expect(idOf(ids, index), `node ${index}`).toBe(hex(getPublicKey(snapshotNodePrivateKey(index))));
    }
  });

  it.each([0, 1, 2, 3, 4, 5, 255, 256, 257])('gives exactly %i ids, the same as a longer run', (count) => {
    expect(hex(computedNodeIds(count))).toBe(hex(computedNodeIds(600).subarray(0, count * 33)));
  });

  it("stores the ids of a network of the main network's size, and computes those of larger networks", () => {
    const stored = 20_480;
    const ids = storedNodeIds(stored);
    expect(ids !== undefined && Buffer.compare(ids, computedNodeIds(stored))).toBe(0);
    expect(storedNodeIds(stored + 1)).toBe(undefined);
    expect(Buffer.compare(snapshotNodeIds(stored + 1), computedNodeIds(stored + 1))).toBe(0);
  });

  it('gives a new array each time', () => {
    snapshotNodeIds(2).fill(0);
    expect(hex(snapshotNodeIds(2))).toBe(hex(computedNodeIds(2)));
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 24 + 1])('refuses %s nodes', (count) => {
    expect(() => snapshotNodeIds(count)).toThrow(RangeError);
  });
});
