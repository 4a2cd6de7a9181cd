/**
 * Programs written for Core Lightning pay through an LND node without knowing it: pyln-client and two npm
 * clients (clightning-client, lightning-client), unmodified. On the network of lnd-nodes.ts; the recipient
 * reports what it received.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

/** Path of a Python with pyln-client, and of a folder whose node_modules contains both npm clients. */
const { FULGURITE_PYLN: PYTHON = '', FULGURITE_NPM_CLIENTS: CLIENTS = '' } = process.env;
const haveClients = haveBoth && existsSync(PYTHON) && existsSync(join(CLIENTS, 'node_modules'));
const START = 900_000;
const TIME = 600_000;

/** The interface that both npm clients have. */
interface NpmClient {
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  call(method: string, params?: unknown): Promise<any>;
  readonly client: { removeAllListeners(event: string): void; destroy(): void };
}

interface Invoice {
  readonly payment_hash: string;
  readonly label: string;
  readonly status: string;
  readonly payment_preimage: string;
  readonly amount_received_msat: number;
}

describeNeeding('clients', haveClients, 'clients of Core Lightning on an LND', () => {
  let nodes: LndNodes;
  let daemon: Daemon;

  const invoice = async (amountMsat: number, label: string): Promise<string> =>
    (await nodes.call('c', 'invoice', amountMsat, label, label)).bolt11;

  const paid = async (): Promise<Invoice[]> =>
    (await nodes.call('c', 'listinvoices')).invoices.filter(({ status }: Invoice) => status === 'paid');

  beforeAll(async () => {
    nodes = await LndNodes.start([], process.env.FULGURITE_TEST_LND_A);
    daemon = await startTestDaemon(['--network', 'lnd', '--no-http', ...nodes.besideA()]);
    const { channels } = await nodes.call('a', 'listchannels');
    expect(channels).toHaveLength(2);
  }, START);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  test(
    'pyln-client pays invoices and an offer, sends along a route, and gets the outcomes',
    async () => {
      const script = join(import.meta.dirname, 'lnd-clients.py');
      const { bolt12 } = await nodes.call('c', 'offer', 'any', 'tea');
      const invoices = [
        await invoice(11_001, 'pay'),
        await invoice(12_002, 'xpay'),
        await invoice(15_005, 'sendpay'),
      ];
      const words = [script, daemon.socketPath, nodes.id('c'), bolt12, ...invoices];
      const seen = JSON.parse((await promisify(execFile)(PYTHON, words)).stdout);
      const there = await paid();
      const preimageOf = (label: string): string =>
        there.find((one) => one.label === label)!.payment_preimage;
      const [hash, amountMsat] = seen.keysend;
      const offered = there.find((one) => one.payment_preimage === seen.offer);
      expect(seen).toMatchObject({
        id: nodes.id('a'),
        ...{ pay: preimageOf('pay'), xpay: preimageOf('xpay'), sendpay: preimageOf('sendpay'), again: 219 },
        pays: Object.fromEntries(there.map(({ payment_hash }) => [payment_hash, 'complete'])),
        parts: true,
      });
      expect(there.find((one) => one.payment_hash === hash)?.amount_received_msat).toBe(amountMsat);
      expect(amountMsat).toBeGreaterThanOrEqual(13_003);
      expect(offered?.amount_received_msat).toBe(14_004);
      expect(there).toHaveLength(5);
      expect(seen.spendable).toBeGreaterThan(0);
    },
    TIME,
  );

  test.each(['clightning-client', 'lightning-client'])(
    '%s pays and lists',
    async (name) => {
      const loaded = createRequire(join(CLIENTS, 'package.json'))(name);
      const Client = (loaded.LightningClient ?? loaded) as new (path: string) => NpmClient;
      // The clients append the socket's name to the directory of the chain.
      const client = new Client(join(dirname(daemon.socketPath), 'regtest'));
      try {
        const bolt11 = await invoice(16_006, name);
        const { payment_preimage } = await client.call('pay', [bolt11]);
        await until(async () => (await paid()).some(({ label }) => label === name));
        expect((await paid()).find(({ label }) => label === name)).toMatchObject({
          ...{ payment_preimage, amount_received_msat: 16_006 },
        });
        expect((await client.call('listpays', [bolt11])).pays).toMatchObject([{ status: 'complete' }]);
      } finally {
        // Both clients reconnect when a connection ends.
        for (const event of ['end', 'error']) client.client.removeAllListeners(event);
        client.client.destroy();
      }
    },
    TIME,
  );
});
