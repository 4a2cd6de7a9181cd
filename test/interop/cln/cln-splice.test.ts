/**
 * A splice during payments, on real Core Lightning nodes: a–b gets more capacity while a pays c over it. No
 * payment fails, and knowledge about the channel's old id applies to the new id.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { memoryLog } from '../../rpc/support.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes } from './cln-nodes.ts';

const TIME = 600_000;
const SPLICED_SAT = 100_000;
/** Number of concurrent payments. */
const CALLERS = Number(process.env.CALLERS ?? 2);
/** Milliseconds after which a splice that has not begun is requested again. */
const SPLICE_MS = 15_000;
/** Milliseconds after which the last payments are considered stuck. */
const STUCK_MS = 30_000;

describeNeeding('lightningd', haveNodes, 'a splice on a real node', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  const log = memoryLog();

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    daemon = await startTestDaemon(['--network', 'cln', ...nodes.besideA()], log);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, 120_000);

  test('beliefs and reservations follow, and payments continue', { timeout: TIME, retry: 0 }, async () => {
    const b = await nodes.call('b', 'getinfo');
    const c = await nodes.call('c', 'getinfo');
    // biome-ignore lint/suspicious/noExplicitAny: a row of listpeerchannels
    const toB = async (): Promise<any> =>
      (await nodes.call('a', 'listpeerchannels', { id: b.id })).channels[0];
    const before = await toB();
    const old = before.short_channel_id;
    const { id } = await ask('getinfo');
    const oldDir = `${old}/${id < b.id ? 0 : 1}`;
    await ask('askrene-create-layer', { layer: 'mine', persistent: true });
    await ask('askrene-inform-channel', {
      ...{ layer: 'mine', short_channel_id_dir: oldDir, amount_msat: 7000, inform: 'unconstrained' },
    });
    await ask('askrene-bias-channel', { layer: 'mine', short_channel_id_dir: oldDir, bias: 5 });
    await ask('askrene-reserve', { path: [{ short_channel_id_dir: oldDir, amount_msat: 1000 }] });

    const paid: string[] = [];
    const failed: string[] = [];
    let isOver = false;
    const caller = async (n: number): Promise<void> => {
      for (let made = 0; !isOver; made++) {
        const amount_msat = 1000 + CALLERS * made + n;
        const answer = await ask('keysend', { destination: c.id, amount_msat, retry_for: 60 });
        paid.push(answer.status ?? `${answer.code} ${answer.message}`);
        if (answer.status === undefined) failed.push(answer.message);
        await sleep(100);
      }
    };
    const traffic = Promise.all(Array.from({ length: CALLERS }, (_, n) => caller(n)));
    await expect.poll(() => paid.length, { timeout: 120_000 }).toBeGreaterThan(2 * CALLERS);
    // Core Lightning (v26.06.6) may ask its peer for quiescence while an HTLC is in flight. The peer then
    // disconnects, and the call is never answered.
    for (let tries = 0; tries < 20 && (await toB()).state !== 'CHANNELD_AWAITING_SPLICE'; tries++) {
      const params = { channel: before.channel_id, amount: `${SPLICED_SAT}sat` };
      const asked = nodes.call('a', 'splicein', params).catch(() => undefined);
      await Promise.race([asked, sleep(SPLICE_MS)]);
    }
    expect((await toB()).state).toBe('CHANNELD_AWAITING_SPLICE');
    let renamed = old;
    for (let block = 0; block < 30 && renamed === old; block++) {
      nodes.mine(1);
      await sleep(1500);
      renamed = (await toB()).short_channel_id;
    }
    expect(renamed).not.toBe(old);
    await expect
      .poll(async () => (await ask('listpeerchannels', { id: b.id })).channels[0].short_channel_id, {
        timeout: 120_000,
      })
      .toBe(renamed);
    const completed = (): number => paid.filter((status) => status === 'complete').length;
    const count = completed();
    await expect.poll(completed, { timeout: 240_000 }).toBeGreaterThan(count + 10 * CALLERS);
    isOver = true;
    // After a splice, Core Lightning (v26.06.6) may leave an HTLC in flight until the peers reconnect.
    const hasEnded = await Promise.race([traffic.then(() => true), sleep(STUCK_MS, false)]);
    if (!hasEnded) await nodes.call('a', 'disconnect', { id: b.id, force: true });
    await traffic;
    const told = new Map<string, number>();
    for (const status of paid) told.set(status, (told.get(status) ?? 0) + 1);
    for (const [status, times] of told) process.stdout.write(`${times} × ${status}\n`);
    // When the splice is locked in, the node's channel daemon may die ("Outgoing subdaemon died"), and the
    // connection to the only peer is down for a moment. Payments wait for the connection. Core Lightning (v26.06.6)
    // may lose one HTLC, and then refuses its hash.
    expect(failed.filter((message) => !message.includes('the node lost the HTLC'))).toEqual([]);
    expect(failed.length).toBeLessThanOrEqual(1);
    // No outcome is reported wrongly.
    const { pays } = await ask('listpays');
    const { invoices } = await nodes.call('c', 'listinvoices');
    // biome-ignore lint/suspicious/noExplicitAny: rows of two commands
    const hashes = (rows: any[], status: string): string[] =>
      rows.filter((row) => row.status === status).map((row) => row.payment_hash);
    expect(new Set(hashes(pays, 'complete'))).toEqual(new Set(hashes(invoices, 'paid')));
    expect(pays.filter((row: { status: string }) => row.status === 'pending')).toEqual([]);

    const newDir = oldDir.replace(old, renamed);
    const { layers } = await ask('askrene-listlayers', { layer: 'mine' });
    expect(layers[0].constraints).toContainEqual(
      expect.objectContaining({ short_channel_id_dir: newDir, minimum_msat: 7000 }),
    );
    expect(layers[0].biases).toContainEqual(
      expect.objectContaining({ short_channel_id_dir: newDir, bias: 5 }),
    );
    const { reservations } = await ask('askrene-listreservations');
    expect(reservations).toContainEqual(
      expect.objectContaining({ short_channel_id_dir: newDir, amount_msat: 1000 }),
    );
    // The old id is an alias.
    await ask('askrene-unreserve', { path: [{ short_channel_id_dir: oldDir, amount_msat: 1000 }] });
    expect((await ask('askrene-listreservations')).reservations).toEqual([]);
    const { total_msat } = await toB();
    expect(total_msat).toBe(before.total_msat + SPLICED_SAT * 1000);
  });
});
