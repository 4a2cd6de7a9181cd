/**
 * Marks on an LND node, tested with a node that keeps invoices as LND does: one per payment hash, including cancelled
 * ones (rpcserver.go, invoices/errors.go). Invoices that expire are cancelled.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { fromHex, toHex } from '../../../src/bolt/bytes.ts';
import { sha256 } from '../../../src/bolt/crypto/hashes.ts';
import { claimNodes } from '../../../src/cli/daemon/claim-nodes.ts';
import { Closers } from '../../../src/cli/daemon/parts/closers.ts';
import type { NodeBeside } from '../../../src/cli/daemon/reach-node.ts';
import { FulguriteError } from '../../../src/model/errors.ts';
import { LndError, type LndLink, markLndForPurse } from '../../../src/network/lnd/index.ts';
import type { Log } from '../../../src/rpc/log.ts';

const CANCELED = 2;
const DAY_S = 86_400;
const DAY_MS = 1000 * DAY_S;
const YEAR_S = 365 * DAY_S;
const NOT_FOUND = 5;
const UNKNOWN = 2;

interface KeptInvoice {
  readonly memo: string;
  state: number;
  creation_date: string;
}

/** A log that keeps its unusual lines. */
function keptLog(): { readonly log: Log; readonly unusual: string[] } {
  const unusual: string[] = [];
  return { log: { unusual: (line: string) => void unusual.push(line) } as unknown as Log, unusual };
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
    if (Date.now() / 1000 > Number(found.creation_date) + YEAR_S) found.state = CANCELED;
    return found;
  }

  #add({ r_preimage, memo }: { r_preimage: Uint8Array; memo: string }): object {
    const hash = toHex(sha256(r_preimage));
    if (this.kept.has(hash)) throw new LndError(UNKNOWN, 'invoice with payment hash already exists');
    this.kept.set(hash, { memo, state: 0, creation_date: String(Math.floor(Date.now() / 1000)) });
    return {};
  }
}

afterEach(() => vi.useRealTimers());

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

/** A purse with one LND node, as `start` sees it. */
const purseWith = (link: LndLink): NodeBeside =>
  ({ kind: 'several', nodes: [{ kind: 'lnd', name: 'carol', link }], link }) as unknown as NodeBeside;

test('a daemon that runs for more than a year keeps its node', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { link, kept } = new Invoices();
  const closers = new Closers();
  await claimNodes(purseWith(link), 'first', keptLog().log, closers);
  await vi.advanceTimersByTimeAsync(400 * DAY_MS);
  expect((await markLndForPurse(link, 'second')).owner).toBe('first');
  expect(kept.size).toBe(3);
  await closers.run();
  await vi.advanceTimersByTimeAsync(400 * DAY_MS);
  expect((await markLndForPurse(link, 'second')).owner).toBe('second');
});

test('a running daemon reports that its node was given to a different purse, or is away', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const invoices = new Invoices();
  const { link } = invoices;
  const { log, unusual } = keptLog();
  const closers = new Closers();
  await claimNodes(purseWith(link), 'first', log, closers);
  const { paymentHash } = await markLndForPurse(link, 'first');
  invoices.kept.get(paymentHash)!.state = CANCELED;
  await markLndForPurse(link, 'second');
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(unusual).toEqual([expect.stringContaining('node carol belongs to another purse (second)')]);
  invoices.link.call = async () => {
    throw new FulguriteError('nodeAway', 'no connection');
  };
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(unusual[1]).toBe('node carol: cannot renew the mark of this purse: no connection');
  await closers.run();
});

test('a daemon with a single LND node that belongs to a purse warns once, with the command that releases the node', async () => {
  const { link, kept } = new Invoices();
  const { log, unusual } = keptLog();
  const alone = { kind: 'lnd', link } as unknown as NodeBeside;
  const start = async (id: string): Promise<void> => {
    await claimNodes(alone, id, log, new Closers());
    await new Promise((resolve) => setImmediate(resolve));
  };
  await start('first');
  expect([unusual, kept.size]).toEqual([[], 0]);
  const { paymentHash } = await markLndForPurse(link, 'purse');
  await start('purse');
  expect(unusual).toEqual([]);
  await start('first');
  expect(unusual).toEqual([expect.stringContaining(`(purse). While both run`)]);
  expect(unusual[0]).toContain(`lncli cancelinvoice ${paymentHash}`);
  kept.get(paymentHash)!.state = CANCELED;
  await start('first');
  expect(unusual).toHaveLength(1);
});
