/** The parts that move or request money: the network, offers, payments, quotes, webhooks, names and invoices. */
import { realClock } from '../../../model/clock.ts';
import { randomBytes } from '../../../model/random-bytes.ts';
import { NameResolver } from '../../../names/index.ts';
import { type Offers, openOffers } from '../../../offers/index.ts';
import { BalanceHistory } from '../../../payments/books/balance-history.ts';
import { PaymentEngine } from '../../../payments/payment-engine.ts';
import { Prober } from '../../../payments/probes/prober.ts';
import { QuoteBook } from '../../../payments/quotes/quote-book.ts';
import { Trial } from '../../../payments/trials/trial.ts';
import { NamedHosts, type Outbox } from '../../../webhooks/index.ts';
import { importNodeHistory } from '../import-node-history.ts';
import { importPairMemory } from '../import-pair-memory.ts';
import { type OpenedInvoices, openInvoices } from '../open-invoices.ts';
import { type OpenedNetwork, openNetwork } from '../open-network.ts';
import { type OpenOdds, openOdds } from '../open-odds.ts';
import { openWebhooks } from '../open-webhooks.ts';
import type { BaseParts } from './base-parts.ts';
import type { Observability } from './observability.ts';
import type { RoutingParts } from './routing-parts.ts';
import type { Shutdown } from './shutdown.ts';

/** The network, and the parts that pay or request money over it. */
export interface MoneyParts {
  readonly opened: OpenedNetwork;
  readonly offers: Offers;
  readonly odds: OpenOdds | undefined;
  readonly payments: PaymentEngine;
  readonly probes: Prober | undefined;
  readonly trial: Trial | undefined;
  readonly balances: BalanceHistory | undefined;
  readonly quotes: QuoteBook;
  readonly webhookHosts: NamedHosts;
  readonly webhooks: Outbox;
  readonly names: NameResolver | undefined;
  readonly ownInvoices: OpenedInvoices;
}

/** Opens the money parts. Payments left unfinished by an earlier run continue. */
export async function openMoney(
  base: BaseParts,
  observability: Observability,
  routing: RoutingParts,
  shutdown: Shutdown,
): Promise<MoneyParts> {
  // The thread of a simulated network reads the graph while this one publishes it.
  const [opened] = await Promise.all([openOwnNetwork(base, routing, shutdown), routing.begin()]);
  const offers = await openOwnOffers(base, observability, routing, opened);
  const paying = await openPayments(base, observability, routing, opened, offers);
  return { opened, offers, ...paying, ...(await openServices(base, observability, opened, paying.payments)) };
}

async function openOwnNetwork(
  { options, log, closers, beside, directory, store, daemonId, claim }: BaseParts,
  { ownSource, source, splices, sourceChanged }: RoutingParts,
  shutdown: Shutdown,
): Promise<OpenedNetwork> {
  const opened = await openNetwork(options, {
    beside,
    journal: { daemonId, isShared: store.shared !== undefined },
    // Gossip from peers goes into the graph of our own source. In a fleet, the log carries it to the shared graph.
    graph: options.network === 'peer' ? ownSource.graph : source.graph,
    isLive: source.isLive,
    ownNodeId: directory.identity.id,
    secretKey: directory.secretKey,
    log: log.of('network'),
    input: process.stdin,
    sharedSettings: store.shared && store.records,
    claim,
    publish: sourceChanged,
    // Without a network, HTLCs in flight cannot be resolved. The next start looks up their outcomes.
    onDied: (error) => shutdown.fail(error),
  });
  const { network } = opened;
  closers.add(() => network.close());
  network.onOwnChannels(({ channels }) => splices.ownChannels(channels));
  if (network.kind === 'simulated' && beside === undefined) directory.noteSimulatedJournal();
  return opened;
}

async function openOwnOffers(
  { options, directory, store, closers }: BaseParts,
  { events, metrics }: Observability,
  { source }: RoutingParts,
  { network, messages, fetches }: OpenedNetwork,
): Promise<Offers> {
  const offers = await openOffers({
    port: messages,
    fetchPort: fetches,
    graph: source.graph,
    nodeSecretKey: directory.secretKey,
    repository: store.offers,
    allTakeMessages: network.kind === 'simulated',
    mayConnect: !options.fetchinvoiceNoconnect,
    onEvent: events.onFetch,
    onMessage: (what) => metrics.counts.noteMessage(what),
  });
  closers.add(() => offers.close());
  return offers;
}

