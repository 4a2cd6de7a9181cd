/** The small parts of the peer network: addresses, pace, pauses. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FulguriteError } from '../../../src/model/errors.ts';
import { formatHostPort, parseHostPort, parsePeerLocation } from '../../../src/network/peer/address.ts';
import { Backoff } from '../../../src/network/peer/backoff.ts';
import { OnionOutbox } from '../../../src/network/peer/onion-outbox.ts';
import { TokenBucket } from '../../../src/network/peer/token-bucket.ts';

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

  it('any text is an address or a typed error', () => {
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
  it('gives the burst, then its rate, and never more than the burst', () => {
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
  it('double up to the bound, between half and one and a half, and start over', () => {
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

  it('sends four at once and then four a second, in order', async () => {
    const sent: number[] = [];
    const outbox = new OnionOutbox(([byte]) => void sent.push(byte!));
    for (let i = 0; i < 7; i++) void outbox.push(Uint8Array.of(i));
    expect(sent).toEqual([0, 1, 2, 3]);
    await vi.advanceTimersByTimeAsync(251);
    expect(sent).toEqual([0, 1, 2, 3, 4]);
    await vi.advanceTimersByTimeAsync(502);
    expect(sent).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('holds 64, refuses more, and gives all back when the peer is gone', async () => {
    const outbox = new OnionOutbox(() => undefined);
    const waiting = Array.from({ length: 4 + 64 }, () => outbox.push(new Uint8Array(1)));
    await expect(outbox.push(new Uint8Array(1))).rejects.toMatchObject({ name: 'busy' });
    const settled = Promise.allSettled(waiting);
    outbox.close();
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(64);
    await expect(outbox.push(new Uint8Array(1))).rejects.toMatchObject({ name: 'notConnected' });
  });
});
