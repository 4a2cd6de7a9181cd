/**
 * What we ask of a chain: enough to see that the funding output of a channel is where its short channel id
 * says, and that it is unspent. Amounts are whole satoshi. Hashes are hex in the order in which Bitcoin shows
 * them.
 */

/** One output of a transaction, by the transaction's id and the output's index. */
export interface Outpoint {
  readonly txid: string;
  readonly index: number;
}

/** What an output holds: its amount and the script that guards it. */
export interface Output {
  readonly amountSat: bigint;
  /** scriptPubKey as hex. */
  readonly script: string;
}

/**
 * A source of facts about the chain. Every method throws `ChainError` when there is no answer, and waits for
 * a bounded time.
 */
export interface ChainSource {
  readonly name: 'bitcoind' | 'esplora';
  /** How many questions it likes to be asked at the same time. */
  readonly concurrency: number;
  /** Height of the best block. @throws ChainError also while the source is still catching up. */
  height(): Promise<number>;
  /** Hash of the block at a height. Undefined when the chain is shorter. */
  blockHash(height: number): Promise<string | undefined>;
  /** Id of a transaction by its place. Undefined when there is no such block, or no such place in it. */
  txidAt(height: number, index: number): Promise<string | undefined>;
  /**
   * The outputs at these outpoints, in the same order. Undefined for an output that is spent in a block, or
   * never existed.
   */
  unspent(outpoints: readonly Outpoint[]): Promise<readonly (Output | undefined)[]>;
  /** Ends the requests that are in progress. */
  close(): void;
}

/** The chain source did not answer, or its answer makes no sense. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}
