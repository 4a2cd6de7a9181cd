/**
 * Gossip checked against the chain: strangers on real connections announce made-up channels, and channels
 * close. The chain is a stand-in whose content each test sets.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { decodeChannelAnnouncement } from '../../../src/bolt/peer/gossip-messages.ts';
import { Bitcoind } from '../../../src/chain/bitcoind.ts';
import type { ChainSource } from '../../../src/chain/chain-source.ts';
import { Esplora } from '../../../src/chain/esplora.ts';
import { OwnGossipStore } from '../../../src/gossip/own-gossip-store.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { deferred } from '../../../src/model/deferred.ts';
import { shortChannelId } from '../../../src/model/short-channel-id.ts';
import { checkPackedGossip, packGossip } from '../../../src/network/peer/gossip-check.ts';
import type { GossipChecker } from '../../../src/network/peer/gossip-pool.ts';
import { openPeerNetwork, type PeerNetwork } from '../../../src/network/peer/index.ts';
import { MAX_FORGED_CHANNELS } from '../../../src/network/peer/limits.ts';
import { StandInChain } from '../../chain/stand-in.ts';
import { nodeIdOf, type SignedChannel, SignedNetwork } from './signed-gossip.ts';
import { WirePeer } from './wire-peer.ts';

const chainHash = CHAIN_HASHES.regtest;
const NOW = 1_700_000_000;
const signed = new SignedNetwork({ nodes: 8, channels: 60, chainHash, timestamp: NOW });
const announced = signed.channels.map(({ announcement }) => decodeChannelAnnouncement(announcement));
const scids = announced.map(({ shortChannelId: id }) => id);

let chain: StandInChain;
let directory: string;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  chain = await StandInChain.start();
  chain.height = 200;
  directory = mkdtempSync(join(tmpdir(), 'fulgurite-chain-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await chain.stop();
  rmSync(directory, { recursive: true });
});

interface Node {
  readonly network: PeerNetwork;
  readonly graph: ChannelGraph;
  readonly port: number;
  readonly said: string[];
}

const checkNow: GossipChecker['check'] = async (batch) => checkPackedGossip(packGossip(batch));

async function node(chainSource?: ChainSource, isKept = false, check = checkNow): Promise<Node> {
  const graph = new ChannelGraph();
  const said: string[] = [];
  const unusual = (text: string): void => void said.push(text);
  const log = { debug: () => undefined, info: unusual, unusual };
  const path = join(directory, 'gossip_store');
  const network = openPeerNetwork({
    secretKey: randomSecretKey(),
    chainHash,
    graph,
    graphChanged: () => undefined,
    checker: { check, close: async () => undefined },
    nowSeconds: () => NOW,
    log,
    ...(isKept && { gossipStore: await OwnGossipStore.open(path, graph) }),
    ...(chainSource !== undefined && { chainSource, chainPollMs: 20 }),
  });
  closers.push(() => network.close());
  const { port } = await network.listen({ host: '127.0.0.1', port: 0 });
  return { network, graph, port, said };
}

async function stranger({ network, port }: Node): Promise<WirePeer> {
  const peer = await WirePeer.dial(network.identity.nodeId, port);
  closers.push(() => peer.socket.destroy());
  peer.sendInit(chainHash);
  await vi.waitFor(() => expect(network.peers().some(({ nodeId }) => nodeId === peer.nodeId)).toBe(true), {
    timeout: 20_000,
  });
  return peer;
}

const bitcoind = (): ChainSource => new Bitcoind({ url: chain.url });
const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 30_000, interval: 5 });
const known = ({ graph }: Node): bigint[] =>
  [...graph.shortChannelIds.subarray(0, graph.channelCount)].sort((a, b) => (a < b ? -1 : 1));

describe.each([
  ['bitcoind', bitcoind],
  ['Esplora', () => new Esplora(chain.url)],
] as const)('with %s', (_, source) => {
  it('a channel is added once the chain confirms it, with its capacity and all messages received in the meantime', async () => {
    for (const channel of announced.slice(0, 8)) chain.fund(channel, 1_234_567);
    const one = await node(source());
    const peer = await stranger(one);
    for (const channel of signed.channels.slice(0, 8))
      for (const said of signed.about(channel)) peer.send(said);
    for (const said of signed.messages().slice(-8)) peer.send(said);
    await waitFor(() => {
      expect(known(one)).toEqual(scids.slice(0, 8));
      expect(one.graph.announcements.size).toBe(8);
      for (let directionIndex = 0; directionIndex < 16; directionIndex++)
        expect(one.graph.policy(directionIndex)?.timestamp).toBe(NOW);
    });
    // The limits in the updates are lower: half a million satoshi.
    expect([...one.graph.capacityMsat.subarray(0, 8)]).toEqual(Array(8).fill(1_234_567_000n));
    expect(one.network.blockHeight()).toBe(200);
    expect(peer.warnings).toEqual([]);
  });
});

describe('with a chain source', () => {
  it('all made-up channels are refused, and a peer that keeps sending them is disconnected', async () => {
    const one = await node(bitcoind());
    const peer = await stranger(one);
    const real = announced[0]!;
    chain.fund(real, 5000);
    for (const channel of signed.channels.slice(1)) for (const said of signed.about(channel)) peer.send(said);
    await peer.closed;
    expect(peer.warnings).toEqual([expect.stringContaining('channels that are not on the chain')]);
    expect(signed.channels.length).toBeGreaterThan(2 * MAX_FORGED_CHANNELS);
    const other = await stranger(one);
    for (const said of signed.about(signed.channels[0]!)) other.send(said);
    await waitFor(() => expect(known(one)).toEqual([scids[0]]));
  });

  it('an update that arrives while its channel is being checked is kept, even if the check ends before its batch', async () => {
    const [first, second] = signed.channels as [SignedChannel, SignedChannel];
    for (const channel of announced.slice(0, 2)) chain.fund(channel, 5000);
    const source = bitcoind();
    const chainAnswers = deferred<void>();
    const unspent = source.unspent.bind(source);
    source.unspent = (outpoints) => chainAnswers.promise.then(() => unspent(outpoints));
    const signaturesChecked = deferred<void>();
    let batches = 0;
    const one = await node(source, false, async (batch) => {
      if (++batches === 2) await signaturesChecked.promise;
      return checkNow(batch);
    });
    const peer = await stranger(one);
    peer.send(first.announcement);
    await waitFor(() => expect(batches).toBe(1));
    for (const said of signed.about(first).slice(1)) peer.send(said);
    peer.send(second.announcement);
    await waitFor(() => expect(batches).toBe(2));
    chainAnswers.resolve();
    await waitFor(() => expect(known(one)).toEqual([scids[0]]));
    signaturesChecked.resolve();
    await waitFor(() => expect(known(one)).toEqual(scids.slice(0, 2)));
    await waitFor(() =>
      expect([0, 1].map((direction) => one.graph.policy(direction)?.timestamp)).toEqual([NOW, NOW]),
    );
  });

  it('the height comes from the chain, not from channels', async () => {
    const far = new SignedNetwork({ nodes: 4, channels: 1, chainHash, timestamp: NOW });
    const high = far.reannounced(far.channels[0]!, shortChannelId(16_777_215, 1, 0));
    const one = await node(bitcoind());
    const peer = await stranger(one);
    peer.send(high);
    chain.fund(announced[0]!, 5000);
    for (const said of signed.about(signed.channels[0]!)) peer.send(said);
    await waitFor(() => expect(known(one)).toEqual([scids[0]]));
    expect(one.network.blockHeight()).toBe(200);
  });

  it('a channel whose output is spent is removed, and still absent after a restart', async () => {
    for (const channel of announced.slice(0, 3)) chain.fund(channel, 70_000);
    const one = await node(bitcoind(), true);
    const peer = await stranger(one);
    for (const channel of signed.channels.slice(0, 3))
      for (const said of signed.about(channel)) peer.send(said);
    await waitFor(() => expect(known(one)).toHaveLength(3));
    chain.spend(scids[1]!);
    await waitFor(() => expect(known(one)).toEqual([scids[0], scids[2]]));
    // When announced again, the channel is looked up and ignored.
    for (const said of signed.about(signed.channels[1]!)) peer.send(said);
    await one.network.close();
    const before = chain.requests;
    chain.failure = { status: 500, text: 'away' };
    const two = await node(bitcoind(), true);
    expect(known(two)).toEqual([scids[0], scids[2]]);
    expect([...two.graph.capacityMsat.subarray(0, 2)]).toEqual([70_000_000n, 70_000_000n]);
    await waitFor(() => expect(chain.requests).toBeGreaterThan(before));
    // A channel that closed while we were away is removed once the chain answers again.
    chain.spend(scids[0]!);
    chain.failure = undefined;
    await waitFor(() => expect(known(two)).toEqual([scids[2]]));
  });

  it('channels stored unchecked are dropped at the start, and added again once announced and confirmed by the chain', async () => {
    const before = await node(undefined, true);
    const key = randomSecretKey();
    const teller = await trusted(before, key);
    for (const channel of signed.channels.slice(0, 2))
      for (const said of signed.about(channel)) teller.send(said);
    await waitFor(() => expect(known(before)).toHaveLength(2));
    await before.network.close();
    chain.fund(announced[0]!, 70_000);
    const one = await node(bitcoind(), true);
    expect(known(one)).toEqual([]);
    const peer = await stranger(one);
    for (const channel of signed.channels.slice(0, 2))
      for (const said of signed.about(channel)) peer.send(said);
    await waitFor(() => expect(known(one)).toEqual([scids[0]]));
    await one.network.close();
    expect(known(await node(bitcoind(), true))).toEqual([scids[0]]);
  });

  it('channels wait while the source does not answer, and are added when it does', async () => {
    chain.fund(announced[0]!, 5000);
    chain.failure = { status: 503, text: 'busy' };
    const one = await node(bitcoind());
    const peer = await stranger(one);
    for (const said of signed.about(signed.channels[0]!)) peer.send(said);
    await waitFor(() => expect(one.network.graphCheck().problem).toContain('503'));
    expect([known(one), one.network.blockHeight()]).toEqual([[], 0]);
    chain.failure = undefined;
    await waitFor(() => expect(known(one)).toEqual([scids[0]]));
    expect(one.network.graphCheck()).toEqual({ source: 'bitcoind' });
    // The problem is logged once, not at every attempt.
    expect(one.said.filter((text) => text.startsWith('bitcoind is unavailable'))).toHaveLength(1);
  });

  it('a source for a different network is not trusted', async () => {
    chain.genesis = '00'.repeat(32);
    const one = await node(bitcoind());
    await waitFor(() => expect(one.network.graphCheck().problem).toBe('it serves a different chain'));
    expect(one.network.blockHeight()).toBe(0);
  });
});

/** A peer that the operator trusts. */
async function trusted(one: Node, secretKey: Uint8Array): Promise<WirePeer> {
  const peer = await WirePeer.dial(one.network.identity.nodeId, one.port, secretKey);
  one.network.trust(peer.nodeId);
  closers.push(() => peer.socket.destroy());
  peer.sendInit(chainHash);
  await vi.waitFor(() => expect(one.network.peers()).not.toEqual([]), { timeout: 20_000 });
  return peer;
}

