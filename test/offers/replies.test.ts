/** Answers to requests of strangers: the work that strangers can cause, and how often. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { curve } from '../../src/bolt/crypto/curve.ts';
import { createBlindedPath } from '../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../src/bolt/onion/encrypted-data.ts';
import { featuresOf } from '../../src/bolt/peer/features.ts';
import { ChannelGraph } from '../../src/model/channel-graph.ts';
import { type NodeId, nodeIdFromBytes, nodeIdToBytes } from '../../src/model/node-id.ts';
import type { IncomingOnionMessage, OutgoingOnionMessage, Peer } from '../../src/network/port.ts';
import { type Offers, openOffers } from '../../src/offers/index.ts';
import { freshSecret } from '../../src/offers/messenger.ts';
import { Store } from '../../src/store/store.ts';
import { PortDouble } from '../network/port-double.ts';
import { temporaryDirectory } from '../rpc/support.ts';

const SECRET = new Uint8Array(32).fill(9);
const OWN_ID = nodeIdFromBytes(curve.publicKey(SECRET));
const [ALICE, BOB, STRANGER] = [1, 2, 3].map((byte) =>
  nodeIdFromBytes(curve.publicKey(new Uint8Array(32).fill(byte))),
) as [NodeId, NodeId, NodeId];

/** A network with two connected peers. The test decides when messages leave. */
class TwoPeers extends PortDouble {
  readonly dialed: NodeId[] = [];
  readonly asked: (NodeId | undefined)[] = [];
  readonly messages: { to: NodeId }[] = [];
  leaves: Promise<void> = Promise.resolve();
  /** Delivers a message to us. */
  deliver: (from: NodeId | undefined, message: Omit<IncomingOnionMessage, 'from'>) => void = () => undefined;
  override async connect(nodeId: NodeId): Promise<Peer> {
    this.dialed.push(nodeId);
    return { nodeId, features: featuresOf([39]), connected: true };
  }
  override peers(): readonly Peer[] {
    return [ALICE, BOB].map((nodeId) => ({ nodeId, features: featuresOf([39]), connected: true }));
  }
  override async sendOnionMessage(message: OutgoingOnionMessage): Promise<void> {
    this.asked.push(message.askedBy);
    await this.leaves;
    this.messages.push({ to: message.route[0]! });
  }
  override onOnionMessage(listener: (message: IncomingOnionMessage) => void): () => void {
    this.deliver = (from, message) => listener({ ...message, from });
    return () => undefined;
  }
}

/** Sends forty random bytes instead of a request. The answer should go over a path that begins at `first`. */
function nonsense(first: NodeId) {
  const hops = [first, STRANGER].map((id, i) => ({
    nodeId: nodeIdToBytes(id),
    data: encodeEncryptedData(i === 0 ? { nextNodeId: nodeIdToBytes(STRANGER) } : {}),
  }));
  const replyPath = createBlindedPath(hops, freshSecret());
  const invoiceRequest = new Uint8Array([...freshSecret(), ...freshSecret().subarray(0, 8)]);
  return { content: { invoiceRequest, replyPath }, pathId: undefined };
}

const directory = temporaryDirectory();
const store = new Store(`${directory.path}/node.sqlite`);
let offers: Offers | undefined;
afterEach(() => offers?.close());

async function node(mayConnect = true): Promise<TwoPeers> {
  const port = new TwoPeers(OWN_ID);
  offers = await openOffers({
    port,
    graph: new ChannelGraph(),
    nodeSecretKey: SECRET,
    repository: store.offers,
    allTakeMessages: false,
    mayConnect,
  });
  return port;
}

describe('a request of a stranger', () => {
  it.each([true, false])(
    'is answered over a peer, without a new connection (connections allowed: %s)',
    async (mayConnect) => {
      const port = await node(mayConnect);
      port.deliver(ALICE, nonsense(STRANGER));
      port.deliver(ALICE, nonsense(ALICE));
      // An error is sent in two forms.
      await vi.waitFor(() => expect(port.messages.map(({ to }) => to)).toEqual([ALICE, ALICE]), {
        timeout: 20_000,
      });
      expect(port.asked).toEqual([ALICE, ALICE]);
      expect(port.dialed).toEqual([]);
    },
  );

  it('leaves room for answers to others, even if there are hundreds of them', async () => {
    const port = await node();
    let release = (): void => undefined;
    port.leaves = new Promise((resolve) => {
      release = resolve;
    });
    for (let i = 0; i < 500; i++) port.deliver(ALICE, nonsense(ALICE));
    await vi.waitFor(() => expect(port.asked).toHaveLength(8), { timeout: 20_000 });
    port.deliver(BOB, nonsense(BOB));
    await vi.waitFor(() => expect(port.asked).toHaveLength(9), { timeout: 20_000 });
    expect(port.asked.at(-1)).toBe(BOB);
    release();
    await vi.waitFor(() => expect(port.messages).toHaveLength(18), { timeout: 20_000 });
  });

  it('counts against a common limit if our node does not report the peer', async () => {
    const port = await node();
    port.leaves = new Promise(() => undefined);
    for (let i = 0; i < 20; i++) port.deliver(undefined, nonsense(ALICE));
    port.deliver(BOB, nonsense(BOB));
    await vi.waitFor(() => expect(port.asked).toContain(BOB), { timeout: 20_000 });
    expect(port.asked).toEqual([...Array(8).fill(OWN_ID), BOB]);
  });
});
