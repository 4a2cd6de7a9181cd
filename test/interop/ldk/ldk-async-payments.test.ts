/**
 * Payments of static invoices (bolts#1149), with nothing mocked: node a of Core Lightning sends them, our
 * daemon is beside it, and two whole nodes of the Rust crate lightning (LDK 0.2) receive them:
 *
 *     a ── S ── R        S serves the static invoice of R and keeps messages for it; R is offline
 *
 * R comes online on command.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { ClnNodes, haveNodes, until } from '../cln/cln-nodes.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { AsyncRecipient } from './ldk-async-recipient.ts';

const PROGRAM = process.env.FULGURITE_LDK_STATIC;
const MAIN = resolve(import.meta.dirname, '../../../build/program/cli/main.js');
const KILLS = Number(process.env.KILLS ?? 4);
const TIME = 120_000;
const POLL = { timeout: 60_000 };

describeNeeding('ldkStatic', PROGRAM !== undefined && haveNodes, 'a static invoice of LDK, paid', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let ldk: AsyncRecipient;
  let server: string;
  let offer: string;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

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
    daemon = await startTestDaemon(['--network', 'cln', '--pay-static-invoices', ...nodes.besideA()]);
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

  test('reports to the caller that the recipient stays offline, and frees the key', {
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

  test('is paid in several parts if no channel is large enough', { timeout: TIME }, async () => {
    await ldk.do('online');
    const { channels } = await nodes.call('a', 'listpeerchannels', { id: server });
    expect(channels).toHaveLength(2);
    const paid = await ask('xpay', { invstring: offer, amount_msat: 6_500_000_000, retry_for: 60 });
    expect(paid).toMatchObject({ amount_msat: 6_500_000_000 });
    expect(paid.successful_parts).toBeGreaterThan(1);
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 6_500_000_000)).toHaveLength(1);
  });

  test('fails if the recipient releases it and then refuses it', { timeout: TIME }, async () => {
    await ldk.do('online');
    await ldk.do('refuse');
    const error = await ask('xpay', { invstring: offer, amount_msat: 3_000_000, retry_for: 10 });
    await ldk.do('claim');
    expect(error).toMatchObject({ code: expect.toBeOneOf([203, 209]) });
    expect(ldk.of('claimed').filter((one) => one.amount_msat === 3_000_000)).toEqual([]);
  });

  test('repeats the request if the server has lost the message', { timeout: TIME }, async () => {
    await ldk.do('forget');
    const kept = ldk.of('message_kept').length;
    const paid = ask('xpay', { invstring: offer, amount_msat: 4_000_000, retry_for: 120 });
    // The server also forwards the invoice request to R.
    await expect.poll(() => ldk.of('message_kept').length, POLL).toBeGreaterThan(kept + 1);
    await ldk.do('keep');
    await ldk.do('online');
    expect(await paid).toMatchObject({ amount_msat: 4_000_000, failed_parts: 0 });
  });

  test('fifty at once: each is paid once, exactly to the msat', { timeout: 2 * TIME }, async () => {
    // LDK limits the amount that it forwards in dust HTLCs.
    const amounts = Array.from({ length: 50 }, (_, n) => 30_000_000 + n);
    const all = amounts.map((amount_msat) => ask('xpay', { invstring: offer, amount_msat, retry_for: 200 }));
    await expect
      .poll(async () => (await ask('listpays', { status: 'pending' })).pays.length, { timeout: TIME })
      .toBe(50);
    const before = (await nodes.call('a', 'listsendpays')).payments.length;
    await ldk.do('online');
    const answers = await Promise.all(all);
    expect(answers.filter(({ code }) => code !== undefined)).toEqual([]);
    expect(answers.map(({ amount_msat }) => amount_msat)).toEqual(amounts);
    const claimed = ldk.of('claimed').map(({ amount_msat }) => amount_msat!);
    expect(claimed.filter((one) => one >= 30_000_000 && one < 30_000_050).toSorted()).toEqual(amounts);
    expect((await nodes.call('a', 'listsendpays')).payments.length).toBe(before + 50);
    expect(await ask('reconcile')).toMatchObject({ unexplained_msat: 0, differences: [] });
  });

  test('kills during the wait and around the release: each key pays at most once', {
    timeout: 4 * TIME,
  }, async () => {
    const dataDir = join(nodes.directory, 'killed');
    const socket = join(dataDir, 'rpc');
    const options = ['--network', 'cln', '--pay-static-invoices', '--rpc-file', socket];
    const start = async (): Promise<ChildProcess> => {
      const child = spawn(process.execPath, [MAIN, 'start', ...options, ...nodes.beside('a', dataDir)], {
        // This variable names a program for the tests, and is not an option of the daemon.
        env: { ...process.env, FULGURITE_LDK_STATIC: undefined },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await until(async () => (await answerAt(socket, 'getinfo')).id !== undefined);
      return child;
    };
    let process_ = await start();
    const told = { waiting: 0, paid: 0, interrupted: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await ldk.do('offline');
      const amount_msat = 20_000_000 + kill;
      const params = { invstring: offer, amount_msat, retry_for: 120, idempotency_key: `key ${kill}` };
      const claims = (): number => ldk.of('claimed').filter((one) => one.amount_msat === amount_msat).length;
      const first = answerAt(socket, 'xpay', params).catch(() => undefined);
      await expect
        .poll(async () => (await answerAt(socket, 'listpays', { status: 'pending' })).pays.length, POLL)
        .toBe(1);
      const isReleasedFirst = kill % 2 === 1;
      if (isReleasedFirst) {
        await ldk.do('online');
        await sleep(Math.floor(Math.random() * 1_500));
      }
      process_.kill('SIGKILL');
      await once(process_, 'exit');
      await first;
      await ldk.do('online');
      process_ = await start();
      await until(async () => {
        const { pays } = await answerAt(socket, 'listpays', { status: 'pending' });
        return pays.length === 0;
      });
      if (!isReleasedFirst) expect(claims()).toBe(0);
      const before = claims();
      const answer = await answerAt(socket, 'xpay', params);
      expect(claims()).toBe(answer.amount_msat === amount_msat ? 1 : 0);
      if (answer.code !== undefined) expect(answer).toMatchObject({ code: -1 });
      told[answer.code !== undefined ? 'interrupted' : before === 1 ? 'paid' : 'waiting']++;
    }
    process_.kill('SIGKILL');
    process.stdout.write(`${KILLS} kills: ${JSON.stringify(told)}\n`);
  });
});
