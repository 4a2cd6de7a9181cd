/**
 * Receiving payments on the simulated network as an application does: create an invoice, wait for it, list
 * it, delete it. Nodes pay on demand, and the simulation's own balances show what was received.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DaemonHere } from '../daemon-here.ts';
import { DaemonProcess } from '../daemon-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'fulgurite-invoices-'));
const OPTIONS = ['--network', 'simulated', '--graph', 'synthetic:60', '--seed', '7', '--no-http'];
/** Time limit of a test with kills, in milliseconds. Each kill takes two starts of a daemon process. */
const PATIENT = { timeout: 600_000 };
let node: DaemonHere;
let payers: string[];

beforeAll(async () => {
  node = await DaemonHere.start(join(directory, 'node'), OPTIONS);
  const { nodes } = await node.result('listnodes');
  const { channels } = await node.result('listpeerchannels');
  const peers = new Set(channels.map(({ peer_id }: { peer_id: string }) => peer_id));
  const { id } = await node.result('getinfo');
  payers = nodes
    .map(({ nodeid }: { nodeid: string }) => nodeid)
    .filter((one: string) => one !== id && !peers.has(one));
});

afterAll(async () => {
  await node?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function ours(): Promise<bigint> {
  const { channels } = await node.result('listpeerchannels');
  return channels.reduce(
    (sum: bigint, { to_us_msat }: { to_us_msat: number }) => sum + BigInt(to_us_msat),
    0n,
  );
}

/** The first node that can route a payment to us. */
async function payBy(invoice: string, more: object = {}) {
  for (const id of payers) {
    const answer = await node.call('simulatepayer', { invoice, id, ...more });
    if (answer.error === undefined) return answer.result;
    expect(answer.error.code).toBe(205);
  }
  throw new Error('no node can pay');
}

describe('an invoice', () => {
  test('is created, awaited, paid once, listed and deleted, with the members of Core Lightning', async () => {
    const made = await node.result('invoice', ['10000', 'tea', 'a cup']);
    expect(made).toEqual({
      bolt11: expect.stringMatching(/^lnbc100n1/),
      payment_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      payment_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: expect.any(Number),
      created_index: expect.any(Number),
      simulated: true,
    });
    const decoded = await node.result('decode', [made.bolt11]);
    const { id } = await node.result('getinfo');
    expect(decoded).toMatchObject({ payee: id, description: 'a cup', amount_msat: 10_000, valid: true });
    expect(decoded.expiry).toBe(7 * 24 * 3600);
    const unpaid = {
      label: 'tea',
      bolt11: made.bolt11,
      status: 'unpaid',
      amount_msat: 10_000,
      description: 'a cup',
    };
    expect((await node.result('listinvoices', ['tea'])).invoices).toMatchObject([unpaid]);

    const before = await ours();
    const waits = node.result('waitinvoice', ['tea']);
    const any = node.result('waitanyinvoice');
    const paid = await payBy(made.bolt11);
    expect(paid).toMatchObject({ status: 'paid', amount_received_msat: 10_000, pay_index: 1 });
    expect(await ours()).toBe(before + 10_000n);
    const { fee_msat, ...row } = paid;
    expect(fee_msat).toBeGreaterThanOrEqual(0);
    expect(await waits).toEqual(row);
    expect(await any).toEqual(row);
    expect(createHash('sha256').update(Buffer.from(row.payment_preimage, 'hex')).digest('hex')).toBe(
      made.payment_hash,
    );

    const twice = await node.error('simulatepayer', { invoice: 'tea', id: payers[0] });
    expect(twice).toMatchObject({ code: -32602, message: expect.stringContaining('is paid') });
    expect(await ours()).toBe(before + 10_000n);
    expect(await node.error('delinvoice', ['tea', 'unpaid'])).toMatchObject({
      ...{ code: 906, message: 'Invoice status is paid not unpaid' },
      data: { current_status: 'paid', expected_status: 'unpaid' },
    });
    const { description, ...rest } = row;
    expect(description).toBe('a cup');
    expect(await node.result('delinvoice', { label: 'tea', status: 'paid', desconly: true })).toEqual(rest);
    expect((await node.error('delinvoice', { label: 'tea', status: 'paid', desconly: true })).code).toBe(908);
    expect(await node.result('delinvoice', ['tea', 'paid'])).toEqual(rest);
    expect((await node.result('listinvoices')).invoices).toEqual([]);
    expect(await node.error('delinvoice', ['tea', 'paid'])).toMatchObject({
      code: 905,
      message: 'Unknown invoice',
    });
  });

  test('without an amount is paid the amount that the payer chooses', async () => {
    await node.result('invoice', {
      amount_msat: 'any',
      label: 'tip',
      description: '',
      cltv: 40,
      deschashonly: true,
    });
    expect((await node.error('simulatepayer', { invoice: 'tip', id: payers[0] })).message).toContain(
      'amount_msat',
    );
    expect(await payBy('tip', { amount_msat: 4321 })).toMatchObject({ amount_received_msat: 4321 });
  });

  test('accepts a given preimage, but no preimage or label twice', async () => {
    const preimage = 'ab'.repeat(32);
    const params = { amount_msat: 5, label: 'own', description: 'x', preimage };
    const { payment_hash } = await node.result('invoice', params);
    expect(payment_hash).toBe(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex'));
    expect(await node.error('invoice', params)).toMatchObject({
      code: 900,
      message: "Duplicate label 'own'",
    });
    expect(await node.error('invoice', { ...params, label: 'more' })).toMatchObject({
      ...{ code: 901, message: 'preimage already used' },
    });
    expect(await node.result('listinvoices', { payment_hash })).toMatchObject({
      invoices: [{ label: 'own' }],
    });
  });

  test('expires: the wait reports it, and the invoice can no longer be paid', async () => {
    await node.result('invoice', { amount_msat: 5, label: 'short', description: 'x', expiry: 1 });
    const error = await node.error('waitinvoice', ['short']);
    expect(error).toMatchObject({
      code: 903,
      message: 'invoice expired during wait',
      data: { status: 'expired' },
    });
    expect((await node.error('simulatepayer', { invoice: 'short', id: payers[0] })).message).toContain(
      'is expired',
    );
  });

  test('invalid requests are refused with the reason', async () => {
    expect(await node.error('waitinvoice', ['nosuch'])).toMatchObject({
      code: -1,
      message: 'Label not found',
    });
    expect(await node.error('waitanyinvoice', { lastpay_index: 99, timeout: 0 })).toMatchObject({
      ...{ code: 904, message: 'Timed out while waiting for invoice to be paid' },
    });
    for (const [params, parameter] of [
      [{ amount_msat: 0, label: 'a', description: 'x' }, 'amount_msat'],
      [{ amount_msat: 'all', label: 'a', description: 'x' }, 'amount_msat'],
      [{ amount_msat: 1, label: 'x'.repeat(2000), description: 'x' }, 'label'],
      [{ amount_msat: 1, label: 'a', description: 'x'.repeat(640) }, 'description'],
      [
        { amount_msat: 1, label: 'a', description: 'x', expiry: 0 },
        'expiry: should be an integer from 1 to 315360000',
      ],
      [
        { amount_msat: 1, label: 'a', description: 'x', cltv: 2017 },
        'cltv: should be an integer from 1 to 2016',
      ],
      [{ amount_msat: 1, label: 'a', description: 'x', preimage: 'ab' }, 'preimage'],
      [{ amount_msat: 1, label: 'a', description: 'x', fallbacks: ['bc1q'] }, 'fallbacks'],
      [{ amount_msat: 1, label: 'a' }, 'description'],
    ] as const) {
      const error = await node.error('invoice', params);
      expect(error).toMatchObject({ code: -32602 });
      expect(error.message, parameter).toContain(parameter);
    }
    await node.result('invoice', [1000, 'range', 'x']);
    for (const more of [{ amount_msat: 999 }, { amount_msat: 2001 }]) {
      expect((await node.error('simulatepayer', { invoice: 'range', id: payers[0], ...more })).code).toBe(
        -32602,
      );
    }
    expect((await node.error('simulatepayer', { invoice: 'nosuch', id: payers[0] })).code).toBe(-32602);
    expect((await node.error('simulatepayer', { invoice: 'range', id: `02${'11'.repeat(32)}` })).code).toBe(
      -32602,
    );
    await node.result('invoice', ['100000btc', 'much', 'x']);
    expect((await node.error('simulatepayer', { invoice: 'much', id: payers[0] })).code).toBe(205);
  });
});

test('a network without payments creates no invoices', async () => {
  const none = await DaemonHere.start(join(directory, 'none'), [
    '--network',
    'none',
    '--graph',
    'synthetic:20',
  ]);
  for (const [method, params] of [
    ['invoice', [1, 'a', 'x']],
    ['waitinvoice', ['a']],
    ['waitanyinvoice', []],
    ['delinvoice', ['a', 'paid']],
    ['simulatepayer', ['a', payers[0]]],
  ] as const) {
    expect((await none.error(method, params)).code).toBe(-32005);
  }
  await none.stop();
});

test('deleting an invoice ends the wait for it', async () => {
  await node.result('invoice', [1, 'gone', 'x']);
  const wait = node.error('waitinvoice', ['gone']);
  await node.result('delinvoice', ['gone', 'unpaid']);
  expect(await wait).toMatchObject({ code: -1, message: 'Label not found' });
});

test(
  'after a kill at any time, the node has either both the money and a paid invoice, or neither',
  PATIENT,
  async () => {
    const kills = Number(process.env.INVOICE_KILLS ?? 3);
    const home = join(directory, 'killed');
    let daemon = await DaemonProcess.start(home, OPTIONS);
    const balance = async (): Promise<bigint> => {
      const { channels } = await daemon.result('listpeerchannels');
      return channels.reduce(
        (sum: bigint, { to_us_msat }: { to_us_msat: number }) => sum + BigInt(to_us_msat),
        0n,
      );
    };
    const start = await balance();
    let [lastIndex, waited] = [0, 0n];
    for (let kill = 0; kill < kills; kill++) {
      const calls: Promise<unknown>[] = [];
      for (let at = 0; at < 8; at++) {
        const label = `${kill}-${at}`;
        await daemon.result('invoice', {
          amount_msat: at % 2 === 0 ? 'any' : 1000,
          label,
          description: label,
        });
        const id = payers[(kill * 8 + at) % payers.length];
        const more = at % 2 === 0 ? { amount_msat: 500 } : {};
        calls.push(daemon.call('simulatepayer', { invoice: label, id, ...more }).catch(() => undefined));
      }
      await Promise.race([
        Promise.all(calls.slice(0, (kill % 8) + 1)),
        new Promise((done) => setTimeout(done, 2000)),
      ]);
      await daemon.stop('SIGKILL');
      daemon = await DaemonProcess.start(home, OPTIONS);
      const { invoices } = await daemon.result('listinvoices');
      const paid = invoices.filter(({ status }: { status: string }) => status === 'paid');
      const came = paid.reduce(
        (sum: bigint, one: { amount_received_msat: number }) => sum + BigInt(one.amount_received_msat),
        0n,
      );
      expect(await balance()).toBe(start + came);
      // waitanyinvoice returns each paid invoice once, even across kills.
      for (;;) {
        const next = await daemon.call('waitanyinvoice', { lastpay_index: lastIndex, timeout: 0 });
        if (next.error !== undefined) break;
        expect(next.result.pay_index).toBeGreaterThan(lastIndex);
        lastIndex = next.result.pay_index;
        waited += BigInt(next.result.amount_received_msat);
      }
      expect(waited).toBe(came);
    }
    await daemon.stop();
  },
);
