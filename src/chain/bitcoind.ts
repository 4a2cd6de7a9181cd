/**
 * bitcoind's JSON-RPC as a chain source. bitcoind must keep all blocks (no pruning), but needs no index of
 * transactions: the block that contains a funding transaction lists the transaction ids, and the set of unspent outputs
 * contains amount and script.
 */

import { readFile } from 'node:fs/promises';
import { ChainError, type ChainSource, type Outpoint, type Output } from './chain-source.ts';
import { ask } from './http.ts';

/** The address of bitcoind and the login: a user and password, or its cookie file. */
export interface BitcoindOptions {
  /** `http://HOST:PORT`. */
  readonly url: string;
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  /** Path of the file with `USER:PASSWORD`, which bitcoind rewrites at each start. */
  readonly cookiePath?: string | undefined;
}

interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string } | null;
}

/** bitcoind's error code for "Block height out of range". */
const OUT_OF_RANGE = -8;
/**
 * Maximum number of blocks whose transaction ids are cached. Few are enough, since channels are often checked in the
 * order of their blocks.
 */
const MAX_KEPT_BLOCKS = 32;
const SAT_PER_BTC = 1e8;

/** A chain source over bitcoind. */
export class Bitcoind implements ChainSource {
  readonly name = 'bitcoind';
  readonly concurrency = 4;
  readonly #options: BitcoindOptions;
  readonly #abort = new AbortController();
  /** Ids of a block's transactions, by height. Undefined beyond the end of the chain. */
  readonly #blocks = new Map<number, Promise<readonly string[] | undefined>>();
  #bestBlock: unknown;

  constructor(options: BitcoindOptions) {
    this.#options = options;
  }

  async height(): Promise<number> {
    const info = await this.#call('getblockchaininfo', []);
    const { blocks, bestblockhash, initialblockdownload } = info as Record<string, unknown>;
    if (!Number.isSafeInteger(blocks)) throw new ChainError('bitcoind returned no height');
    if (initialblockdownload === true) throw new ChainError('bitcoind is still downloading the chain');
    // If the best block has changed, blocks may have been replaced.
    if (bestblockhash !== this.#bestBlock) this.#blocks.clear();
    this.#bestBlock = bestblockhash;
    return blocks as number;
  }

  async blockHash(height: number): Promise<string | undefined> {
    const [answer] = await this.#batch([{ method: 'getblockhash', params: [height] }]);
    if (answer!.error?.code === OUT_OF_RANGE) return undefined;
    return resultOf(answer!) as string;
  }

  async txidAt(height: number, index: number): Promise<string | undefined> {
    let block = this.#blocks.get(height);
    if (block === undefined) {
      block = this.#txids(height);
      this.#blocks.set(height, block);
      for (const [oldest] of this.#blocks) {
        if (this.#blocks.size <= MAX_KEPT_BLOCKS) break;
        this.#blocks.delete(oldest);
      }
      block.catch(() => this.#blocks.delete(height));
    }
    return (await block)?.[index];
  }

  async unspent(outpoints: readonly Outpoint[]): Promise<readonly (Output | undefined)[]> {
    if (outpoints.length === 0) return [];
    // Unconfirmed transactions are ignored, because they may never be confirmed.
    const calls = outpoints.map(({ txid, index }) => ({ method: 'gettxout', params: [txid, index, false] }));
    return (await this.#batch(calls)).map((answer) => outputOf(resultOf(answer)));
  }

  close(): void {
    this.#abort.abort();
  }

  async #txids(height: number): Promise<readonly string[] | undefined> {
    const hash = await this.blockHash(height);
    if (hash === undefined) return undefined;
    const { tx } = (await this.#call('getblock', [hash, 1])) as { tx?: unknown };
    if (!Array.isArray(tx)) throw new ChainError(`bitcoind lists no transactions for block ${height}`);
    return tx;
  }

  async #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const [answer] = await this.#batch([{ method, params }]);
    return resultOf(answer!);
  }

  async #batch(calls: readonly { method: string; params: readonly unknown[] }[]): Promise<RpcAnswer[]> {
    const { url } = this.#options;
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
    const headers = { 'content-type': 'application/json', ...(await this.#authorization()) };
    const { status, text } = await ask({ url, headers, body }, this.#abort.signal);
    if (status === 401 || status === 403) throw new ChainError(`bitcoind refuses our login (${status})`);
    const answers = parsed(text);
    if (!Array.isArray(answers)) throw new ChainError(`bitcoind answers ${status} ${text.slice(0, 200)}`);
    const byId = new Map((answers as RpcAnswer[]).map((answer) => [answer?.id, answer]));
    return calls.map((_, id) => {
      const answer = byId.get(id);
      if (answer === undefined) throw new ChainError('bitcoind did not answer every request of a batch');
      return answer;
    });
  }

  async #authorization(): Promise<Record<string, string>> {
    const { login, cookiePath } = this.#options;
    if (login === undefined && cookiePath === undefined) return {};
    let text = login && `${login.user}:${login.password}`;
    if (cookiePath !== undefined) {
      try {
        text = (await readFile(cookiePath, 'utf8')).trim();
      } catch (error) {
        throw new ChainError(`the cookie cannot be read: ${(error as Error).message}`);
      }
    }
    return { authorization: `Basic ${Buffer.from(text as string).toString('base64')}` };
  }
}

function resultOf({ result, error }: RpcAnswer): unknown {
  if (error !== undefined && error !== null)
    throw new ChainError(`bitcoind: ${error.message} (${error.code})`);
  return result;
}

/**
 * An output as bitcoind reports it. Amounts are in bitcoin with eight decimals, and below 2^53 sat, so rounding to
 * satoshi is exact.
 */
function outputOf(result: unknown): Output | undefined {
  if (result === null || result === undefined) return undefined;
  const { value, scriptPubKey } = result as { value?: unknown; scriptPubKey?: { hex?: unknown } };
  const script = scriptPubKey?.hex;
  if (typeof value !== 'number' || !(value >= 0) || typeof script !== 'string') {
    throw new ChainError('bitcoind returned an output without amount or script');
  }
  return { amountSat: BigInt(Math.round(value * SAT_PER_BTC)), script };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
