/**
 * A real LND whose operator also pays with `lncli`, and whose client programs believe that they talk to Core
 * Lightning. On the network of lnd-nodes.ts, with Core Lightning nodes as c and d.
 *
 * In the environment, `COMPARED` sets the number of keysends and of payments in one part that each of them makes
 * for comparison, `IN_PARTS` the number in several parts, and `CROSSING` how many concurrent payments each makes.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { lightningCli } from '../cln/cln-nodes.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const COMPARED = Number(process.env.COMPARED ?? 4);
const IN_PARTS = Number(process.env.IN_PARTS ?? 2);
/** The program of node a, if its version should differ from that of the other nodes. */
const LND_A = process.env.FULGURITE_TEST_LND_A;
/** Total of the compared payments, in sat, after which c pays the amount back. */
const MAX_OWED_SAT = 600_000;
const CROSSING = Number(process.env.CROSSING ?? 10);
const START = 900_000;
const TIME = 3_600_000;

interface LndPayment {
  readonly payment_hash: string;
  readonly status: string;
  readonly value_msat: string;
  readonly fee_msat: string;
  readonly creation_time_ns: string;
  readonly htlcs: readonly { readonly status: string; readonly resolve_time_ns: string }[];
}

/** LND's row of a payment. */
interface Figures {
  readonly feeMsat: number;
  readonly parts: number;
  readonly attempts: number;
  readonly ms: number;
}

