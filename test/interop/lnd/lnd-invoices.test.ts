/**
 * Receiving beside a real LND: invoices that LND creates for us and a real Core Lightning node pays, while we
 * are running and while we are not. On the network of lnd-nodes.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const TIME = 300_000;
const RECEIVING = [
  'uri:/lnrpc.Lightning/AddInvoice',
  'uri:/lnrpc.Lightning/LookupInvoice',
  'uri:/lnrpc.Lightning/SubscribeInvoices',
  'uri:/invoicesrpc.Invoices/CancelInvoice',
];

describeNeeding('lnd', haveBoth, 'receiving beside a real LND', () => {
  let nodes: LndNodes;
  let daemon: Daemon;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  const start = async (): Promise<void> => {
    const options = ['--network', 'lnd', ...nodes.besideA()];
    daemon = await startTestDaemon(options);
  };

  /** Pays from c, as soon as c has a route. */
  async function payFromC(bolt11: string, ...amount: string[]): Promise<void> {
    await until(async () => {
      const paid = await nodes.call('c', 'pay', bolt11, ...amount).catch(() => undefined);
      return paid?.status === 'complete';
    });
  }

  beforeAll(async () => {
    nodes = await LndNodes.start([]);
    await nodes.bake([...macaroonPermissions(), ...RECEIVING], 'a');
    await start();
    await until(async () => (await ask('listnodes')).nodes.length === 4);
  }, 900_000);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  test('an invoice is created by LND, paid by a different node, and shown as Core Lightning shows its own', {
    timeout: TIME,
  }, async () => {
    const made = await ask('invoice', {
      amount_msat: '20001msat',
      label: 'tea',
      description: 'a cup',
      expiry: 3600,
    });
    expect(made).toMatchObject({ bolt11: expect.stringMatching(/^lnbcrt/), created_index: 1 });
    const ofC = await nodes.call('c', 'decode', made.bolt11);
    expect(ofC).toMatchObject({
      payee: nodes.id('a'),
      amount_msat: 20_001,
      description: 'a cup',
      expiry: 3600,
    });
    expect(ofC).toMatchObject({ payment_hash: made.payment_hash, payment_secret: made.payment_secret });
    expect(await ask('invoice', { amount_msat: 1, label: 'tea', description: 'x' })).toMatchObject({
      code: 900,
    });
    const wait = ask('waitinvoice', { label: 'tea' });
    await payFromC(made.bolt11);
    const paid = await wait;
    expect(paid).toMatchObject({ status: 'paid', amount_received_msat: 20_001, pay_index: 1, label: 'tea' });
    const { pays } = await nodes.call('c', 'listpays', made.bolt11);
    expect(pays[0].preimage).toBe(paid.payment_preimage);
    expect(await ask('waitanyinvoice', { timeout: 0 })).toEqual(paid);
    const { invoices } = await nodes.call('a', 'listinvoices');
    expect(invoices[0]).toMatchObject({ state: 'SETTLED', amt_paid_msat: '20001', settle_index: '1' });
  });

  test('invoices paid while we were away are recorded, in order', { timeout: TIME }, async () => {
    const any = await ask('invoice', { amount_msat: 'any', label: 'tip', description: 'tip' });
    const fixed = await ask('invoice', {
      amount_msat: 5000,
      label: 'away',
      description: 'away',
      deschashonly: true,
    });
    await daemon.stop();
    await payFromC(fixed.bolt11);
    await payFromC(any.bolt11, '7777');
    await start();
    const second = await ask('waitanyinvoice', { lastpay_index: 1, timeout: 60 });
    expect(second).toMatchObject({ label: 'away', pay_index: 2, amount_received_msat: 5000 });
    const third = await ask('waitanyinvoice', { lastpay_index: 2, timeout: 60 });
    expect(third).toMatchObject({ label: 'tip', pay_index: 3, amount_received_msat: 7777 });
  });

  test('a preimage is used once, and a deleted invoice is cancelled at LND', { timeout: TIME }, async () => {
    const preimage = '5a'.repeat(32);
    const made = await ask('invoice', { amount_msat: 1000, label: 'own', description: 'x', preimage });
    expect(await ask('delinvoice', { label: 'own', status: 'unpaid' })).toMatchObject({ status: 'unpaid' });
    // LND keeps the invoice as cancelled.
    expect(
      await ask('invoice', { amount_msat: 1000, label: 'more', description: 'x', preimage }),
    ).toMatchObject({
      ...{ code: 901, message: 'preimage already used' },
    });
    const { invoices } = await nodes.call('a', 'listinvoices');
    expect(invoices.at(-1)).toMatchObject({ payment_request: made.bolt11, state: 'CANCELED' });
    expect((await ask('listinvoices')).invoices).toHaveLength(3);
  });
});
