/**
 * Many strangers: a thousand connections at once that are silent or slow, and floods of gossip. All limits hold, and
 * an honest peer is still served.
 */

import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { concatBytes } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { createOnionMessage, encodeOnionMessage, pathToNode } from '../../../src/bolt/onion/onion-message.ts';
import { createChannelUpdate } from '../../../src/bolt/peer/gossip-messages.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { checkPackedGossip, packGossip } from '../../../src/network/peer/gossip-check.ts';
import type { GossipChecker } from '../../../src/network/peer/gossip-pool.ts';
import { openPeerNetwork, type PeerNetwork } from '../../../src/network/peer/index.ts';
import { INBOUND_LIMITS, MAX_WAITING_GOSSIP, type PeerTiming } from '../../../src/network/peer/limits.ts';
import { SignedNetwork } from './signed-gossip.ts';
import { WirePeer } from './wire-peer.ts';

const chainHash = CHAIN_HASHES.regtest;
const SILENT = INBOUND_LIMITS.silent.most;
const MAX_PEERS = INBOUND_LIMITS.peers.most;
const NOW = 1_700_000_000;
const signed = new SignedNetwork({ nodes: 4, channels: 4, chainHash, timestamp: NOW });
const open: PeerNetwork[] = [];
const sockets: Socket[] = [];

/** The connections that the network keeps, ready or not. */
const connectionsOf = (network: PeerNetwork): Set<unknown> =>
  (network as unknown as { connections: Set<unknown> }).connections;

class SlowChecker implements GossipChecker {
  checked = 0;
  largest = 0;
  async check(batch: Parameters<GossipChecker['check']>[0]): Promise<Uint8Array> {
    this.checked += batch.length;
    this.largest = Math.max(this.largest, batch.length);
    await new Promise((resolve) => setTimeout(resolve, 1));
    return checkPackedGossip(packGossip(batch));
  }
  async close(): Promise<void> {
    // Nothing to close.
  }
}

async function listening({ checker = new SlowChecker(), timing = {} as Partial<PeerTiming> } = {}) {
  const graph = new ChannelGraph();
  const network = openPeerNetwork({
    secretKey: randomSecretKey(),
    chainHash,
    graph,
    graphChanged: () => undefined,
    checker,
    timing,
    nowSeconds: () => NOW,
  });
  open.push(network);
  const { port } = await network.listen({ host: '127.0.0.1', port: 0 });
  return { network, graph, port, checker };
}

/** A socket that sends the given bytes and keeps reading. */
function stranger(port: number, said?: Uint8Array): Socket {
  const socket = connectTcp({ host: '127.0.0.1', port });
  sockets.push(socket.on('error', () => undefined).resume());
  if (said !== undefined) socket.write(said);
  return socket;
}

/** A peer that the operator trusts. */
async function honest(network: PeerNetwork, port: number): Promise<WirePeer> {
  const secretKey = randomSecretKey();
  network.trust(nodeIdFromBytes(curve.publicKey(secretKey)));
  const peer = await WirePeer.dial(network.identity.nodeId, port, secretKey);
  sockets.push(peer.socket);
  peer.sendInit(chainHash);
  await vi.waitFor(
    () => expect(network.peers()).toContainEqual(expect.objectContaining({ nodeId: peer.nodeId })),
    { interval: 2 },
  );
  return peer;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((one) => one.close()));
});

