/** Small parts of the peer network: addresses, rate limits, pauses. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FulguriteError } from '../../../src/model/errors.ts';
import type { NodeId } from '../../../src/model/node-id.ts';
import { TokenBucket } from '../../../src/model/token-bucket.ts';
import { formatHostPort, parseHostPort, parsePeerLocation } from '../../../src/network/peer/address.ts';
import { Backoff } from '../../../src/network/peer/backoff.ts';
import { MAX_WAITING_ONION_MESSAGES, ONION_SEND_BURST } from '../../../src/network/peer/limits.ts';
import { OnionOutbox } from '../../../src/network/peer/onion-outbox.ts';

const PEER = `02${'11'.repeat(32)}` as NodeId;

describe('addresses', () => {
  it.each([
    ['127.0.0.1:9736', { host: '127.0.0.1', port: 9736 }],
    ['node.example.com', { host: 'node.example.com', port: 9735 }],
    ['[::1]:9', { host: '::1', port: 9 }],
    ['::1', { host: '::1', port: 9735 }],
    ['[fe80::1]', { host: 'fe80::1', port: 9735 }],
  ])('%s', (text, expected) => {
    expect(parseHostPort(text)).toEqual(expected);
    expect(parseHostPort(formatHostPort(expected))).toEqual(expected);
  });

  it.each(['', ':1', 'a:65536', 'a:1:2', 'a b', '[::1', '[x]:1', 'a:-1', '\u001b[2J:1'])(
    'refuses %j',
    (text) => {
      expect(() => parseHostPort(text)).toThrow(FulguriteError);
    },
  );

  it('give an address or a typed error for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const parse of [parseHostPort, parsePeerLocation]) {
          try {
            parse(text);
          } catch (error) {
            expect(error).toMatchObject({ name: 'invalidParams' });
          }
        }
      }),
    );
  });
});

describe('a token bucket', () => {
  it('allows its burst, then its rate, and never more than the burst', () => {
    let now = 0;
    const bucket = new TokenBucket(2, 4, () => now);
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
    expect(bucket.waitMs()).toBe(250);
    now = 249;
    expect(bucket.take()).toBe(false);
    now = 250;
    expect(bucket.take()).toBe(true);
    now = 1e9;
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  });
});

describe('pauses', () => {
  it('double up to the maximum, vary from half to one and a half times that, and start over', () => {
    const middle = new Backoff(100, 1000, () => 0.5);
    expect([1, 2, 3, 4, 5, 6].map(() => middle.nextMs())).toEqual([100, 200, 400, 800, 1000, 1000]);
    middle.reset();
    expect(middle.nextMs()).toBe(100);
    expect(new Backoff(100, 1000, () => 0).nextMs()).toBe(50);
    expect(new Backoff(100, 1000, () => 0.999).nextMs()).toBe(150);
  });
});

describe('the outbox', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('sends three messages at once and then one every 256 ms, in order', async () => {
    const sent: number[] = [];
    const outbox = new OnionOutbox(PEER, ([byte]) => void sent.push(byte!));
    for (let i = 0; i < 6; i++) void outbox.push(Uint8Array.of(i));
    expect(sent).toEqual([0, 1, 2]);
    await vi.advanceTimersByTimeAsync(257);
    expect(sent).toEqual([0, 1, 2, 3]);
    await vi.advanceTimersByTimeAsync(513);
    expect(sent).toEqual([0, 1, 2, 3, 4, 5]);
  });

  /**
   * Core Lightning's token bucket for a peer holds 1000 tokens and gains one per millisecond. A message takes 250.
   * The elapsed time is rounded down to whole milliseconds and the rest is lost, so each message may lose one token.
   */
  it.each([0.05, 0.5, 0.95])(
    'no message is dropped by a bucket that rounds down, %f ms off the whole millisecond',
    async (offset) => {
      let tokens = 1000;
      let last = 0;
      let dropped = 0;
      const arrives = (now: number): void => {
        tokens = Math.min(1000, tokens + Math.floor(now - last));
        last = now;
        if (tokens < 250) dropped++;
        else tokens -= 250;
      };
      let count = 0;
      // Some messages take up to 200 ms longer to arrive than others.
      const delays = [0, 200, offset, 130 + offset, 70];
      const arrivals: number[] = [];
      const outbox = new OnionOutbox(PEER, () => {
        const arrival = performance.now() + delays[count++ % delays.length]! + offset;
        arrivals.push(Math.max(arrival, arrivals.at(-1) ?? 0));
      });
      // Full bursts after pauses, then a queue that stays filled for 1000 messages.
      for (let burst = 0; burst < 20; burst++) {
        for (let i = 0; i < 4; i++) void outbox.push(new Uint8Array(1));
        await vi.advanceTimersByTimeAsync(1100 + burst);
      }
      for (let i = 0; i < 1000; i++) {
        void outbox.push(new Uint8Array(1));
        await vi.advanceTimersByTimeAsync(i < 60 ? 1 : 256);
      }
      // Everything queued leaves within 20 s. Other files in this process may have timers that never end, so
      // the test waits a fixed time.
      await vi.advanceTimersByTimeAsync(60_000);
      for (const arrival of arrivals) arrives(arrival);
      expect([count, dropped]).toEqual([1080, 0]);
    },
  );

  it('holds 64 messages, refuses more, and rejects all of them when the peer is gone', async () => {
    const outbox = new OnionOutbox(PEER, () => undefined);
    const waiting = Array.from({ length: ONION_SEND_BURST + MAX_WAITING_ONION_MESSAGES }, () =>
      outbox.push(new Uint8Array(1)),
    );
    await expect(outbox.push(new Uint8Array(1))).rejects.toMatchObject({ name: 'busy' });
    const settled = Promise.allSettled(waiting);
    outbox.close();
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(64);
    await expect(outbox.push(new Uint8Array(1))).rejects.toMatchObject({ name: 'notConnected' });
  });
});
