/**
 * A static invoice of LDK (bolts#1149), paid through a real LND node a, which has a channel with the
 * recipient's server:
 *
 *     a (LND) ── S ── R        S and R are LDK (../ldk/ldk-async-recipient.ts)
 *
 * LND 0.21 drops static invoices. So our macaroon does not permit onion messages, and we use our own
 * connection to S.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { macaroonPermissions } from '../../../src/network/lnd/index.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { AsyncRecipient } from '../ldk/ldk-async-recipient.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { haveBoth, LndNodes, until } from './lnd-nodes.ts';

const PROGRAM = process.env.FULGURITE_LDK_STATIC;
const LND_A = process.env.FULGURITE_TEST_LND_A;
const START = 900_000;

describeNeeding('ldkStatic', PROGRAM !== undefined && haveBoth, 'a static invoice of LDK through LND', () => {
  let nodes: LndNodes;
  let daemon: Daemon;
  let ldk: AsyncRecipient;
  let offer: string;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  beforeAll(async () => {
    ldk = new AsyncRecipient(PROGRAM!, 2);
    nodes = await LndNodes.start([], LND_A);
    const { node_id: id, port, offer: made } = await ldk.ready();
    offer = made;
    await nodes.call('a', 'connect', `${id}@127.0.0.1:${port}`);
    await nodes.call(
      ...(['a', 'openchannel', '--node_key', id, '--local_amt', 1_000_000] as const),
      '--private',
    );
    await nodes.mine(6);
    await nodes.bake(macaroonPermissions([]));
    const options = ['--network', 'lnd', '--pay-static-invoices', ...nodes.besideA()];
    daemon = await startTestDaemon(options);
    await until(async () => {
      const { channels } = await ask('listpeerchannels', { id });
      return channels.some((one: { state: string }) => one.state === 'CHANNELD_NORMAL');
    });
  }, START);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
    ldk?.end();
  }, 120_000);

  test('is paid exactly to the msat when the recipient comes online', { timeout: START }, async () => {
    await ldk.do('offline');
    const paid = ask('xpay', { invstring: offer, amount_msat: 7_000_000, retry_for: 300 });
    const pending = async () => (await ask('listpays', { status: 'pending' })).pays;
    await expect.poll(async () => (await pending()).length, { timeout: 120_000 }).toBe(1);
    const pays = await pending();
    expect(pays).toMatchObject([{ pending_reason: 'waiting for the recipient to come online' }]);
    await expect.poll(() => ldk.of('message_kept').length, { timeout: 120_000 }).toBeGreaterThan(1);
    await ldk.do('online');
    expect(await paid).toMatchObject({ amount_msat: 7_000_000, successful_parts: 1 });
    expect(ldk.of('claimed')).toMatchObject([{ payment_hash: pays[0].payment_hash, amount_msat: 7_000_000 }]);
  });
});
