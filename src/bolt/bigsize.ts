/**
 * BigSize (BOLT 1, Appendix A): a u64 in 1, 3, 5 or 9 bytes, big-endian, always the shortest form.
 *
 *     0..0xfc            the byte itself
 *     0xfd..0xffff       fd + 2 bytes
 *     ..0xffffffff       fe + 4 bytes
 *     ..2^64-1           ff + 8 bytes
 */

import type { ByteReader, ByteWriter } from './bytes.ts';
import { WireError } from './wire-error.ts';

/** The number of bytes of the encoded value. */
export function bigSizeLength(value: bigint | number): number {
  if (value < 0xfd) return 1;
  if (value < 0x1_0000) return 3;
  return value < 0x1_0000_0000 ? 5 : 9;
}

/** Reads a bigsize. @throws WireError when the bytes end early or the form is not the shortest. */
export function readBigSize(reader: ByteReader): bigint {
  const start = reader.offset;
  const first = reader.u8();
  if (first < 0xfd) return BigInt(first);
  let value: bigint;
  let least: bigint;
  if (first === 0xfd) {
    value = BigInt(reader.u16());
    least = 0xfdn;
  } else if (first === 0xfe) {
    value = BigInt(reader.u32());
    least = 0x1_0000n;
  } else {
    value = reader.u64();
    least = 0x1_0000_0000n;
  }
  if (value < least) throw new WireError('notMinimal', 'bigsize is not minimal', { offset: start });
  return value;
}

/** Reads a bigsize that is a length in bytes. @throws WireError when the reader has fewer bytes left. */
export function readLength(reader: ByteReader): number {
  const start = reader.offset;
  const value = readBigSize(reader);
  if (value > BigInt(reader.remaining)) {
    throw new WireError('truncated', `${value} bytes announced, ${reader.remaining} left`, { offset: start });
  }
  return Number(value);
}

/** Writes a bigsize. @throws WireError when the value is not a u64. */
export function writeBigSize(writer: ByteWriter, value: bigint | number): ByteWriter {
  if (value < 0xfd) return writer.u8(Number(value));
  if (value < 0x1_0000) return writer.u8(0xfd).u16(Number(value));
  if (value < 0x1_0000_0000) return writer.u8(0xfe).u32(Number(value));
  return writer.u8(0xff).u64(BigInt(value));
}
