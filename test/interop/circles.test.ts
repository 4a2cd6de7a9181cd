/**
 * Circles and quotes on real nodes, an LND and a Core Lightning node, each with two channels of a ring of
 * four: an amount moves from one channel to the other, and the node's own balances fall only by the fee. A
 * quoted invoice of a different node is paid once, within its quote. Totals that include their fees, and the
 * amount "all", are paid exactly to the msat.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { macaroonPermissions } from '../../src/network/lnd/index.ts';
import { DaemonProcess } from '../commands/daemon-process.ts';
import { describeNeeding } from '../needs.ts';
import { haveBoth, type LndNodeName, LndNodes, until } from './lnd/lnd-nodes.ts';

interface OwnRow {
  readonly short_channel_id: string;
  readonly spendable_msat: number;
  readonly receivable_msat: number;
  readonly to_us_msat: number;
}

describeNeeding('lnd', haveBoth, 'circles of real nodes', () => {
  let nodes: LndNodes;

  beforeAll(async () => {
    nodes = await LndNodes.start();
    await nodes.bake([...macaroonPermissions(), 'uri:/lnrpc.Lightning/AddInvoice'], 'a');
  }, 300_000);
  afterAll(() => nodes?.stop(), 120_000);

  /** The funds in channels that the node itself reports, in msat. */
  async function ownBalance(name: LndNodeName): Promise<number> {
    if (nodes.kind(name) === 'cln') {
      const { channels } = await nodes.call(name, 'listpeerchannels');
      return channels.reduce((sum: number, { to_us_msat }: OwnRow) => sum + to_us_msat, 0);
    }
    const { local_balance } = await nodes.call(name, 'channelbalance');
    return Number(local_balance.msat);
  }

  test.each(['a', 'd'] as const)(
    'node %s moves money from one of its channels to the other',
    async (name) => {
      const options = ['--node', nodes.asOurs(name), '--chain', 'regtest', '--workers', '1'];
      const daemon = await DaemonProcess.start(`${nodes.directory}/circle-${name}`, options);
      try {
        await until(async () => (await daemon.result('listchannels')).channels.length === 8);
        const rows = async (): Promise<OwnRow[]> => (await daemon.result('listpeerchannels')).channels;
        const before = [...(await rows())].sort((x, y) => y.spendable_msat - x.spendable_msat);
        expect(before).toHaveLength(2);
        const [full, empty] = before as [OwnRow, OwnRow];
        const percent = (row: OwnRow, more: number): number =>
          (100 * (row.spendable_msat + more)) / (row.spendable_msat + row.receivable_msat);
        const wanted = 50_000_000;
        const targets = [
          { short_channel_id: full.short_channel_id, percent: percent(full, -wanted) },
          { short_channel_id: empty.short_channel_id, percent: percent(empty, wanted) },
        ];
        const limits = { maxfee: '1000sat', maxfee_ppm: 10_000, least_msat: '1000sat', targets };
        const plan = await daemon.result('planrebalance', limits);
        expect(plan.amount_msat).toBeGreaterThan(wanted * 0.98);
        const balance = await ownBalance(name);
        const done = await daemon.result('rebalance', limits);
        expect(done.parts.map(({ status }: { status: string }) => status)).toEqual(['complete']);
        expect(done).toMatchObject({ amount_msat: plan.amount_msat, fee_msat: plan.fee_msat });
        await until(async () => balance - (await ownBalance(name)) === done.fee_msat);
        const channelOf = async (id: string): Promise<OwnRow> =>
          (await rows()).find(({ short_channel_id }) => short_channel_id === id)!;
        // LND reports channel balances in whole satoshis.
        await until(async () => {
          const gained = (await channelOf(empty.short_channel_id)).to_us_msat - empty.to_us_msat;
          return Math.abs(gained - done.amount_msat) < 1000;
        });
        const circle = await daemon.result('getroutes', {
          ...{ source: nodes.id(name), destination: nodes.id(name), amount_msat: 1_000_000, final_cltv: 18 },
          ...{ layers: ['auto.localchans', 'auto.sourcefree', 'auto.allow_circular'], maxfee_msat: 100_000 },
        });
        expect(circle.routes[0].path.length).toBeGreaterThanOrEqual(3);
      } finally {
        await daemon.stop();
      }
    },
    300_000,
  );

  test.each(['a', 'd'] as const)(
    'node %s pays an invoice of c once, within its quote',
    async (name) => {
      const options = ['--node', nodes.asOurs(name), '--chain', 'regtest', '--workers', '1'];
      const daemon = await DaemonProcess.start(`${nodes.directory}/quote-${name}`, options);
      try {
        await until(async () => (await daemon.result('listchannels')).channels.length === 8);
        const { bolt11 } = await nodes.call('c', 'invoice', 3_000_000, `quoted-${name}`, 'quoted');
        const quote = await daemon.result('quote', { invstring: bolt11, hold: true });
        expect(quote.held_msat).toBeGreaterThanOrEqual(3_000_000);
        const paid = await daemon.result('xpay', { quote: quote.quote_id });
        expect(paid.amount_sent_msat - 3_000_000).toBeLessThanOrEqual(quote.maxfee_msat);
        expect((await daemon.error('xpay', { quote: quote.quote_id })).data.reason).toBe('used');
        const { invoices } = await nodes.call('c', 'listinvoices', `quoted-${name}`);
        expect(invoices[0].status).toBe('paid');
        // The reservation of the payment itself ends with the node's next report.
        const { reservations } = await daemon.result('askrene-listreservations');
        const owners = reservations.map(({ command_id }: { command_id: string }) => command_id);
        expect(owners.filter((owner: string) => owner.startsWith('quote'))).toEqual([]);
      } finally {
        await daemon.stop();
      }
    },
    120_000,
  );

  /** Our daemon beside one of the nodes, once it knows the whole ring. */
  async function beside(name: LndNodeName, purpose: string): Promise<DaemonProcess> {
    const options = ['--node', nodes.asOurs(name), '--chain', 'regtest', '--workers', '1'];
    const daemon = await DaemonProcess.start(`${nodes.directory}/${purpose}-${name}`, options);
    await until(async () => (await daemon.result('listchannels')).channels.length === 8);
    return daemon;
  }

  test('the earnings of a channel equal the fees of Core Lightning’s forwards', async () => {
    const payer = await beside('a', 'payer');
    try {
      for (let n = 1; n <= 3; n++) {
        const { bolt11 } = await nodes.call(
          'c',
          'invoice',
          1_000_000 * n,
          `earned-${n} ${Date.now()}`,
          'over d',
        );
        await payer.result('pay', { bolt11, exclude: [nodes.id('b')] });
      }
    } finally {
      await payer.stop();
    }
    const { forwards } = await nodes.call('d', 'listforwards', 'settled');
    const earned = new Map<string, number>();
    for (const { out_channel, fee_msat } of forwards) {
      earned.set(out_channel, (earned.get(out_channel) ?? 0) + fee_msat);
    }
    expect(earned.size).toBeGreaterThan(0);
    const daemon = await beside('d', 'earned');
    try {
      const asked = { earned_days: 1, maxfee: '1000sat', maxfee_ppm: 10_000 };
      const { channels } = await daemon.result('planrebalance', asked);
      expect(channels).toHaveLength(2);
      for (const { short_channel_id, earned_msat } of channels) {
        expect([short_channel_id, earned_msat]).toEqual([
          short_channel_id,
          earned.get(short_channel_id) ?? 0,
        ]);
      }
      say(`d earned ${JSON.stringify([...earned])}`);
    } finally {
      await daemon.stop();
    }
  }, 300_000);

  // The neighbour of each node: the whole amount goes to it over their common channel, whose balance is
  // known.
  test.each([
    { name: 'a', byKeysend: 'd', byInvoice: 'b' },
    { name: 'd', byKeysend: 'c', byInvoice: 'a' },
  ] as const)(
    'node $name quotes a total and its whole balance, and pays with the quote exactly to the msat',
    async ({ name, byKeysend, byInvoice }) => {
      const daemon = await beside(name, 'total');
      const pay = async (terms: object, method: 'xpay' | 'xkeysend', payee: LndNodeName) => {
        const [mine, theirs] = [await ownBalance(name), await ownBalance(payee)];
        const quote = await daemon.result('quote', terms);
        const paid = await daemon.result(method, { quote: quote.quote_id });
        expect(paid.amount_msat).toBe(quote.amount_msat);
        expect(paid.amount_sent_msat).toBeLessThanOrEqual(quote.amount_msat + quote.maxfee_msat);
        await until(async () => mine - (await ownBalance(name)) === paid.amount_sent_msat);
        await until(async () => (await ownBalance(payee)) - theirs === paid.amount_msat);
        return { quote, paid };
      };
      const everythingTo = async (payee: LndNodeName, invstring: string, other: LndNodeName) => {
        await daemon.result('askrene-create-layer', { layer: `not-${other}` });
        await daemon.result('askrene-disable-node', { layer: `not-${other}`, node: nodes.id(other) });
        const { channels } = await daemon.result('listpeerchannels');
        const rows = channels as (OwnRow & { readonly peer_id: string })[];
        const { spendable_msat } = rows.find(({ peer_id }) => peer_id === nodes.id(payee))!;
        const terms = { invstring, amount_msat: 'all', layers: [`not-${other}`] };
        const method = invstring === nodes.id(payee) ? 'xkeysend' : 'xpay';
        const { quote, paid } = await pay(terms, method, payee);
        expect(quote.parts).toBe(1);
        expect(quote.amount_msat).toBeLessThanOrEqual(spendable_msat);
        expect(quote.amount_msat).toBeGreaterThan(spendable_msat * 0.999);
        say(`${name}, all of ${spendable_msat} to ${payee} by ${method}: ${paid.amount_msat} arrived`);
      };
      try {
        const { bolt11 } = await nodes.call(
          'c',
          'invoice',
          'any',
          `total ${name} ${Date.now()}`,
          'what fits',
        );
        const total = 2_000_000;
        const terms = { invstring: bolt11, amount_msat: total, include_fee: true };
        const { quote, paid } = await pay(terms, 'xpay', 'c');
        expect(quote.amount_msat + quote.maxfee_msat).toBeLessThanOrEqual(total);
        expect(paid.amount_msat).toBeGreaterThan(total * 0.97);
        say(`${name}, of ${total} in all: c got ${paid.amount_msat} for ${paid.amount_sent_msat}`);
        await everythingTo(byKeysend, nodes.id(byKeysend), byInvoice);
        const { payment_request } = await nodes.call(byInvoice, 'addinvoice');
        await everythingTo(byInvoice, payment_request, byKeysend);
      } finally {
        await daemon.stop();
      }
    },
    300_000,
  );
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
