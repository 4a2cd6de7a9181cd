/**
 * Fetches invoices over real connections on loopback, from LDK nodes in processes of their own:
 *
 *     we ---- LDK (issuer)          we ---- LDK (relay) ---- LDK (issuer)
 *
 * Peers tolerate only a few onion messages a second, and each of our nodes sends no more than that (four at once, then
 * four a second). Therefore many of our nodes take turns. Otherwise the benchmark would measure waiting instead of
 * work.
 */

import { randomSecretKey } from '../src/bolt/crypto/noise.ts';
import { createInvoiceRequest } from '../src/bolt/invoice/bolt12-invoice-request.ts';
import { CHAIN_HASHES, type Offer, parseOffer } from '../src/bolt/invoice/bolt12-offer.ts';
import { featuresOf } from '../src/bolt/peer/features.ts';
import { encodePing, messageType, PONG_TYPE } from '../src/bolt/peer/peer-messages.ts';
import { ChannelGraph } from '../src/model/channel-graph.ts';
import { realClock } from '../src/model/clock.ts';
import { msat } from '../src/model/msat.ts';
import { type NodeId, nodeIdToBytes } from '../src/model/node-id.ts';
import { onionAlong } from '../src/network/onion-message-end.ts';
import { PeerNetwork } from '../src/network/peer/peer-network.ts';
import { InvoiceFetcher } from '../src/offers/fetch.ts';
import { readFetchedInvoice } from '../src/offers/invoice-check.ts';
import { MessageRoutes } from '../src/offers/message-routes.ts';
import { freshSecret, OnionMessenger } from '../src/offers/messenger.ts';
import { PayerKeys } from '../src/offers/payer-keys.ts';
import { SeriesInMemory } from '../src/offers/series.ts';
import { haveLdk, LdkProcess } from '../test/interop/ldk/ldk-process.ts';
import { WirePeer } from '../test/network/peer/wire-peer.ts';
import type { BenchContext } from './context.ts';
import { meanOf, quantile, spreadOf, timed, timedAsync } from './measure.ts';

const CHAIN_HASH = CHAIN_HASHES.regtest;
/** Number of our nodes. A node's next turn comes when it may send again. */
const NODES = 24;
const AMOUNT = msat(70_000n);
const TIMEOUT_MS = 20_000;

interface OurNode {
  readonly network: PeerNetwork;
  readonly messenger: OnionMessenger;
  readonly fetcher: InvoiceFetcher;
  readonly payerKeys: PayerKeys;
}

/** The part of the area `fetchinvoice` that talks to LDK. */
export async function ldkFetches({ quick, report }: BenchContext): Promise<void> {
  if (!haveLdk) {
    report.note('fetchinvoice-ldk', 'LDK is not installed');
    return;
  }
  const [near, far] = await Promise.all([LdkProcess.start(51), LdkProcess.start(52)]);
  const nodes: OurNode[] = [];
  try {
    const port = await near.ask<number>('listen');
    await far.ask('connect', { nodeId: near.nodeId, port });
    const graph = graphOf(near.nodeId, far.nodeId);
    for (let i = 0; i < NODES; i++) nodes.push(await ourNode(graph, near.nodeId, port));
    const fetches = quick ? 48 : 480;
    const wireMs = await pingMs(near.nodeId, port, quick ? 20 : 100);
    const rows = [];
    const times: Record<string, string | number>[] = [];
    for (const [issuer, node] of [
      ['a peer', near],
      ['behind a relay', far],
    ] as const) {
      const offer = parseOffer(await node.ask<string>('offer'));
      const alone = await sequential(nodes, offer, fetches);
      rows.push({ issuer, ...alone, ...(await together(nodes, offer)) });
      const parts = await shares(nodes[0]!, offer, node.nodeId, quick ? 20 : 100);
      parts.push({ part: 'network: round trip (ping and pong)', ms: wireMs });
      const known = parts.reduce((sum, { ms }) => sum + ms, 0);
      const all = [...parts, { part: 'peers: the rest of the median', ms: alone['p50 ms'] - known }];
      all.forEach(({ part, ms }, i) => {
        times[i] = { part, ...times[i], [issuer]: ms };
      });
    }
    const title = `from LDK over loopback TCP, ${NODES} nodes of ours in turn`;
    report.table('fetchinvoice-ldk', title, rows);
    report.table('fetchinvoice-ldk-time', 'parts of the time of one fetch, ms', times);
  } finally {
    await Promise.all(nodes.map(({ network }) => network.close()));
    await Promise.all([near.stop(), far.stop()]);
  }
}

async function ourNode(graph: ChannelGraph, peer: NodeId, port: number): Promise<OurNode> {
  const secretKey = randomSecretKey();
  const network = new PeerNetwork({ secretKey, chainHash: CHAIN_HASH, graph });
  const routes = new MessageRoutes(graph);
  const messenger = new OnionMessenger({
    port: network,
    routes,
    takesMessages: () => true,
  });
  const payerKeys = new PayerKeys(secretKey);
  const fetcher = new InvoiceFetcher({
    messenger,
    payerKeys,
    series: new SeriesInMemory(),
    clock: realClock,
    chainHash: CHAIN_HASH,
    mayConnect: false,
  });
  await network.connect(peer, [`127.0.0.1:${port}`]);
  return { network, messenger, fetcher, payerKeys };
}

