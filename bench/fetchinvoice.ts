/**
 * Fetches invoices on a simulated line: three hops to the issuer and three back. Every onion is real, and every
 * signature is made and checked. Everything runs in one thread and without latency, so that computation is measured.
 * Then a daemon fetches invoices on request over its socket, on the main graph and with simulated latencies. Last,
 * invoices are fetched from LDK nodes (fetchinvoice-ldk.ts).
 *
 *     we ---- 1 ---- 2 ---- 3 (issuer)
 */
import { randomBytes } from 'node:crypto';
import { curve } from '../src/bolt/crypto/curve.ts';
import { createInvoiceRequest } from '../src/bolt/invoice/bolt12-invoice-request.ts';
import { CHAIN_HASHES } from '../src/bolt/invoice/bolt12-offer.ts';
import { snapshotNodePrivateKey } from '../src/gossip/node-keys.ts';
import { ChannelGraph } from '../src/model/channel-graph.ts';
import type { Clock } from '../src/model/clock.ts';
import { msat, msatFromSat } from '../src/model/msat.ts';
import { nodeIdFromBytes, nodeIdToBytes } from '../src/model/node-id.ts';
import { shortChannelId } from '../src/model/short-channel-id.ts';
import { onionAlong } from '../src/network/onion-message-end.ts';
import { InProcessPort, networkMapOf, Simulation } from '../src/network/simulated/index.ts';
import { InvoiceFetcher } from '../src/offers/fetch.ts';
import { readFetchedInvoice } from '../src/offers/invoice-check.ts';
import { MessageRoutes } from '../src/offers/message-routes.ts';
import { OnionMessenger } from '../src/offers/messenger.ts';
import { PayerKeys } from '../src/offers/payer-keys.ts';
import { SeriesInMemory } from '../src/offers/series.ts';
import { messageGraphOf, SimulatedIssuers } from '../src/simulated-issuers/issuers.ts';
import type { BenchContext } from './context.ts';
import { requestText, startDaemonProcess } from './daemon.ts';
import { ldkFetches } from './fetchinvoice-ldk.ts';
import { mainGraph } from './graphs.ts';
import { meanOf, spreadOf, timed, timedAsync } from './measure.ts';
import { SIMULATED_SEED, sustainedOverSocket } from './sustained.ts';

const HOPS = 3;
const OWN_SECRET = new Uint8Array(32).fill(9);
const CAPACITY = msatFromSat(1_000_000);

/** Runs the benchmark area `fetchinvoice`. */
export async function fetchinvoiceBench(context: BenchContext): Promise<void> {
  const { quick, report } = context;
  const line = new Line();
  const fetches = quick ? 50 : 1000;
  for (let i = 0; i < 20; i++) await line.fetch();
  const latenciesMs: number[] = [];
  const all = await timedAsync(async () => {
    for (let i = 0; i < fetches; i++) latenciesMs.push((await timedAsync(() => line.fetch())).ms);
  });
  const { p50, p99 } = spreadOf(latenciesMs);
  report.table('fetchinvoice', `fetches one at a time, ${HOPS} hops in each direction, one thread`, [
    {
      fetches,
      'per second': Math.round((1000 * fetches) / all.ms),
      'p50 ms': p50.toFixed(2),
      'p99 ms': p99.toFixed(2),
    },
  ]);
  report.table('fetchinvoice-time', 'parts of the time of one fetch, ms', line.shares(quick ? 20 : 200));
  await reportOverSocket(context);
  await ldkFetches(context);
}

/**
 * Concurrent fetches over the socket. A fetch over the simulated hops takes a fifth of a second, so at 600 a second,
 * 120 are only travelling.
 */
const SOCKET_UNDER_WAY = 256;

/** Requests that the issuers answer with an invoice that they have made already. */
const REPEATED = 64;

/**
 * Measures the rate that a user gets: a daemon fetches invoices from issuers of a simulated network, on requests over
 * its socket. A second run repeats a few requests, so that issuers need not make new invoices. The work of the daemon
 * is the same in both runs, since it does not know that it has fetched an invoice before.
 */
