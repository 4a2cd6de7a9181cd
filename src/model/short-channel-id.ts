/**
 * Short channel ids (BOLT 7): block height (24 bits), transaction index (24 bits), output index (16 bits),
 * packed into 64 bits and written `BxTxO`. With a direction: `BxTxO/D`; direction 0 leaves the node with the
 * lexicographically smaller id.
 */
import type { NodeId } from './node-id.ts';

declare const kind: unique symbol;

/** The 64-bit channel id as a bigint: block << 40 | transaction << 16 | output. */
export type ShortChannelId = bigint & { readonly [kind]: 'short channel id' };

/** A channel's direction: 0 leaves the node with the lexicographically smaller id, 1 leaves the other (BOLT 7). */
export type Direction = 0 | 1;

/** One direction of a channel. */
export interface ShortChannelIdDir {
  readonly shortChannelId: ShortChannelId;
  readonly direction: Direction;
}

const FORM = /^(\d{1,8})x(\d{1,8})x(\d{1,5})$/;

/** Packs the three parts into an id. @throws RangeError when a part needs too many bits. */
export function shortChannelId(block: number, transaction: number, output: number): ShortChannelId {
  if (
    !(
      block >= 0 &&
      block < 2 ** 24 &&
      transaction >= 0 &&
      transaction < 2 ** 24 &&
      output >= 0 &&
      output < 2 ** 16
    )
  ) {
    throw new RangeError(`not a short channel id: ${block}x${transaction}x${output}`);
  }
  return ((BigInt(block) << 40n) | (BigInt(transaction) << 16n) | BigInt(output)) as ShortChannelId;
}

/** The channel id in a text `BxTxO`. `undefined` if the text has a different form or a part is out of range. */
export function parseShortChannelId(text: string): ShortChannelId | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [block, transaction, output] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (block >= 2 ** 24 || transaction >= 2 ** 24 || output >= 2 ** 16) return undefined;
  return shortChannelId(block, transaction, output);
}

/** The text `BxTxO` of a channel id. */
export function formatShortChannelId(id: bigint): string {
  return `${id >> 40n}x${(id >> 16n) & 0xffffffn}x${id & 0xffffn}`;
}

/** The channel direction in a text `BxTxO/D`. `undefined` if the text has a different form. */
export function parseShortChannelIdDir(text: string): ShortChannelIdDir | undefined {
  const slash = text.length - 2;
  const digit = text.charAt(slash + 1);
  if (text.charAt(slash) !== '/' || (digit !== '0' && digit !== '1')) return undefined;
  const id = parseShortChannelId(text.slice(0, slash));
  return id === undefined ? undefined : { shortChannelId: id, direction: digit === '0' ? 0 : 1 };
}

/** The text `BxTxO/D` of a channel's direction. */
export function formatShortChannelIdDir(dir: ShortChannelIdDir): string {
  return `${formatShortChannelId(dir.shortChannelId)}/${dir.direction}`;
}

/**
 * The location of the funding output: block height, index of the transaction in the block, index of the output in the
 * transaction.
 */
export function shortChannelIdParts(id: bigint): { block: number; transaction: number; output: number } {
  return {
    block: Number(id >> 40n),
    transaction: Number((id >> 16n) & 0xffffffn),
    output: Number(id & 0xffffn),
  };
}

/** The direction of a channel from `from` to `to`: 0 starts at the smaller id (BOLT 7). */
export const directionFrom = (from: NodeId, to: NodeId): Direction => (from < to ? 0 : 1);
