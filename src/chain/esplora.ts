/**
 * An Esplora server (blockstream.info, mempool.space, or your own) as a chain source, over its REST interface. Public
 * servers limit their callers, so we send at most ten requests at once, and then ten a second. Checking all channels of
 * the main network then takes hours; with your own bitcoind it takes minutes. The server learns which channels we
 * query.
 */

import { TokenBucket } from '../model/token-bucket.ts';
import { ChainError, type ChainSource, type Outpoint, type Output } from './chain-source.ts';
import { ask } from './http.ts';

const BURST = 10;
const REQUESTS_PER_SECOND = 10;
const HASH = /^[0-9a-f]{64}$/;

/** A chain source over Esplora. */
export class Esplora implements ChainSource {
  readonly name = 'esplora';
  readonly concurrency = 4;
  readonly #url: string;
  readonly #abort = new AbortController();
  readonly #bucket = new TokenBucket(BURST, REQUESTS_PER_SECOND);

  /** @param url base URL of the interface, such as `https://blockstream.info/api`. */
  constructor(url: string) {
    this.#url = url.replace(/\/+$/, '');
  }

  async height(): Promise<number> {
    const text = await this.#get('/blocks/tip/height');
    if (text === undefined || !/^\d{1,9}$/.test(text)) throw new ChainError('the server returned no height');
    return Number(text);
  }

  async blockHash(height: number): Promise<string | undefined> {
    return hashOf(await this.#get(`/block-height/${height}`));
  }

  async txidAt(height: number, index: number): Promise<string | undefined> {
    const hash = await this.blockHash(height);
    return hash && hashOf(await this.#get(`/block/${hash}/txid/${index}`));
  }

  async unspent(outpoints: readonly Outpoint[]): Promise<readonly (Output | undefined)[]> {
    const outputs: (Output | undefined)[] = [];
    for (const outpoint of outpoints) outputs.push(await this.#output(outpoint));
    return outputs;
  }

  close(): void {
    this.#abort.abort();
  }

  async #output({ txid, index }: Outpoint): Promise<Output | undefined> {
    const spending = await this.#getJson(`/tx/${txid}/outspend/${index}`);
    const { spent, status } = (spending ?? {}) as { spent?: unknown; status?: { confirmed?: unknown } };
    if (spent === true && status?.confirmed === true) return undefined;
    const { vout } = ((await this.#getJson(`/tx/${txid}`)) ?? {}) as { vout?: unknown };
    const output = Array.isArray(vout) ? vout[index] : undefined;
    if (output === undefined) return undefined;
    const { value, scriptpubkey: script } = output as { value?: unknown; scriptpubkey?: unknown };
    if (!Number.isSafeInteger(value) || typeof script !== 'string') {
      throw new ChainError('the server returned an output without amount or script');
    }
    return { amountSat: BigInt(value as number), script };
  }

  async #getJson(path: string): Promise<unknown> {
    const text = await this.#get(path);
    try {
      return text === undefined ? undefined : JSON.parse(text);
    } catch {
      throw new ChainError(`the server's answer to ${path} is not JSON`);
    }
  }

  /** The text of the answer for a path. Undefined if the server answers with status 404. */
  async #get(path: string): Promise<string | undefined> {
    while (!this.#bucket.take()) await new Promise((resolve) => setTimeout(resolve, this.#bucket.waitMs()));
    const { status, text } = await ask({ url: this.#url + path }, this.#abort.signal);
    if (status === 404) return undefined;
    if (status !== 200) throw new ChainError(`the server answers ${status} ${text.slice(0, 200)}`);
    return text.trim();
  }
}

function hashOf(text: string | undefined): string | undefined {
  if (text !== undefined && !HASH.test(text)) throw new ChainError('the server returned no hash');
  return text;
}
