/** The network's record of settled HTLCs keeps only what it reports. */
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/model/msat.ts';
import { OutcomeBook, REMEMBERED_OUTCOMES } from '../../../src/network/simulated/outcomes.ts';

const settled = { status: 'settled', preimage: new Uint8Array(32) } as const;

const htlc = (n: number) => ({
  attemptId: `attempt ${n}`,
  // A hash as it arrives: a view into the bytes of a message that also contains an onion.
  paymentHash: new Uint8Array(1024).subarray(8, 40),
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
    expect(kept!.paymentHash).toEqual(new Uint8Array(32));
    expect(kept!.paymentHash.buffer.byteLength).toBe(32);
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
