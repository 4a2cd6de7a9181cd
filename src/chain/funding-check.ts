/**
 * Checks whether a channel matches its announcement (BOLT 7, "Requirements" of channel_announcement). The short channel
 * id contains the block height, the index of the transaction in the block, and the index of its output. The output must
 * pay to the two keys of the announcement, and must be unspent. Its amount is the capacity of the channel.
 */

import { toHex } from '../bolt/bytes.ts';
import { fundingScript } from '../bolt/peer/funding-script.ts';
import { shortChannelIdParts } from '../model/short-channel-id.ts';
import type { ChainSource } from './chain-source.ts';

/** The announced funding output of a channel. */
export interface Funding {
  readonly shortChannelId: bigint;
  readonly bitcoinKey1: Uint8Array;
  readonly bitcoinKey2: Uint8Array;
}

/** The result of a check. */
export type FundingVerdict =
  | { readonly kind: 'funded'; readonly txid: string; readonly capacitySat: bigint }
  /** The output is spent or never existed, or the block is slightly above our tip. The peer may still be honest. */
  | { readonly kind: 'gone' }
  /**
   * There is no such block or transaction, or the output pays to other keys. A peer that checks announcements would not
   * forward such an announcement.
   */
  | { readonly kind: 'forged'; readonly why: string };

/** Maximum number of blocks by which the chain of another node may be ahead of ours. */
const MAX_BLOCKS_AHEAD = 6;

/** Checks an announced output. @throws ChainError when the source does not answer. */
export async function checkFunding(
  source: ChainSource,
  { shortChannelId, bitcoinKey1, bitcoinKey2 }: Funding,
  height: number,
): Promise<FundingVerdict> {
  const { block, transaction, output } = shortChannelIdParts(shortChannelId);
  if (block > height) {
    return block > height + MAX_BLOCKS_AHEAD ? forged(`block ${block} does not exist yet`) : { kind: 'gone' };
  }
  const txid = await source.txidAt(block, transaction);
  if (txid === undefined) return forged(`block ${block} has no transaction ${transaction}`);
  const [found] = await source.unspent([{ txid, index: output }]);
  if (found === undefined) return { kind: 'gone' };
  if (found.script !== toHex(fundingScript(bitcoinKey1, bitcoinKey2))) {
    return forged('the output pays to other keys');
  }
  return { kind: 'funded', txid, capacitySat: found.amountSat };
}

function forged(why: string): FundingVerdict {
  return { kind: 'forged', why };
}
