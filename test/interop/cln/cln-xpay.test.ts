/**
 * Invoices of real Core Lightning nodes, paid by Fulgurite beside node a and, for comparison, by the node's
 * own `xpay`. On the network
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c ──5,000,000 sat, not announced── d        (we are beside a)
 *
 * Every channel asks for 1,000 msat + 10 ppm. Also: proofs of payment that each program verifies for the
 * other, requests that nodes answer with invoices, and names (BIP 353) that a plugin of the node resolves.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { parseInvoice } from '../../../src/bolt/invoice/bolt12-invoice.ts';
import { invoiceRequestId } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { NodeSocket } from '../../../src/network/cln/node-socket.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, type NodeName, until } from './cln-nodes.ts';

const TIME = 300_000;
const WAIT_MS = 120_000;
const PAYEES = ['b', 'c', 'd'] as const;

/** A plugin that resolves a single name, instead of cln-bip353, which queries the DNS. */
const fakeNames = (offer: string): string => `#!${process.execPath}
let text = '';
process.stdin.on('data', (data) => {
  text += data;
  for (let end = text.indexOf('\\n\\n'); end >= 0; end = text.indexOf('\\n\\n')) {
    const { id, method } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 2);
    const method1 = { name: 'fetchbip353', usage: 'address', description: 'knows one name' };
    const result = {
      getmanifest: { options: [], rpcmethods: [method1], dynamic: true },
      init: {},
      fetchbip353: { proof: '00', instructions: [{ onchain: 'x' }, { offer: '${offer}' }] },
    }[method];
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n\\n');
  }
});
`;

