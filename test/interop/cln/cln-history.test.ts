/**
 * Lessons from the payments of a real Core Lightning node, compared with the balances that its neighbour
 * reports.
 *
 *     a ──10,000,000 sat── b ──10,000,000 sat── c        (we are beside a; b keeps about 2,000,000 sat towards c)
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Daemon } from '../../../src/cli/daemon/daemon.ts';
import { answerAt } from '../../commands/daemon-process.ts';
import { describeNeeding } from '../../needs.ts';
import { startTestDaemon } from '../test-daemon.ts';
import { ClnNodes, haveNodes, until } from './cln-nodes.ts';

const TIME = 120_000;
const TOO_MUCH_MSAT = 3_000_000_000;

describeNeeding('lightningd', haveNodes, 'the history of a real node', () => {
  let nodes: ClnNodes;
  let daemon: Daemon;

  const ask = (method: string, params: object = {}) => answerAt(daemon.socketPath, method, params);

  beforeAll(async () => {
    nodes = await ClnNodes.start();
    const id = (await nodes.call('c', 'getinfo')).id;
    await nodes.call('b', 'keysend', { destination: id, amount_msat: 6_000_000_000 });
    const invoice = (label: string, amount_msat: number) =>
      nodes.call('c', 'invoice', { label, amount_msat, description: label });
    await nodes.call('a', 'xpay', { invstring: (await invoice('small', 1_000_000)).bolt11 });
    const large = (await invoice('large', TOO_MUCH_MSAT)).bolt11;
    await expect(nodes.call('a', 'xpay', { invstring: large })).rejects.toThrow();
    const { route } = await nodes.call('a', 'getroute', { id, amount_msat: TOO_MUCH_MSAT, riskfactor: 1 });
    const payment_hash = '5a'.repeat(32);
    await nodes.call('a', 'sendpay', { route, payment_hash });
    await expect(nodes.call('a', 'waitsendpay', { payment_hash })).rejects.toThrow();
    daemon = await startTestDaemon(['--network', 'cln', '--no-node-history', ...nodes.besideA()]);
    await until(async () => (await ask('listchannels')).channels.length >= 4);
  }, TIME);
  afterAll(async () => {
    await daemon?.stop();
    await nodes?.stop();
  }, TIME);

  test('yields bounds for the balance of b, and shows that b and c answered', { timeout: TIME }, async () => {
    expect(await ask('importnodehistory')).toMatchObject({ unknown: 0, answers: 2 });
    const { beliefs } = await ask('listbeliefs', { layer: 'nodehistory' });
    const [b, c] = [(await nodes.call('b', 'getinfo')).id, (await nodes.call('c', 'getinfo')).id];
    const ofB = beliefs.find(({ source }: { source: string }) => source === b);
    expect(ofB).toMatchObject({ destination: c, maximum_msat: TOO_MUCH_MSAT - 1 });
    // Records of the two failures. The xpay of nodes newer than v26.06 also reports the payment that succeeded.
    expect([2, 3]).toContain(ofB.records);
    const { channels } = await nodes.call('b', 'listpeerchannels', { id: c });
    expect(channels[0].spendable_msat).toBeLessThanOrEqual(ofB.maximum_msat);
    const { nodes: known } = (await ask('exportlearned')).state;
    expect(known.map(([node]: [string]) => node).sort()).toEqual([b, c].sort());
  });
});