async function reportOverSocket({ quick, report }: BenchContext): Promise<void> {
  const { name, source } = mainGraph();
  const offer = await payableOffer(source);
  const count = quick ? 1_000 : 6_000;
  const requestOf = (more: string): string =>
    requestText('fetchinvoice', `{"offer":"${offer}","amount_msat":1000000${more}}`);
  const fresh = Array.from({ length: count }, () => requestOf(''));
  const repeated = Array.from({ length: count }, (_, i) => {
    const metadata = (i % REPEATED).toString(16).padStart(32, '0');
    return requestOf(`,"payer_metadata":"${metadata}"`);
  });
  const rows = [];
  for (const [invoices, requests] of [
    ['new', fresh],
    ['made before', repeated],
  ] as const) {
    rows.push({ invoices, ...(await sustainedOverSocket(source, requests, SOCKET_UNDER_WAY)) });
  }
  const title = `${count} fetches over the socket, ${SOCKET_UNDER_WAY} at a time, ${name}`;
  report.table('fetchinvoice', title, rows);
  const [row, beforeRow] = rows;
  report.figure('fetchinvoice', {
    name: 'fetches sustained over the socket',
    value: row!['requests /s'],
    unit: '/s',
    target: '>= 600',
  });
  report.figure('fetchinvoice', {
    name: 'fetches sustained over the socket, invoices made before',
    value: beforeRow!['requests /s'],
    unit: '/s',
  });
  report.figure('fetchinvoice', {
    name: "processor time of a fetch, without the network's",
    value: row!['processor ms/request'],
    unit: 'ms',
  });
}

/** An offer for any amount, by a node of the simulated network that the daemon makes from this source. */
async function payableOffer(source: string): Promise<string> {
  const daemon = await startDaemonProcess(source, SIMULATED_SEED);
  try {
    const text = await daemon.client.call(requestText('listsimulatedoffers', '{}'));
    const { offers } = (JSON.parse(text) as { result: { offers: { bolt12: string; kind: string }[] } })
      .result;
    for (const { bolt12 } of offers) {
      const request = requestText('fetchinvoice', `{"offer":"${bolt12}","amount_msat":1000000}`);
      if ((await daemon.client.call(request)).includes('"result"')) return bolt12;
    }
    throw new Error('no simulated issuer gives an invoice for any amount');
  } finally {
    await daemon.stop();
  }
}

class Line {
  readonly #simulation: Simulation;
  readonly #issuers: SimulatedIssuers;
  readonly #fetcher: InvoiceFetcher;
  readonly #messenger: OnionMessenger;
  readonly #payerKeys = new PayerKeys(OWN_SECRET);