describeNeeding('lightningd', haveNodes, 'invoices beside a real node', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let label = 0;

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function call(path: string, method: string, params: object): Promise<any> {
    const socket = await NodeSocket.open(path, WAIT_MS);
    try {
      const answer = await socket.call(method, params as Record<string, unknown>);
      return Object.fromEntries(answer.entries().map(([key, value]) => [key, JSON.parse(value.raw)]));
    } finally {
      socket.close();
    }
  }
  const ours = (method: string, params: object = {}) => call(daemon.socketPath, method, params);
  const theirs = (method: string, params: object = {}) => nodes.call('a', method, params);
  const oursFails = (params: object): Promise<{ code: number; message: string }> =>
    ours('xpay', params).then(
      () => Promise.reject(new Error('it was paid')),
      (error) => error,
    );

  const invoiceOf = async (name: NodeName, amount_msat: number): Promise<string> => {
    const order = { amount_msat, label: `xpay ${label++}`, description: 'tea' };
    return (await nodes.call(name, 'invoice', order)).bolt11;
  };
  const offerOf = async (name: NodeName): Promise<string> =>
    (await nodes.call(name, 'offer', { amount: 'any', description: `of ${name}` })).bolt12;

  /** The amount that a node reports as received for a preimage. */
  const received = async (name: NodeName, preimage: string): Promise<number | undefined> => {
    const { invoices } = await nodes.call(name, 'listinvoices');
    return invoices.find(
      ({ payment_preimage }: { payment_preimage?: string }) => payment_preimage === preimage,
    )?.amount_received_msat;
  };

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    daemon = await startTestDaemon(['--network', 'cln', '--developer', ...nodes.besideA()]);
    await until(async () => (await ours('listnodes')).nodes.length === 3);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);

  test('BOLT 11 invoices of b, c and the unannounced d cost the same as the node’s own payments', {
    timeout: TIME,
  }, async () => {
    for (const name of PAYEES) {
      const by = async (xpay: typeof ours) => {
        const invstring = await invoiceOf(name, 1_000_000);
        const paid = await xpay('xpay', { invstring, ...(xpay === ours && { dev_use_shadow: false }) });
        expect(await received(name, paid.payment_preimage)).toBe(1_000_000);
        return paid;
      };
      const [we, they] = [await by(ours), await by(theirs)];
      expect([name, we.amount_sent_msat, we.successful_parts]).toEqual([
        name,
        they.amount_sent_msat,
        they.successful_parts,
      ]);
    }
  });

  test('offers and BOLT 12 invoices of the same nodes cost the same, too', { timeout: TIME }, async () => {
    for (const name of PAYEES) {
      const offer = await offerOf(name);
      const [we, they] = [
        await ours('xpay', { invstring: offer, amount_msat: 2_000_000, payer_note: 'ours' }),
        await theirs('xpay', { invstring: offer, amount_msat: 2_000_000, payer_note: 'theirs' }),
      ];
      const { invoice } = await ours('fetchinvoice', { offer, amount_msat: 2_000_000 });
      const plain = await ours('xpay', { invstring: invoice });
      expect([we.amount_sent_msat, plain.amount_sent_msat]).toEqual([
        they.amount_sent_msat,
        they.amount_sent_msat,
      ]);
      for (const { payment_preimage } of [we, they, plain]) {
        expect(await received(name, payment_preimage)).toBe(2_000_000);
      }
    }
  });

  test('a proof made by one program is valid for the other, whichever fields it shows', {
    timeout: TIME,
  }, async () => {
    const offer = await offerOf('c');
    const order = { invstring: offer, amount_msat: 3_000, payer_note: 'hidden or not' };
    const { payment_preimage } = await ours('xpay', order);
    await theirs('xpay', order);
    for (const include of [undefined, [], ['offer_description', 'invreq_payer_note', 164]]) {
      const wish = { invstring: offer, note: 'for the audit', ...(include && { include }) };
      const made = (await ours('createproof', wish)).proofs.at(-1);
      // The node also lists our payments of that offer. It cannot prove them, because the payer's key is
      // ours.
      const theirProof = (await theirs('createproof', wish)).proofs.at(-1);
      const fields = (one: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(one).filter(([key]) => key.endsWith('_included')));
      expect(fields(made)).toEqual(fields(theirProof));
      expect(await ours('checkproof', { proof: theirProof.bolt12 })).toMatchObject({
        valid: true,
        note: 'for the audit',
      });
      const decoded = await theirs('decode', { string: made.bolt12 });
      expect([decoded.type, decoded.valid]).toEqual(['bolt12 payer_proof', true]);
      expect(JSON.stringify(decoded)).toContain(payment_preimage);
    }
  });

  test('a node that answers our invoice request with an invoice is paid', { timeout: TIME }, async () => {
    const { bolt12, invreq_id, warning_not_paid } = await ours('invoicerequest', {
      amount: '4sat',
      description: 'refund',
    });
    expect(warning_not_paid).toBeUndefined();
    const sent = await nodes.call('c', 'sendinvoice', { invreq: bolt12, label: `xpay ${label++}` });
    expect(sent).toMatchObject({ status: 'paid', amount_received_msat: 4_000 });
    // The recipient has the payment before we have the preimage.
    await until(async () => {
      const [{ used, active }] = (await ours('listinvoicerequests', { invreq_id })).invoicerequests;
      return used && !active;
    });
    const again = nodes.call('c', 'sendinvoice', { invreq: bolt12, label: `xpay ${label++}` });
    await expect(again).rejects.toThrow('Remote node sent failure message');
  });

  test('a request that only the node could know is left to the node', { timeout: TIME }, async () => {
    const offer = await offerOf('c');
    const { invoice } = await ours('fetchinvoice', { offer, amount_msat: 5_000 });
    const localinvreqid = toHex(invoiceRequestId(parseInvoice(invoice).bytes));
    const told = { message: expect.stringContaining(`Unknown invoice_request ${localinvreqid}`) };
    expect(await oursFails({ invstring: invoice, localinvreqid })).toMatchObject(told);
    await expect(theirs('xpay', { invstring: invoice, localinvreqid })).rejects.toMatchObject(told);
    // Nothing was sent, so the invoice can still be paid.
    expect(await ours('xpay', { invstring: invoice })).toMatchObject({ amount_msat: 5_000 });
  });

  test('names are paid if a plugin of the node resolves them', { timeout: TIME }, async () => {
    const order = { invstring: '₿tea@shop.example', amount_msat: 6_000 };
    expect(await oursFails(order)).toMatchObject({
      code: -32005,
      message: expect.stringContaining('fetchbip353'),
    });
    const plugin = join(nodes.directory, 'names.mjs');
    writeFileSync(plugin, fakeNames(await offerOf('c')), { mode: 0o755 });
    await theirs('plugin', { subcommand: 'start', plugin });
    const [we, they] = [await ours('xpay', order), await theirs('xpay', order)];
    expect(we.amount_sent_msat).toBe(they.amount_sent_msat);
    expect(await received('c', we.payment_preimage)).toBe(6_000);
    const { proofs } = await ours('createproof', { invstring: 'tea@shop.example' });
    expect(proofs).toHaveLength(1);
  });
});
