/**
 * A daemon with two nodes, both stand-ins for lightningd, one of which misbehaves: it comes late, belongs to
 * a different daemon, lies about its balance or its height, or hangs in the middle of a part. Each has its
 * own simulated network.
 *
 *     a ──┐
 *         ├── A ── B ── C
 *     b ──┘
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { msat } from '../../src/model/msat.ts';
import { type NodeId, nodeIdFromBytes } from '../../src/model/node-id.ts';
import {
  formatShortChannelId,
  type ShortChannelId,
  shortChannelId,
} from '../../src/model/short-channel-id.ts';
import { networkMapOf, Simulation } from '../../src/network/simulated/index.ts';
import { DaemonHere } from '../commands/daemon-here.ts';
import { A, AB, B, BC, C, START_HEIGHT } from '../lightningd/line-node.ts';
import type { PublicDirection } from '../lightningd/node-view.ts';
import { StandIn } from '../lightningd/stand-in.ts';
import { CAPACITY, lineGraph, POLICY } from '../network/simulated/line.ts';
import { until } from '../until.ts';

const ALICE_BALANCE = CAPACITY / 4n;
/** A channel that only b knows. */
const HEARD_BY_BOB = shortChannelId(700_000, 3, 0);

interface Member {
  readonly node: StandIn;
  readonly simulation: Simulation;
  readonly directory: string;
}

let home: string;
let alice: Member;
let bob: Member;
let daemon: DaemonHere | undefined;

/** A stand-in with its own key, this balance in its channel to A, and this public graph. */
function member(key: number, localMsat: bigint, graph: readonly PublicDirection[] = []): Member {
  const directory = mkdtempSync(join(home, 'n'));
  const secretKey = new Uint8Array(32).fill(key);
  const ownNodeId = nodeIdFromBytes(curve.publicKey(secretKey));
  const simulation = new Simulation(networkMapOf(lineGraph()), {
    ...{ ownNodeId, startHeight: START_HEIGHT - key, blockIntervalMs: 1e12 },
    ownChannels: [{ peerId: A, capacityMsat: CAPACITY, localMsat: msat(localMsat) }],
  });
  // The id of a channel contains the height at which it was opened, so each node's channel has a different
  // id.
  simulation.setHeight(START_HEIGHT);
  const node = new StandIn({ directory, simulation, secretKey, graph });
  return { node, simulation, directory };
}

function publicChannel(id: ShortChannelId, one: NodeId, other: NodeId): PublicDirection[] {
  const scid = formatShortChannelId(id);
  const policy = { ...POLICY, feeBaseMsat: msat(POLICY.feeBaseMsat) };
  return [[one, other] as const, [other, one] as const].map(([source, destination]) => ({
    ...{ source, destination, scid, capacityMsat: CAPACITY, policy },
  }));
}

async function start(shown: string[] = []): Promise<void> {
  const options = [
    ...['--node', `a=cln:${alice.node.rpcFile}`, '--node', `b=cln:${bob.node.rpcFile}`],
    '--no-http',
  ];
  daemon = await DaemonHere.start(join(home, 'data'), options, shown);
}

async function stop(): Promise<void> {
  await daemon?.stop();
  daemon = undefined;
}

const ask = (method: string, params: object = {}) => daemon!.answer(method, params);

const row = async (node: string) => (await ask('listournodes', { node })).nodes[0];
/** Whether the daemon knows the channel that only b knows. */
const knowsOfBob = async (): Promise<boolean> =>
  (await ask('listchannels', { short_channel_id: formatShortChannelId(HEARD_BY_BOB) })).channels.length > 0;
const pay = (more: object = {}) => ask('keysend', { destination: B, amount_msat: 5000, ...more });

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'purse-'));
  const graph = [...publicChannel(AB, A, B), ...publicChannel(BC, B, C)];
  alice = member(9, ALICE_BALANCE, graph);
  bob = member(8, CAPACITY, [...graph, ...publicChannel(HEARD_BY_BOB, B, C)]);
  await alice.node.start();
  await bob.node.start();
});
afterEach(async () => {
  await stop();
  await alice.node.close();
  await bob.node.close();
  rmSync(home, { recursive: true, force: true });
});

test('a node that comes late brings its gossip, and pays from then on', { timeout: 60_000 }, async () => {
  await start();
  await stop();
  await bob.node.stop();
  await start();
  expect(await knowsOfBob()).toBe(false);
  expect(await row('b')).toMatchObject({
    may_spend_msat: 0,
    resting: expect.stringMatching(/lightning-rpc/),
  });
  expect(await pay()).toMatchObject({ status: 'complete' });
  await bob.node.start();
  await until(async () => (await row('b')).resting === undefined);
  await until(knowsOfBob);
  expect(await pay({ nodes: ['b'] })).toMatchObject({ status: 'complete' });
});

test('a node that stops before the daemon has marked it comes late', { timeout: 60_000 }, async () => {
  bob.node.beforeCall = (method) => {
    if (method.endsWith('datastore')) return bob.node.stop();
  };
  await start();
  expect(await row('b')).toMatchObject({
    may_spend_msat: 0,
    resting: expect.stringMatching(/lightning-rpc/),
  });
  expect(await pay()).toMatchObject({ status: 'complete' });
  bob.node.beforeCall = () => undefined;
  await bob.node.start();
  await until(async () => (await row('b')).resting === undefined);
  expect(await pay({ nodes: ['b'] })).toMatchObject({ status: 'complete' });
});

