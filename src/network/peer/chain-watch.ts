/**
 * The chain as the peer network sees it: its height, and which of the known channels are closed. With every new block,
 * all funding outputs are looked up again, a hundred at a time. A channel whose output is spent can no longer carry
 * payments. BOLT 7 recommends keeping it for 72 blocks, so that a splice can be announced. We remove it immediately,
 * because routes over it would fail, and its nodes will announce the new channel after a splice.
 */

import { equalBytes, fromHex } from '../../bolt/bytes.ts';
import { ChainError, type ChainSource, type Outpoint } from '../../chain/chain-source.ts';
import { shortChannelIdParts } from '../../model/short-channel-id.ts';
import type { GossipGraph } from './gossip-apply.ts';

/** The chain to watch, and the graph whose closed channels are removed. */
export interface ChainWatchOptions {
  readonly source: ChainSource;
  readonly chainHash: Uint8Array;
  readonly target: GossipGraph;
  /** Called when channels have been removed. */
  readonly changed: () => void;
  readonly log?: { unusual(message: string): void } | undefined;
  /** Milliseconds between two checks of the height. */
  readonly pollMs: number;
}

const AT_ONCE = 100;

/** Tracks the height of the chain and removes channels whose funding output is spent. */
export class ChainWatch {
  readonly source: ChainSource;
  private readonly options: ChainWatchOptions;
  /** The funding transaction ids of channels, so that they need not be looked up again. */
  private readonly txids = new Map<bigint, string>();
  private best: number | undefined;
  /** The height at which all channels were last looked up. */
  private recheckedAt: number | undefined;
  private trouble: string | undefined = 'not queried yet';
  private isChainRight = false;
  private timer: NodeJS.Timeout | undefined;
  /** The checks in progress: of the height, and of the channels. */
  private looking: Promise<void> | undefined;
  private rechecking: Promise<void> | undefined;
  private closed = false;

  constructor(options: ChainWatchOptions) {
    this.options = options;
    this.source = options.source;
  }

  /** Height of the best block. Undefined until the source has reported it. */
  get height(): number | undefined {
    return this.best;
  }

  /** Why the chain source is unavailable at the moment. Undefined when it is available. */
  get problem(): string | undefined {
    return this.trouble;
  }

  /** Starts checking the height repeatedly. Resolves after the first check. */
  start(): Promise<void> {
    this.timer = setInterval(() => void this.lookOnce(), this.options.pollMs);
    this.timer.unref();
    return this.lookOnce();
  }

  /** Records the funding transaction of a verified channel. */
  remember(shortChannelId: bigint, txid: string): void {
    this.txids.set(shortChannelId, txid);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.source.close();
    await Promise.all([this.looking, this.rechecking]);
  }

  private lookOnce(): Promise<void> {
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async look(): Promise<void> {
    try {
      if (!this.isChainRight) await this.checkChain();
      const height = await this.source.height();
      this.best = height;
      this.trouble = undefined;
      if (height === this.recheckedAt) return;
      this.rechecking ??= this.recheck(height).finally(() => {
        this.rechecking = undefined;
      });
    } catch (error) {
      this.onError(error);
    }
  }

  /** @throws ChainError when the source serves a different chain. */
  private async checkChain(): Promise<void> {
    const genesis = await this.source.blockHash(0);
    const shown = genesis === undefined ? new Uint8Array(0) : fromHex(genesis).reverse();
    if (!equalBytes(shown, this.options.chainHash)) throw new ChainError('it serves a different chain');
    this.isChainRight = true;
  }

  private async recheck(height: number): Promise<void> {
    const { target } = this.options;
    try {
      const all = target.channelIds();
      for (let at = 0; at < all.length && !this.closed; at += AT_ONCE) {
        const closed = await this.closedOf(all.slice(at, at + AT_ONCE), height);
        if (this.closed || closed.length === 0) continue;
        target.removeChannels(closed);
        for (const id of closed) this.txids.delete(id);
        this.options.changed();
      }
      this.recheckedAt = height;
      for (const id of this.txids.keys()) if (!target.knowsChannel(id)) this.txids.delete(id);
    } catch (error) {
      this.onError(error);
    }
  }

  /** The channels that do not exist on the chain, or whose funding output is spent. */
  private async closedOf(ids: readonly bigint[], height: number): Promise<bigint[]> {
    const closed: bigint[] = [];
    const open: { id: bigint; outpoint: Outpoint }[] = [];
    for (const id of ids) {
      const { block, transaction, output } = shortChannelIdParts(id);
      const txid = this.txids.get(id) ?? (await this.source.txidAt(block, transaction));
      if (txid !== undefined) {
        this.txids.set(id, txid);
        open.push({ id, outpoint: { txid, index: output } });
      } else if (block <= height) closed.push(id);
    }
    const outputs = await this.source.unspent(open.map(({ outpoint }) => outpoint));
    open.forEach(({ id }, i) => {
      if (outputs[i] === undefined) closed.push(id);
    });
    return closed;
  }

  private onError(error: unknown): void {
    if (!(error instanceof ChainError)) throw error;
    if (this.closed) return;
    if (this.trouble !== error.message) {
      this.options.log?.unusual(`${this.source.name} is unavailable: ${error.message}`);
    }
    this.trouble = error.message;
  }
}
