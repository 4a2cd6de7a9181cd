/**
 * The peer network over TCP on loopback: two of ours, and a hand-driven peer that does what it must not. A
 * connection ends, the network goes on.
 */

import { connect as connectTcp, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CHAIN_HASHES } from '../../../src/bolt/bolt12-offer.ts';
import { fromHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/curve.ts';
import { featuresOf } from '../../../src/bolt/features.ts';
import { randomSecretKey } from '../../../src/bolt/noise.ts';
import * as messages from '../../../src/bolt/peer-messages.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import type { PeerTiming } from '../../../src/network/peer/limits.ts';
import { NoiseStream } from '../../../src/network/peer/noise-stream.ts';
import { OUR_FEATURES } from '../../../src/network/peer/our-features.ts';
import { PeerNetwork } from '../../../src/network/peer/peer-network.ts';

const chainHash = CHAIN_HASHES.regtest;
const open: PeerNetwork[] = [];
const sockets: Socket[] = [];

function network(timing: Partial<PeerTiming> = {}): PeerNetwork {
  const made = new PeerNetwork({
    secretKey: randomSecretKey(),
    chainHash,
    graph: new ChannelGraph(),
    timing,
  });
  open.push(made);
  return made;
}

async function listening(timing: Partial<PeerTiming> = {}) {
  const ours = network(timing);
  const { port } = await ours.listen({ host: '127.0.0.1', port: 0 });
  return { ours, port };
}

/** A peer that says what the test tells it to. */
async function handDriven(ours: PeerNetwork, port: number, secretKey = randomSecretKey()) {
  const socket = connectTcp({ host: '127.0.0.1', port });
  sockets.push(socket);
  const received: Uint8Array[] = [];
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  const opened = new Promise<void>((resolve) => {
    const stream = new NoiseStream(secretKey, Buffer.from(ours.identity.nodeId, 'hex'), {
      write: (bytes) => void socket.write(bytes),
      opened: () => resolve(),
      message: (bytes) => void received.push(bytes),
    });
    socket.on('data', (chunk) => stream.receive(chunk));
    streams.set(socket, stream);
    socket.once('connect', () => stream.start());
  });
  await opened;
  const send = (bytes: Uint8Array): void => streams.get(socket)!.send(bytes);
  return { socket, received, closed, send, nodeId: nodeIdFromBytes(curve.publicKey(secretKey)) };
}
const streams = new Map<Socket, NoiseStream>();

const init = (given: Partial<messages.Init> = {}): Uint8Array =>
  messages.encodeInit({ features: OUR_FEATURES, networks: [chainHash], remoteAddress: undefined, ...given });

const warningsIn = (received: readonly Uint8Array[]): string[] =>
  received
    .filter((bytes) => messages.messageType(bytes) === messages.WARNING_TYPE)
    .map((bytes) => Buffer.from(messages.decodeComplaint(bytes).data).toString());

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((one) => one.close()));
});

describe('two of ours', () => {
  it('exchange onion messages both ways', async () => {
    const { ours, port } = await listening();
    const other = network();
    await other.connect(ours.identity.nodeId, [`127.0.0.1:${port}`]);
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1));
    for (const [from, to] of [
      [ours, other],
      [other, ours],
    ] as const) {
      const arrived = new Promise((resolve) => to.onOnionMessage((...message) => resolve(message)));
      const message = { pathKey: curve.publicKey(randomSecretKey()), onion: new Uint8Array(32834).fill(7) };
      await from.sendOnionMessage(to.identity.nodeId, message);
      expect(await arrived).toEqual([from.identity.nodeId, message]);
    }
  });

  it('keep one connection per node: the newer replaces the older', async () => {
    const { ours, port } = await listening();
    const key = randomSecretKey();
    const first = await handDriven(ours, port, key);
    first.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1));
    const second = await handDriven(ours, port, key);
    second.send(init());
    await first.closed;
    await vi.waitFor(() => expect(ours.peers()).toMatchObject([{ nodeId: second.nodeId, connected: true }]));
  });

  it('cannot pay, and say so', async () => {
    await expect(network().sendHtlc()).rejects.toMatchObject({ name: 'notSupported' });
  });
});

describe('a peer that misbehaves loses its connection', () => {
  it.each([
    [
      'an even feature nobody knows',
      init({ features: featuresOf([200]) }),
      'feature 200 is unknown to us and required',
    ],
    ['another chain', init({ networks: [CHAIN_HASHES.bitcoin] }), 'no common network'],
    ['something even before init', fromHex('0100'), 'message 256 before init'],
  ])('%s', async (_, first, warning) => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(first);
    await peer.closed;
    expect(warningsIn(peer.received)).toEqual([warning]);
    expect(ours.peers()).toEqual([]);
  });

  it.each([
    ['an unknown even message', fromHex('ff00')],
    ['a ping cut short', fromHex('00120000ffff')],
    ['a message without a type', fromHex('00')],
    [
      'an error about the connection',
      messages.encodeComplaint({ isError: true, channelId: new Uint8Array(32), data: fromHex('1b5b324a') }),
    ],
  ])('%s', async (_, message) => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(init());
    peer.send(message);
    await peer.closed;
    await vi.waitFor(() => expect(ours.peers()).toEqual([]));
  });

  it('silence in the handshake, and no pong', async () => {
    const { ours, port } = await listening({ handshakeMs: 50, pingAfterMs: 20, pongWithinMs: 20 });
    const silent = connectTcp({ host: '127.0.0.1', port });
    sockets.push(silent);
    await new Promise((resolve) => silent.once('close', resolve).resume());
    const peer = await handDriven(ours, port);
    peer.send(init());
    await peer.closed;
    expect(peer.received.map(messages.messageType)).toContain(messages.PING_TYPE);
  });

  it('not reading what it asked for', async () => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1));
    peer.socket.pause();
    const ping = messages.encodePing({ pongBytes: 65531, ignoredBytes: 0 });
    const flood = setInterval(() => {
      for (let i = 0; i < 50 && !peer.socket.destroyed; i++) peer.send(ping);
    }, 5);
    await vi.waitFor(() => expect(ours.peers()).toEqual([]), { timeout: 10_000 });
    clearInterval(flood);
  });

  it('noise instead of a handshake, and the next peer is served', async () => {
    const { ours, port } = await listening();
    const noise = connectTcp({ host: '127.0.0.1', port });
    sockets.push(noise);
    noise.on('error', () => undefined).resume();
    noise.write(new Uint8Array(5000).fill(9));
    await new Promise((resolve) => noise.once('close', resolve));
    const peer = await handDriven(ours, port);
    peer.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1));
  });
});

describe('what is tolerated', () => {
  it('unknown odd messages, pongs nobody asked for, malformed onion messages, pings that want no answer', async () => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(fromHex('ff01aa'));
    peer.send(init());
    for (const hex of ['ff03', '00130000', '020100', `0012ffff0000`]) peer.send(fromHex(hex));
    peer.send(messages.encodePing({ pongBytes: 3, ignoredBytes: 1 }));
    await vi.waitFor(() =>
      expect(peer.received.map(messages.messageType)).toEqual([messages.INIT_TYPE, messages.PONG_TYPE]),
    );
    expect(ours.peers()).toMatchObject([{ nodeId: peer.nodeId, connected: true, direction: 'in' }]);
  });
});
