/**
 * The peer network over TCP on loopback: two networks of ours, and a hand-driven peer that breaks rules. The peer's
 * connection ends, and the network continues.
 */

import { connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromHex } from '../../../src/bolt/bytes.ts';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import { CHAIN_HASHES } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { featuresOf } from '../../../src/bolt/peer/features.ts';
import * as messages from '../../../src/bolt/peer/peer-messages.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { nodeIdFromBytes } from '../../../src/model/node-id.ts';
import { PeerConnection } from '../../../src/network/peer/connection.ts';
import {
  DEFAULT_TIMING,
  MAX_UNSENT_BYTES,
  type PeerTiming,
  PING_BURST,
} from '../../../src/network/peer/limits.ts';
import { OUR_FEATURES } from '../../../src/network/peer/our-features.ts';
import { PeerNetwork } from '../../../src/network/peer/peer-network.ts';
import { WirePeer } from './wire-peer.ts';

const chainHash = CHAIN_HASHES.regtest;
const open: PeerNetwork[] = [];
const sockets: Socket[] = [];

const reasons: string[] = [];
const log = {
  debug: () => undefined,
  unusual: () => undefined,
  info: (text: string) => void (text.includes('disconnected') && reasons.push(text)),
};

function network(timing: Partial<PeerTiming> = {}): PeerNetwork {
  const made = new PeerNetwork({
    secretKey: randomSecretKey(),
    chainHash,
    graph: new ChannelGraph(),
    timing,
    log,
  });
  open.push(made);
  return made;
}

async function listening(timing: Partial<PeerTiming> = {}) {
  const ours = network(timing);
  const { port } = await ours.listen({ host: '127.0.0.1', port: 0 });
  return { ours, port };
}

/** A peer whose messages the test chooses. */
async function handDriven(ours: PeerNetwork, port: number, secretKey = randomSecretKey()) {
  const peer = await WirePeer.dial(ours.identity.nodeId, port, secretKey);
  sockets.push(peer.socket);
  return peer;
}

const init = (given: Partial<messages.Init> = {}): Uint8Array =>
  messages.encodeInit({ features: OUR_FEATURES, networks: [chainHash], remoteAddress: undefined, ...given });

afterEach(async () => {
  reasons.length = 0;
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((one) => one.close()));
});

describe('two of our networks', () => {
  it('exchange onion messages both ways', async () => {
    const { ours, port } = await listening();
    const other = network();
    await other.connect(ours.identity.nodeId, [`127.0.0.1:${port}`]);
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1), { timeout: 20_000 });
    for (const [from, to] of [
      [ours, other],
      [other, ours],
    ] as const) {
      const arrived = new Promise((resolve) => to.onOnionMessage(resolve));
      // Too large for the small packet size, so the large one is used.
      const content = { invoiceRequest: new Uint8Array(30_000).fill(7) };
      await from.sendOnionMessage({ route: [to.identity.nodeId], path: undefined, content });
      expect(await arrived).toEqual({ content, pathId: undefined, from: from.identity.nodeId });
    }
  });

  it('keep one connection per node: the newer one replaces the older one', async () => {
    const { ours, port } = await listening();
    const key = randomSecretKey();
    const first = await handDriven(ours, port, key);
    first.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1), { timeout: 20_000 });
    const second = await handDriven(ours, port, key);
    second.send(init());
    await first.closed;
    await vi.waitFor(() => expect(ours.peers()).toMatchObject([{ nodeId: second.nodeId, connected: true }]), {
      timeout: 20_000,
    });
  });

  it('cannot pay, and report this', async () => {
    const ours = network();
    const told: unknown[] = [];
    ours.onOutcome((attemptId, outcome) => void told.push([attemptId, outcome]));
    const htlc = {
      attemptId: 'a1',
      paymentHash: new Uint8Array(32),
      groupId: 1n,
      partId: 1,
      path: [],
      finalPayload: {},
      sessionKey: new Uint8Array(32),
    };
    expect(ours.capabilities.pays).toBe(false);
    await ours.send(htlc);
    expect(told).toEqual([
      ['a1', { status: 'refused', failureCode: 0x400a, reason: 'we have no channels on this network' }],
    ]);
    expect([...(await ours.outcomes([htlc]))]).toEqual([['a1', { status: 'neverLeft' }]]);
  });
});

