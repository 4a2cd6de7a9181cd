/** The checksum of one page of a database; page-sums.ts explains its purpose. */
import { crc32 } from 'node:zlib';

/** Page size in bytes: SQLite's default, which no release of ours has changed. */
export const PAGE_BYTES = 4096;

/** Positions of the bytes of page 1 that change outside the log. */
const UNSTEADY: readonly (readonly [start: number, end: number])[] = [
  [18, 20],
  [24, 28],
  [92, 100],
];

/** The checksum of a page. */
export function pageSum(number: number, page: Uint8Array): number {
  if (number !== 1) return crc32(page, number);
  const steady = Uint8Array.from(page);
  for (const [start, end] of UNSTEADY) steady.fill(0, start, end);
  return crc32(steady, number);
}
