import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../src/gossip/crc32c.ts';

/** The definition, computed bit by bit. */
function reference(previous: number, bytes: Uint8Array): number {
  let crc = ~previous;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return ~crc >>> 0;
}

describe('crc32c', () => {
  // RFC 3720, appendix B.4 (checksums are written there byte by byte, least significant first).
  it.each([
    ['32 bytes of zeros', new Uint8Array(32), 0x8a91_36aa],
    ['32 bytes of ones', new Uint8Array(32).fill(0xff), 0x62a8_ab43],
    ['32 ascending bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd_794e],
    ['the digits 1 to 9', Buffer.from('123456789'), 0xe306_9283],
  ])('%s', (_, bytes, sum) => expect(crc32c(0, bytes)).toBe(sum));

  it('agrees with the definition on any bytes, start, and previous sum', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(20),
        fc.nat(0xffff_ffff),
        (bytes, start, previous) => {
          const from = Math.min(start, bytes.length);
          expect(crc32c(previous, bytes, from)).toBe(reference(previous, bytes.subarray(from)));
        },
      ),
    );
  });

  it('continues over a split', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(100), (bytes, cut) => {
        const at = Math.min(cut, bytes.length);
        expect(crc32c(crc32c(0, bytes, 0, at), bytes, at)).toBe(crc32c(0, bytes));
      }),
    );
  });
});
