import { describe, expect, test } from 'vitest';
import { curve } from '../../../src/bolt/crypto/curve.ts';
import { createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import {
  createOnionMessage,
  type MessageContent,
  type OnionMessage,
  pathToNode,
} from '../../../src/bolt/onion/onion-message.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../../../src/model/node-id.ts';
import type { IncomingOnionMessage } from '../../../src/network/port.ts';
import { InProcessPort, type ReceivedContent } from '../../../src/network/simulated/index.ts';
import { A, AB, B, C, type Line, line } from './line.ts';
import { secretOf } from './payer.ts';

const ownKey = secretOf('own key');
const OWN = nodeIdFromBytes(curve.publicKey(ownKey));
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const [idA, idB, idC, idOwn] = [A, B, C, OWN].map(nodeIdToBytes) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

function messageTo(
  path: Parameters<typeof createOnionMessage>[0],
  content: MessageContent,
  key: string,
): OnionMessage {
  return createOnionMessage(path, content, secretOf(key));
}

function listen({ simulation }: Line): ReceivedContent[] {
  const received: ReceivedContent[] = [];
  simulation.setMessageHandler((message) => void received.push(message));
  return received;
}

describe('an onion message', () => {
  test('travels over A and B to C, and the answer returns over the reply path', async () => {
    const { simulation } = line({ ownNodeId: OWN });
    const port = new InProcessPort(simulation, { secretKey: ownKey });
    const got: IncomingOnionMessage[] = [];
    port.onOnionMessage((message) => void got.push(message));
    simulation.setMessageHandler(({ nodeId, content, send }) => {
      expect(nodeId).toBe(C);
      expect(content.invoiceRequest).toEqual(bytes('request'));
      const answer = messageTo(content.replyPath!, { invoice: bytes('invoice') }, 'answer');
      send(nodeIdFromBytes(content.replyPath!.firstNode as Uint8Array), answer);
    });
    const reply = createBlindedPath(
      [
        { nodeId: idB, data: encodeEncryptedData({ nextNodeId: idA }) },
        { nodeId: idA, data: encodeEncryptedData({ nextNodeId: idOwn }) },
        { nodeId: idOwn, data: encodeEncryptedData({ pathId: bytes('ours') }) },
      ],
      secretOf('reply path'),
    );
    const content = { invoiceRequest: bytes('request'), replyPath: reply };
    await port.sendOnionMessage({ route: [A, B, C], path: undefined, content });
    simulation.advanceTo(simulation.nowMs + 10_000);
    expect(got).toEqual([{ from: A, pathId: bytes('ours'), content: { invoice: bytes('invoice') } }]);
  });

  test('follows a path that names the next node by a channel', async () => {
    const network = line({ ownNodeId: OWN });
    const received = listen(network);
    const nodes = [
      { nodeId: idA, data: encodeEncryptedData({ shortChannelId: AB }) },
      { nodeId: idB, data: encodeEncryptedData({ pathId: bytes('id') }) },
    ];
    const path = createBlindedPath(nodes, secretOf('path'));
    const port = new InProcessPort(network.simulation, { secretKey: ownKey });
    await port.sendOnionMessage({ route: [A], path, content: { invoiceRequest: bytes('x') } });
    network.simulation.advanceTo(network.simulation.nowMs + 10_000);
    expect(received.map(({ nodeId, pathId }) => [nodeId, pathId])).toEqual([[B, bytes('id')]]);
  });

  test('is dropped silently: from strangers, by offline nodes, by losses, and if it is nonsense', async () => {
    const outcomes: Record<string, number[]> = {};
    const attempt = async (
      name: string,
      options: Parameters<typeof line>[0],
      prepare: (n: Line) => void,
      via = [idA, idB],
    ) => {
      const network = line({ ownNodeId: OWN, ...options });
      prepare(network);
      const path = pathToNode(via, idC, secretOf('path'));
      const message = messageTo(path, { invoiceRequest: bytes('x') }, 'session');
      network.simulation.sendOnionMessage(
        A,
        name === 'nonsense' ? { ...message, packet: bytes('nonsense') } : message,
      );
      network.simulation.advanceTo(network.simulation.nowMs + 10_000);
      const { messagesDelivered, messagesDropped } = network.simulation.stats();
      outcomes[name] = [messagesDelivered, messagesDropped];
    };
    await attempt('well', {}, () => undefined);
    await attempt('no neighbour', {}, () => undefined, [idA]);
    await attempt('offline', {}, ({ simulation }) => simulation.setTrait(B, 'offline', true));
    await attempt('unresponsive', {}, ({ simulation }) => simulation.setTrait(B, 'unresponsive', true));
    await attempt('lost', { faults: { lostMessages: 1 } }, () => undefined);
    await attempt('nonsense', {}, () => undefined);
    const { well, ...others } = outcomes;
    expect(well).toEqual([1, 0]);
    expect(Object.values(others)).toEqual(Array(5).fill([0, 1]));
  });

  test('needs a connection, which `connect` makes', async () => {
    const { simulation } = line({ ownNodeId: OWN });
    const port = new InProcessPort(simulation, { secretKey: ownKey });
    const message = { route: [C], path: undefined, content: { invoiceRequest: bytes('x') } };
    await expect(port.sendOnionMessage(message)).rejects.toThrow('cannot connect');
    expect(port.peers().map(({ nodeId }) => nodeId)).toEqual([A]);
    expect(await port.connect(C)).toMatchObject({ nodeId: C, connected: true });
    await port.sendOnionMessage(message);
    simulation.advanceTo(simulation.nowMs + 10_000);
    expect(simulation.stats().messagesDelivered).toBe(1);
    simulation.setTrait(B, 'offline', true);
    await expect(port.connect(B)).rejects.toThrow('cannot connect');
  });
});