const fetchFrom = ({ fetcher }: OurNode, offer: Offer) =>
  fetcher.fetch({ offer, amountMsat: AMOUNT, timeoutMs: TIMEOUT_MS });

/** Sequential fetches, each by a different node. */
async function sequential(nodes: readonly OurNode[], offer: Offer, fetches: number) {
  for (const node of nodes) await fetchFrom(node, offer);
  const latenciesMs: number[] = [];
  const all = await timedAsync(async () => {
    for (let i = 0; i < fetches; i++) {
      latenciesMs.push((await timedAsync(() => fetchFrom(nodes[i % NODES]!, offer))).ms);
    }
  });
  const { p50, p99 } = spreadOf(latenciesMs);
  return { fetches, 'per second': Math.round((1000 * fetches) / all.ms), 'p50 ms': p50, 'p99 ms': p99 };
}

/** Two concurrent fetches by every node, once all may send again. */
async function together(nodes: readonly OurNode[], offer: Offer) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { ms } = await timedAsync(() =>
    Promise.all(nodes.flatMap((node) => [fetchFrom(node, offer), fetchFrom(node, offer)])),
  );
  return { [`per second, ${2 * NODES} at once`]: Math.round((1000 * 2 * NODES) / ms) };
}

/** The time that each part of our own work takes. */
async function shares(node: OurNode, offer: Offer, issuer: NodeId, times: number) {
  const { messenger, payerKeys } = node;
  const path = offer.fields.offerPaths?.[0];
  const metadata = freshSecret();
  const asked = { invreqMetadata: metadata, invreqAmountMsat: AMOUNT, invreqChain: CHAIN_HASH };
  const makeRequest = () => createInvoiceRequest(offer.bytes, asked, payerKeys.secretKey(metadata));
  const route = messenger.findRoute(issuer) ?? [];
  const content = { invoiceRequest: makeRequest(), replyPath: messenger.replyPath(route, path, metadata) };
  const { invoice } = await fetchFrom(node, offer);
  const nowSeconds = BigInt(Math.floor(Date.now() / 1000));
  const expectation = {
    // An invoice contains the fields of its request.
    request: invoice.bytes,
    offer: offer.fields,
    invoiceNodeId: invoice.fields.invoiceNodeId!,
    nowSeconds,
    seriesBasetime: undefined,
  };
  const ours: Readonly<Record<string, () => unknown>> = {
    'we: payer key, request, signature': makeRequest,
    'we: route over the graph': () => messenger.findRoute(issuer),
    'we: reply path': () => messenger.replyPath(route, path, metadata),
    'we: onion of the request': () => onionAlong({ route, path, content }, issuer),
    'we: checks of the invoice': () => readFetchedInvoice(invoice.bytes, expectation),
  };
  return Object.entries(ours).map(([part, work]) => ({
    part,
    ms: meanOf(Array.from({ length: times }, () => timed(work).ms)),
  }));
}

/** Median time in ms of a ping and its pong, on a connection of its own. */
async function pingMs(remoteId: NodeId, port: number, times: number): Promise<number> {
  const peer = await WirePeer.dial(remoteId, port);
  let onPong = (): void => undefined;
  peer.onMessage = (bytes) => {
    if (messageType(bytes) === PONG_TYPE) onPong();
  };
  peer.sendInit(CHAIN_HASH);
  const pings: number[] = [];
  for (let i = 0; i < times; i++) {
    const { ms } = await timedAsync(async () => {
      const answered = new Promise<void>((resolve) => {
        onPong = resolve;
      });
      peer.send(encodePing({ pongBytes: 1, ignoredBytes: 0 }));
      await answered;
    });
    pings.push(ms);
  }
  peer.socket.destroy();
  return quantile(pings, 0.5);
}

/** A graph with one public channel, between two nodes that accept onion messages. */
function graphOf(...ids: readonly NodeId[]): ChannelGraph {
  const graph = new ChannelGraph();
  const [node1, node2] = [...ids].sort().map((id) => graph.internNode(nodeIdToBytes(id))) as [number, number];
  const channel = graph.addChannel(1n << 40n, node1, node2, 1_000_000_000n);
  const policy = {
    enabled: true,
    htlcMinimumMsat: msat(1n),
    htlcMaximumMsat: msat(1_000_000_000n),
    feeBaseMsat: 0,
    feeProportionalMillionths: 0,
    cltvExpiryDelta: 40,
  };
  const [alias, color, addresses] = [new Uint8Array(32), new Uint8Array(3), new Uint8Array(0)];
  for (const direction of [0, 1] as const) graph.setPolicy(channel, direction, policy);
  for (const node of [node1, node2]) {
    graph.setAnnouncement(node, { timestamp: 1, alias, color, features: featuresOf([39]), addresses });
  }
  return graph;
}
