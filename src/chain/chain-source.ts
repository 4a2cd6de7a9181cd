/**
 * The queries to a chain: enough to check that the funding output of a channel exists where its short channel id
 * points, and that it is unspent. Amounts are whole satoshi. Hashes are hex in Bitcoin's display order.
 */

/** One output of a transaction, by the transaction's id and the output's index. */
export interface Outpoint {
  readonly txid: string;
  readonly index: number;
}

/** The content of an output: its amount and locking script. */
export interface Output {
  readonly amountSat: bigint;
  /** scriptPubKey as hex. */
  readonly script: string;
}

/**
 * A source of facts about the chain. Every request that a query makes is limited in time. The query throws `ChainError`
 * if there is no valid answer.
 */
export interface ChainSource {
  readonly name: 'bitcoind' | 'esplora';
  /** The recommended number of concurrent queries. */
  readonly concurrency: number;
  /** Height of the best block. @throws ChainError also while bitcoind is still downloading the chain */
  height(): Promise<number>;
  /** Hash of the block at a height. Undefined if the chain is shorter. */
  blockHash(height: number): Promise<string | undefined>;
  /** Id of a transaction by its position. Undefined if there is no such block or position. */
  txidAt(height: number, index: number): Promise<string | undefined>;
  /**
   * The outputs at these outpoints, in the same order. Undefined for an output that was spent in a block, or never
   * existed.
   */
  unspent(outpoints: readonly Outpoint[]): Promise<readonly (Output | undefined)[]>;
  /** Ends the requests in progress. */
  close(): void;
}

/** The chain source did not answer, or its answer is invalid. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}
