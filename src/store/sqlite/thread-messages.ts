/**
 * Messages between the node and the thread of its database. Batches and answers are packed with msgpack: one buffer is
 * transferred to the other thread, and integers and bytes are preserved. The text of a statement that writes is sent
 * only once.
 */
import type { MessagePort } from 'node:worker_threads';
import { Packr } from 'msgpackr/pack';
import type { SqlValue } from '../sql-values.ts';
import type { StoreProblem } from '../store-error.ts';

/** A write: the number of its statement, followed by its values. */
export type PackedWrite = readonly [statement: number, ...values: SqlValue[]];
/** Writes that are committed together, or not at all. */
export type PackedGroup = readonly PackedWrite[];
/** The groups of one transaction. */
export type PackedBatch = readonly PackedGroup[];

/** The methods of `LocalFile` that the node's thread calls by name. */
export type Called = 'settleIn' | 'noteSimulatedJournal' | 'backup' | 'check' | 'close';

/** The first message to the thread. The answer reports that the file is open, or the reason why it cannot be opened. */
export interface Opening {
  readonly id: number;
  readonly kind: 'open';
  readonly path: string;
  /** See `DatabaseOptions`. */
  readonly isInspected: boolean;
}

/** A request to the open file. Each request gets one answer; answers may come in any order. */
export type FileRequest = { readonly id: number } & (
  | {
      readonly kind: 'write';
      /** Statements used for the first time in this batch, with their numbers. */
      readonly statements: readonly (readonly [number: number, sql: string])[];
      readonly batch: Uint8Array;
    }
  | { readonly kind: 'rows' | 'records'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | { readonly kind: 'call'; readonly method: Called; readonly parameters: readonly unknown[] }
);

/** A message to the thread. */
export type ToThread = Opening | FileRequest;

/** An error that the thread threw. */
export interface Thrown {
  readonly message: string;
  /** Undefined unless the error is a StoreError. */
  readonly problem?: StoreProblem;
}

/** A message from the thread. */
export type FromThread = { readonly id: number } & (
  | { readonly packed: Uint8Array }
  | { readonly result: unknown }
  | { readonly thrown: Thrown }
);

/** The initial data of the thread. */
export interface ThreadData {
  /** A 32-bit counter of answers, so that the owner of the thread can wait for one. */
  readonly answers: SharedArrayBuffer;
  readonly port: MessagePort;
}

const packr = new Packr({ useRecords: true, int64AsType: 'bigint', moreTypes: false });

/** Packs a value into a separate buffer, which can be transferred to another thread. */
export function packed(value: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(packr.pack(value));
}

/** The value packed by `packed`. Bytes within it are views of the message. */
export function unpacked<T>(bytes: Uint8Array): T {
  return packr.unpack(bytes) as T;
}
