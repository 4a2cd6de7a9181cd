/**
 * Channel ids (BOLT 2, "Definition of `channel_id`"): the funding transaction's hash with the number of the
 * funding output mixed into its last two bytes by exclusive or.
 */
import { fromHex, toHex } from './bytes.ts';

const TXID_BYTES = 32;
const MAX_OUTPUT_INDEX = 0xffff;

/**
 * The id as hex. `fundingTxid` is hex as people write it, which is the hash with its last byte first.
 * @throws RangeError for what is no transaction id, or an output index beyond 65535, which BOLT 2 excludes.
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
