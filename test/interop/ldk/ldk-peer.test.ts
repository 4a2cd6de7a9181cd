/**
 * Our peer network against LDK, an independent implementation, over TCP on loopback. There are no test
 * doubles. Each LDK node is a process. Where LDK is not installed, the tests are skipped.
 */

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/bolt/bytes.ts';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import type { InvoiceRequestFields } from '../../../src/bolt/invoice/bolt12-fields.ts';
import { decodeInvoice } from '../../../src/bolt/invoice/bolt12-invoice.ts';
import { createInvoiceRequest } from '../../../src/bolt/invoice/bolt12-invoice-request.ts';
import { CHAIN_HASHES, parseOffer } from '../../../src/bolt/invoice/bolt12-offer.ts';
import { createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import { hasFeature } from '../../../src/bolt/peer/features.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { msat } from '../../../src/model/msat.ts';
import { nodeIdToBytes } from '../../../src/model/node-id.ts';
import { PeerNetwork, type PeerNetworkOptions } from '../../../src/network/peer/peer-network.ts';
import type { IncomingOnionMessage } from '../../../src/network/port.ts';
import { describeNeeding } from '../../needs.ts';
import { haveLdk, LdkProcess } from './ldk-process.ts';

const open: PeerNetwork[] = [];

function network(options: Partial<PeerNetworkOptions> = {}): PeerNetwork {
  const secretKey = options.secretKey ?? randomSecretKey();
  const graph = new ChannelGraph();
  const made = new PeerNetwork({ chainHash: CHAIN_HASHES.regtest, graph, ...options, secretKey });
  open.push(made);
  return made;
}

const eventually = <T>(check: () => T): Promise<T> => vi.waitFor(check, { timeout: 20_000, interval: 20 });

describeNeeding('ldk', haveLdk, 'LDK as a peer', () => {
  let ldk: LdkProcess;
  let port: number;

  beforeAll(async () => {
    ldk = await LdkProcess.start(11);
    port = await ldk.ask<number>('listen');
  }, 60_000);
  afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
  afterAll(() => ldk?.stop());

  const address = (): string => `127.0.0.1:${port}`;

  it('we connect: handshake and init', async () => {
    const ours = network();
    const peer = await ours.connect(ldk.nodeId, [address()]);
    expect(peer).toMatchObject({ nodeId: ldk.nodeId, connected: true, direction: 'out', address: address() });
    expect(hasFeature(peer.features, 38)).toBe(true);
    await eventually(async () => {
      const seen = (await ldk.peers()).find(({ nodeId }) => nodeId === ours.identity.nodeId);
      expect(seen).toMatchObject({ features: toHex(ours.identity.features), isInbound: true });
    });
  });

  it('LDK connects: handshake and init', async () => {
    const ours = network();
    const { port: ourPort } = await ours.listen({ host: '127.0.0.1', port: 0 });
    await ldk.ask('connect', { nodeId: ours.identity.nodeId, port: ourPort });
    await eventually(() => {
      expect(ours.peers()).toMatchObject([{ nodeId: ldk.nodeId, connected: true, direction: 'in' }]);
    });
  });

  it('both sides send pings, and neither disconnects', async () => {
    const ours = network({ timing: { pingAfterMs: 40, pongWithinMs: 5_000 } });
    const peer = await ours.connect(ldk.nodeId, [address()]);
    // A tick of LDK sends a ping. It also drops a peer that has not answered the ping of the previous tick.
    for (let tick = 0; tick < 4; tick++) {
      await ldk.ask('tick');
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    expect(ours.peers()).toEqual([peer]);
    expect((await ldk.peers()).map(({ nodeId }) => nodeId)).toContain(ours.identity.nodeId);
  });

  it('a kept peer is reconnected after LDK disconnects', async () => {
    const ours = network({ timing: { firstRetryMs: 400 } });
    ours.keepConnected({ nodeId: ldk.nodeId, address: { host: '127.0.0.1', port } });
    await eventually(() => expect(ours.peers()[0]?.connected).toBe(true));
    await ldk.ask('disconnect', { nodeId: ours.identity.nodeId });
    await eventually(() => expect(ours.peers()).toMatchObject([{ nodeId: ldk.nodeId, connected: false }]));
    await eventually(() => expect(ours.peers()).toMatchObject([{ nodeId: ldk.nodeId, connected: true }]));
  });

  it('disconnects a peer on a different chain', async () => {
    const ours = network({ chainHash: CHAIN_HASHES.bitcoin });
    await expect(ours.connect(ldk.nodeId, [address()])).rejects.toMatchObject({ name: 'disconnected' });
  });

  it('onion messages both ways: a request for its offer brings a signed invoice', async () => {
    const secretKey = randomSecretKey();
    const ours = network({ secretKey });
    await ours.connect(ldk.nodeId, [address()]);
    const offer = parseOffer(await ldk.ask<string>('offer'));
    const pathId = new Uint8Array(randomBytes(32));
    const ownId = nodeIdToBytes(ours.identity.nodeId);
    const fields: InvoiceRequestFields = {
      invreqMetadata: new Uint8Array(16),
      invreqChain: CHAIN_HASHES.regtest,
      invreqAmountMsat: msat(50_000n),
    };
    const invoiceRequest = createInvoiceRequest(offer.bytes, fields, randomSecretKey());
    const replyPath = createBlindedPath(
      [
        { nodeId: nodeIdToBytes(ldk.nodeId), data: encodeEncryptedData({ nextNodeId: ownId }) },
        { nodeId: ownId, data: encodeEncryptedData({ pathId }) },
      ],
      randomSecretKey(),
    );
    const reply = new Promise<IncomingOnionMessage>((resolve) => ours.onOnionMessage(resolve));
    const content = { invoiceRequest, replyPath };
    await ours.sendOnionMessage({ route: [ldk.nodeId], path: offer.fields.offerPaths?.[0], content });
    const received = await reply;
    expect(received.from).toBe(ldk.nodeId);
    expect(received.pathId).toEqual(pathId);
    if (received.content.invoice === undefined) {
      throw new Error(Buffer.from(received.content.invoiceError ?? []).toString('latin1'));
    }
    expect(decodeInvoice(received.content.invoice).fields.invoiceAmountMsat).toBe(50_000n);
  });
});
