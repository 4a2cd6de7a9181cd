/**
 * bitcoind and Esplora as chain sources: the same chain gives the same answers, and every fault is an error.
 */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bolt/bytes.ts';
import { CHAIN_HASHES } from '../../src/bolt/invoice/bolt12-offer.ts';
import { decodeChannelAnnouncement } from '../../src/bolt/peer/gossip-messages.ts';
import { Bitcoind } from '../../src/chain/bitcoind.ts';
import { ChainError, type ChainSource } from '../../src/chain/chain-source.ts';
import { Esplora } from '../../src/chain/esplora.ts';
import { checkFunding } from '../../src/chain/funding-check.ts';
import { shortChannelId } from '../../src/model/short-channel-id.ts';
import { SignedNetwork } from '../network/peer/signed-gossip.ts';
import { temporaryDirectory } from '../rpc/support.ts';
import { StandInChain } from './stand-in.ts';

const chainHash = CHAIN_HASHES.regtest;
const signed = new SignedNetwork({ nodes: 4, channels: 4, chainHash, timestamp: 1 });
const [first, second, third] = signed.channels.map((one) => decodeChannelAnnouncement(one.announcement));

let chain: StandInChain;
const sources: ChainSource[] = [];
beforeEach(async () => {
  chain = await StandInChain.start();
});
afterEach(async () => {
  for (const source of sources.splice(0)) source.close();
  await chain.stop();
});

const kinds = {
  bitcoind: () => new Bitcoind({ url: chain.url }),
  esplora: () => new Esplora(`${chain.url}/`),
};

describe.each(Object.entries(kinds))('%s', (_, make) => {
  const source = (): ChainSource => {
    const made = make();
    sources.push(made);
    return made;
  };

  it('reports height, blocks, transactions and outputs to the last satoshi', async () => {
    // The amounts are one satoshi, and all bitcoin that will ever exist.
    chain.fund(first!, 2_100_000_000_000_000);
    chain.fund(second!, 1);
    const one = source();
    expect(await one.height()).toBe(101);
    expect(await one.blockHash(0)).toBe(toHex(chainHash.slice().reverse()));
    expect(await one.blockHash(102)).toBeUndefined();
    expect(await one.txidAt(101, 1)).toBe(chain.txid(101, 1));
    expect([await one.txidAt(101, 2), await one.txidAt(102, 1)]).toEqual([undefined, undefined]);
    const outpoints = [100, 101, 7].map((block) => ({ txid: chain.txid(block, 1), index: 0 }));
    const amounts = async () => (await one.unspent(outpoints)).map((output) => output?.amountSat);
    expect(await amounts()).toEqual([2_100_000_000_000_000n, 1n, undefined]);
    chain.spend(first!.shortChannelId);
    expect(await amounts()).toEqual([undefined, 1n, undefined]);
  });

  it('tells a funded channel from a spent and from a forged one', async () => {
    chain.fund(first!, 5000);
    chain.fund(second!, 5000, '0014'.padEnd(44, '0'));
    chain.fund(third!, 5000);
    chain.spend(third!.shortChannelId);
    const one = source();
    const verdict = (given: Parameters<typeof checkFunding>[1]) => checkFunding(one, given, chain.height);
    const at = (block: number, index: number, output = 0) => ({
      ...first!,
      shortChannelId: shortChannelId(block, index, output),
    });
    expect(await verdict(first!)).toEqual({ kind: 'funded', txid: chain.txid(100, 1), capacitySat: 5000n });
    expect(await verdict(second!)).toEqual({ kind: 'forged', why: 'the output pays to other keys' });
    expect(await verdict({ ...first!, bitcoinKey1: second!.bitcoinKey1 })).toMatchObject({ kind: 'forged' });
    expect(await verdict(third!)).toEqual({ kind: 'gone' });
    expect(await verdict(at(100, 1, 7))).toEqual({ kind: 'gone' });
    expect(await verdict(at(100, 9))).toEqual({ kind: 'forged', why: 'block 100 has no transaction 9' });
    expect(await verdict(at(chain.height + 6, 1))).toEqual({ kind: 'gone' });
    expect(await verdict(at(16_777_215, 1))).toEqual({
      kind: 'forged',
      why: 'block 16777215 does not exist yet',
    });
  });

  it.each([
    ['an answer of 500', { status: 500, text: 'Work queue depth exceeded' }],
    ['a login that is wrong', { status: 401, text: '' }],
    ['no JSON', { status: 200, text: '<html>' }],
    ['more than fits', { status: 200, text: 'x'.repeat(17 * 1024 * 1024) }],
    ['an answer of another shape', { status: 200, text: '[{"id":0,"result":{}}]' }],
  ])('%s is an error', async (__, failure) => {
    chain.failure = failure;
    await expect(source().height()).rejects.toBeInstanceOf(ChainError);
  });

  it('a source that does not answer is an error, and so is one that is closed', async () => {
    const one = source();
    one.close();
    await expect(one.height()).rejects.toBeInstanceOf(ChainError);
    await chain.stop();
    await expect(source().height()).rejects.toThrow(/ECONNREFUSED/);
    chain = await StandInChain.start();
  });
});

describe('bitcoind', () => {
  it('is queried with its cookie, reread each time, or with a name and a password', async () => {
    const directory = temporaryDirectory();
    const cookiePath = `${directory.path}/.cookie`;
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    const byCookie = new Bitcoind({ url: chain.url, cookiePath });
    sources.push(byCookie);
    await expect(byCookie.height()).rejects.toThrow('the cookie cannot be read');
    for (const cookie of ['__cookie__:one', '__cookie__:two']) {
      writeFileSync(cookiePath, `${cookie}\n`);
      await byCookie.height();
      expect(chain.logins.at(-1)).toBe(basic(cookie));
    }
    const byName = new Bitcoind({ url: chain.url, login: { user: 'me', password: 'a:b' } });
    sources.push(byName);
    await byName.height();
    expect(chain.logins.at(-1)).toBe(basic('me:a:b'));
    directory.remove();
  });

  it('that is still syncing is not queried for channels', async () => {
    chain.initialBlockDownload = true;
    const one = new Bitcoind({ url: chain.url });
    sources.push(one);
    await expect(one.height()).rejects.toThrow('still downloading');
  });

  it('requests a block only once for all its channels, and again if the chain has changed', async () => {
    chain.fund(first!, 5000);
    const one = new Bitcoind({ url: chain.url });
    sources.push(one);
    await one.height();
    const before = chain.requests;
    for (let i = 0; i < 10; i++) await one.txidAt(100, 1);
    expect(chain.requests - before).toBe(2);
    chain.height++;
    await one.height();
    await one.txidAt(100, 1);
    expect(chain.requests - before).toBe(5);
  });
});
