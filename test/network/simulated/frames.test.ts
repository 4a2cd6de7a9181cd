/** Messages over a stream that arrives in pieces of any size, read into memory that is used again. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { connectFrames, onFrames, sendFrame } from '../../../src/network/simulated/frames.ts';
import {
  decodeFromNetwork,
  encodeFromNetwork,
  type FromNetwork,
} from '../../../src/network/simulated/messages.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The two ends of a connection, and copies of the messages that each receives. */
async function connection() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const atClient: Uint8Array[] = [];
  const atServer: Uint8Array[] = [];
  const accepted = once(server, 'connection');
  const client = connectFrames({ host: '127.0.0.1', port }, (bytes) => void atClient.push(bytes.slice()));
  const [peer] = (await accepted) as [Socket];
  onFrames(peer, (bytes) => void atServer.push(bytes.slice()));
  closers.push(
    () => client.destroy(),
    () => peer.destroy(),
    () => server.close(),
  );
  return { client, peer, atClient, atServer };
}

/** A message of this length whose bytes depend on the number. */
const message = (length: number, number: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + number) % 251);

/** `toEqual` takes very long on arrays of this size. */
const hex = (messages: readonly Uint8Array[]): string[] => messages.map(toHex);

/** Empty messages, short ones, and some that are longer than the memory of a connection. */
const LENGTHS = [0, 1, 33_000, 3, 700_000, 0, 65_532, 300_000, 2];
const MESSAGES = LENGTHS.map(message);

test('both ends receive messages of any length', async () => {
  const { client, peer, atClient, atServer } = await connection();
  for (const bytes of MESSAGES) {
    sendFrame(client, bytes);
    sendFrame(peer, bytes);
  }
  await expect.poll(() => [atClient.length, atServer.length]).toEqual([MESSAGES.length, MESSAGES.length]);
  expect(hex(atClient)).toEqual(hex(MESSAGES));
  expect(hex(atServer)).toEqual(hex(MESSAGES));
});

test('a message may arrive in pieces, with parts of others', async () => {
  const { peer, atClient } = await connection();
  peer.setNoDelay(true);
  const stream = Buffer.concat(
    [5, 0, 1000, 2].map((length, number) => {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(length);
      return Buffer.concat([head, message(length, number)]);
    }),
  );
  for (const [from, to] of [
    [0, 2],
    [2, 7],
    [7, 14],
    [14, 900],
    [900, 1018],
    [1018, stream.length],
  ]) {
    peer.write(stream.subarray(from, to));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await expect.poll(() => atClient).toHaveLength(4);
  expect(atClient).toEqual([5, 0, 1000, 2].map(message));
});

test('a decoded report does not change when its memory is used again, except for onion messages', () => {
  const report: FromNetwork = {
    identity: { nodeId: '02'.padEnd(66, '0') as never, features: message(3, 1), chainHash: message(32, 2) },
    height: 7,
    taken: [],
    outcomes: [
      ['a', { status: 'settled', preimage: message(32, 3), attribution: message(40, 4) }],
      ['b', { status: 'failed', packet: message(292, 5) }],
    ],
    messages: [['03'.padEnd(66, '0') as never, { pathKey: message(33, 6), packet: message(1366, 7) }]],
    replies: [[1, [{ paymentHash: message(32, 8) }]]],
  };
  const bytes = encodeFromNetwork(report);
  const decoded = decodeFromNetwork(bytes);
  const packet = decoded.messages[0]![1].packet;
  expect(packet.buffer).toBe(bytes.buffer);
  expect(Uint8Array.from(packet)).toEqual(message(1366, 7));
  bytes.fill(0);
  expect({ ...decoded, messages: [] }).toEqual({ ...report, messages: [] });
});
