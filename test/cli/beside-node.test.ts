/**
 * The daemon beside a stand-in for lightningd whose network is simulated. The tests check `getinfo`,
 * `keysend` and the data directory while the node is running, is away, refuses, or is killed during a
 * payment, and which node is blamed for a failure.
 *
 *     we ── node ── A ── B ── C
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseStartOptions } from '../../src/cli/options/start-options.ts';
import { msat } from '../../src/model/msat.ts';
import { parseNodeId } from '../../src/model/node-id.ts';
import { formatShortChannelId } from '../../src/model/short-channel-id.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import {
  A,
  B,
  directionFrom,
  type LineNode,
  lineNode,
  OWN_ID as OWN,
  START_HEIGHT,
} from '../lightningd/line-node.ts';
import type { StandIn } from '../lightningd/stand-in.ts';
import { RawClient } from '../rpc/support.ts';
import { until } from '../until.ts';

const ANOTHER = '032c0b7cf95324a07d05398b240174dc0c2be444d96b159aa6c7f7b1e668680991';

let all: LineNode;
let home: string;
let node: StandIn;
let daemon: DaemonHere | undefined;

async function start(): Promise<void> {
  daemon = await DaemonHere.start(join(home, 'data'), all.daemonOptions);
}

async function stop(): Promise<void> {
  await daemon?.stop();
  daemon = undefined;
}

const ask = (method: string, params: object = {}) => daemon!.answer(method, params);

const keysend = (more: object = {}) => ask('keysend', { destination: B, amount_msat: 5000, ...more });

beforeEach(async () => {
  all = lineNode();
  ({ node, directory: home } = all);
  await node.start();
});
afterEach(async () => {
  await stop();
  await all.close();
});

test('a payment right after a restart of the node waits for peers that reconnect after the node', async () => {
  await start();
  const problem = async () => (await ask('getinfo')).warning_node_behind;
  all.simulation.setTrait(A, 'offline', true);
  await node.kill();
  await until(async () => (await problem()) !== undefined);
  await node.start();
  await until(async () => (await problem()) === undefined);
  const paid = keysend();
  await until(async () => (await ask('listpeerchannels')).channels[0].peer_connected === false);
  all.simulation.setTrait(A, 'offline', false);
  expect(await paid).toMatchObject({ status: 'complete' });
});

test('shows the node and its channels as the node does, and pays over it', async () => {
  await start();
  expect(await ask('getinfo')).toMatchObject({
    id: OWN,
    alias: 'standin',
    blockheight: START_HEIGHT,
    network: 'regtest',
    address: [{ type: 'ipv4', address: '192.0.2.7', port: 9735 }],
    node_behind: { kind: 'cln', id: OWN, version: 'v26.06', plugin: false },
  });
  const address = { type: 'ipv4', address: '127.0.0.1', port: 9735 };
  expect(await ask('connect', { id: A })).toMatchObject({ id: A, direction: 'out', address });
  expect(await ask('getinfo')).not.toHaveProperty('warning_node_behind');
  const ours = formatShortChannelId(all.ours);
  expect((await ask('listpeerchannels')).channels).toMatchObject([
    { peer_id: A, short_channel_id: ours, feerate: { perkw: 253 }, state: 'CHANNELD_NORMAL' },
  ]);
  expect((await ask('listchannels')).channels).toHaveLength(6);
  const { amount_msat, amount_sent_msat, status } = await keysend();
  // The shadow route adds at most a thousandth of the amount, and the peer charges its base fee.
  expect([amount_msat >= 5000 && amount_msat <= 5005, amount_sent_msat - amount_msat, status]).toEqual([
    true,
    1000,
    'complete',
  ]);
  expect(node.payments.rows).toMatchObject([{ status: 'complete', amountMsat: BigInt(amount_msat) }]);
});

/** Time limit in milliseconds. It ends before the first poll, at which channels are checked without a request. */
const BEFORE_PULSE = 25_000;

test('a channel change without an event from the node is known to the next search', {
  timeout: BEFORE_PULSE,
}, async () => {
  await start();
  const search = (amount_msat: number) =>
    ask('getroutes', {
      ...{ source: OWN, destination: A, amount_msat, layers: ['auto.localchans'] },
      ...{ maxfee_msat: 5_000_000, final_cltv: 18 },
    });
  const holds = (sat: bigint) => {
    const way = { shortChannelId: all.ours, direction: directionFrom(OWN, A) };
    all.simulation.setBalance(way, msat(sat * 1_000n));
  };
  expect(await search(900_000_000)).toHaveProperty('routes');
  holds(500_000n);
  // Channel reports are cached for a short time.
  await until(async () => (await search(900_000_000)).code === 215);
  expect(await search(400_000_000)).toHaveProperty('routes');
  holds(900_000n);
  const plan = () => ask('plankeysend', { destination: A, amount_msat: 600_000_000 });
  await until(async () => (await plan()).amount_sent_msat === 600_000_000);
});

