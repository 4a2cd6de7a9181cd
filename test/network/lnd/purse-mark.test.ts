/**
 * Marks on an LND node, tested with a node that keeps invoices as LND does: one per payment hash, including
 * cancelled ones (rpcserver.go, invoices/errors.go).
 */
import { expect, test } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { LndError, type LndLink, markLndForPurse } from '../../../src/network/lnd/index.ts';

const CANCELED = 2;
const NOT_FOUND = 5;
const UNKNOWN = 2;

interface KeptInvoice {
  readonly memo: string;
  state: number;
  creation_date: string;
}

class Invoices {
  readonly kept = new Map<string, KeptInvoice>();
  /** Called once before an invoice is added, to act as a second daemon in between. */
  between: () => Promise<void> = async () => undefined;

  readonly link = {
    call: async (method: string, request: { r_hash: Uint8Array; r_preimage: Uint8Array; memo: string }) => {
      if (method !== 'AddInvoice') return this.#find(toHex(request.r_hash));
      const { between } = this;
      this.between = async () => undefined;
      await between();
      return this.#add(request);
    },
  } as unknown as LndLink;

  #find(hash: string): KeptInvoice {
    const found = this.kept.get(hash);
    if (found === undefined) throw new LndError(NOT_FOUND, 'unable to locate invoice');
    return found;
  }

  #add({ r_preimage, memo }: { r_preimage: Uint8Array; memo: string }): object {
    const hash = toHex(sha256(r_preimage));
    if (this.kept.has(hash)) throw new LndError(UNKNOWN, 'invoice with payment hash already exists');
    this.kept.set(hash, { memo, state: 0, creation_date: String(Math.floor(Date.now() / 1000)) });
    return {};
  }
}

test('the first owner keeps the node, and a second one learns who owns it', async () => {
  const { link, kept } = new Invoices();
  const mark = await markLndForPurse(link, 'first');
  expect(mark.owner).toBe('first');
  expect([...kept.keys()]).toEqual([mark.paymentHash]);
  expect(await markLndForPurse(link, 'first')).toEqual(mark);
  expect(await markLndForPurse(link, 'second')).toEqual(mark);
  expect(kept.size).toBe(1);
});

test('cancelling a mark releases the node', async () => {
  const { link, kept } = new Invoices();
  const { paymentHash } = await markLndForPurse(link, 'first');
  kept.get(paymentHash)!.state = CANCELED;
  const mark = await markLndForPurse(link, 'second');
  expect(mark.owner).toBe('second');
  expect((await markLndForPurse(link, 'first')).owner).toBe('second');
  expect(fromHex(mark.paymentHash)).not.toEqual(fromHex(paymentHash));
});

test('of two daemons that mark at the same time, one gets the node', async () => {
  const invoices = new Invoices();
  let other: { readonly owner: string } | undefined;
  invoices.between = async () => {
    other = await markLndForPurse(invoices.link, 'second');
  };
  const mark = await markLndForPurse(invoices.link, 'first');
  expect(other?.owner).toBe('second');
  expect(mark.owner).toBe('second');
});

test('the owner renews its mark before it expires, and keeps the node afterwards', async () => {
  const { link, kept } = new Invoices();
  const { paymentHash } = await markLndForPurse(link, 'first');
  const old = kept.get(paymentHash)!;
  old.creation_date = String(Math.floor(Date.now() / 1000) - 200 * 86_400);
  expect((await markLndForPurse(link, 'first')).paymentHash).toBe(paymentHash);
  expect(kept.size).toBe(2);
  old.state = CANCELED;
  expect((await markLndForPurse(link, 'second')).owner).toBe('first');
});
