/**
 * Offers over the real wire with LDK. We fetch offers of LDK from a peer, and through a second LDK node as
 * relay. LDK requests our offer. Only the payment path to us is a test double, since a node without channels
 * has none.
 */

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { randomSecretKey } from '../../../src/bolt/crypto/noise.ts';
import { offerId } from '../../../src/bolt/invoice/bolt12-merkle.ts';
import {
  CHAIN_HASHES,
  decodeOffer,
  encodeOffer,
  formatOffer,
  parseOffer,
} from '../../../src/bolt/invoice/bolt12-offer.ts';
import { createBlindedPath } from '../../../src/bolt/onion/blinded-path.ts';
import { encodeEncryptedData } from '../../../src/bolt/onion/encrypted-data.ts';
import { featuresOf, hasFeature } from '../../../src/bolt/peer/features.ts';
import { ChannelGraph } from '../../../src/model/channel-graph.ts';
import { realClock } from '../../../src/model/clock.ts';
import { msat } from '../../../src/model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../../../src/model/node-id.ts';
import { PeerNetwork } from '../../../src/network/peer/peer-network.ts';
import { InvoiceFetcher } from '../../../src/offers/fetch.ts';
import { Issuer } from '../../../src/offers/issuer.ts';
import { MessageRoutes } from '../../../src/offers/message-routes.ts';
import { OnionMessenger } from '../../../src/offers/messenger.ts';
import { OfferBook } from '../../../src/offers/offer-book.ts';
import { PayerKeys } from '../../../src/offers/payer-keys.ts';
import { SeriesInMemory } from '../../../src/offers/series.ts';
import { describeNeeding } from '../../needs.ts';
import { haveLdk, LdkProcess } from './ldk-process.ts';

const chainHash = CHAIN_HASHES.regtest;
const open: PeerNetwork[] = [];

/** Our node: network, messenger and fetcher. The test may fill its graph. */
function ourNode(mayConnect: boolean) {
  const secretKey = randomSecretKey();
  const graph = new ChannelGraph();
  const network = new PeerNetwork({ secretKey, chainHash, graph });
  open.push(network);
  const takesMessages = (node: number): boolean => {
    const announced = graph.announcements.get(node);
    return announced !== undefined && hasFeature(announced.features, 38);
  };
  const routes = new MessageRoutes(graph);
  const messenger = new OnionMessenger({ port: network, routes, takesMessages });
  const payerKeys = new PayerKeys(secretKey);
  const series = new SeriesInMemory();
  const fetcher = new InvoiceFetcher({
    messenger,
    payerKeys,
    series,
    clock: realClock,
    chainHash,
    mayConnect,
  });
  return { secretKey, graph, network, messenger, fetcher };
}

/** A public channel between two nodes that accept onion messages. */
function joinInGraph(graph: ChannelGraph, ids: readonly NodeId[]): void {
  const [node1, node2] = [...ids].sort().map((id) => graph.internNode(nodeIdToBytes(id)));
  const channel = graph.addChannel(1n << 40n, node1!, node2!, 1_000_000_000n);
  const policy = {
    enabled: true,
    htlcMinimumMsat: msat(1n),
    htlcMaximumMsat: msat(1_000_000_000n),
    feeBaseMsat: 0,
    feeProportionalMillionths: 0,
    cltvExpiryDelta: 40,
  };
  for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, policy);
  const [alias, color, addresses] = [new Uint8Array(32), new Uint8Array(3), new Uint8Array(0)];
  for (const node of [node1!, node2!]) {
    graph.setAnnouncement(node, { timestamp: 1, alias, color, features: featuresOf([39]), addresses });
  }
}

describeNeeding('ldk', haveLdk, 'offers with LDK', () => {
  let near: LdkProcess;
  let far: LdkProcess;
  let port: number;

  beforeAll(async () => {
    [near, far] = await Promise.all([LdkProcess.start(21), LdkProcess.start(22)]);
    port = await near.ask<number>('listen');
    await far.ask('connect', { nodeId: near.nodeId, port });
  }, 60_000);
  afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));
  afterAll(() => Promise.all([near?.stop(), far?.stop()]));

  it("a peer's offer is fetched", async () => {
    const { network, fetcher } = ourNode(true);
    await network.connect(near.nodeId, [`127.0.0.1:${port}`]);
    const offer = parseOffer(await near.ask<string>('offer'));
    const fetched = await fetcher.fetch({ offer, amountMsat: msat(70_000n), timeoutMs: 15_000 });
    expect(fetched.invoice.fields.invoiceAmountMsat).toBe(70_000n);
  });

  it('an offer of a node behind a second LDK node is fetched through that node', async () => {
    const { network, fetcher, graph } = ourNode(false);
    joinInGraph(graph, [near.nodeId, far.nodeId]);
    await network.connect(near.nodeId, [`127.0.0.1:${port}`]);
    const offer = parseOffer(await far.ask<string>('offer'));
    const fetched = await fetcher.fetch({ offer, amountMsat: msat(80_000n), timeoutMs: 15_000 });
    expect(fetched.invoice.fields.invoiceAmountMsat).toBe(80_000n);
    expect(network.peers().map(({ nodeId }) => nodeId)).toEqual([near.nodeId]);
  });

  it('LDK gets the invoice for an offer of ours', async () => {
    const { network, messenger, secretKey } = ourNode(false);
    await network.connect(near.nodeId, [`127.0.0.1:${port}`]);
    const book = new OfferBook();
    const nodeId = messenger.nodeId;
    const offer = decodeOffer(
      encodeOffer({
        offerChains: [chainHash],
        offerAmount: 90_000n,
        offerDescription: 'a coffee',
        offerIssuerId: nodeIdToBytes(nodeId),
      }),
    );
    const id = offerId(offer.bytes);
    book.putOffer({
      offer,
      offerId: id,
      pathIds: [],
      label: undefined,
      singleUse: false,
      active: true,
      used: false,
    });
    const pathToUs = createBlindedPath(
      [{ nodeId: nodeIdToBytes(nodeId), data: encodeEncryptedData({ pathId: new Uint8Array(32) }) }],
      randomSecretKey(),
    );
    const payInfo = {
      feeBaseMsat: 0,
      feeProportionalMillionths: 0,
      cltvExpiryDelta: 40,
      htlcMinimumMsat: msat(1n),
      htlcMaximumMsat: msat(1_000_000n),
      features: new Uint8Array(0),
    };
    const receive = () => ({ preimage: randomSecretKey(), paths: [{ path: pathToUs, payInfo }] });
    const issuer = new Issuer({ nodeSecretKey: secretKey, nodeId, chainHash, book, receive });
    messenger.onUnsolicited = ({ content: { invoiceRequest, replyPath }, pathId }) => {
      if (invoiceRequest === undefined || replyPath === undefined) return;
      const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
      const answer = issuer.answer({ bytes: invoiceRequest, pathId, nowSeconds });
      if (answer === undefined) return;
      const content = 'invoice' in answer ? { invoice: answer.invoice } : answer;
      void messenger.send([messenger.introduction(replyPath)], replyPath, content);
    };
    const asked = { offer: formatOffer(offer), amountMsat: 90_000, paymentId: '07'.repeat(32) };
    expect(await near.ask('payForOffer', asked)).toBe(true);
    const seen: string[] = [];
    await vi.waitFor(
      async () => {
        seen.push(...(await near.ask<string[]>('events')));
        expect(seen).toContain('Event_InvoiceReceived');
      },
      { timeout: 20_000, interval: 50 },
    );
    expect([...book.invoices()]).toHaveLength(1);
  });
});