describeNeeding('lnd', haveBoth, 'an LND that is also used by others', () => {
  let nodes: LndNodes;
  let daemon: Daemon;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  /** Runs Core Lightning's own client with our socket instead of the node's. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function lightningCliAt(...args: string[]): Promise<any> {
    const { stdout } = await promisify(execFile)(lightningCli(), [
      ...[`--rpc-file=${daemon.socketPath}`, '--network=regtest'],
      ...args,
    ]);
    // Lines with # are progress reports of the node.
    return JSON.parse(stdout.replace(/^#.*\n/gm, ''));
  }

  const invoice = async (amountMsat: number, label: string): Promise<string> =>
    (await nodes.call('c', 'invoice', amountMsat, label, label)).bolt11;

  /** By hash: the amount that c received, msat. */
  async function received(): Promise<Map<string, number>> {
    const { invoices } = await nodes.call('c', 'listinvoices');
    return new Map(
      invoices
        .filter(({ status }: { status: string }) => status === 'paid')
        .map((one: { payment_hash: string; amount_received_msat: number }) => [
          one.payment_hash,
          one.amount_received_msat,
        ]),
    );
  }

  /** The last payment rows of LND, or all of them. */
  async function ofLnd(most = 100_000): Promise<readonly LndPayment[]> {
    return (await nodes.call('a', 'listpayments', `--max_payments=${most}`, '--include_incomplete')).payments;
  }

  /**
   * LND's row of the payment that is not among the known ones, once it has ended. Our commands return when the first
   * part has arrived, and then the row may still be IN_FLIGHT.
   */
  async function endedRow(known: ReadonlySet<string>): Promise<LndPayment> {
    let row: LndPayment | undefined;
    await until(async () => {
      row = (await ofLnd(5)).find((one) => !known.has(one.payment_hash));
      return row !== undefined && row.status !== 'IN_FLIGHT';
    });
    return row!;
  }

  const byLncli = (bolt11: string): Promise<unknown> =>
    nodes.call('a', 'payinvoice', '--force', '--json', bolt11);

  beforeAll(async () => {
    nodes = await LndNodes.start([], LND_A);
    // LND before 0.21 refuses the permissions for onion messages.
    await nodes
      .bake(macaroonPermissions(['onion-messages', 'mission-control']))
      .catch(() => nodes.bake(macaroonPermissions(['mission-control'])));
    const options = ['--network', 'lnd', ...nodes.besideA()];
    daemon = await startTestDaemon(options);
    await until(async () => (await ask('listnodes')).nodes.length === 4);
  }, START);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  test('`lightning-cli` pays through LND without knowing it', { timeout: TIME }, async () => {
    expect(await lightningCliAt('getinfo')).toMatchObject({ id: nodes.id('a'), network: 'regtest' });
    const [one, other] = [await invoice(11_001, 'pay'), await invoice(12_002, 'xpay')];
    const decoded = await lightningCliAt('decode', one);
    expect(decoded).toMatchObject({ type: 'bolt11 invoice', valid: true, amount_msat: 11_001 });
    const paid = await lightningCliAt('pay', one);
    expect(paid).toMatchObject({ status: 'complete', amount_msat: 11_001, destination: nodes.id('c') });
    const xpaid = await lightningCliAt('xpay', other);
    expect(xpaid).toMatchObject({ amount_msat: 12_002, successful_parts: 1, failed_parts: 0 });
    const sent = await lightningCliAt('keysend', nodes.id('c'), '13003');
    expect(sent).toMatchObject({ status: 'complete' });
    // As in Core Lightning, `keysend` delivers a little more, so that the last node looks like a forwarding
    // node.
    expect(sent.amount_msat).toBeGreaterThanOrEqual(13_003);
    const { bolt12 } = await nodes.call('c', 'offer', 'any', 'tea');
    const { invoice: fetched } = await lightningCliAt(
      '-k',
      'fetchinvoice',
      `offer=${bolt12}`,
      'amount_msat=14004',
    );
    await lightningCliAt('xpay', fetched);
    for (const [invstring, { payment_hash }, preimage] of [
      [one, decoded, paid.payment_preimage],
      [other, await lightningCliAt('decode', other), xpaid.payment_preimage],
    ]) {
      const { pays } = await lightningCliAt('listpays', invstring);
      expect(pays).toMatchObject([{ bolt11: invstring, payment_hash, preimage, status: 'complete' }]);
      const { payments } = await lightningCliAt('listsendpays', invstring);
      expect(payments.every(({ status }: { status: string }) => status === 'complete')).toBe(true);
    }
    const theirs = await received();
    expect([...theirs.values()].sort()).toEqual([11_001, 12_002, sent.amount_msat, 14_004].sort());
    const { pays } = await lightningCliAt('listpays');
    expect(new Set(pays.map((pay: { payment_hash: string }) => pay.payment_hash))).toEqual(
      new Set(theirs.keys()),
    );
    // `offer` is refused, because an LND node could not receive payments of the resulting invoices.
    await expect(lightningCliAt('offer', 'any', 'tea')).rejects.toMatchObject({
      stdout: expect.stringContaining('-32005'),
    });
  });

  test('`lightning-cli` sends along a route that it chooses itself', { timeout: TIME }, async () => {
    const amountMsat = 15_005;
    const bolt11 = await invoice(amountMsat, 'sendpay');
    const { payment_hash, payment_secret } = await lightningCliAt('decode', bolt11);
    const { route } = await lightningCliAt('getroute', nodes.id('c'), `${amountMsat}`, '1');
    const params = [`route=${JSON.stringify(route)}`, `payment_hash=${payment_hash}`];
    const sent = await lightningCliAt('-k', 'sendpay', ...params, `payment_secret=${payment_secret}`);
    expect(sent).toMatchObject({ payment_hash, amount_msat: amountMsat });
    const paid = await lightningCliAt('waitsendpay', payment_hash);
    expect(paid).toMatchObject({ status: 'complete', amount_msat: amountMsat, payment_hash });
    expect((await received()).get(payment_hash)).toBe(amountMsat);
    expect((await ofLnd(1))[0]).toMatchObject({
      ...{ payment_hash, status: 'SUCCEEDED', value_msat: String(amountMsat) },
      fee_msat: String(paid.amount_sent_msat - amountMsat),
    });
  });

  test('payments by lncli and by us cross on the same channels', { timeout: TIME }, async () => {
    const [before, lndBefore] = [await received(), (await ofLnd()).length];
    const ourSide = await spendable();
    const ours: number[] = [];
    const theirs: number[] = [];
    await Promise.all(
      Array.from({ length: CROSSING }, async (_, n) => {
        const mine = 2_000_000 + n;
        const bolt11 = await invoice(2_500_000 + n, `crossing ${n}`);
        const [paid] = await Promise.all([
          ask('xkeysend', { destination: nodes.id('c'), amount_msat: mine, retry_for: 120 }),
          byLncli(bolt11),
        ]);
        expect(paid.amount_msat).toBeGreaterThanOrEqual(mine);
        ours.push(paid.amount_sent_msat);
        theirs.push(2_500_000 + n);
      }),
    );
    const arrived = [...(await received())].filter(([hash]) => !before.has(hash));
    expect(arrived).toHaveLength(2 * CROSSING);
    const rows = (await ofLnd()).slice(lndBefore);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'SUCCEEDED'));
    expect(new Map(rows.map((row) => [row.payment_hash, Number(row.value_msat)]))).toEqual(new Map(arrived));
    // Our books contain only our payments, but the channel balances fell by both.
    const { pays } = await ask('listpays');
    const known = new Set(pays.map((pay: { payment_hash: string }) => pay.payment_hash));
    expect(rows.filter(({ payment_hash }) => known.has(payment_hash))).toHaveLength(CROSSING);
    expect(await ask('reconcile')).toMatchObject({ unexplained_msat: 0 });
    const spent = rows.reduce((sum, row) => sum + Number(row.value_msat) + Number(row.fee_msat), 0);
    expect(sumOf(ours) + sumOf(theirs)).toBeLessThanOrEqual(spent);
    // LND reports the balance of each of the two channels in whole satoshi, rounded down.
    await until(async () => Math.abs(ourSide - (await spendable()) - spent) <= 4_000);
  });

  test.each<[string, number, (n: number) => number]>([
    ['keysend', COMPARED, (n) => 10 + n],
    ['one part', COMPARED, (n) => 20_000 + n],
    // No single channel has this much. Each payment is paid back.
    ['several parts', IN_PARTS, (n) => 2_200_000 + n],
  ])('both pay the same, and LND reports what each of them paid: %s', { timeout: TIME }, async (...of) => {
    const [kind, count, satOf] = of;
    const figures = { ours: [] as Figures[], lncli: [] as Figures[] };
    let owedSat = 0;
    for (let n = 0; n < count; n++) {
      for (const who of n % 2 === 0 ? (['ours', 'lncli'] as const) : (['lncli', 'ours'] as const)) {
        const known = new Set((await ofLnd(5)).map((row) => row.payment_hash));
        const paidMsat = await (who === 'ours' ? payOurs : payByLncli)(kind, n, satOf(n));
        const row = await endedRow(known);
        expect(row).toMatchObject({ status: 'SUCCEEDED', value_msat: String(paidMsat) });
        figures[who].push(figuresOf(row));
        if (kind === 'several parts') await payBack(satOf(n));
        else owedSat += satOf(n);
      }
      // The amount is paid back before the cheaper of the two paths is empty.
      if (owedSat < MAX_OWED_SAT) continue;
      await payBack(owedSat);
      owedSat = 0;
    }
    if (owedSat > 0) await payBack(owedSat);
    for (const who of ['ours', 'lncli'] as const) say(`${kind}, ${who}: ${told(figures[who])}`);
    const inOnePart = (who: 'ours' | 'lncli'): number =>
      figures[who].filter(({ parts, attempts }) => parts === 1 && attempts === 1).length;
    if (kind === 'several parts') expect([inOnePart('ours'), inOnePart('lncli')]).toEqual([0, 0]);
    // If both paths are half empty, a payment may need both.
    else expect(inOnePart('ours')).toBeGreaterThanOrEqual(0.98 * count);
  });

  test('a discount of b for HTLCs from a is used as LND uses it', { timeout: TIME }, async () => {
    const sat = 20_000;
    const channel = (await nodes.call('a', 'listchannels')).channels.find(
      (one: { remote_pubkey: string }) => one.remote_pubkey === nodes.id('b'),
    );
    const feeOf = async (pay: (bolt11: string) => Promise<unknown>, label: string): Promise<number> => {
      const known = new Set((await ofLnd()).map((row) => row.payment_hash));
      await pay(await invoice(1000 * sat, label));
      return figuresOf((await ofLnd()).find((one) => !known.has(one.payment_hash))!).feeMsat;
    };
    const byUs = (bolt11: string): Promise<unknown> => ask('pay', { bolt11, exclude: [nodes.id('d')] });
    const overB = ['--force', '--json', '--outgoing_chan_id', channel.scid ?? channel.chan_id];
    const byLnd = (bolt11: string): Promise<unknown> => nodes.call('a', 'payinvoice', ...overB, bolt11);
    expect(await feeOf(byUs, 'no discount')).toBe(1_020);
    const terms = ['--base_fee_msat=1000', '--fee_rate_ppm=1', '--time_lock_delta=80'];
    const inbound = ['--inbound_base_fee_msat=-500', '--inbound_fee_rate_ppm=-20'];
    await nodes.call('b', 'updatechanpolicy', ...terms, ...inbound, `--chan_point=${channel.channel_point}`);
    await until(async () => {
      const { node1_policy, node2_policy } = await nodes.call(
        'a',
        'getchaninfo',
        channel.scid ?? channel.chan_id,
      );
      return [node1_policy, node2_policy].some((one) => one.inbound_fee_base_msat === -500);
    });
    await until(async () => (await feeOf(byUs, `discount ${Date.now()}`)) !== 1_020);
    const [ours, theirs] = [await feeOf(byUs, 'ours'), await feeOf(byLnd, 'lncli')];
    // 1,020 for the outgoing amount of b, minus 500 and 20 ppm of 20,001,020.
    expect([ours, theirs]).toEqual([120, 120]);
  });

  test('the maximum planned delay passes LND’s own channel', { timeout: TIME }, async () => {
    const invoiceOf = async (cltv: number): Promise<string> => {
      const [label, words] = [`label=delay ${cltv}`, 'description=long'];
      return (await nodes.call('c', '-k', 'invoice', 'amount_msat=5000', label, words, `cltv=${cltv}`))
        .bolt11;
    };
    // The delay of d is 6 blocks, and the HTLC expires one block after its delay: 2016 blocks in total, which
    // is LND's limit.
    expect(await ask('xpay', { invstring: await invoiceOf(2009) })).toMatchObject({ amount_msat: 5_000 });
    const before = (await ofLnd()).length;
    expect(await ask('xpay', { invstring: await invoiceOf(2010) })).toMatchObject({
      data: { binding: { kind: 'delay_cap' } },
    });
    expect(await ofLnd()).toHaveLength(before);
  });

  /** @returns the delivered amount in msat; a keysend delivers a little more than requested */
  async function payOurs(kind: string, n: number, sat: number): Promise<number> {
    const amount_msat = sat * 1000;
    const paid = await (kind === 'keysend'
      ? ask('xkeysend', { destination: nodes.id('c'), amount_msat })
      : ask('xpay', { invstring: await invoice(amount_msat, `${kind} ${n} ours`) }));
    expect(paid).toMatchObject({ payment_preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(paid.amount_msat).toBeGreaterThanOrEqual(amount_msat);
    return paid.amount_msat;
  }

  async function payByLncli(kind: string, n: number, sat: number): Promise<number> {
    const [dest, amt] = [nodes.id('c'), sat];
    await (kind === 'keysend'
      ? nodes.call('a', 'sendpayment', '--force', '--keysend', '--json', '--dest', dest, '--amt', amt)
      : byLncli(await invoice(sat * 1000, `${kind} ${n} lncli`)));
    return sat * 1000;
  }

  /**
   * c returns what it received, so that the next payment starts with the same balances. LND does not see that
   * b and d have the amount again, so its mission control is reset. Our lessons are kept.
   */
  async function payBack(sat: number): Promise<void> {
    const { payment_request, r_hash } = await nodes.call('a', 'addinvoice', '--amt', sat);
    const before = await spendable();
    await nodes.call('c', 'pay', payment_request);
    await until(async () => (await nodes.call('a', 'lookupinvoice', r_hash)).state === 'SETTLED');
    for (const name of ['a', 'b'] as const) {
      await until(async () => {
        const { channels } = await nodes.call(name, 'listchannels');
        return channels.every((one: { pending_htlcs?: unknown[] }) => (one.pending_htlcs ?? []).length === 0);
      });
    }
    await until(async () => (await spendable()) >= before + 1000 * sat - 4_000);
    await nodes.call('a', 'resetmc');
  }

  async function spendable(): Promise<number> {
    const { channels } = await ask('listpeerchannels');
    return sumOf(channels.map((one: { to_us_msat: number }) => one.to_us_msat));
  }
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const feesOf = (figures: readonly Figures[]): number => sumOf(figures.map(({ feeMsat }) => feeMsat));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

function figuresOf({ fee_msat, htlcs, creation_time_ns }: LndPayment): Figures {
  const ended = Math.max(...htlcs.map(({ resolve_time_ns }) => Number(resolve_time_ns)));
  return {
    feeMsat: Number(fee_msat),
    parts: htlcs.filter(({ status }) => status === 'SUCCEEDED').length,
    attempts: htlcs.length,
    ms: (ended - Number(creation_time_ns)) / 1e6,
  };
}

/** The sums of the figures and the median time, as text. */
function told(figures: readonly Figures[]): string {
  const times = figures.map(({ ms }) => ms).sort((one, other) => one - other);
  return [
    `${figures.length} payments, fees ${feesOf(figures)} msat`,
    `${sumOf(figures.map(({ parts }) => parts))} parts, ${sumOf(figures.map(({ attempts }) => attempts))} attempts`,
    `median ${Math.round(times[times.length >> 1]!)} ms in LND`,
  ].join(', ');
}
