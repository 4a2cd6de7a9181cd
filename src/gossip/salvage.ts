/**
 * Finds the intact records in a damaged gossip_store of ours (store-format.ts).
 *
 * The checksums of the records show where the damage is. Reading continues at the next intact record of one of the
 * types that we write, and the bytes before it count as damaged. A channel whose capacity record is damaged is kept,
 * with unknown capacity.
 */
import { ChannelGraph } from '../model/channel-graph.ts';
import { crc32c } from './crc32c.ts';
import { GossipStoreLoader } from './gossip-store-loader.ts';
import * as format from './store-format.ts';

/** The result of reading a damaged file: the intact records, and the bytes between them. */
export interface Salvage {
  /** Intact records in order, all accepted by a loader. The record with the file's identity is excluded. */
  readonly records: readonly Uint8Array[];
  /** The damaged parts, and intact records that a loader does not accept, in order. */
  readonly damaged: readonly Uint8Array[];
  /** Whether all records except perhaps the last one are intact, as after a crash. */
  readonly isWholeBeforeEnd: boolean;
}

const TYPES: ReadonlySet<number> = new Set([
  format.CHANNEL_ANNOUNCEMENT,
  format.NODE_ANNOUNCEMENT,
  format.CHANNEL_UPDATE,
  format.STORE_CHANNEL_AMOUNT,
  format.STORE_DELETE_CHANNEL,
  format.STORE_UUID,
]);

/** Scans a whole file, whose first byte is the version. */
export function salvage(file: Buffer): Salvage {
  const records: Uint8Array[] = [];
  const damaged: Uint8Array[] = [];
  let lastWhole = 1;
  for (let at = 1; at < file.length; ) {
    const size = wholeRecord(file, at);
    if (size === 0) {
      at++;
      continue;
    }
    if (at > lastWhole) damaged.push(file.subarray(lastWhole, at));
    const type = typeAt(file, at);
    const record = file.subarray(at, at + size);
    at += size;
    lastWhole = at;
    if (type === format.CHANNEL_ANNOUNCEMENT) {
      const amountSize = wholeRecord(file, at);
      const hasAmount = amountSize > 0 && typeAt(file, at) === format.STORE_CHANNEL_AMOUNT;
      const amount = hasAmount ? file.subarray(at, at + amountSize) : amountRecord(UNKNOWN_CAPACITY);
      if (isTaken([record, amount])) records.push(record, amount);
      else damaged.push(record);
    } else if (type !== format.STORE_UUID && type !== format.STORE_CHANNEL_AMOUNT) {
      (isTaken([record]) ? records : damaged).push(record);
    }
  }
  const isWholeBeforeEnd = damaged.length === 0;
  if (lastWhole < file.length) damaged.push(file.subarray(lastWhole));
  return { records, damaged, isWholeBeforeEnd };
}

const UNKNOWN_CAPACITY = 0n;

const typeAt = (file: Buffer, at: number): number => file.readUInt16BE(at + format.HEADER_BYTES);

/** Size of the intact record at offset `at`, in bytes. 0 if there is no intact record of a type that we write. */
function wholeRecord(file: Buffer, at: number): number {
  if (at + format.HEADER_BYTES + 2 > file.length) return 0;
  if (file.readUInt16BE(at) !== format.FLAG_COMPLETED) return 0;
  const end = at + format.HEADER_BYTES + file.readUInt16BE(at + 2);
  if (end > file.length || end < at + format.HEADER_BYTES + 2) return 0;
  if (!TYPES.has(typeAt(file, at))) return 0;
  const sum = crc32c(file.readUInt32BE(at + 8), file, at + format.HEADER_BYTES, end);
  return sum === file.readUInt32BE(at + 4) ? end - at : 0;
}

/** Whether a loader accepts these records. Their checksums are already verified. */
function isTaken(records: readonly Uint8Array[]): boolean {
  const loader = new GossipStoreLoader(new ChannelGraph(0, 0));
  loader.minorVersion = format.MINOR_VERSION;
  loader.offset = 1;
  const bytes = Buffer.concat(records);
  return loader.apply(bytes, bytes.length) === bytes.length && loader.problem === undefined;
}

/** Converts a message to records: a channel_announcement with its capacity record, or a single record. */
export function recordsOf(message: Uint8Array, capacitySat: bigint): Uint8Array[] {
  const type = (message[0]! << 8) | message[1]!;
  if (type !== format.CHANNEL_ANNOUNCEMENT) return [recordOf(message)];
  return [recordOf(message), amountRecord(capacitySat)];
}

function amountRecord(capacitySat: bigint): Uint8Array {
  const amount = Buffer.alloc(format.AMOUNT_BODY_BYTES);
  amount.writeUInt16BE(format.STORE_CHANNEL_AMOUNT);
  amount.writeBigUInt64BE(capacitySat, 2);
  return recordOf(amount);
}

/** Creates a record with timestamp 0. Only other programs use the timestamp, to skip records. */
export function recordOf(body: Uint8Array): Uint8Array {
  const header = Buffer.alloc(format.HEADER_BYTES);
  header.writeUInt16BE(format.FLAG_COMPLETED, 0);
  header.writeUInt16BE(body.length, 2);
  header.writeUInt32BE(crc32c(0, body), 4);
  return Buffer.concat([header, body]);
}
