/**
 * Channel ids (BOLT 2, "Definition of `channel_id`"): the hash of the funding transaction, with the index of
 * the funding output XORed into its last two bytes.
 */
import { fromHex, toHex } from '../bytes.ts';

const TXID_BYTES = 32;
const MAX_OUTPUT_INDEX = 0xffff;

/**
 * The channel id as hex. `fundingTxid` is hex in the usual form, with the last byte of the hash first.
 * @throws WireError when the text is not hex, RangeError when it does not have 32 bytes or the index exceeds 65535, which
 *   BOLT 2 excludes.
 */
export function channelIdOf(fundingTxid: string, fundingOutputIndex: number): string {
  const id = fromHex(fundingTxid).reverse();
  if (id.length !== TXID_BYTES) throw new RangeError('not a transaction id');
  if (
    !Number.isInteger(fundingOutputIndex) ||
    fundingOutputIndex < 0 ||
    fundingOutputIndex > MAX_OUTPUT_INDEX
  )
    throw new RangeError('not the index of a funding output');
  id[TXID_BYTES - 2]! ^= fundingOutputIndex >> 8;
  id[TXID_BYTES - 1]! ^= fundingOutputIndex & 0xff;
  return toHex(id);
}
