/**
 * Onion messages beside LND: sent by LND under its id to its channel peers, otherwise over our own
 * connections. The answer is recognised by the encrypted data of our reply path, which LND does not decrypt.
 *
 *     we ── LND ── A ── B ── C
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createOnionMessage,
  type MessageContent,
  type OnionMessage,
  pathThrough,
} from '../../../src/bolt/onion/onion-message.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { randomBytes } from '../../../src/model/random-bytes.ts';
import { LndMessages } from '../../../src/network/lnd/messages.ts';
import type { IncomingOnionMessage, NetworkPort, OutgoingOnionMessage } from '../../../src/network/port.ts';
import { MessageRoutes } from '../../../src/offers/message-routes.ts';
import { freshSecret, OnionMessenger } from '../../../src/offers/messenger.ts';
import { A, B, C, OWN_ID } from '../../lnd/line-lnd.ts';
import { ADMIN } from '../../lnd/stand-in.ts';
import { until } from '../../until.ts';
import { lineGraph } from '../simulated/line.ts';
import { type BesideLnd, besideLnd, keptLog } from './beside-stand-in.ts';

const OUR_ID = C;
let all: BesideLnd;
let own: NetworkPort & {
  sent: OutgoingOnionMessage[];
  dialed: unknown[];
  take: (message: IncomingOnionMessage) => void;
};
let messages: LndMessages;
let lines: string[];

function ownPort(): typeof own {
  const sent: OutgoingOnionMessage[] = [];
  const port = {
    ...{ kind: 'peer', identity: { ...all.network.identity, nodeId: OUR_ID } },
    capabilities: { ...all.network.capabilities },
    peers: () => [],
    sent,
    take: () => undefined,
    addresses: () => [],
    dialed: [],
    async connect(nodeId: NodeId, addresses?: readonly string[]) {
      (port.dialed as unknown[]).push(addresses);
      return { nodeId, features: new Uint8Array(5), connected: true };
    },
    sendOnionMessage: async (message: OutgoingOnionMessage) => void sent.push(message),
    onOnionMessage: (listener: typeof own.take) => {
      port.take = listener as never;
      return () => undefined;
    },
  };
  return port as unknown as typeof own;
}

async function open(release: string, setUp: (one: BesideLnd) => void = () => undefined): Promise<void> {
  all = await besideLnd({ release });
  setUp(all);
  own = ownPort();
  const { lines: kept, log } = keptLog();
  lines = kept;
  messages = new LndMessages({ link: all.link, own, network: all.network, log });
  await until(() => messages.isServed || lines.length > 0);
  // Messages that arrive before the subscription reaches LND have no receiver.
  if (messages.isServed) await until(() => all.node.messageSubscribers === 1);
}

beforeEach(() => open('0.21.2-beta'));
afterEach(() => all.end());

const messengerOf = (): OnionMessenger =>
  new OnionMessenger({ port: messages, routes: new MessageRoutes(lineGraph()), takesMessages: () => true });

/** The answer over the reply path, from A to LND. */
function reply(
  path: NonNullable<OutgoingOnionMessage['content']['replyPath']>,
  content: MessageContent = { invoice: Uint8Array.of(1, 2, 3) },
): OnionMessage {
  const whole = pathThrough([], path.firstNode as Uint8Array, path, randomBytes(32));
  return createOnionMessage(whole, content, randomBytes(32));
}