describe('a node that goes away', () => {
  test('during a payment: the caller waits, and gets the preimage when the node is back', async () => {
    await start();
    node.channeld.hold(true);
    const paid = keysend();
    await until(() => node.channeld.everHtlcs().length === 1);
    await node.kill();
    await until(async () => (await ask('getinfo')).warning_node_behind !== undefined);
    node.channeld.hold(false);
    await node.start();
    const { status, payment_preimage } = await paid;
    expect([status, payment_preimage]).toEqual(['complete', node.payments.rows[0]!.preimage]);
    expect(node.payments.rows).toHaveLength(1);
  });

  test('accepts no payment, and reports why; route queries are still answered', async () => {
    await start();
    await node.kill();
    await until(async () => (await ask('getinfo')).warning_node_behind !== undefined);
    expect(await keysend({ retry_for: 0 })).toMatchObject({
      code: -32006,
      message: expect.stringMatching(/^Nothing was sent: the node is unreachable/),
    });
    expect((await ask('listpays')).pays).toEqual([]);
    const query = { source: OWN, destination: B, amount_msat: 5000, layers: ['auto.localchans'] };
    expect(await ask('getroutes', { ...query, maxfee_msat: 5000, final_cltv: 18 })).toHaveProperty('routes');
  });

  test('while our daemon is stopped: HTLCs in flight are found at its next start', async () => {
    await start();
    node.channeld.hold(true);
    const payer = new RawClient(daemon!.socketPath);
    const params = { destination: B, amount_msat: 5000 };
    payer.send(JSON.stringify({ id: 1, method: 'keysend', params }));
    await until(() => node.channeld.everHtlcs().length === 1);
    // A stop waits for the payments of connected clients.
    payer.close();
    await stop();
    node.channeld.hold(false);
    await until(() => node.payments.rows[0]!.status === 'complete');
    await start();
    await until(async () => (await ask('listpays')).pays[0].status === 'complete');
    expect(node.called('sendonion')).toHaveLength(1);
  });
});

describe('a refusal with the node’s text', () => {
  test.each([
    ['Capacity exceeded - HTLC fee: 1626sat', 0x1007, 'balance'],
    ['Too many HTLCs', 0x1007, 'htlc_slots'],
    ['HTLC too dusty, allowed dust limit reached', 0x1007, 'dust'],
    ['Mini mode: maximum value exceeded', 0x4009, 'in_flight_limit'],
    ['HTLC too small (10msat minimum)', 0x100b, 'too_small'],
    ['Invalid cltv_expiry 800041', 0x100d, 'expiry'],
  ])('of our channel is the binding reason: %s', async (words, code, cause) => {
    await start();
    // The node refuses every attempt with the same text, because the state of the channel does not change.
    const refuse = (): void => node.channeld.refuseNext(code, words);
    refuse();
    node.beforeCall = (method) => {
      if (method === 'sendonion') refuse();
    };
    const ours = `${formatShortChannelId(all.ours)}/${OWN < A ? 0 : 1}`;
    const failed = await keysend({ retry_for: 1 });
    // Payments that hit temporary limits are retried until the time is up.
    expect([205, 210]).toContain(failed.code);
    expect(failed).toMatchObject({
      message: expect.stringContaining(`our channel ${ours} said: ${words}`),
      data: { binding: { kind: 'own_channel', short_channel_id_dir: ours, cause, words } },
    });
  });

  test('of the node itself ends the payment', async () => {
    await start();
    node.declines = true;
    expect(await keysend()).toMatchObject({ code: 214, message: 'keysend was declined' });
    expect(await ask('xkeysend', { destination: B, amount_msat: 5000 })).toMatchObject({ code: 214 });
    expect(node.called('sendonion')).toEqual([]);
  });
});

test('the data directory belongs to the node, and is refused for a different node', async () => {
  await start();
  await stop();
  await node.kill();
  node.id = parseNodeId(ANOTHER)!;
  await node.start();
  await expect(start()).rejects.toThrow(
    `belongs to node ${OWN} (--network cln --chain regtest), but this start is for node ${ANOTHER}`,
  );
});

test('without its node, the daemon does not start', async () => {
  await node.kill();
  await expect(start()).rejects.toThrow(
    /lightning-rpc: no such file; is lightningd running, and --lightning-dir right\?/,
  );
});

test('the socket of Fulgurite itself is not a node', async () => {
  await start();
  const options = ['--network', 'cln', '--lightning-rpc-file', daemon!.socketPath];
  const second = DaemonHere.start(join(home, 'other'), options);
  await expect(second).rejects.toThrow('Fulgurite answers at this socket');
});

test('node options require the node’s network, and a single chain', async () => {
  expect(() => parseStartOptions(['--lightning-dir', '/x'])).toThrow(
    '--lightning-dir requires --network cln',
  );
  expect(() => parseStartOptions(['--graph', 'node'])).toThrow('--graph node requires --network cln');
  const both = ['--network', 'cln', '--lightning-dir', '/x', '--lightning-rpc-file', '/y'];
  expect(() => parseStartOptions(both)).toThrow('not both');
  const options = parseStartOptions(['--network', 'cln', '--lightning-dir', '/x', '--chain', 'signet']);
  expect(options).toMatchObject({ nodeSocket: '/x/signet/lightning-rpc', graph: 'node' });
  const started = DaemonHere.start(join(home, 'data'), [...all.daemonOptions, '--chain', 'bitcoin']);
  await expect(started).rejects.toThrow('--chain is bitcoin, but the node at');
});
