import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bigSizeLength, readBigSize, readLength, writeBigSize } from '../../src/bolt/bigsize.ts';
import { ByteReader, ByteWriter, fromHex, toHex } from '../../src/bolt/bytes.ts';
import { WireError } from '../../src/bolt/wire-error.ts';

const read = (hex: string): bigint => {
  const reader = new ByteReader(fromHex(hex));
  const value = readBigSize(reader);
  reader.end();
  return value;
};
const write = (value: bigint): string => toHex(writeBigSize(new ByteWriter(), value).finish());

describe('bigsize (BOLT 1, Appendix A)', () => {
  it.each([
    [0n, '00'],
    [252n, 'fc'],
    [253n, 'fd00fd'],
    [65535n, 'fdffff'],
    [65536n, 'fe00010000'],
    [4294967295n, 'feffffffff'],
    [4294967296n, 'ff0000000100000000'],
    [18446744073709551615n, 'ffffffffffffffffff'],
  ])('%d is %s', (value, hex) => {
    expect(write(value)).toBe(hex);
    expect(read(hex)).toBe(value);
    expect(bigSizeLength(value)).toBe(hex.length / 2);
  });

  it.each(['fd00fc', 'fe0000ffff', 'ff00000000ffffffff'])('%s is not minimal', (hex) => {
    expect(() => read(hex)).toThrow(expect.objectContaining({ name: 'WireError', reason: 'notMinimal' }));
  });

  it.each(['', 'fd', 'fd00', 'fe', 'feffff', 'ff', 'ffffffffff'])('"%s" ends early', (hex) => {
    expect(() => read(hex)).toThrow(expect.objectContaining({ name: 'WireError', reason: 'truncated' }));
  });

  it('returns what was written, for every u64', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), (value) => {
        expect(read(write(value))).toBe(value);
      }),
    );
  });

  it('refuses to write a value that is not a u64', () => {
    expect(() => write(2n ** 64n)).toThrow(WireError);
    expect(() => write(-1n)).toThrow(WireError);
  });

  it('refuses a length beyond the remaining bytes', () => {
    expect(readLength(new ByteReader(fromHex('020102')))).toBe(2);
    expect(() => readLength(new ByteReader(fromHex('030102')))).toThrow(WireError);
    expect(() => readLength(new ByteReader(fromHex('ffffffffffffffffff00')))).toThrow(WireError);
  });
});