describe('to a channel peer of LND', () => {
  test.each([
    { invoice: Uint8Array.of(1, 2, 3) },
    { invoiceError: Uint8Array.of(4, 5) },
    { staticInvoice: Uint8Array.of(6) },
    { releaseHeldHtlc: Uint8Array.of(0) },
  ])('LND sends the message, and its answer is recognised: %o', async (content) => {
    const messenger = messengerOf();
    const secret = freshSecret();
    const replies: unknown[] = [];
    messenger.awaitReply(secret, (content) => void replies.push(content));
    const route = messenger.findRoute(B)!;
    expect(route).toEqual([A, B]);
    const replyPath = messenger.replyPath(route, undefined, secret);
    await messenger.send(route, undefined, { invoiceRequest: Uint8Array.of(9), replyPath });
    expect(all.node.called('SendOnionMessage')).toHaveLength(2);
    expect(own.sent).toEqual([]);
    // The path begins at A, which is connected to LND, and ends at LND.
    expect(replyPath.firstNode).toEqual(nodeIdToBytes(A));
    const { pathKey, packet } = reply(replyPath, content);
    // A peels its layer, as a forwarding node does.
    const { receiveOnionMessage } = await import('../../../src/bolt/onion/onion-message.ts');
    const { snapshotNodePrivateKey } = await import('../../../src/gossip/node-keys.ts');
    const peeled = receiveOnionMessage({ pathKey, packet }, snapshotNodePrivateKey(0), nodeIdToBytes(A));
    if (peeled.kind !== 'forward') throw new Error(peeled.kind);
    expect(peeled.nextNode).toEqual(nodeIdToBytes(OWN_ID));
    all.simulation.onOnionMessage(A, peeled.message);
    await until(() => replies.length === 1);
    expect(replies).toEqual([content]);
  });

  test('an answer over a path that we did not make is ignored, and so are messages that LND forwards', async () => {
    const messenger = messengerOf();
    const others: unknown[] = [];
    messenger.onUnsolicited = ({ pathId }) => void others.push(pathId);
    const secret = freshSecret();
    let count = 0;
    const stop = messenger.awaitReply(secret, () => count++);
    messenger.replyPath([A], undefined, secret);
    stop();
    // LND peels this message, because LND is the first and last node of its path.
    const { createBlindedPath } = await import('../../../src/bolt/onion/blinded-path.ts');
    const ofOthers = createBlindedPath(
      [{ nodeId: nodeIdToBytes(OWN_ID), data: new Uint8Array(0) }],
      randomBytes(32),
    );
    all.simulation.onOnionMessage(A, reply(ofOthers));
    await until(() => others.length > 0);
    expect(count).toBe(0);
    expect(others).toEqual([undefined]);
  });

  test('a peer that LND lost yields an error with LND’s text', async () => {
    all.simulation.isPeer = () => false;
    await expect(
      messages.sendOnionMessage({
        route: [A],
        path: undefined,
        content: { invoiceRequest: Uint8Array.of(1) },
      }),
    ).rejects.toMatchObject({
      name: 'notConnected',
      message: expect.stringContaining('peer is not connected'),
    });
  });

  test('a stream that ends is reopened', async () => {
    all.node.endStreams('state');
    await until(() => lines.some((line) => line.includes('transport is closing')));
    await until(() => messages.isServed);
  });
});

describe('over our own connection', () => {
  test('messages are sent if their first hop is not a channel peer of LND, and answers arrive at our own id', async () => {
    expect(messages.messageEnd(A)).toBe(OWN_ID);
    expect(messages.messageEnd(B)).toBe(OUR_ID);
    await messages.sendOnionMessage({ route: [B], path: undefined, content: {} });
    expect(own.sent).toMatchObject([{ route: [B] }]);
    const heard: IncomingOnionMessage[] = [];
    messages.onOnionMessage((message) => void heard.push(message));
    own.take({ content: {}, pathId: Uint8Array.of(1), from: undefined });
    expect(heard).toHaveLength(1);
  });

  test('the peer is reached at LND’s address if it has announced none, else at the announced address', async () => {
    await messages.connect(A);
    await messages.connect(B);
    await messages.connect(A, ['192.0.2.1:1']);
    expect(own.dialed).toEqual([['127.0.0.1:9735'], undefined, ['192.0.2.1:1']]);
  });

  test('all messages are sent beside LND 0.20, as the log reports', async () => {
    await all.end();
    await open('0.20.3-beta');
    expect(messages.peers()).toEqual([]);
    expect(messages.messageEnd(A)).toBe(OUR_ID);
    expect(lines).toEqual([expect.stringMatching(/over a connection of our own: LND 0\.20\.3-beta .*0\.21/)]);
  });

  test('all messages are sent if the macaroon does not permit messages', async () => {
    await all.end();
    await open('0.21.2-beta', ({ node }) =>
      node.permissions.set(ADMIN, new Set(['/lnrpc.Lightning/ListChannels', '/lnrpc.Lightning/ListPeers'])),
    );
    expect(messages.isServed).toBe(false);
    expect(lines.join()).toContain('uri:/lnrpc.Lightning/SendOnionMessage');
  });
});