  constructor() {
    const graph = lineGraph();
    const map = networkMapOf(graph);
    const peerId = graph.nodeId(0);
    this.#simulation = new Simulation(map, {
      ownNodeId: nodeIdFromBytes(curve.publicKey(OWN_SECRET)),
      ownChannels: [{ peerId, capacityMsat: CAPACITY, localMsat: CAPACITY }],
      latencyMs: { least: 0, most: 0 },
      jitterMs: 0,
    });
    const chainHash = CHAIN_HASHES.bitcoin;
    this.#issuers = new SimulatedIssuers(messageGraphOf(map), { chainHash });
    this.#simulation.setMessageHandler(this.#issuers.handle);
    this.#messenger = new OnionMessenger({
      port: new InProcessPort(this.#simulation, { secretKey: OWN_SECRET }),
      routes: new MessageRoutes(graph),
      secretKey: OWN_SECRET,
      takesMessages: () => true,
    });
    const nowMs = (): number => this.#simulation.nowMs;
    const clock: Clock = { nowMs, monotonicMs: nowMs, after: () => () => undefined };
    this.#fetcher = new InvoiceFetcher({
      messenger: this.#messenger,
      payerKeys: this.#payerKeys,
      series: new SeriesInMemory(),
      clock,
      chainHash,
      mayConnect: false,
    });
  }

  /**
   * An offer of the node at the end of the line. Its simulated fault is removed, so that requests get a valid invoice.
   */
  get #offer() {
    const issued = this.#issuers.offers.find(({ kind }) => kind === 'refusing');
    if (issued === undefined) throw new Error('the line has no issuer');
    this.#issuers.setFault(issued.offerId, undefined);
    return issued;
  }

  async fetch(): Promise<void> {
    let isOver = false;
    const fetched = this.#fetcher.fetch({ offer: this.#offer.offer, timeoutMs: 60_000 });
    const end = (): void => {
      isOver = true;
    };
    fetched.then(end, end);
    while (!isOver) {
      this.#simulation.advanceTo(this.#simulation.nowMs);
      await Promise.resolve();
    }
    await fetched;
  }

  /** The time of each part of the work, measured separately. */
  shares(times: number) {
    const { offer, nodeId } = this.#offer;
    const metadata = new Uint8Array(randomBytes(16));
    const payerKey = this.#payerKeys.secretKey(metadata);
    const makeRequest = () => createInvoiceRequest(offer.bytes, { invreqMetadata: metadata }, payerKey);
    const request = makeRequest();
    const route = this.#messenger.findRoute(nodeId) ?? [];
    const replyPath = () => this.#messenger.replyPath(route, undefined, metadata);
    const content = { invoiceRequest: request, replyPath: replyPath() };
    const { invoice } = this.#invoice(request);
    const nowSeconds = BigInt(Math.floor(this.#simulation.nowMs / 1000));
    const invoiceNodeId = nodeIdToBytes(nodeId);
    const expectation = {
      request,
      offer: offer.fields,
      invoiceNodeId,
      nowSeconds,
      seriesBasetime: undefined,
    };
    const parts: Readonly<Record<string, () => unknown>> = {
      'payer key, request, signature': makeRequest,
      'route over the graph': () => this.#messenger.findRoute(nodeId),
      'reply path': replyPath,
      'onion of the request': () => onionAlong({ route, path: undefined, content }, nodeId),
      'checks of the invoice': () => readFetchedInvoice(invoice, expectation),
    };
    return Object.entries(parts).map(([part, work]) => ({
      part,
      ms: meanOf(Array.from({ length: times }, () => timed(work).ms)).toFixed(3),
    }));
  }

  #invoice(request: Uint8Array): { invoice: Uint8Array } {
    const { nodeId } = this.#offer;
    const nowSeconds = BigInt(Math.floor(this.#simulation.nowMs / 1000));
    const reply = this.#issuers.issuer(nodeId)?.answer({ bytes: request, pathId: undefined, nowSeconds });
    if (reply === undefined || !('invoice' in reply)) throw new Error('the issuer made no invoice');
    return { invoice: reply.invoice };
  }
}

function lineGraph(): ChannelGraph {
  const graph = new ChannelGraph();
  const ids = Array.from({ length: HOPS }, (_, i) => curve.publicKey(snapshotNodePrivateKey(i)));
  for (const id of ids) graph.internNode(id);
  const policy = {
    enabled: true,
    htlcMinimumMsat: msat(1000n),
    htlcMaximumMsat: CAPACITY,
    feeBaseMsat: 1000,
    feeProportionalMillionths: 100,
    cltvExpiryDelta: 40,
  };
  for (let i = 0; i + 1 < HOPS; i++) {
    const isAscending = Buffer.compare(ids[i] as Uint8Array, ids[i + 1] as Uint8Array) < 0;
    const [low, high] = isAscending ? [i, i + 1] : [i + 1, i];
    const channel = graph.addChannel(shortChannelId(700_000, i + 1, 0), low, high, CAPACITY);
    graph.setPolicy(channel, 0, policy);
    graph.setPolicy(channel, 1, policy);
  }
  return graph;
}
