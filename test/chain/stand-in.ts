/**
 * A chain over HTTP whose answers the test sets. It serves the calls of bitcoind's RPC and the paths of an
 * Esplora server that we use. Its blocks contain only the transactions that tests put there.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { toHex } from '../../src/bolt/bytes.ts';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import { fundingScript } from '../../src/bolt/peer/funding-script.ts';
import type { ChannelAnnouncement } from '../../src/bolt/peer/gossip-messages.ts';
import { shortChannelIdParts } from '../../src/model/short-channel-id.ts';

interface Placed {
  readonly block: number;
  readonly transaction: number;
  readonly outputs: Map<number, { script: string; sat: number }>;
}

const idOf = (text: string): string => toHex(sha256(Buffer.from(text)));

/** One chain, served over HTTP until `stop`. */
export class StandInChain {
  height = 0;
  /** If set, the answer to every request. */
  failure: { status: number; text: string } | undefined;
  initialBlockDownload = false;
  genesis = toHex(CHAIN_HASHES.regtest.slice().reverse());
  /** The `Authorization` header of each request. */
  readonly logins: (string | undefined)[] = [];
  requests = 0;
  url = '';
  private readonly placed = new Map<string, Placed>();
  private readonly spent = new Set<string>();
  private server: Server | undefined;

  static async start(): Promise<StandInChain> {
    const chain = new StandInChain();
    chain.server = createServer((request, response) => void chain.serve(request, response));
    await new Promise<void>((resolve) => chain.server!.listen({ host: '127.0.0.1', port: 0 }, resolve));
    chain.url = `http://127.0.0.1:${(chain.server.address() as { port: number }).port}`;
    return chain;
  }

  async stop(): Promise<void> {
    this.server!.closeAllConnections();
    await new Promise((resolve) => this.server!.close(resolve));
  }

  /**
   * Funds a channel at the position given by its id, by default with the channel's own keys. The chain grows to the
   * height in the id.
   */
  fund(
    { shortChannelId, bitcoinKey1, bitcoinKey2 }: ChannelAnnouncement,
    sat: number,
    script = toHex(fundingScript(bitcoinKey1, bitcoinKey2)),
  ): void {
    const { block, transaction, output } = shortChannelIdParts(shortChannelId);
    const txid = this.txid(block, transaction);
    const placed = this.placed.get(txid) ?? { block, transaction, outputs: new Map() };
    placed.outputs.set(output, { script, sat });
    this.placed.set(txid, placed);
    this.height = Math.max(this.height, block);
  }

  /** Spends the output of a channel in a new block. */
  spend(shortChannelId: bigint): void {
    const { block, transaction, output } = shortChannelIdParts(shortChannelId);
    this.spent.add(`${this.txid(block, transaction)}:${output}`);
    this.height++;
  }

  txid(block: number, transaction: number): string {
    return idOf(`transaction ${block} ${transaction}`);
  }

  private hash(block: number): string | undefined {
    if (block > this.height || block < 0) return undefined;
    return block === 0 ? this.genesis : idOf(`block ${block}`);
  }

  private txids(hash: string): string[] {
    const ids: string[] = [];
    for (const { block, transaction } of this.placed.values()) {
      if (this.hash(block) !== hash) continue;
      for (let i = 0; i <= transaction; i++) ids[i] ??= this.txid(block, i);
    }
    return ids;
  }

  private output(txid: string, index: number) {
    const output = this.placed.get(txid)?.outputs.get(index);
    return output && { ...output, isSpent: this.spent.has(`${txid}:${index}`) };
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += part;
    this.requests++;
    this.logins.push(request.headers.authorization);
    if (this.failure !== undefined) {
      response.writeHead(this.failure.status).end(this.failure.text);
    } else if (request.method === 'POST') {
      const answers = (JSON.parse(body) as { id: number; method: string; params: never[] }[]).map(
        ({ id, method, params }) => ({ id, ...this.rpc(method, params) }),
      );
      // The order of the answers is arbitrary. Their ids assign them to the calls.
      response.end(JSON.stringify(answers.reverse()));
    } else {
      const found = this.rest(request.url!.split('/').slice(1));
      response.writeHead(found === undefined ? 404 : 200).end(found ?? 'not found');
    }
  }

  private rpc(method: string, [first, second]: (string | number)[]): object {
    if (method === 'getblockchaininfo') {
      const { height, initialBlockDownload: initialblockdownload } = this;
      return { result: { blocks: height, bestblockhash: this.hash(height), initialblockdownload } };
    }
    if (method === 'getblockhash') {
      const hash = this.hash(first as number);
      return hash === undefined
        ? { result: null, error: { code: -8, message: 'Block height out of range' } }
        : { result: hash, error: null };
    }
    if (method === 'getblock') return { result: { tx: this.txids(first as string) } };
    if (method !== 'gettxout') return { error: { code: -32601, message: 'Method not found' } };
    const output = this.output(first as string, second as number);
    if (output === undefined || output.isSpent) return { result: null };
    return { result: { value: output.sat / 1e8, scriptPubKey: { hex: output.script } } };
  }

  private rest([kind, id, what, index]: string[]): string | undefined {
    if (kind === 'blocks') return String(this.height);
    if (kind === 'block-height') return this.hash(Number(id));
    if (kind === 'block') return this.txids(id!)[Number(index)];
    const placed = this.placed.get(id!);
    if (placed === undefined) return undefined;
    if (what === 'outspend') {
      const isSpent = this.output(id!, Number(index))?.isSpent ?? false;
      return JSON.stringify({ spent: isSpent, ...(isSpent && { status: { confirmed: true } }) });
    }
    const vout: object[] = [];
    for (const [i, { script, sat }] of placed.outputs) vout[i] = { scriptpubkey: script, value: sat };
    return JSON.stringify({ txid: id, vout });
  }
}
