/**
 * Channel checks against an independent stand-in for bitcoind, with real blocks and transactions. They run
 * only where the stand-in and Python are installed. A channel is funded, mined, found and closed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bolt/bytes.ts';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import { fundingScript } from '../../src/bolt/peer/funding-script.ts';
import { Bitcoind } from '../../src/chain/bitcoind.ts';
import { checkFunding } from '../../src/chain/funding-check.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { describeNeeding } from '../needs.ts';

const script = fileURLToPath(new URL('../../../shared/cln/chain.py', import.meta.url));
const isThere = existsSync(script) && spawnSync('python3', ['--version']).status === 0;

/** BOLT 3, Appendix B. */
const bitcoinKey1 = fromHex('023da092f6980e58d2c037173180e9a465476026ee50f96695963e8efe436f54eb');
const bitcoinKey2 = fromHex('030e9f7b623d2ccc7c9bd44d66d5ce21ce504c0acf6385a132cec6d3c39fa711c1');
/** A P2WPKH script whose key is unknown. */
const ADDRESS = 'bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202';

/** A transaction with one input and these outputs. It has no signatures, since the stand-in checks none. */
function transaction(txid: string, index: number, outputs: readonly [bigint, Uint8Array][]): string {
  const u32 = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >>> 24) & 255];
  const u64 = (n: bigint) => Array.from({ length: 8 }, (_, i) => Number((n >> BigInt(8 * i)) & 255n));
  const outs = outputs.flatMap(([sat, to]) => [...u64(sat), to.length, ...to]);
  const input = [...fromHex(txid).reverse(), ...u32(index), 0, ...u32(0xffff_ffff)];
  return toHex(Uint8Array.from([...u32(2), 1, ...input, outputs.length, ...outs, ...u32(0)]));
}

describeNeeding('blocks', isThere, 'a chain of real blocks', () => {
  let daemon: ChildProcess;
  let url: string;

  const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ id: 1, method, params }) });
    const { result, error } = (await response.json()) as { result: unknown; error: unknown };
    if (error !== null) throw new Error(JSON.stringify(error));
    return result;
  };

  beforeAll(async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    url = `http://127.0.0.1:${port}`;
    daemon = spawn('python3', [script, `-rpcport=${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => daemon.stdout!.once('data', resolve));
  });
  afterAll(() => void daemon.kill());

  it('a channel is found at the position in its id, and gone once its output is spent in a block', async () => {
    const source = new Bitcoind({ url });
    expect(await source.blockHash(0)).toBe(toHex(CHAIN_HASHES.regtest.slice().reverse()));
    // The output that the funding transaction spends, in the first block.
    const [block] = (await call('generatetoaddress', 1, ADDRESS)) as [string];
    const { tx } = (await call('getblock', block, 1)) as { tx: [string] };
    const nowhere = fundingScript(bitcoinKey1, bitcoinKey1);
    const funding = transaction(tx[0], 0, [
      [1_000n, nowhere],
      [123_456_789n, fundingScript(bitcoinKey1, bitcoinKey2)],
    ]);
    const txid = (await call('sendrawtransaction', funding)) as string;
    await call('generatetoaddress', 1, ADDRESS);
    expect(await source.height()).toBe(2);
    const check = (output: number, height = 2) =>
      checkFunding(
        source,
        { shortChannelId: shortChannelId(2, 1, output), bitcoinKey1, bitcoinKey2 },
        height,
      );
    expect(await check(1)).toEqual({ kind: 'funded', txid, capacitySat: 123_456_789n });
    expect(await check(0)).toEqual({ kind: 'forged', why: 'the output pays to other keys' });
    expect(await check(2)).toEqual({ kind: 'gone' });
    await call('sendrawtransaction', transaction(txid, 1, [[123_000_000n, nowhere]]));
    await call('generatetoaddress', 1, ADDRESS);
    expect(await source.height()).toBe(3);
    expect(await check(1, 3)).toEqual({ kind: 'gone' });
    source.close();
  });
});
