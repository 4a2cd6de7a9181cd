/** The network's record of settled HTLCs keeps only what it reports. */
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { msat } from '../../../src/model/msat.ts';
import { OutcomeBook, REMEMBERED_OUTCOMES } from '../../../src/network/simulated/outcomes.ts';

const preimage = new Uint8Array(32).fill(7);
const settled = { status: 'settled', preimage } as const;

/** A message that contains the hash, as it arrives, and an onion. */
const message = new Uint8Array(1400);
message.set(sha256(preimage), 8);

const htlc = (n: number) => ({
  attemptId: `attempt ${n}`,
  paymentHash: message.subarray(8, 40),
  groupId: 1n,
  partId: n,
  amountMsat: msat(1000n),
  onion: new Uint8Array(1366),
});

describe('the record of settled HTLCs', () => {
  it('retains neither the onion nor the message of the HTLC', () => {
    const book = new OutcomeBook();
    book.open(htlc(1));
    book.end('attempt 1', settled);
    const [kept] = book.list();
    expect(Object.keys(kept!).sort()).toEqual([
      'amountMsat',
      'attemptId',
      'groupId',
      'partId',
      'paymentHash',
    ]);
    expect(new Uint8Array(kept!.paymentHash)).toEqual(new Uint8Array(sha256(preimage)));
    expect(kept!.paymentHash.buffer.byteLength).toBe(32);
  });

  it('lists each HTLC with its own id, part and amount, whatever the form of the id', () => {
    const book = new OutcomeBook();
    const htlcs = ['00'.repeat(16), 'f'.repeat(32), 'A'.repeat(32), 'short', ''].map((attemptId, n) => ({
      ...htlc(n),
      ...{ attemptId, groupId: BigInt(n), amountMsat: msat(n * 1000) },
    }));
    for (const one of htlcs) book.open(one);
    for (const { attemptId } of htlcs) book.end(attemptId, settled);
    const listed = book.list().map(({ attemptId, groupId, partId, amountMsat }) => ({
      ...{ attemptId, groupId, partId, amountMsat },
    }));
    expect(listed).toEqual(
      htlcs.map(({ attemptId, groupId, partId, amountMsat }) => ({ attemptId, groupId, partId, amountMsat })),
    );
    for (const { attemptId } of htlcs) expect(book.lookUp(attemptId)).toEqual(settled);
  });

  it('keeps how other attempts ended, and lists only those that settled in this run', () => {
    const book = new OutcomeBook();
    const failed = { status: 'failed', packet: Uint8Array.of(1, 2, 3) } as const;
    const attributed = { ...settled, attribution: Uint8Array.of(4) };
    for (const n of [1, 2]) book.open(htlc(n));
    book.end('attempt 1', failed);
    book.end('attempt 2', attributed);
    book.restore('attempt 3', settled);
    expect(book.lookUp('attempt 1')).toEqual(failed);
    expect(book.lookUp('attempt 2')).toEqual(attributed);
    expect(book.lookUp('attempt 3')).toEqual(settled);
    expect(book.open(htlc(3))).toBe(false);
    expect(book.list().map(({ attemptId }) => attemptId)).toEqual(['attempt 2']);
  });

  it('forgets the oldest first', () => {
    const book = new OutcomeBook();
    for (let n = 0; n <= REMEMBERED_OUTCOMES; n++) {
      book.open(htlc(n));
      book.end(`attempt ${n}`, settled);
    }
    expect(book.list().length).toBe(REMEMBERED_OUTCOMES);
    expect(book.lookUp('attempt 0')).toEqual({ status: 'unknown' });
    expect(book.lookUp('attempt 1')).toEqual(settled);
  });

  it('forgets the oldest also if outcomes are restored', () => {
    const book = new OutcomeBook();
    for (let n = 0; n <= REMEMBERED_OUTCOMES; n++) book.restore(`attempt ${n}`, settled);
    expect(book.lookUp('attempt 0')).toEqual({ status: 'unknown' });
    expect(book.lookUp('attempt 1')).toEqual(settled);
  });
});
