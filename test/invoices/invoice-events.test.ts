/**
 * Reports about invoices: each is reported once as paid or expired, in the turn in which that is stored, over
 * all restarts. Histories are random; the expected reports follow from the times at which each invoice was
 * created, paid and deleted.
 */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { sha256 } from '../../src/bolt/crypto/hashes.ts';
import { type OwnInvoiceEvent, OwnInvoices } from '../../src/invoices/index.ts';
import { FulguriteError } from '../../src/model/errors.ts';
import type { InvoiceReceiver, PaidListener, PaidNotice } from '../../src/network/receiver.ts';
import { ManualClock } from '../events/manual-clock.ts';
import { RecordDisk } from '../store/record-disk.ts';

/**
 * A node that receives payments when the test calls `pay`. A new listener first gets the payments whose indexes are
 * above `afterIndex`.
 */
class FakeReceiver implements InvoiceReceiver {
  readonly paid: PaidNotice[] = [];
  #listener: PaidListener | undefined;
  async make(): Promise<{ bolt11: string; paymentSecret: Uint8Array }> {
    return { bolt11: 'lnbc1', paymentSecret: new Uint8Array(32) };
  }
  onPaid(afterIndex: bigint, listener: PaidListener): () => void {
    this.#listener = listener;
    for (const notice of this.paid) if (notice.index > afterIndex) void listener.paid(notice);
    return () => {
      this.#listener = undefined;
    };
  }
  async cancel(): Promise<void> {}
  async pay(preimage: Uint8Array, atMs: number): Promise<void> {
    const paymentHash = sha256(preimage);
    const index = BigInt(this.paid.length + 1);
    const notice = { paymentHash, receivedMsat: 7n, paidAt: Math.floor(atMs / 1000), index };
    this.paid.push(notice);
    await this.#listener?.paid(notice);
  }
}

const preimageOf = (n: number): Uint8Array => new Uint8Array(32).fill(n + 1);

/** One event of a history: an invoice is created, paid or deleted, or the process restarts. */
type Deed =
  | { readonly do: 'make'; readonly expirySeconds: number }
  | { readonly do: 'pay' | 'delete'; readonly which: number }
  | { readonly do: 'restart' }
  | { readonly do: 'wait'; readonly seconds: number };

const DEED: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ do: fc.constant('make' as const), expirySeconds: fc.integer({ min: 1, max: 200_000 }) }),
  fc.record({ do: fc.constantFrom('pay' as const, 'delete' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('restart' as const) }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 100_000 }) }),
);

test('each invoice is reported as paid or expired, once, over restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(DEED, { maxLength: 40 }), async (deeds) => {
      const [clock, disk, receiver] = [new ManualClock(), new RecordDisk(), new FakeReceiver()];
      const heard: string[] = [];
      const onEvent = ({ kind, invoice }: OwnInvoiceEvent): void => {
        // A change is stored in the same turn in which it is reported.
        const kept = JSON.parse(disk.kept.get(`invoice/${invoice.label}`)!);
        expect(kind === 'paid' ? kept.paid : kept.isExpiryReported).toBeTruthy();
        heard.push(`${invoice.label} ${kind}`);
      };
      const open = (): Promise<OwnInvoices> =>
        OwnInvoices.open({ receiver, repository: disk, clock, onEvent });
      let book = await open();
      const expected: string[] = [];
      const standing = new Map<number, { endsAt: number; state: 'open' | 'expired' | 'paid' }>();
      let [now, made] = [0, 0];
      const expire = (): void => {
        for (const [n, one] of standing) {
          if (one.state !== 'open' || one.endsAt > now) continue;
          one.state = 'expired';
          expected.push(`i${n} expired`);
        }
      };
      for (const deed of deeds) {
        if (deed.do === 'make') {
          const n = made++;
          const wish = { description: 'x', isHashOnly: false, hasPrivateHints: false };
          const { expirySeconds } = deed;
          await book.make({ ...wish, label: `i${n}`, expirySeconds, preimage: preimageOf(n) });
          standing.set(n, { endsAt: now + expirySeconds, state: 'open' });
        } else if (deed.do === 'wait') {
          now += deed.seconds;
          clock.pass(deed.seconds * 1000);
          expire();
        } else if (deed.do === 'restart') {
          book.close();
          book = await open();
        } else {
          const one = standing.get(deed.which);
          if (one === undefined || one.state === 'paid') continue;
          if (deed.do === 'pay') {
            await receiver.pay(preimageOf(deed.which), now * 1000);
            one.state = 'paid';
            expected.push(`i${deed.which} paid`);
          } else {
            await book.delete(book.get(`i${deed.which}`)!, false);
            standing.delete(deed.which);
          }
        }
      }
      book.close();
      expect(heard.sort()).toEqual(expected.sort());
    }),
    { numRuns: 200 },
  );
});

test('an expiry that cannot be stored is reported later, once', async () => {
  const [clock, disk, receiver] = [new ManualClock(), new RecordDisk(), new FakeReceiver()];
  const heard: string[] = [];
  const onEvent = ({ kind, invoice }: OwnInvoiceEvent): void => void heard.push(`${invoice.label} ${kind}`);
  const book = await OwnInvoices.open({ receiver, repository: disk, clock, onEvent });
  const wish = { description: 'x', isHashOnly: false, hasPrivateHints: false, expirySeconds: 10 };
  for (const n of [0, 1]) await book.make({ ...wish, label: `i${n}`, preimage: preimageOf(n) });
  const full = vi.spyOn(disk, 'putRecord').mockImplementation(() => {
    throw new FulguriteError('storeFailed', 'the queue is full', {});
  });
  clock.pass(100_000);
  expect(heard).toEqual([]);
  full.mockRestore();
  clock.pass(60_000);
  expect(heard).toEqual(['i0 expired', 'i1 expired']);
  expect(clock.timers).toBe(0);
  book.close();
});

test.each([3_600_000, -3_600_000])(
  'a wait for an invoice takes its own time if the clock is set by %i ms',
  async (setMs) => {
    const [clock, disk, receiver] = [new ManualClock(), new RecordDisk(), new FakeReceiver()];
    const book = await OwnInvoices.open({ receiver, repository: disk, clock });
    let isOver = false;
    void book
      .until(
        () => undefined,
        60_000,
        () => false,
      )
      .then(() => {
        isOver = true;
      });
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.pass(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await pass(1_000);
    clock.setClock(setMs);
    await pass(58_500);
    expect(isOver).toBe(false);
    await pass(500);
    expect(isOver).toBe(true);
    book.close();
  },
);