describe('many strangers', () => {
  it('that are silent, send half an act, or send single bytes, a thousand in total: an honest peer still gets in', async () => {
    const { network, port } = await listening();
    let most = 0;
    for (let i = 0; i < 1000; i++) {
      const socket = stranger(port, i % 3 === 0 ? undefined : new Uint8Array(i % 3 === 1 ? 25 : 1));
      if (i % 100 !== 99) continue;
      await new Promise((resolve) =>
        socket.connecting ? socket.once('connect', resolve) : resolve(undefined),
      );
      await vi.waitFor(() => expect(connectionsOf(network).size).toBeGreaterThan(0), { timeout: 20_000 });
      most = Math.max(most, connectionsOf(network).size);
    }
    await vi.waitFor(() => expect(connectionsOf(network).size).toBe(SILENT), { timeout: 20_000 });
    expect(most).toBeLessThanOrEqual(SILENT);
    await honest(network, port);
    expect(connectionsOf(network).size).toBeLessThanOrEqual(SILENT + 1);
  });

  it('that become peers until there is one too many: the least useful is disconnected, and we can still connect to others', async () => {
    const { network, port } = await listening();
    const peers: WirePeer[] = [];
    for (let i = 0; i < MAX_PEERS; i++) peers.push(await honest(network, port));
    const [first, second] = peers as [WirePeer, WirePeer];
    // The first peer is the oldest, but it has just sent something.
    const read = new Promise((resolve) => network.onOnionMessage(resolve));
    const path = pathToNode([], nodeIdToBytes(network.identity.nodeId), randomSecretKey());
    first.send(encodeOnionMessage(createOnionMessage(path, {}, randomSecretKey())));
    await read;
    await honest(network, port);
    await second.closed;
    expect(second.warnings).toEqual([]);
    expect(network.peers()).toHaveLength(MAX_PEERS);
    expect(peers.filter(({ socket }) => socket.destroyed)).toEqual([second]);
    const other = await listening();
    await network.connect(other.network.identity.nodeId, [`127.0.0.1:${other.port}`]);
    expect(network.peers()).toHaveLength(MAX_PEERS + 1);
  });

  it('that connect in a storm: a peer that is slow in every step of its handshake still gets in', async () => {
    const { network, port } = await listening({ timing: { handshakeMs: 120_000 } });
    let isOver = false;
    let connects = 0;
    const storm = async (): Promise<void> => {
      while (!isOver) {
        const socket = stranger(port);
        await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
        connects++;
        if (connects % 2 === 0) socket.destroy();
        if (sockets.length > 3000) for (const old of sockets.splice(0, 1000)) old.destroy();
      }
    };
    const storming = Promise.all([storm(), storm(), storm(), storm()]);
    // Act one comes at once. Act three and init come after more strangers than fit in a room have come and gone.
    const socket = connectTcp({ host: '127.0.0.1', port });
    const write = socket.write.bind(socket);
    const passed = (count: number): Promise<void> =>
      vi.waitFor(() => expect(connects).toBeGreaterThan(count), { timeout: 100_000 });
    // One after the other: if both waited at once, the one that looks first would be written first.
    let written: Promise<unknown> | undefined;
    socket.write = (bytes: Uint8Array | string) => {
      const earlier = written;
      if (earlier === undefined) {
        written = Promise.resolve();
        return write(bytes);
      }
      const sofar = connects;
      written = earlier.then(() => passed(sofar + 2 * SILENT)).then(() => write(bytes));
      return true;
    };
    const slow = new WirePeer(socket, randomSecretKey(), network.identity.nodeId);
    try {
      socket.once('connect', () => slow.start());
      await slow.opened;
      slow.sendInit(chainHash);
      await vi.waitFor(() => expect(network.peers()).toHaveLength(1), { timeout: 60_000, interval: 5 });
    } finally {
      // Or the storm would close the connections of the next tests.
      isOver = true;
      await storming;
    }
    expect(connects).toBeGreaterThan(2 * SILENT);
    slow.socket.destroy();
  }, 120_000);

  it('that disconnect at once leave nothing behind', async () => {
    const { network, port } = await listening();
    for (let i = 0; i < 50; i++) {
      const peer = await honest(network, port);
      peer.socket.destroy();
    }
    await vi.waitFor(() => expect(connectionsOf(network).size).toBe(0), { timeout: 20_000 });
    expect(network.peers()).toEqual([]);
  });
});