describe('a peer is disconnected for', () => {
  it.each([
    [
      'an unknown even feature',
      init({ features: featuresOf([200]) }),
      'required feature 200 is unknown to us',
    ],
    ['another chain', init({ networks: [CHAIN_HASHES.bitcoin] }), 'no common network'],
    ['something even before init', fromHex('0100'), 'message 256 before init'],
  ])('%s', async (_, first, warning) => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(first);
    await peer.closed;
    expect(peer.warnings).toEqual([warning]);
    expect(ours.peers()).toEqual([]);
  });

  it.each([
    ['an unknown even message', fromHex('ff00'), ['message type 65280 is even and unknown to us']],
    ['a ping cut short', fromHex('00120000ffff'), [expect.stringMatching(/^malformed message: /)]],
    ['a message without a type', fromHex('00'), [expect.stringMatching(/^malformed message: /)]],
    [
      'an error about the connection',
      messages.encodeComplaint({ isError: true, channelId: new Uint8Array(32), data: fromHex('1b5b324a') }),
      [],
    ],
  ])('%s', async (_, message, warnings) => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(init());
    peer.send(message);
    await peer.closed;
    expect(peer.warnings).toEqual(warnings);
    await vi.waitFor(() => expect(ours.peers()).toEqual([]), { timeout: 20_000 });
  });

  it('silence during the handshake', async () => {
    const { port } = await listening({ handshakeMs: 50 });
    const silent = connectTcp({ host: '127.0.0.1', port });
    sockets.push(silent);
    await new Promise((resolve) => silent.once('close', resolve).resume());
  });

  it('a missing pong, however long the handshake took', async () => {
    const { ours, port } = await listening({ pingAfterMs: 20, pongWithinMs: 20 });
    const peer = await handDriven(ours, port);
    peer.send(init());
    await peer.closed;
    expect(peer.received.map(messages.messageType)).toContain(messages.PING_TYPE);
  });

  it('silence after the handshake, half an init, or closing one side', async () => {
    const { ours, port } = await listening({ handshakeMs: 300 });
    const [silent, slow, leaving] = await Promise.all([1, 2, 3].map(() => handDriven(ours, port)));
    // The header announces the length of the frame, so the rest of the frame is still due.
    const frame: Uint8Array[] = [];
    const write = slow!.socket.write.bind(slow!.socket);
    slow!.socket.write = (bytes: Uint8Array | string) => frame.push(bytes as Uint8Array) > 0;
    slow!.send(init());
    write(frame[0]!.subarray(0, 25));
    leaving!.socket.end();
    await Promise.all([silent!.closed, slow!.closed, leaving!.closed]);
    expect(ours.peers()).toEqual([]);
    await vi.waitFor(
      () => expect((ours as unknown as { connections: Set<unknown> }).connections.size).toBe(0),
      { timeout: 20_000 },
    );
  });

  it('not reading what we send', async () => {
    const ended = new Promise<string>((resolve) => {
      const server = createServer((socket) => {
        const options = { secretKey, features: OUR_FEATURES, chainHash, timing: DEFAULT_TIMING };
        const connection = new PeerConnection(socket, undefined, options, {
          greeted: () => undefined,
          // Sends far more than the operating system buffers for the peer.
          ready: () => {
            for (let i = 0; i < 1000; i++) connection.send(new Uint8Array(60_000));
          },
          message: () => undefined,
          complaint: () => undefined,
          closed: (_, reason) => {
            server.close();
            resolve(`${reason}, ${socket.writableLength <= MAX_UNSENT_BYTES + 65_535 + 34}`);
          },
        });
        connection.start();
      });
      const secretKey = randomSecretKey();
      server.listen({ host: '127.0.0.1', port: 0 }, async () => {
        const { port } = server.address() as { port: number };
        const peer = await WirePeer.dial(nodeIdFromBytes(curve.publicKey(secretKey)), port);
        sockets.push(peer.socket.pause());
        peer.send(init());
      });
    });
    expect(await ended).toBe('the peer does not read from the connection, true');
  });

  it('too many large pings, while any number of small ones is answered', async () => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(init());
    const pongsOf = (bytes: number): number =>
      peer.received.filter((message) => message.length === 4 + bytes && message[1] === messages.PONG_TYPE)
        .length;
    for (let i = 0; i < 2000; i++) peer.send(messages.encodePing({ pongBytes: 7, ignoredBytes: 64 }));
    await vi.waitFor(() => expect(pongsOf(7)).toBe(2000), { timeout: 20_000 });
    for (let i = 0; i < PING_BURST + 10; i++)
      peer.send(messages.encodePing({ pongBytes: 9999, ignoredBytes: 0 }));
    await peer.closed;
    expect(peer.warnings).toEqual(['too many pings']);
    expect(pongsOf(9999)).toBeGreaterThanOrEqual(PING_BURST);
    expect(pongsOf(9999)).toBeLessThan(PING_BURST + 10);
  });

  it('never answering while its end of the connection stays open', async () => {
    const { ours, port } = await listening({ pingAfterMs: 20, pongWithinMs: 50 });
    const peer = await handDriven(ours, port);
    peer.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1), { timeout: 20_000 });
    // The peer keeps its end open and receives everything, but never answers.
    peer.onMessage = () => undefined;
    await peer.closed;
    expect(reasons).toEqual([expect.stringContaining('no pong in time')]);
  });

  it('random bytes instead of a handshake, and the next peer is served', async () => {
    const { ours, port } = await listening();
    const noise = connectTcp({ host: '127.0.0.1', port });
    sockets.push(noise);
    noise.on('error', () => undefined).resume();
    noise.write(new Uint8Array(5000).fill(9));
    await new Promise((resolve) => noise.once('close', resolve));
    const peer = await handDriven(ours, port);
    peer.send(init());
    await vi.waitFor(() => expect(ours.peers()).toHaveLength(1), { timeout: 20_000 });
  });
});

