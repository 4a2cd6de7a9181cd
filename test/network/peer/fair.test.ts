/**
 * Peers share fairly: onion messages in both directions are handled in turns. The file also tests which addresses
 * may be dialled.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { type NodeId, nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { isPublicAddress } from '../../../src/model/public-address.ts';
import { FairQueue } from '../../../src/network/peer/fair-queue.ts';
import { MAX_WAITING_PER_SENDER } from '../../../src/network/peer/limits.ts';
import { OnionInbox } from '../../../src/network/peer/onion-inbox.ts';
import { OnionOutbox } from '../../../src/network/peer/onion-outbox.ts';

const peers = Array.from({ length: 192 }, (_, i) =>
  nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(i + 1))),
);
const [HONEST, ...HOSTILE] = peers as [NodeId, ...NodeId[]];

const useTime = (): void => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
};

describe('a queue shared by keys', () => {
  it('gives the keys turns, and keeps the order within each key', () => {
    const queue = new FairQueue<string, number>(3);
    for (const n of [1, 2, 3]) expect(queue.push('a', n)).toBe(true);
    expect(queue.push('a', 4)).toBe(false);
    queue.push('b', 5);
    queue.push('c', 6);
    queue.push('b', 7);
    expect(Array.from({ length: 7 }, () => queue.take())).toEqual([1, 5, 6, 2, 7, 3, undefined]);
    expect(queue.size).toBe(0);
  });

  it('removes a key, or all', () => {
    const queue = new FairQueue<string, number>(3);
    for (const [i, key] of ['a', 'a', 'b', 'c'].entries()) queue.push(key, i);
    expect([queue.remove('a'), queue.remove('x'), queue.size]).toEqual([[0, 1], [], 2]);
    expect([queue.clear(), queue.size]).toEqual([[2, 3], 0]);
  });
});

describe('onion messages from many peers', () => {
  useTime();

  /**
   * Hostile peers that send ten messages per second each for a minute, and one peer that sends one every three
   * seconds.
   */
  async function crowd(isOutgoing: boolean): Promise<{ sent: number; late: number[] }> {
    const sentAt: number[] = [];
    const late: number[] = [];
    const inbox = new OnionInbox((from) => {
      if (from === HONEST) late.push(performance.now() - sentAt[late.length]!);
    });
    for (let ms = 0; ms < 60_000; ms += 100) {
      for (const peer of HOSTILE) inbox.push(peer, false, new Uint8Array(1));
      if (ms % 3000 === 1500) {
        sentAt.push(performance.now());
        inbox.push(HONEST, isOutgoing, new Uint8Array(1));
      }
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(3000);
    inbox.close();
    return { sent: sentAt.length, late };
  }

  it('191 peers send ten per second each: every message of one more peer is read within one round of turns', async () => {
    const { sent, late } = await crowd(false);
    expect([sent, late.length]).toEqual([20, 20]);
    // The duration of one round over 192 peers, at 100 messages per second.
    expect(Math.max(...late)).toBeLessThanOrEqual(1930);
  });

  it('a peer that we connected to does not wait for strangers', async () => {
    const { late } = await crowd(true);
    expect(late.length).toBe(20);
    expect(Math.max(...late)).toBeLessThanOrEqual(20);
  });

  it('messages of a peer are dropped when it leaves, and nothing is read after the end', async () => {
    const read: NodeId[] = [];
    const inbox = new OnionInbox((from) => void read.push(from));
    for (const peer of HOSTILE) for (let i = 0; i < 4; i++) inbox.push(peer, false, new Uint8Array(1));
    expect(read).toHaveLength(200);
    const last = HOSTILE.at(-1)!;
    for (const peer of HOSTILE) if (peer !== last) inbox.forget(peer);
    await vi.advanceTimersByTimeAsync(100);
    expect(read.slice(200)).toEqual([last, last, last, last]);
    inbox.push(HONEST, false, new Uint8Array(1));
    inbox.close();
    const before = read.length;
    await vi.advanceTimersByTimeAsync(1000);
    expect(read).toHaveLength(before);
  });
});

describe('messages to a peer', () => {
  useTime();

  it('leave in this order: our own, then answers to the peer, then those requested by others, in turns', async () => {
    const sent: number[] = [];
    const [peer, mallory, trudy] = peers as [NodeId, NodeId, NodeId];
    const outbox = new OnionOutbox(peer, ([byte]) => void sent.push(byte!));
    const push = (byte: number, askedBy?: NodeId) => outbox.push(Uint8Array.of(byte), askedBy);
    for (const byte of [1, 2, 3]) void push(byte);
    for (const byte of [41, 43, 44, 45]) void push(byte, mallory);
    await expect(push(46, mallory)).rejects.toMatchObject({ name: 'busy' });
    void push(42, trudy);
    void push(31, peer);
    void push(21);
    await vi.advanceTimersByTimeAsync(3000);
    expect(sent).toEqual([1, 2, 3, 21, 31, 41, 42, 43, 44, 45]);
    expect(MAX_WAITING_PER_SENDER).toBe(4);
  });
});

describe('public addresses', () => {
  it.each(['1.1.1.1', '100.63.255.255', '172.32.0.1', '223.255.255.255', '2606:4700::1111'])(
    '%s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.255.0.1', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '192.0.0.8'],
    ...['::', '::1', 'fe80::1', 'fc00::1', 'fd12::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
    ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::', '2001:db8::1', '::127.0.0.1', 'localhost', ''],
  ])('not %s', (address) => expect(isPublicAddress(address)).toBe(false));
});
