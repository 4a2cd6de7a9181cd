/**
 * Channels without an unspent output on the chain are looked up only once, count against each sender, and
 * lead to its disconnection.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { ChannelAnnouncement } from '../../../src/bolt/peer/gossip-messages.ts';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { FundingQueue } from '../../../src/network/peer/funding-queue.ts';
import {
  MAX_FORGED_CHANNELS,
  MAX_GONE_CHANNELS,
  UNFUNDED_REMEMBERED_MS,
} from '../../../src/network/peer/limits.ts';

const HEIGHT = 1000;

class Peer {
  readonly refusals: string[] = [];
  refuse(reason: string): void {
    this.refusals.push(reason);
  }
}

/** A queue over a chain where each block has one transaction, whose outputs are all spent. */
function queueOver() {
  const asked: number[] = [];
  let nowMs = 0;
  const source = {
    name: 'a chain',
    concurrency: 4,
    txidAt: async (block: number, transaction: number) => {
      asked.push(block);
      return transaction === 0 ? '00'.repeat(32) : undefined;
    },
    unspent: async (outpoints: readonly unknown[]) => outpoints.map(() => undefined),
  } as unknown as ChainSource;
  const queue = new FundingQueue<Peer>({
    source,
    height: () => HEIGHT,
    funded: () => undefined,
    retryMs: 1000,
    nowMs: () => nowMs,
  });
  const announce = async (peer: Peer, block: number, transaction = 0): Promise<void> => {
    const key = new Uint8Array(33).fill(2);
    const announcement = {
      shortChannelId: (BigInt(block) << 40n) | (BigInt(transaction) << 16n),
      nodeId1: key,
      nodeId2: key,
      bitcoinKey1: key,
      bitcoinKey2: key,
    } as unknown as ChannelAnnouncement;
    queue.push(peer, announcement, new Uint8Array(0));
    for (let turns = 0; queue.size > 0 && turns < 100; turns++) await new Promise(setImmediate);
  };
  return { asked, announce, queue, later: (ms: number) => (nowMs += ms) };
}

describe('channels without an unspent output', () => {
  it('are looked up only once for all senders, until some minutes have passed', async () => {
    const { asked, announce, later } = queueOver();
    for (const peer of [new Peer(), new Peer()]) {
      await announce(peer, 7);
      await announce(peer, 8, 1);
    }
    expect(asked).toEqual([7, 8]);
    later(UNFUNDED_REMEMBERED_MS);
    await announce(new Peer(), 7);
    expect(asked).toEqual([7, 8, 7]);
  });

  it('cost their sender its connection, even if they are already known', async () => {
    const { asked, announce } = queueOver();
    const first = new Peer();
    for (let block = 1; block <= MAX_GONE_CHANNELS; block++) await announce(first, block);
    expect(first.refusals).toEqual([]);
    await announce(first, 500);
    expect(first.refusals).toEqual(['announced too many channels whose outputs are spent or never existed']);
    const before = asked.length;
    const second = new Peer();
    for (let times = 0; times <= MAX_GONE_CHANNELS; times++) await announce(second, 500);
    expect([second.refusals.length, asked.length]).toEqual([1, before]);
    const forger = new Peer();
    for (let times = 0; times <= MAX_FORGED_CHANNELS; times++) await announce(forger, 3, 9);
    expect(forger.refusals.length).toBe(1);
  });
});

it('nothing is kept of a peer that disconnects while its channel is verified', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { announce, asked, queue } = queueOver();
  const disconnected = async (): Promise<WeakRef<Peer>> => {
    const peer = new Peer();
    const verified = announce(peer, 7);
    queue.forget(peer);
    await verified;
    return new WeakRef(peer);
  };
  const peer = await disconnected();
  expect(asked).toEqual([7]);
  await new Promise(setImmediate);
  collectGarbage();
  expect(peer.deref()).toBeUndefined();
  expect(queue.size).toBe(0);
});
