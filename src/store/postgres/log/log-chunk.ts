/**
 * Records of the log as bytes. A chunk is a msgpack list of records. Its maps contain the names of their members, so
 * that releases whose records have different members can read it. 64-bit integers are exact. Texts from clients are
 * JSON, because msgpack cannot represent lone surrogates.
 */
import { Packr } from 'msgpackr/pack';
import type { LayerMutation } from '../../../layers/entries.ts';
import type { LayerRecord, LoggedLayer } from '../../../layers/layer-replica.ts';
import { type GraphRecord, isGraphRecord } from '../../../model/graph/graph-records.ts';
import { isLogRecord } from './log-shape.ts';

/** Maximum size of a chunk in bytes. A chunk with a single record may be larger. */
export const CHUNK_BYTES = 256 * 1024;
/** Number of records packed at a time. */
const RECORDS = 1000;

const packr = new Packr({ useRecords: false, int64AsType: 'bigint', mapsAsObjects: true });

/** One change in the log: of a layer, or of the graph. */
export type ChangeRecord = LayerRecord | GraphRecord;

/** A chunk, and the number of changes in it. */
export interface LogChunk {
  readonly bytes: Uint8Array;
  readonly changes: number;
}

/** Packs records into chunks of at most `most` bytes. */
export function packRecords(records: readonly ChangeRecord[], most = CHUNK_BYTES): LogChunk[] {
  const chunks: LogChunk[] = [];
  for (let from = 0; from < records.length; from += RECORDS) {
    pack(records.slice(from, from + RECORDS), most, chunks);
  }
  return chunks;
}

function pack(records: readonly ChangeRecord[], most: number, chunks: LogChunk[]): void {
  const bytes = new Uint8Array(packr.pack(records.map((record) => withTexts(record, JSON.stringify))));
  if (bytes.length <= most || records.length === 1) {
    chunks.push({ bytes, changes: records.length });
    return;
  }
  const middle = records.length >> 1;
  pack(records.slice(0, middle), most, chunks);
  pack(records.slice(middle), most, chunks);
}

/** The records of a chunk. @throws Error when the bytes are not a chunk, or one of its records cannot be applied */
export function unpackRecords(bytes: Uint8Array): ChangeRecord[] {
  const records = packr.unpack(bytes) as ChangeRecord[];
  return records.map((packed) => {
    const record = withTexts(packed, JSON.parse);
    if (!isLogRecord(record)) throw new TypeError(`malformed record of the kind ${String(packed[0])}`);
    return record;
  });
}

/** The record with each client text converted by `turn`. */
function withTexts(record: ChangeRecord, turn: (text: string) => string): ChangeRecord {
  if (isGraphRecord(record)) return record;
  switch (record[0]) {
    case 'create':
      return ['create', turn(record[1])];
    case 'remove':
      return ['remove', refWith(record[1], turn)];
    case 'import':
      return ['import', turn(record[1]), record[2]];
    case 'layer':
      return ['layer', record[1], turn(record[2])];
    case 'change':
      return ['change', refWith(record[1], turn), mutationWith(record[2], turn)];
    default:
      return record;
  }
}

const refWith = (ref: LoggedLayer, turn: (text: string) => string): LoggedLayer =>
  typeof ref === 'number' ? ref : turn(ref);

/**
 * The mutation with its description, if it has one, converted by `turn`. msgpack returns null for an absent
 * description.
 */
function mutationWith(mutation: LayerMutation, turn: (text: string) => string): LayerMutation {
  if (mutation.type !== 'biasChannel' && mutation.type !== 'biasNode') return mutation;
  const { description } = mutation;
  return { ...mutation, description: typeof description === 'string' ? turn(description) : undefined };
}
