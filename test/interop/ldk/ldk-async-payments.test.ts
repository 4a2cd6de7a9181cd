/**
 * Payments of static invoices (bolts#1149), with nothing mocked: node a of Core Lightning sends them, our daemon is beside it,
 * and two whole nodes of the Rust crate lightning (LDK 0.2) receive them:
 *
 *     a ── S ── R        S serves the static invoice of R and keeps messages for it; R is offline until told otherwise
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '../../../src/cli/daemon/daemon.ts';
import { parseStartOptions } from '../../../src/cli/options/start-options.ts';
import { describeNeeding } from '../../needs.ts';
import { memoryLog, RawClient } from '../../rpc/support.ts';
import { ClnNodes, haveNodes, until } from '../cln/cln-nodes.ts';
import { AsyncRecipient } from './ldk-async-recipient.ts';

const PROGRAM = process.env.FULGURITE_LDK_STATIC;
const TIME = 120_000;
const POLL = { timeout: 60_000 };

describeNeeding('ldkStatic', PROGRAM !== undefined && haveNodes, 'a static invoice of LDK, paid', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let ldk: AsyncRecipient;
  let server: string;
  let offer: string;

  // biome-ignore lint/suspicious/noExplicitAny: answers have the shape that each test expects
  async function ask(method: string, params: object = {}): Promise<any> {
    const client = new RawClient(daemon.socketPath);
    const answer = JSON.parse((await client.ask(JSON.stringify({ id: 1, method, params })))!);
    client.socket.destroy();
    return answer.error ?? answer.result;
  }

  beforeAll(async () => {
    ldk = new AsyncRecipient(PROGRAM!);
    nodes = await ClnNodes.start();
    const { node_id: id, port, offer: made } = await ldk.ready();
    offer = made;
    await nodes.call('a', 'connect', { id: `${id}@127.0.0.1:${port}` });
    server = id;
    for (const count of [1, 2]) {
      await nodes.call('a', 'fundchannel', { id, amount: 5_000_000, announce: false, mindepth: 0 });
      await until(async () => {
        const { channels } = await nodes.call('a', 'listpeerchannels', { id });
        return channels.filter((one: { state: string }) => one.state === 'CHANNELD_NORMAL').length === count;
      });
    }
    daemon = await startDaemon(
      parseStartOptions(['--network', 'cln', '--workers', '1', '--pay-static-invoices', ...nodes.besideA()]),
      memoryLog(),
    );
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
    ldk?.end();
  }, 120_000);
  beforeEach(() => ldk.do('offline'));

  const claimedMsat = (hash: string): number | undefined =>
    ldk.of('claimed').find((one) => one.payment_hash === hash)?.amount_msat;

  test('waits for the recipient, visibly, and pays when it comes online', { timeout: TIME }, async () => {
    const paid = ask('xpay', { invstring: offer, amount_msat: 7_000_000, retry_for: 120 });
    const pending = async () => (await ask('listpays', { status: 'pending' })).pays;
    await expect.poll(async () => (await pending()).length, POLL).toBe(1);
    const pays = await pending();
    expect(pays).toMatchObject([{ pending_reason: 'waiting for the recipient to come online' }]);
    expect((await nodes.call('a', 'listsendpays')).payments).toEqual([]);
    await ldk.do('online');
    expect(await paid).toMatchObject({ amount_msat: 7_000_000, successful_parts: 1, failed_parts: 0 });
    expect(claimedMsat(pays[0].payment_hash)).toBe(7_000_000);
    const rows = (await nodes.call('a', 'listsendpays')).payments;
    expect(rows).toMatchObject([{ status: 'complete', payment_hash: pays[0].payment_hash }]);
  });

  test('tells the caller when the recipient stays offline, and frees the key', {
    timeout: TIME,
  }, async () => {
    const before = (await nodes.call('a', 'listsendpays')).payments.length;
    const asked = { invstring: offer, amount_msat: 2_000_000, retry_for: 5, idempotency_key: 'later' };
    const error = await ask('xpay', asked);
    expect(error).toMatchObject({ code: -32011, message: expect.stringContaining('Nothing was paid') });
    expect((await nodes.call('a', 'listsendpays')).payments.length).toBe(before);
    await ldk.do('online');
    // R's answer to the earlier message comes over a path that is no longer valid.
    expect(await ask('xpay', asked)).toMatchObject({ amount_msat: 2_000_000, failed_parts: 0 });
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 2_000_000)).toHaveLength(1);
  });

  test('is in several parts when no channel is large enough', { timeout: TIME }, async () => {
    await ldk.do('online');
    const { channels } = await nodes.call('a', 'listpeerchannels', { id: server });
    expect(channels).toHaveLength(2);
    const paid = await ask('xpay', { invstring: offer, amount_msat: 6_500_000_000, retry_for: 60 });
    expect(paid).toMatchObject({ amount_msat: 6_500_000_000 });
    expect(paid.successful_parts).toBeGreaterThan(1);
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 6_500_000_000)).toHaveLength(1);
  });

  test('fails when the recipient releases it and then refuses it', { timeout: TIME }, async () => {
    await ldk.do('online');
    await ldk.do('refuse');
    const error = await ask('xpay', { invstring: offer, amount_msat: 3_000_000, retry_for: 10 });
    await ldk.do('claim');
    expect(error).toMatchObject({ code: expect.toBeOneOf([203, 209]) });
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 3_000_000)).toEqual([]);
  });

  test('asks again when the server has lost the message', { timeout: TIME }, async () => {
    await ldk.do('forget');
    const kept = ldk.of('message_kept').length;
    const paid = ask('xpay', { invstring: offer, amount_msat: 4_000_000, retry_for: 120 });
    // The server also forwards the invoice request.
    await expect.poll(() => ldk.of('message_kept').length, POLL).toBeGreaterThan(kept + 1);
    await ldk.do('keep');
    await ldk.do('online');
    expect(await paid).toMatchObject({ amount_msat: 4_000_000, failed_parts: 0 });
  });

  test('fifty at once: each is paid once, to the msat', { timeout: 2 * TIME }, async () => {
    const amounts = Array.from({ length: 50 }, (_, n) => 1_000_000 + n);
    const all = amounts.map((amount_msat) => ask('xpay', { invstring: offer, amount_msat, retry_for: 200 }));
    await expect
      .poll(async () => (await ask('listpays', { status: 'pending' })).pays.length, { timeout: TIME })
      .toBe(50);
    const before = (await nodes.call('a', 'listsendpays')).payments.length;
    await ldk.do('online');
    const answers = await Promise.all(all);
    expect(answers.map(({ amount_msat }) => amount_msat)).toEqual(amounts);
    const claimed = ldk.of('claimed').map(({ amount_msat }) => amount_msat!);
    expect(claimed.filter((one) => one >= 1_000_000 && one < 1_000_050).toSorted()).toEqual(amounts);
    expect((await nodes.call('a', 'listsendpays')).payments.length).toBe(before + 50);
    expect(await ask('reconcile')).toMatchObject({ unexplained_msat: 0, differences: [] });
  });
});