describe('without a chain source', () => {
  const all = signed.messages();

  it('a stranger’s channels are refused without any signature check; a trusted peer’s are added', async () => {
    const one = await node();
    const peer = await stranger(one);
    for (const said of all) peer.send(said);
    const friend = await trusted(one, randomSecretKey());
    for (const said of signed.about(signed.channels[7]!)) friend.send(said);
    await waitFor(() => expect(known(one)).toEqual([scids[7]]));
    expect(one.network.graphCheck()).toEqual({ source: 'unchecked' });
    expect(one.network.blockHeight()).toBe(0);
    // The ends of a known channel sign its updates, so any peer may forward them.
    peer.send(signed.update(signed.channels[7]!, { timestamp: NOW + 1, feeBaseMsat: 77 }));
    await waitFor(() => expect(one.graph.feeBaseMsat).toContain(77));
  });

  it('a channel is added once three peers that we connected to have announced it', async () => {
    const one = await node();
    const peers: WirePeer[] = [];
    for (let i = 0; i < 3; i++) {
      const key = randomSecretKey();
      const { server, port } = await WirePeer.listen(key, (peer) => {
        peers.push(peer);
        void peer.opened.then(() => peer.sendInit(chainHash));
      });
      closers.push(() => server.close());
      closers.push(() => peers[i]?.socket.destroy());
      await one.network.connect(nodeIdOf(key), [`127.0.0.1:${port}`]);
    }
    const [channel, other] = signed.channels as [(typeof signed.channels)[0], (typeof signed.channels)[0]];
    // The third peer announces a different channel under the same id.
    const forged = signed.reannounced(other, channel.shortChannelId);
    const [a, b, c] = peers as [WirePeer, WirePeer, WirePeer];
    for (let again = 0; again < 3; again++) for (const peer of [a, b]) peer.send(channel.announcement);
    c.send(forged);
    for (const peer of [a, b, c]) peer.send(other.announcement);
    await waitFor(() => expect(known(one)).toEqual([other.shortChannelId]));
    c.send(channel.announcement);
    await waitFor(() => expect(known(one)).toHaveLength(2));
  });
});
