/**
 * Webhooks of a daemon: they are added, listed and refused, and no event is lost if the daemon is killed at
 * any moment.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../rpc/support.ts';
import { Receiver } from '../webhooks/receiver.ts';
import { DaemonProcess } from './daemon-process.ts';

const OPTIONS = ['--graph', 'synthetic:300', '--seed', '7', '--webhook-host', '127.0.0.1'];
const PATIENCE = { timeout: 60_000, interval: 50 };
const KILLS = 5;

interface Pay {
  readonly label?: string;
  readonly status: string;
  readonly payment_hash: string;
}

describe('webhooks', () => {
  const directory = temporaryDirectory();
  const home = join(directory.path, 'home');
  const receiver = new Receiver();
  let daemon: DaemonProcess;
  let someone: string;

  beforeAll(async () => {
    await receiver.start();
    daemon = await DaemonProcess.start(home, OPTIONS);
    someone = (await daemon.result('listnodes')).nodes[5].nodeid;
  }, 60_000);
  afterAll(async () => {
    await daemon?.stop();
    await receiver.kill();
    directory.remove();
  });

  test('events of payments are posted, with a signature that a different program can check', async () => {
    const added = await daemon.result('addwebhook', { url: receiver.url });
    expect(added).toMatchObject({
      url: receiver.url,
      events: ['complete', 'failed', 'invoice_paid', 'invoice_expired'],
    });
    await daemon.result('xkeysend', { destination: someone, amount_msat: 1000, label: 'first' });
    await daemon.error('xkeysend', { destination: someone, amount_msat: '2000000000sat', label: 'too much' });
    await vi.waitFor(() => expect(receiver.taken).toHaveLength(2), PATIENCE);
    const bodies = receiver.taken.map(({ body }) => JSON.parse(body));
    expect(bodies[0]).toMatchObject({
      type: 'payment',
      status: 'complete',
      simulated: true,
      payment: { label: 'first', destination: someone },
    });
    expect(bodies[1]).toMatchObject({ status: 'failed', payment: { label: 'too much' } });
    const { id, timestamp, body, signature } = receiver.taken[0]!;
    const key = Buffer.from(added.secret.slice('whsec_'.length), 'base64').toString('hex');
    const signed = execFileSync(
      'openssl',
      ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary'],
      { input: `${id}.${timestamp}.${body}` },
    );
    expect(signature).toBe(`v1,${signed.toString('base64')}`);
    const { webhooks } = await vi.waitFor(async () => {
      const listed = await daemon.result('listwebhooks');
      expect(listed.webhooks).toMatchObject([{ webhook_id: added.webhook_id, delivered: 2, waiting: 0 }]);
      return listed;
    }, PATIENCE);
    expect(JSON.stringify(webhooks)).not.toContain(added.secret);
  });

  test('invoices are posted when they are paid or expire', async () => {
    receiver.taken.length = 0;
    await daemon.result('invoice', { amount_msat: 1000, label: 'a b', description: 'x' });
    await daemon.result('invoice', { amount_msat: 2000, label: 'late', description: 'x', expiry: 1 });
    const { nodes } = await daemon.result('listnodes');
    const { id } = await daemon.result('getinfo');
    for (const { nodeid } of nodes.filter((node: { nodeid: string }) => node.nodeid !== id)) {
      if ((await daemon.call('simulatepayer', { invoice: 'a b', id: nodeid })).error === undefined) break;
    }
    await vi.waitFor(() => expect(receiver.taken).toHaveLength(2), PATIENCE);
    const bodies = receiver.taken.map(({ body }) => JSON.parse(body));
    expect(bodies.find(({ status }) => status === 'paid')).toMatchObject({
      type: 'invoice',
      invoice: { label: 'a b', amount_msat: 1000, created_index: 1 },
      ...{ amount_received_msat: 1000, pay_index: 1, simulated: true },
    });
    expect(bodies.find(({ status }) => status === 'expired')).toMatchObject({
      type: 'invoice',
      invoice: { label: 'late', amount_msat: 2000 },
    });
    const { invoices } = await daemon.result('listinvoices', { label: 'late' });
    expect(invoices).toMatchObject([{ status: 'expired' }]);
  });

  test('kills lose no event of an ended payment', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const paid = Array.from({ length: 12 }, (_, n) =>
        daemon
          .call('xkeysend', { destination: someone, amount_msat: 1000, label: `k${kill}-${n}` })
          .catch(() => undefined),
      );
      // A fixed wait could be too short on a busy machine, so the test waits for a payment to end.
      await Promise.race(paid);
      await new Promise((resolve) => setTimeout(resolve, 10 * kill));
      await daemon.stop('SIGKILL');
      await Promise.all(paid);
      daemon = await DaemonProcess.start(home, OPTIONS);
    }
    const ended = async (): Promise<string[]> => {
      const { pays } = (await daemon.result('listpays')) as { pays: Pay[] };
      expect(pays.filter(({ status }) => status === 'pending')).toEqual([]);
      return pays.filter(({ label }) => label?.startsWith('k')).map(({ payment_hash }) => payment_hash);
    };
    const hashes = await vi.waitFor(ended, PATIENCE);
    expect(hashes.length).toBeGreaterThanOrEqual(KILLS);
    await vi.waitFor(() => {
      const posted = new Set(receiver.taken.map(({ body }) => JSON.parse(body).payment?.payment_hash));
      expect(hashes.filter((hash) => !posted.has(hash))).toEqual([]);
    }, PATIENCE);
  }, 180_000);

  test('a bad address, host, event, secret or id is refused, and a removed webhook receives nothing more', async () => {
    const refusal = async (params: object) => (await daemon.error('addwebhook', params)).data.parameter;
    expect(await refusal({ url: 'nothing' })).toBe('url');
    expect(await refusal({ url: 'http://localhost/' })).toBe('url');
    expect(await refusal({ url: 'http://169.254.169.254/latest' })).toBe('url');
    expect(await refusal({ url: receiver.url, events: ['paid'] })).toBe('events');
    expect(await refusal({ url: receiver.url, secret: 'whsec_short' })).toBe('secret');
    expect((await daemon.error('delwebhook', { webhook_id: 'x' })).data.parameter).toBe('webhook_id');
    const made: string[] = [];
    for (let n = 0; n < 19; n++)
      made.push((await daemon.result('addwebhook', { url: receiver.url })).webhook_id);
    expect(await daemon.error('addwebhook', { url: receiver.url })).toMatchObject({ code: -32001 });
    for (const id of made) await daemon.result('delwebhook', { webhook_id: id });
    const [{ webhook_id }] = (await daemon.result('listwebhooks')).webhooks;
    await daemon.result('delwebhook', { webhook_id });
    const before = receiver.taken.length;
    await daemon.result('xkeysend', { destination: someone, amount_msat: 1000 });
    expect((await daemon.result('listwebhooks')).webhooks).toEqual([]);
    expect(receiver.taken).toHaveLength(before);
  });
});