test('a node that stops while its graph is first read brings its gossip when it is back', {
  timeout: 60_000,
}, async () => {
  let isAsked = false;
  bob.node.beforeCall = (method) => {
    if (method !== 'listchannels' || isAsked) return undefined;
    isAsked = true;
    return bob.node.stop();
  };
  await start();
  expect([isAsked, await knowsOfBob()]).toEqual([true, false]);
  await bob.node.start();
  await until(knowsOfBob);
});

test('two names for one node, and nodes of different chains, are refused by name', async () => {
  const { id } = bob.node;
  bob.node.id = alice.node.id;
  await expect(start()).rejects.toThrow(`--node: a and b are the same node ${alice.node.id}`);
  bob.node.id = id;
  bob.node.chain = 'signet';
  await expect(start()).rejects.toThrow('--node: a is on regtest, but b is on signet');
});

test('a late node that belongs to a different daemon is not used', { timeout: 60_000 }, async () => {
  await start();
  await stop();
  bob.node.datastore.put({ key: ['fulgurite', 'purse'], string: 'another', mode: 'must-replace' });
  await bob.node.stop();
  await start();
  await bob.node.start();
  await until(async () => /belongs to another purse \(another\)/.test((await row('b')).resting));
  expect(await pay()).toMatchObject({ status: 'complete' });
  expect(await pay({ nodes: ['b'] })).toMatchObject({ code: 205 });
});

test('a different node that responds instead of a late one is neither marked nor used, and is logged once', {
  timeout: 60_000,
}, async () => {
  await start();
  await stop();
  bob.node.datastore.delete({ key: ['fulgurite', 'purse'] });
  await bob.node.stop();
  const shown: string[] = [];
  await start(shown);
  bob.node.id = C;
  const asked: string[] = [];
  bob.node.beforeCall = (method) => void asked.push(method);
  await bob.node.start();
  await until(async () => /a different node responds in its place/.test((await row('b')).resting));
  // The daemon tries again every five seconds.
  const tries = (): number => asked.filter((method) => method === 'getinfo').length;
  await until(() => tries() > 2);
  expect(asked.filter((method) => method.endsWith('datastore'))).toEqual([]);
  expect(shown.join('').match(/a different node responds in its place/g)).toHaveLength(1);
});

/** Makes the node misreport its channels. */
function lie({ node }: Member, spendableMsat: bigint): void {
  const { channeld } = node;
  const honest = channeld.records.bind(channeld);
  channeld.records = () => honest().map((one) => ({ ...one, spendableMsat: msat(spendableMsat) }));
}

test('a node that reports more than its channel holds gets no parts', { timeout: 60_000 }, async () => {
  lie(bob, CAPACITY + 1n);
  await start();
  expect((await row('b')).resting).toMatch(/^it reports an impossible balance of channel \d+x\d+x\d+$/);
  expect(await pay()).toMatchObject({ status: 'complete' });
  const beyond = await pay({ amount_msat: ALICE_BALANCE.toString() });
  expect(beyond).toMatchObject({ code: 205 });
  expect(beyond.message).toContain('it reports an impossible balance');
});

test('a node that claims more than it has refuses its part, and the other node pays', {
  timeout: 60_000,
}, async () => {
  const empty = msat(10_000_000n);
  bob.simulation.setBalance(
    { ...bob.simulation.ownChannels().channels[0]!, direction: bob.node.id < A ? 0 : 1 } as never,
    empty,
  );
  lie(bob, CAPACITY / 2n);
  await start();
  await ask('setournode', { node: 'b', price: -1000 });
  const amount_msat = 100_000_000;
  const plan = await ask('plankeysend', { destination: B, amount_msat });
  expect(plan.parts.map(({ node }: { node: string }) => node)).toEqual(['b']);
  expect(await pay({ amount_msat })).toMatchObject({ status: 'complete' });
  const { payments } = await ask('listsendpays');
  expect(payments.map(({ node, status }: { node: string; status: string }) => [node, status])).toEqual([
    ['b', 'failed'],
    ['a', 'complete'],
  ]);
});

test('if one node is more than three blocks ahead, this is shown, and the node behind gets no parts', {
  timeout: 60_000,
}, async () => {
  await start();
  bob.simulation.setHeight(START_HEIGHT + 4);
  await until(async () => (await row('a')).resting !== undefined);
  expect((await row('a')).resting).toBe(
    `its block height ${START_HEIGHT} differs from that of the other nodes, ${START_HEIGHT + 4}`,
  );
  expect((await row('b')).resting).toBeUndefined();
  expect(await pay()).toMatchObject({ status: 'complete' });
});

test('a node that hangs in the middle of a part freezes only that part', { timeout: 60_000 }, async () => {
  await start();
  bob.node.channeld.hold(true);
  const frozen = pay({ nodes: ['b'] });
  const pendingNow = async () => (await ask('listsendpays', { status: 'pending' })).payments;
  await until(async () => (await pendingNow()).length === 1 && (await row('b')).htlcs === 1);
  bob.node.hang(true);
  // Payments that need not wait for b are made while the part of b is in flight.
  for (let n = 0; n < 3; n++) expect(await pay({ nodes: ['a'] })).toMatchObject({ status: 'complete' });
  const payments = await pendingNow();
  expect(payments).toHaveLength(1);
  expect(payments[0]).toMatchObject({ node: 'b', status: 'pending' });
  bob.node.channeld.hold(false);
  bob.node.hang(false);
  expect(await frozen).toMatchObject({ status: 'complete' });
});
