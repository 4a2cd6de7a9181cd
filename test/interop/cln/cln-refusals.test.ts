/**
 * Refusals by our own channel beside a real Core Lightning node, with the node's texts. Node a is configured
 * to carry only two HTLCs at once and little dust; c is stopped, so that HTLCs sent to it stay in flight.
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c        (we are beside a)
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, until } from './cln-nodes.ts';

const TIME = 120_000;
/** Amounts above any dust limit (354 sat plus the fee of an HTLC's output), and below it. */
const ENOUGH_MSAT = 50_000_000;
const DUST_MSAT = 100_000;

describeNeeding('lightningd', haveNodes, 'refusals of a real channel', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;
  let ids: string[];

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  const keysend = (to: number, amount_msat: number, more: object = {}) =>
    ask('keysend', { destination: ids[to], amount_msat, ...more });

  /** HTLCs on our channel. */
  const htlcs = async (): Promise<number> =>
    (await nodes.call('a', 'listpeerchannels')).channels[0].htlcs.length;

  beforeAll(async () => {
    nodes = await ClnNodes.start(['--max-concurrent-htlcs=2', '--max-dust-htlc-exposure-msat=150000']);
    const socket = join(nodes.directory, 'socket');
    symlinkSync(nodes.socketPath('a'), socket);
    ids = await Promise.all(
      (['a', 'b', 'c'] as const).map(async (name) => (await nodes.call(name, 'getinfo')).id),
    );
    const where = ['--lightning-rpc-file', socket, '--data-dir', join(nodes.directory, 'ours')];
    daemon = await startTestDaemon(['--network', 'cln', ...where]);
    await until(async () => (await ask('listchannels')).channels.length >= 4);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);

  test('are reported for small HTLCs above its dust limit, and for HTLCs beyond its slots', {
    timeout: TIME,
  }, async () => {
    expect(await keysend(1, ENOUGH_MSAT)).toMatchObject({ status: 'complete' });
    nodes.signal('c', 'SIGSTOP');
    try {
      void keysend(2, DUST_MSAT);
      await until(async () => (await htlcs()) === 1);
      expect(await keysend(1, DUST_MSAT, { retry_for: 3 })).toMatchObject({
        message: expect.stringContaining('HTLC too dusty, allowed dust limit reached'),
        data: { binding: { kind: 'own_channel', words: 'HTLC too dusty, allowed dust limit reached' } },
      });
      void keysend(2, ENOUGH_MSAT);
      await until(async () => (await htlcs()) === 2);
      expect(await keysend(1, ENOUGH_MSAT, { retry_for: 3 })).toMatchObject({
        message: expect.stringContaining('Too many HTLCs'),
        data: { binding: { kind: 'own_channel', words: 'Too many HTLCs' } },
      });
    } finally {
      nodes.signal('c', 'SIGCONT');
    }
    await until(async () => (await htlcs()) === 0);
    expect(await keysend(1, ENOUGH_MSAT)).toMatchObject({ status: 'complete' });
  });
});