/** Payments, the learned odds for their searches, and probes. */
async function openPayments(
  { options, log, closers, store, layers }: BaseParts,
  { events }: Observability,
  { engine, source: { graph } }: RoutingParts,
  { network, ownNodes }: OpenedNetwork,
  offers: Offers,
): Promise<Pick<MoneyParts, 'odds' | 'payments' | 'probes' | 'trial'>> {
  const odds = options.learnedOdds
    ? openOdds(options.dataDirectory, realClock, log.of('payments'))
    : undefined;
  closers.add(() => odds?.close());
  let probes: Prober | undefined;
  const trial =
    options.trial &&
    new Trial(options.trial, ({ test: { verdict, counts } }) =>
      log
        .of('payments')
        .info(`the trial of prices is over: compared with the usual prices, those on trial are ${verdict}`, {
          payments: counts.usual.payments + counts.trial.payments,
        }),
    );
  const payments = new PaymentEngine({
    ...(odds !== undefined && { odds: odds.model }),
    trial,
    ...(ownNodes !== undefined && { ownNodes }),
    network,
    engine,
    book: layers,
    graph: () => graph,
    repository: store.payments,
    makesLayerLater: options.replaceAskrene,
    requestRelease: options.payStaticInvoices ? offers.requestRelease : undefined,
    onRequestPaid: (requestId) => offers.own.requests.markUsed(requestId),
    log: log.of('payments'),
    onEvent: (event) => {
      events.onPayment(event);
      probes?.note(event);
    },
  });
  closers.add(() => payments.close());
  await payments.start();
  await importPairMemory(network, layers, graph, log.of('layers'));
  // A busy node takes a while to list its payments. Our own payments do not wait for that.
  if (options.nodeHistory)
    void importNodeHistory(network, { book: layers, graph, model: odds?.model }, log.of('layers'));
  if (options.probes !== undefined) {
    probes = new Prober({
      ...{ limits: options.probes, payments, network, clock: realClock, randomBytes },
      graph: () => graph,
      onProbed: (attempt, hasArrived) =>
        log.of('payments').info('probed a route', {
          hops: attempt.path.length,
          amount_msat: attempt.amountMsat,
          probability_ppm: attempt.probabilityPpm,
          outcome: hasArrived ? 'arrived' : 'failed',
        }),
    });
    closers.add(() => probes?.close());
    void probes.run();
  }
  return { odds, payments, probes, trial };
}

/** Parts that accompany payments: balance history, quotes, webhooks, names and our own invoices. */
async function openServices(
  { options, log, closers, store, layers, directory }: BaseParts,
  { events }: Observability,
  opened: OpenedNetwork,
  payments: PaymentEngine,
): Promise<Omit<MoneyParts, 'opened' | 'offers' | 'odds' | 'payments' | 'probes' | 'trial'>> {
  const { network, ownNodes } = opened;
  const balances =
    ownNodes &&
    new BalanceHistory({
      ...{ repository: store.records, nodes: ownNodes, clock: realClock, log: log.of('network') },
    });
  closers.add(() => balances?.close());
  void balances?.start();
  const quotes = await QuoteBook.open({
    repository: store.records,
    ...{ book: layers, network, clock: realClock, limits: options.quoteLimits },
  });
  closers.add(() => quotes.close());
  const webhookHosts = new NamedHosts(options.webhookHosts);
  const webhooks = await openWebhooks({
    ...{ store, hosts: webhookHosts, payments, events: events.stream, log: log.of('webhooks') },
    ...{ daemon: directory.directoryId, isSimulated: options.network === 'simulated' },
  });
  closers.add(() => webhooks.close());
  const names =
    options.nameResolver &&
    new NameResolver({ place: options.nameResolver, clock: realClock, anchors: options.nameAnchors });
  closers.add(() => names?.close());
  const ownInvoices = await openInvoices(opened, store.records, events.onInvoice);
  closers.add(() => ownInvoices.close());
  return { balances, quotes, webhookHosts, webhooks, names, ownInvoices };
}
