/**
 * CRC-32C (Castagnoli; RFC 3720 appendix B.4): reflected polynomial 0x82f63b78, register inverted before and after.
 * Each step processes sixteen bytes, read as four words, with sixteen tables (slicing-by-16). Reading words instead of
 * single bytes saves 30 % of the time.
 */

const SLICES = 16;

/** TABLES[256 * k + b] is the register after byte b followed by k zero bytes. */
const TABLES = buildTables();

function buildTables(): Int32Array {
  const tables = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let register = byte;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? 0x82f6_3b78 : 0);
    tables[byte] = register;
  }
  for (let entry = 256; entry < tables.length; entry++) {
    const previous = tables[entry - 256]!;
    tables[entry] = (previous >>> 8) ^ tables[previous & 0xff]!;
  }
  return tables;
}

/**
 * CRC-32C of bytes[start, end), as an unsigned 32-bit number.
 * @param previous checksum of the preceding bytes; 0 at the start
 * @param view a view of the same bytes. Callers with many short records reuse it, since creating one takes as long as
 *   processing a hundred bytes.
 */
export function crc32c(
  previous: number,
  bytes: Uint8Array,
  start = 0,
  end = bytes.length,
  view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
): number {
  const t = TABLES;
  let crc = ~previous;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    const a = crc ^ view.getInt32(at, true);
    const b = view.getInt32(at + 4, true);
    const c = view.getInt32(at + 8, true);
    const d = view.getInt32(at + 12, true);
    crc =
      t[3840 + (a & 0xff)]! ^
      t[3584 + ((a >>> 8) & 0xff)]! ^
      t[3328 + ((a >>> 16) & 0xff)]! ^
      t[3072 + (a >>> 24)]! ^
      t[2816 + (b & 0xff)]! ^
      t[2560 + ((b >>> 8) & 0xff)]! ^
      t[2304 + ((b >>> 16) & 0xff)]! ^
      t[2048 + (b >>> 24)]! ^
      t[1792 + (c & 0xff)]! ^
      t[1536 + ((c >>> 8) & 0xff)]! ^
      t[1280 + ((c >>> 16) & 0xff)]! ^
      t[1024 + (c >>> 24)]! ^
      t[768 + (d & 0xff)]! ^
      t[512 + ((d >>> 8) & 0xff)]! ^
      t[256 + ((d >>> 16) & 0xff)]! ^
      t[d >>> 24]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ t[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
