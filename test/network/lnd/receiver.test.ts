/** Notices of paid invoices from LND: none is lost when one cannot be recorded, or when the stream ends. */
import { expect, test, vi } from 'vitest';
import { LndError, STATUS } from '../../../src/network/lnd/client/calls.ts';
import type { LndConnection, LndLink } from '../../../src/network/lnd/node-link.ts';
import { LndReceiver } from '../../../src/network/lnd/receiver.ts';

/** An LND with paid invoices. Each subscription begins after the settle index of its request. */
class PaidInvoices {
  readonly timing = { firstRetryMs: 1, lastRetryMs: 5 };
  readonly isClosed = false;
  readonly subscriptions: string[] = [];
  #paid = 0;
  #onMessage: (row: object) => void = () => undefined;
  #onEnd: (why: Error) => void = () => undefined;

  onUp(listener: (connection: LndConnection) => void): () => void {
    listener({ isOpen: true } as LndConnection);
    return () => undefined;
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
    for (let index = Number(after) + 1; index <= this.#paid; index++) this.#send(index);
    return () => undefined;
  }

  pay(): void {
    this.#send(++this.#paid);
  }

  payUnheard(): void {
    this.#paid++;
  }

  endStream(): void {
    this.#onEnd(new LndError(STATUS.unavailable, 'the stream has ended'));
  }

  #send(index: number): void {
    const row = { settle_index: String(index), settle_date: '9', amt_paid_msat: '7' };
    this.#onMessage({ ...row, r_hash: new Uint8Array(32).fill(index) });
  }
}

function receiving(record: (index: bigint) => void) {
  const lnd = new PaidInvoices();
  const log = { unusual: vi.fn(), info: () => undefined, debug: () => undefined };
  const receiver = new LndReceiver(lnd as unknown as LndLink, log as never);
  const end = receiver.onPaid(0n, async ({ index }) => record(index));
  return { lnd, log, end };
}

test('a notice that cannot be recorded is repeated, and later notices wait for it', async () => {
  const recorded: bigint[] = [];
  let failures = 3;
  const { lnd, log, end } = receiving((index) => {
    if (index === 2n && failures-- > 0) throw new Error('the disk is full');
    recorded.push(index);
  });
  for (let n = 0; n < 3; n++) lnd.pay();
  await vi.waitFor(() => expect(recorded).toHaveLength(3));
  expect(recorded).toEqual([1n, 2n, 3n]);
  expect(log.unusual.mock.calls).toEqual([['a paid invoice is not recorded yet: the disk is full']]);
  end();
});

test('a stream that ends is opened again after the last recorded notice', async () => {
  const recorded: bigint[] = [];
  const { lnd, end } = receiving((index) => recorded.push(index));
  lnd.pay();
  await vi.waitFor(() => expect(recorded).toEqual([1n]));
  lnd.endStream();
  lnd.payUnheard();
  await vi.waitFor(() => expect(recorded).toEqual([1n, 2n]));
  expect(lnd.subscriptions).toEqual(['0', '1']);
  end();
});

test('a notice that cannot be recorded is not repeated after the end of the subscription', async () => {
  let attempts = 0;
  const { lnd, end } = receiving(() => {
    attempts++;
    throw new Error('the disk is full');
  });
  lnd.pay();
  await vi.waitFor(() => expect(attempts).toBeGreaterThan(0));
  end();
  const before = attempts;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(attempts).toBe(before);
});
