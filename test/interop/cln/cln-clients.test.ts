/**
 * Typical calls of unmodified programs that were written for Core Lightning, made through our socket beside a
 * real node: lightning-cli, pyln-client, and two npm clients (clightning-client, lightning-client).
 * Afterwards the node itself is queried for the results.
 *
 *     a (we beside it) ── b ── c ── d
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, lightningCli } from './cln-nodes.ts';

const run = promisify(execFile);
/** Path of a Python with pyln-client, and of a folder whose node_modules contains both npm clients. */
const { FULGURITE_PYLN: PYTHON = '', FULGURITE_NPM_CLIENTS: CLIENTS = '' } = process.env;
const haveClients = haveNodes && existsSync(PYTHON) && existsSync(join(CLIENTS, 'node_modules'));
const TIME = 240_000;

/** The interface that both npm clients have. */
interface NpmClient {
  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  call(method: string, params?: unknown): Promise<any>;
  readonly client: { removeAllListeners(event: string): void; destroy(): void };
}

describeNeeding('clients', haveClients, 'a working day through our socket', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  const socket = (): string => daemon.socketPath;

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    daemon = await startTestDaemon(['--network', 'cln', '--no-http', ...nodes.besideA()]);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function cli(...words: string[]): Promise<any> {
    const options = [`--rpc-file=${socket()}`, '--network=regtest'];
    return JSON.parse((await run(lightningCli(), [...options, ...words])).stdout);
  }

  const invoiceOf = async (node: 'c' | 'd', label: string): Promise<string> =>
    (await nodes.call(node, 'invoice', { amount_msat: 50_000, label, description: label })).bolt11;

  test('lightning-cli makes an invoice, waits, pays, lists, withdraws', { timeout: TIME }, async () => {
    const made = await cli('invoice', '10000', 'cup', 'a cup of tea');
    const waiting = cli('waitinvoice', 'cup');
    await nodes.call('b', 'pay', { bolt11: made.bolt11 });
    expect(await waiting).toMatchObject({ label: 'cup', status: 'paid', amount_received_msat: 10_000 });
    expect(await cli('waitanyinvoice', '0')).toMatchObject({ label: 'cup', pay_index: 1 });
    expect((await cli('listinvoices', 'cup')).invoices).toMatchObject([{ status: 'paid' }]);

    const bolt11 = await invoiceOf('c', 'by-cli');
    const paid = await cli('xpay', bolt11);
    const [received] = (await nodes.call('c', 'listinvoices', { label: 'by-cli' })).invoices;
    expect(received).toMatchObject({ status: 'paid', payment_preimage: paid.payment_preimage });
    expect((await cli('listpays', bolt11)).pays).toMatchObject([{ status: 'complete' }]);

    const { bech32 } = await nodes.call('b', 'newaddr', { addresstype: 'bech32' });
    const before = (await nodes.call('b', 'listfunds')).outputs.length;
    const withdrawn = await cli('withdraw', bech32, '50000sat');
    expect(withdrawn.txid).toMatch(/^[0-9a-f]{64}$/);
    nodes.mine(1);
    await expect
      .poll(async () => (await nodes.call('b', 'listfunds')).outputs.length, { timeout: 30_000 })
      .toBe(before + 1);
    const { outputs } = await nodes.call('b', 'listfunds');
    expect(outputs).toContainEqual(
      expect.objectContaining({ txid: withdrawn.txid, amount_msat: 50_000_000, status: 'confirmed' }),
    );
    expect(await cli('delinvoice', 'cup', 'paid')).toMatchObject({ label: 'cup' });
  });

  test('pyln-client makes an invoice, pays, lists, and gets the same refusals as from the node', async () => {
    const script = join(import.meta.dirname, 'cln-clients.py');
    const bolt11 = await invoiceOf('c', 'by-pyln');
    const seen = JSON.parse((await run(PYTHON, [script, socket(), bolt11])).stdout);
    const [{ payment_preimage }] = (await nodes.call('c', 'listinvoices', { label: 'by-pyln' })).invoices;
    expect(seen).toEqual({
      invoice: expect.arrayContaining(['bolt11', 'expires_at', 'payment_hash', 'payment_secret']),
      ...{ status: 'unpaid', decoded: true, paid: payment_preimage, address: true, forwards: [] },
      ...{ funds: 1, refused: 906, deleted: 'from-pyln' },
    });
  }, 120_000);

  test.each(['clightning-client', 'lightning-client'])(
    '%s does the same',
    async (name) => {
      const loaded = createRequire(join(CLIENTS, 'package.json'))(name);
      const Client = (loaded.LightningClient ?? loaded) as new (path: string) => NpmClient;
      // The clients append the socket's name to the directory of the chain.
      const client = new Client(join(dirname(socket()), 'regtest'));
      try {
        const label = `from-${name}`;
        const made = await client.call('invoice', [12_000, label, 'x']);
        const waiting = client.call('waitinvoice', [label]);
        await nodes.call('b', 'pay', { bolt11: made.bolt11 });
        expect(await waiting).toMatchObject({ status: 'paid', amount_received_msat: 12_000 });
        const bolt11 = await invoiceOf('c', `by-${name}`);
        const { payment_preimage } = await client.call('xpay', [bolt11]);
        const [{ payment_preimage: theirs }] = (
          await nodes.call('c', 'listinvoices', { label: `by-${name}` })
        ).invoices;
        expect(payment_preimage).toBe(theirs);
        expect((await client.call('listpays', [bolt11])).pays).toMatchObject([{ status: 'complete' }]);
        expect(await client.call('listforwards')).toEqual(await nodes.call('a', 'listforwards'));
      } finally {
        // Both clients reconnect when a connection ends.
        for (const event of ['end', 'error']) client.client.removeAllListeners(event);
        client.client.destroy();
      }
    },
    120_000,
  );

  test('a client of the middle node sees its forwards', { timeout: TIME }, async () => {
    const beside = ['--lightning-rpc-file', nodes.socketPath('b')];
    const middle = await startTestDaemon([
      ...['--network', 'cln', '--no-http', ...beside],
      ...['--data-dir', join(nodes.directory, 'middle')],
    ]);
    try {
      await cli('xpay', await invoiceOf('c', 'over-b'));
      const options = [`--rpc-file=${middle.socketPath}`, '--network=regtest'];
      const { stdout } = await run(lightningCli(), [...options, 'listforwards', 'settled']);
      const { forwards } = JSON.parse(stdout);
      expect(forwards.length).toBeGreaterThan(0);
      expect(forwards.at(-1)).toMatchObject({ out_msat: 50_000, status: 'settled' });
    } finally {
      await middle.stop();
    }
  });

  test('a lightning-cli killed while it waits leaves the socket usable', async () => {
    await cli('invoice', '1000', 'never', 'x');
    const waiting = spawn(lightningCli(), [
      `--rpc-file=${socket()}`,
      '--network=regtest',
      'waitinvoice',
      'never',
    ]);
    await new Promise((done) => setTimeout(done, 300));
    waiting.kill('SIGKILL');
    await new Promise((done) => waiting.once('exit', done));
    expect((await cli('listinvoices', 'never')).invoices).toMatchObject([{ status: 'unpaid' }]);
  }, 120_000);
});
