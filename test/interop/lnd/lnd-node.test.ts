/**
 * Beside a real LND: payments of every kind, compared with the records of LND and the recipients, and failures. On the
 * network of lnd-nodes.ts, with Core Lightning nodes as c and d.
 *
 * `KEYSENDS`, `INVOICES` and `OFFERS` in the environment set the numbers of payments, and `AT_ONCE` how many of
 * them are concurrent.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const KEYSENDS = Number(process.env.KEYSENDS ?? 20);
const INVOICES = Number(process.env.INVOICES ?? 10);
const OFFERS = Number(process.env.OFFERS ?? 5);
const AT_ONCE = Number(process.env.AT_ONCE ?? 10);
/** The program of node a, if its version should differ from that of the other nodes. */
const LND_A = process.env.FULGURITE_TEST_LND_A;
const TIME = 3_600_000;

interface Paid {
  readonly payment_hash?: string;
  readonly payment_preimage?: string;
  readonly status?: string;
  readonly amount_msat: number;
  readonly amount_sent_msat: number;
  readonly message?: string;
  readonly code?: number;
}

describeNeeding('lnd', haveBoth, 'beside a real LND', () => {
  let nodes: LndNodes;
  let daemon: Daemon;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  /** Runs `count` payments, `AT_ONCE` at a time. */
  async function many(count: number, pay: (n: number) => Promise<Paid>): Promise<Paid[]> {
    const paid: Paid[] = [];
    let next = 0;
    const caller = async (): Promise<void> => {
      while (next < count) paid.push(await pay(next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    return paid;
  }

  /** By hash: the amount that c received, msat. */
  async function received(): Promise<Map<string, number>> {
    const { invoices } = await nodes.call('c', 'listinvoices');
    const paid = invoices.filter(({ status }: { status: string }) => status === 'paid');
    return new Map(
      paid.map((one: { payment_hash: string; amount_received_msat: number }) => [
        one.payment_hash,
        one.amount_received_msat,
      ]),
    );
  }

  /** By hash: amount and fee that LND paid, msat. */
  async function paidByLnd(): Promise<Map<string, [number, number]>> {
    const { payments } = await nodes.call('a', 'listpayments', '--max_payments=100000');
    return new Map(
      payments.map((one: { payment_hash: string; value_msat: string; fee_msat: string }) => [
        one.payment_hash,
        [Number(one.value_msat), Number(one.fee_msat)],
      ]),
    );
  }

  /** Compares our reports of completed payments with what LND paid and what the recipient received. */
  async function compare(): Promise<number> {
    const { pays } = await ask('listpays');
    const complete: (Paid & { payment_hash: string })[] = pays.filter(
      ({ status }: Paid) => status === 'complete',
    );
    const [there, ofLnd] = [await received(), await paidByLnd()];
    expect(new Map(complete.map((pay) => [pay.payment_hash, pay.amount_msat]))).toEqual(there);
    const ours = complete.map(({ payment_hash, amount_msat, amount_sent_msat }) => [
      payment_hash,
      [amount_msat, amount_sent_msat - amount_msat],
    ]);
    expect(new Map(ours as [string, [number, number]][])).toEqual(ofLnd);
    return complete.length;
  }

  beforeAll(async () => {
    nodes = await LndNodes.start([], LND_A);
    // LND before 0.21 refuses the permissions for onion messages.
    await nodes
      .bake(macaroonPermissions(['onion-messages', 'mission-control']))
      .catch(() => nodes.bake(macaroonPermissions(['mission-control'])));
    const options = ['--network', 'lnd', '--developer', ...nodes.besideA()];
    daemon = await startTestDaemon(options);
    await until(async () => (await ask('listnodes')).nodes.length === 4);
  }, 900_000);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  /**
   * Whether the log shows that invoices are requested over our own connection. The log keeps only its last
   * lines.
   */
  async function saysOwnConnection(): Promise<boolean> {
    const { log } = await ask('getlog', { level: 'info' });
    return JSON.stringify(log).includes('over a connection of our own');
  }

  test('our daemon has LND’s identity, graph and channels, and requests invoices by means of LND if possible', async () => {
    const info = await ask('getinfo');
    expect(info).toMatchObject({
      id: nodes.id('a'),
      alias: 'a',
      network: 'regtest',
      network_kind: 'lnd',
      num_active_channels: 2,
      node_behind: { kind: 'lnd', synced_to_graph: true },
    });
    // From 0.21 on, LND sends the requests, and the answers are recognised.
    const { version } = info.node_behind;
    if (/^0\.(19|20)\./.test(version)) await until(saysOwnConnection);
    else expect(await saysOwnConnection()).toBe(false);
    expect((await ask('listchannels')).channels).toHaveLength(8);
    const { channels } = await ask('listpeerchannels');
    expect(channels).toHaveLength(2);
    const { channels: ofLnd } = await nodes.call('a', 'listchannels');
    for (const { channel_id, to_us_msat } of channels.map(shown)) {
      const row = ofLnd.find(
        (one: { scid?: string; chan_id: string }) => (one.scid ?? one.chan_id) === channel_id,
      );
      expect(to_us_msat).toBe(Number(row.local_balance) * 1000);
    }
  });

  test('keysends arrive to the msat', { timeout: TIME }, async () => {
    const paid = await many(KEYSENDS, (n) =>
      ask('keysend', { destination: nodes.id('c'), amount_msat: 10_000 + n, retry_for: 60 }),
    );
    expect(paid.filter(({ status }) => status !== 'complete')).toEqual([]);
    expect(await compare()).toBe(KEYSENDS);
  });

  test('invoices (BOLT 11) are paid once, in one part and in several', { timeout: TIME }, async () => {
    const before = await compare();
    const paid = await many(INVOICES, async (n) => {
      const label = `invoice-${n}`;
      const { bolt11 } = await nodes.call('c', 'invoice', 20_000 + n, label, label);
      return ask('xpay', { invstring: bolt11, retry_for: 60 });
    });
    expect(paid.filter(({ payment_preimage }) => payment_preimage === undefined)).toEqual([]);
    const { channels } = await ask('listpeerchannels');
    const spendable = Math.max(...channels.map((one: { spendable_msat: number }) => one.spendable_msat));
    const { bolt11 } = await nodes.call('c', 'invoice', spendable + 50_000_000, 'large', 'large');
    const large = await ask('xpay', { invstring: bolt11, retry_for: 60 });
    expect(large).toMatchObject({ amount_msat: spendable + 50_000_000 });
    expect(large.successful_parts).toBeGreaterThan(1);
    expect(await compare()).toBe(before + INVOICES + 1);
    // An invoice that was paid is not paid again.
    const again = await ask('xpay', { invstring: bolt11 });
    expect(again).toMatchObject({ code: 219, data: { payment_preimage: large.payment_preimage } });
    expect(await compare()).toBe(before + INVOICES + 1);
  });

  test('offers (BOLT 12) are fetched and paid', { timeout: TIME }, async () => {
    const before = await compare();
    const { bolt12 } = await nodes.call('c', 'offer', 'any', 'coffee');
    const paid = await many(OFFERS, (n) =>
      ask('xpay', { invstring: bolt12, amount_msat: 30_000 + n, retry_for: 60 }),
    );
    expect(paid.filter(({ payment_preimage }) => payment_preimage === undefined)).toEqual([]);
    expect(await compare()).toBe(before + OFFERS);
    const { version } = (await ask('getinfo')).node_behind;
    if (!/^0\.(19|20)\./.test(version)) expect(await saysOwnConnection()).toBe(false);
  });

  test('an unknown hash is refused by its recipient, with the failure’s name', {
    timeout: TIME,
  }, async () => {
    const before = await compare();
    const { bolt11 } = await nodes.call('c', 'invoice', 40_000, 'gone', 'gone');
    await nodes.call('c', 'delinvoice', 'gone', 'unpaid');
    const refused = await ask('xpay', { invstring: bolt11, retry_for: 20 });
    expect(refused).toMatchObject({ code: 203, message: expect.stringContaining('invoice') });
    expect(await compare()).toBe(before);
  });

  test('a record that LND cannot send is refused before any HTLC leaves', async () => {
    const extratlvs = { '65535': '00' };
    const refused = await ask('keysend', { destination: nodes.id('c'), amount_msat: 10_000, extratlvs });
    expect(refused).toMatchObject({ code: -32602, data: { parameter: 'extratlvs', least: '65536' } });
    // The recipient is b, because c (Core Lightning) refuses keysends with record 696969, also those sent by LND
    // itself with lncli.
    const allowed = { destination: nodes.id('b'), amount_msat: 10_000, extratlvs: { '696969': '0102' } };
    const paid = await ask('keysend', allowed);
    expect(paid).toMatchObject({ status: 'complete' });
  });

  test('mission control is imported, and LND receives the knowledge of a layer', {
    timeout: TIME,
  }, async () => {
    // A payment by LND itself, which only its mission control knows.
    const { bolt11 } = await nodes.call('c', 'invoice', 12_345_000, 'by lncli', 'by lncli');
    await nodes.call('a', 'payinvoice', '--force', '--json', bolt11);
    const taken = await ask('importmissioncontrol');
    expect(taken.pairs).toBeGreaterThan(0);
    expect(taken.constraints).toBeGreaterThan(0);
    const { beliefs } = await ask('listbeliefs', { layer: 'missioncontrol' });
    const largest = beliefs.map((one: { minimum_msat: number }) => one.minimum_msat);
    expect(Math.max(...largest)).toBeGreaterThanOrEqual(12_345_000);
    // What a layer knows about a pair of nodes is exported to LND's mission control.
    const [{ short_channel_id_dir, source, destination }] = beliefs;
    await ask('askrene-create-layer', { layer: 'told' });
    await ask('askrene-inform-channel', {
      ...{ layer: 'told', short_channel_id_dir, amount_msat: 1_234_567_000, inform: 'constrained' },
    });
    expect(await ask('exportmissioncontrol', { layer: 'told' })).toMatchObject({
      ...{ pairs: 1, failed: 1, passed: 0, exported: true },
    });
    const { pairs } = await nodes.call('a', 'querymc');
    const pair = pairs.find(
      (one: { node_from: string; node_to: string }) =>
        one.node_from === source && one.node_to === destination,
    );
    expect(pair.history.fail_amt_msat).toBe('1234567000');
  });

  test('a macaroon that lacks a permission is reported with that permission', { timeout: TIME }, async () => {
    await daemon.stop();
    await nodes.bake(['uri:/lnrpc.Lightning/GetInfo', 'uri:/lnrpc.Lightning/ListPeers']);
    const options = ['--network', 'lnd', ...nodes.besideA()];
    await expect(startTestDaemon(options)).rejects.toThrow('uri:/lnrpc.Lightning/DescribeGraph');
    await nodes.bake();
    daemon = await startTestDaemon(options);
    expect((await ask('getinfo')).num_active_channels).toBe(2);
  });
});

/** A channel's id as LND writes it, and our side of the channel. */
function shown({ short_channel_id, to_us_msat }: { short_channel_id: string; to_us_msat: number }) {
  const [block, transaction, output] = short_channel_id.split('x').map(BigInt);
  return { channel_id: String((block! << 40n) | (transaction! << 16n) | output!), to_us_msat };
}
