/**
 * What we ask of a chain: enough to see that a channel's funding output is where its short channel id says, and
 * still unspent. Amounts are whole satoshi; hashes are hex in the order in which Bitcoin shows them.
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

/** Every method throws `ChainError` when there is no answer, and waits for a bounded time. */
export interface ChainSource {
  readonly name: 'bitcoind' | 'esplora';
  /** Questions that it likes to be asked at the same time. */
  readonly concurrency: number;
  /** Height of the best block. @throws ChainError also while the source is still catching up. */
  height(): Promise<number>;
  /** Undefined when the chain is shorter. */
  blockHash(height: number): Promise<string | undefined>;
  /** Id of a transaction by its place; undefined when the chain has no such block or the block no such place. */
  txidAt(height: number, index: number): Promise<string | undefined>;
  /** One answer per outpoint, in order; undefined for what is spent in a block, or never was. */
  unspent(outpoints: readonly Outpoint[]): Promise<readonly (Output | undefined)[]>;
  /** Ends what is under way. */
  close(): void;
}

/** The source did not answer, or not as it must. */
export class ChainError extends Error {
  override readonly name = 'ChainError';
}
