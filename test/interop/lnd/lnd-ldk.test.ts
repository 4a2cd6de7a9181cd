/**
 * LDK as the recipient of LND's payments, made through us or by LND's operator with `lncli`. On the network
 * of lnd-nodes.ts, plus a channel from b to LDK. LDK charges no fee on it and has no graph:
 *
 *       b (LND) ── LDK
 *      /     \
 *     a       c          a is the node beside which we run
 *      \     /
 *         d
 *
 * `PAYMENTS` in the environment sets how many payments of each kind there are.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { haveLdk, LdkProcess } from '../ldk/ldk-process.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const PAYMENTS = Number(process.env.PAYMENTS ?? 5);
const LND_A = process.env.FULGURITE_TEST_LND_A;
const CHANNEL_SAT = 5_000_000;
const START = 900_000;
const TIME = 3_600_000;

interface LndPayment {
  readonly payment_hash: string;
  readonly status: string;
  readonly value_msat: string;
  readonly fee_msat: string;
  readonly htlcs: readonly { readonly status: string }[];
}

describeNeeding('lnd', haveBoth && haveLdk, 'LDK paid through LND', () => {
  let nodes: LndNodes;
  let ldk: LdkProcess;
  let daemon: Daemon;
  let height = 0;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  async function mine(count: number): Promise<void> {
    await nodes.mine(count);
    for (const raw of await nodes.blocks(height + 1)) await ldk.ask('block', { height: ++height, raw });
  }

  beforeAll(async () => {
    nodes = await LndNodes.start([], LND_A);
    ldk = await LdkProcess.start(7, 'unpayable');
    const port = await ldk.ask<number>('listen');
    await mine(1);
    await nodes.openTo('b', { id: ldk.nodeId, port }, CHANNEL_SAT);
    await mine(6);
    await until(async () => (await ldk.ask<number>('usable')) === 1);
    await ldk.ask('announce');
    await nodes
      .bake(macaroonPermissions(['onion-messages', 'mission-control']))
      .catch(() => nodes.bake(macaroonPermissions(['mission-control'])));
    const options = ['--network', 'lnd', '--developer', ...nodes.besideA()];
    daemon = await startTestDaemon(options);
    await until(async () => (await ask('listchannels')).channels.length === 10);
    // Searches use a new channel a little later than lists show it.
    await until(
      async () =>
        (await ask('plankeysend', { destination: ldk.nodeId, amount_msat: 1_000 })).code === undefined,
    );
  }, START);
  afterAll(async () => {
    await daemon?.stop();
    await ldk?.stop();
    await nodes?.stop();
  }, 120_000);

  const received = async (): Promise<Map<string, number>> =>
    new Map(await ldk.ask<[string, number][]>('claimed'));

  const rows = async (): Promise<readonly LndPayment[]> =>
    (await nodes.call('a', 'listpayments', '--max_payments=100000', '--include_incomplete')).payments;

  const succeeded = async (): Promise<readonly LndPayment[]> =>
    (await rows()).filter(({ status }) => status === 'SUCCEEDED');

  /** Checks that LDK received exactly what LND paid, and that LND's payments include all that we report. */
  async function compare(): Promise<void> {
    // LND lists a payment as complete only once its last part is complete, which is later than we do.
    await until(async () => (await succeeded()).length >= (await received()).size);
    const [paid, there] = [await succeeded(), await received()];
    expect(new Map(paid.map((row) => [row.payment_hash, Number(row.value_msat)]))).toEqual(there);
    const { pays } = (await ask('listpays')) as {
      pays: { payment_hash: string; status: string; amount_msat: number; amount_sent_msat: number }[];
    };
    for (const { payment_hash, status, amount_msat, amount_sent_msat } of pays) {
      expect([payment_hash, there.get(payment_hash)]).toEqual([
        payment_hash,
        status === 'complete' ? amount_msat : undefined,
      ]);
      const row = paid.find((one) => one.payment_hash === payment_hash);
      if (row !== undefined) expect(amount_sent_msat - amount_msat).toBe(Number(row.fee_msat));
    }
    expect(await ask('reconcile')).toMatchObject({ unexplained_msat: 0, differences: [] });
  }

  /** Runs `pay`. Returns fees, parts and attempts of its payments, as LND lists them. */
  async function figuresOf(pay: (n: number) => Promise<unknown>): Promise<string> {
    const known = new Set((await rows()).map((row) => row.payment_hash));
    for (let n = 0; n < PAYMENTS; n++) await pay(n);
    const made = (await rows()).filter(({ payment_hash }) => !known.has(payment_hash));
    expect(made.map(({ status }) => status)).toEqual(Array(PAYMENTS).fill('SUCCEEDED'));
    const htlcs = made.flatMap((row) => row.htlcs);
    const fees = made.reduce((sum, row) => sum + Number(row.fee_msat), 0);
    const parts = htlcs.filter(({ status }) => status === 'SUCCEEDED').length;
    return `${made.length} payments, fees ${fees} msat, ${parts} parts, ${htlcs.length} attempts`;
  }

  const invoice = (amountMsat: number): Promise<string> => ldk.ask('invoice', { amountMsat });

  test('keysends arrive to the msat, ours and those of lncli', { timeout: TIME }, async () => {
    const ours = await figuresOf(async (n) => {
      const paid = await ask('keysend', { destination: ldk.nodeId, amount_msat: 1_000_000 + n });
      expect(paid).toMatchObject({ status: 'complete' });
    });
    const lncli = await figuresOf((n) =>
      nodes.call(
        ...(['a', 'sendpayment', '--force', '--keysend', '--json', '--dest', ldk.nodeId] as const),
        ...(['--amt', 1_000 + n] as const),
      ),
    );
    say(`keysend: ours ${ours}; lncli ${lncli}`);
    await compare();
  });

  test('invoices of LDK are paid in one part and in several', { timeout: TIME }, async () => {
    const ours = await figuresOf(async (n) => {
      const paid = await ask('xpay', { invstring: await invoice(2_000_000 + n) });
      expect(paid).toMatchObject({ amount_msat: 2_000_000 + n, successful_parts: 1, failed_parts: 0 });
    });
    const lncli = await figuresOf(async (n) =>
      nodes.call('a', 'payinvoice', '--force', '--json', await invoice(2_000_000 + n)),
    );
    say(`invoice: ours ${ours}; lncli ${lncli}`);
    const { channels } = await ask('listpeerchannels');
    const most = Math.max(...channels.map((one: { spendable_msat: number }) => one.spendable_msat));
    const large = await invoice(most + 50_000_000);
    const paid = await ask('xpay', { invstring: large });
    expect(paid).toMatchObject({ amount_msat: most + 50_000_000 });
    expect(paid.successful_parts).toBeGreaterThan(1);
    const again = await ask('xpay', { invstring: large });
    expect(again).toMatchObject({ code: 219, data: { payment_preimage: paid.payment_preimage } });
    await compare();
  });

  test('offers of LDK are fetched and paid', { timeout: TIME }, async () => {
    const offer = await ldk.ask<string>('offer');
    const ours = await figuresOf(async (n) => {
      const paid = await ask('xpay', { invstring: offer, amount_msat: 30_000 + n, retry_for: 60 });
      expect(paid).toMatchObject({ payment_preimage: expect.stringMatching(/^[0-9a-f]{64}$/) });
    });
    say(`offer: ours ${ours}`);
    await compare();
  });
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