describe('floods of gossip', () => {
  it('with known, stale, foreign and unknown messages cause no signature checks', async () => {
    const { network, port, graph, checker } = await listening();
    const peer = await honest(network, port);
    const all = signed.messages();
    for (const bytes of all) peer.send(bytes);
    await vi.waitFor(() => expect(graph.announcements.size).toBe(4), { timeout: 20_000 });
    const before = checker.checked;
    expect(before).toBe(all.length);
    const [channel] = signed.channels;
    const foreign = new SignedNetwork({
      nodes: 3,
      channels: 1,
      chainHash: CHAIN_HASHES.bitcoin,
      timestamp: NOW,
    });
    const useless = [
      ...all,
      signed.update(channel!, { timestamp: NOW - 1 }),
      signed.update(channel!, { shortChannelId: 5n as never, timestamp: NOW + 1 }),
      ...foreign.messages().slice(0, 3),
      concatBytes(signed.update(channel!, { timestamp: NOW + 2 }), new Uint8Array(3000)),
    ];
    for (let i = 0; i < 300; i++) for (const bytes of useless) peer.send(bytes);
    // Messages are read in order, so once this one has arrived, the others have too.
    peer.send(signed.update(channel!, { timestamp: NOW + 3, feeBaseMsat: 77 }));
    await vi.waitFor(() => expect(graph.feeBaseMsat).toContain(77), { timeout: 60_000, interval: 50 });
    expect(checker.checked).toBe(before + 1);
    expect(peer.warnings).toEqual([]);
  }, 60_000);

  it('with a wrong signature end the connection with the reason, and the messages behind it are dropped', async () => {
    const { network, port, graph } = await listening();
    const peer = await honest(network, port);
    const [channel, other] = signed.channels;
    const forged = createChannelUpdate(
      {
        chainHash,
        shortChannelId: channel!.shortChannelId,
        timestamp: NOW,
        direction: 0,
        isDisabled: false,
        cltvExpiryDelta: 1,
        htlcMinimumMsat: 0n as never,
        feeBaseMsat: 0,
        feeProportionalMillionths: 0,
        htlcMaximumMsat: 1n as never,
      },
      randomSecretKey(),
    );
    peer.send(channel!.announcement);
    await vi.waitFor(() => expect(graph.channelCount).toBe(1), { timeout: 20_000 });
    // More messages than are read before the first one is checked.
    for (let i = 0; i < 30_000; i++) peer.send(forged);
    peer.send(other!.announcement);
    await peer.closed;
    expect(peer.warnings).toEqual(['a gossip message with an invalid signature']);
    await vi.waitFor(() => expect(network.peers()).toEqual([]), { timeout: 20_000 });
    expect([graph.channelCount, graph.policy(0)]).toEqual([1, undefined]);
  });

  it('from many peers at once keep the queue bounded, and every message is read', async () => {
    const { network, port, graph, checker } = await listening();
    const intake = (
      network as unknown as { options: { gossip: { options: { intake: { waiting: number } } } } }
    ).options.gossip.options.intake;
    const peers: WirePeer[] = [];
    for (let i = 0; i < 8; i++) peers.push(await honest(network, port));
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, intake.waiting);
    }, 1);
    const all = signed.messages();
    for (const peer of peers) for (let i = 0; i < 150; i++) for (const bytes of all) peer.send(bytes);
    await vi.waitFor(() => expect([graph.channelCount, graph.announcements.size]).toEqual([4, 4]), {
      timeout: 20_000,
    });
    await vi.waitFor(() => expect(intake.waiting).toBe(0), { timeout: 60_000, interval: 50 });
    clearInterval(watch);
    // Up to 64 kB per connection may have been read before it was paused.
    expect(most).toBeLessThan(MAX_WAITING_GOSSIP + peers.length * 700);
    expect(checker.largest).toBeLessThanOrEqual(250);
    expect(network.peers()).toHaveLength(8);
  }, 60_000);
});
