/**
 * Notices of paid invoices from LND: none is lost when one cannot be recorded, when the stream ends, or before the
 * first payment.
 */
import { expect, test, vi } from 'vitest';
import { LndError, STATUS } from '../../../src/network/lnd/client/calls.ts';
import type { LndConnection, LndLink } from '../../../src/network/lnd/node-link.ts';
import { LndReceiver } from '../../../src/network/lnd/receiver.ts';

const hashOf = (invoice: number): Uint8Array => new Uint8Array(32).fill(invoice);

/**
 * An LND with paid invoices. A subscription begins with the invoices after the settle index of its request, but with
 * none if that index is 0.
 */
class PaidInvoices {
  readonly timing = { firstRetryMs: 1, lastRetryMs: 5 };
  readonly isClosed = false;
  readonly subscriptions: string[] = [];
  mayLookUp = true;
  /** The invoices, in the order in which they were paid. */
  readonly #paid: number[] = [];
  #onMessage: ((row: object) => void) | undefined;
  #onEnd: (why: Error) => void = () => undefined;

  onUp(listener: (connection: LndConnection) => void): () => void {
    listener({ isOpen: true } as LndConnection);
    return () => undefined;
  }

  async call(_method: string, { r_hash }: { r_hash: Uint8Array }): Promise<object> {
    if (!this.mayLookUp) throw new LndError(STATUS.permissionDenied, 'permission denied');
    return this.#row(r_hash[0]!);
  }

  stream(
    _method: string,
    { settle_index: after }: { settle_index: string },
    onMessage: (row: object) => void,
    onEnd: (why: Error) => void,
  ): () => void {
    this.subscriptions.push(after);
    this.#onMessage = onMessage;
    this.#onEnd = onEnd;
    if (after !== '0') for (const invoice of this.#paid.slice(Number(after))) onMessage(this.#row(invoice));
    return () => undefined;
  }

  pay(invoice: number): void {
    this.#paid.push(invoice);
    this.#onMessage?.(this.#row(invoice));
  }

  endStream(): void {
    this.#onMessage = undefined;
    this.#onEnd(new LndError(STATUS.unavailable, 'the stream has ended'));
  }

  #row(invoice: number): object {
    const settle_index = String(this.#paid.indexOf(invoice) + 1);
    return { settle_index, settle_date: '9', amt_paid_msat: '7', r_hash: hashOf(invoice) };
  }
}

/**
 * Listens for payments of invoices 1 to 9.
 * @param objection returns why an invoice cannot be recorded now, if so
 */
function receiving(lnd: PaidInvoices, objection: (invoice: number) => string | undefined = () => undefined) {
  const log = { unusual: vi.fn() };
  const recorded: number[] = [];
  const end = new LndReceiver(lnd as unknown as LndLink, log as never).onPaid(0n, {
    paid: async ({ paymentHash: [invoice] }) => {
      const reason = objection(invoice!);
      if (reason !== undefined) throw new Error(reason);
      if (!recorded.includes(invoice!)) recorded.push(invoice!);
    },
    unpaid: () => [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((one) => !recorded.includes(one)).map(hashOf),
  });
  return { log, recorded, end };
}

test('a notice that cannot be recorded is repeated, and later notices wait for it', async () => {
  let failures = 3;
  const lnd = new PaidInvoices();
  const { log, recorded, end } = receiving(lnd, (invoice) =>
    invoice === 2 && failures-- > 0 ? 'the disk is full' : undefined,
  );
  for (const invoice of [1, 2, 3]) lnd.pay(invoice);
  await expect.poll(() => recorded).toHaveLength(3);
  expect(recorded).toEqual([1, 2, 3]);
  expect(log.unusual.mock.calls).toEqual([['a paid invoice is not recorded yet: the disk is full']]);
  end();
});

test('a stream that ends is opened again after the last recorded notice', async () => {
  const lnd = new PaidInvoices();
  const { recorded, end } = receiving(lnd);
  lnd.pay(6);
  await expect.poll(() => recorded).toEqual([6]);
  lnd.pay(4);
  await expect.poll(() => recorded).toEqual([6, 4]);
  lnd.endStream();
  lnd.pay(5);
  await expect.poll(() => recorded).toEqual([6, 4, 5]);
  expect(lnd.subscriptions).toEqual(['0', '2']);
  end();
});

test('first payments that arrived before the subscription, or in a gap of it, are recorded in order', async () => {
  const lnd = new PaidInvoices();
  for (const invoice of [5, 3]) lnd.pay(invoice);
  const { recorded, end } = receiving(lnd);
  await expect.poll(() => recorded).toEqual([5, 3]);
  lnd.endStream();
  lnd.pay(7);
  await expect.poll(() => recorded).toEqual([5, 3, 7]);
  lnd.pay(2);
  await expect.poll(() => recorded).toEqual([5, 3, 7, 2]);
  end();
});

test('a macaroon that does not permit looking up invoices still permits notices', async () => {
  const lnd = new PaidInvoices();
  lnd.mayLookUp = false;
  const { log, recorded, end } = receiving(lnd);
  lnd.pay(1);
  await expect.poll(() => recorded).toEqual([1]);
  expect(log.unusual.mock.calls).toEqual([['cannot look up unpaid invoices: permission denied']]);
  end();
});

test('a notice that cannot be recorded is not repeated after the end of the subscription', async () => {
  let attempts = 0;
  const lnd = new PaidInvoices();
  const { end } = receiving(lnd, () => `attempt ${++attempts}`);
  lnd.pay(1);
  await expect.poll(() => attempts).toBeGreaterThan(0);
  end();
  const before = attempts;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(attempts).toBe(before);
});