describe('a peer keeps its connection despite', () => {
  it('unknown odd messages, unsolicited pongs, malformed onion messages, and pings that ask for no answer', async () => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(fromHex('ff01aa'));
    peer.send(init());
    for (const hex of ['ff03', '00130000', '020100', `0012ffff0000`]) peer.send(fromHex(hex));
    peer.send(messages.encodePing({ pongBytes: 3, ignoredBytes: 1 }));
    await vi.waitFor(
      () => expect(peer.received.map(messages.messageType)).toEqual([messages.INIT_TYPE, messages.PONG_TYPE]),
      { timeout: 20_000 },
    );
    expect(ours.peers()).toMatchObject([{ nodeId: peer.nodeId, connected: true, direction: 'in' }]);
  });

  it('unsolicited gossip to a network that learns no graph: every message of BOLT 7', async () => {
    const { ours, port } = await listening();
    const peer = await handDriven(ours, port);
    peer.send(init());
    for (let type = 256; type <= 265; type++) peer.send(Uint8Array.of(type >> 8, type & 0xff, 0xaa));
    peer.send(messages.encodePing({ pongBytes: 3, ignoredBytes: 1 }));
    await vi.waitFor(
      () => expect(peer.received.map(messages.messageType)).toEqual([messages.INIT_TYPE, messages.PONG_TYPE]),
      { timeout: 20_000 },
    );
    expect(ours.peers()).toMatchObject([{ nodeId: peer.nodeId, connected: true }]);
  });
});

describe('announced addresses', () => {
  /** A node whose graph has these addresses for `ours`. By default private addresses are allowed on regtest. */
  function knowing(ours: PeerNetwork, announced: Uint8Array, allowPrivateAddresses?: boolean): PeerNetwork {
    const graph = new ChannelGraph();
    const allowed = allowPrivateAddresses === undefined ? {} : { allowPrivateAddresses };
    const other = new PeerNetwork({ secretKey: randomSecretKey(), chainHash, graph, ...allowed });
    open.push(other);
    graph.setAnnouncement(graph.internNode(fromHex(ours.identity.nodeId)), {
      timestamp: 1,
      alias: new Uint8Array(32),
      color: new Uint8Array(3),
      features: new Uint8Array(0),
      addresses: announced,
    });
    return other;
  }
  const loopback = (port: number) => Uint8Array.of(1, 127, 0, 0, 1, port >> 8, port & 0xff);
  const named = (name: string, port: number) =>
    Buffer.concat([
      Uint8Array.of(5, name.length),
      Buffer.from(name, 'latin1'),
      Uint8Array.of(port >> 8, port),
    ]);

  it('with an invalid host name are skipped, and the other addresses are tried', async () => {
    const { ours, port } = await listening();
    const announced = Buffer.concat([named('a b:\u001b[2J', 1), loopback(port)]);
    const other = knowing(ours, announced);
    expect(other.addresses(ours.identity.nodeId)).toEqual([`127.0.0.1:${port}`]);
    await other.connect(ours.identity.nodeId);
    expect(other.peers()).toMatchObject([{ connected: true }]);
  });

  it('that are not public are dialled only if the operator allows or names them', async () => {
    const { ours, port } = await listening();
    const accepted = vi.fn();
    (ours as unknown as { servers: Server[] }).servers[0]!.on('connection', accepted);
    const announced = Buffer.concat([
      loopback(port),
      named('localhost', port),
      Uint8Array.of(2, ...new Uint8Array(10), 255, 255, 127, 0, 0, 1, port >> 8, port & 0xff),
    ]);
    const refusing = knowing(ours, announced, false);
    const reason = 'the announced address is not public: see --allow-private-addresses';
    await expect(refusing.connect(ours.identity.nodeId)).rejects.toMatchObject({
      name: 'connectFailed',
      data: { attempts: Array.from({ length: 3 }, () => expect.objectContaining({ error: reason })) },
    });
    expect(accepted).not.toHaveBeenCalled();
    await refusing.connect(ours.identity.nodeId, [`localhost:${port}`]);
    expect(refusing.peers()).toMatchObject([{ connected: true }]);
  });
});
