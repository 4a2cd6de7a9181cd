/**
 * The daemon: opens the parts of the service one by one, serves them over the socket, and closes them in reverse order.
 * If a part cannot be opened, the parts opened before it are closed again.
 */
import { join } from 'node:path';
import { curve } from '../../bolt/crypto/curve.ts';
import type { NodeContext, NodeIdentity } from '../../commands/context.ts';
import { requestPayer } from '../../commands/payments/request-payer.ts';
import { makePageLink } from '../../commands/utility/explorer.ts';
import { type HttpServer, HttpServerError } from '../../http/http-server.ts';
import type { NodeLog } from '../../log/index.ts';
import { LAYOUT_FILE, MapFiles } from '../../map-files/index.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { VERSION } from '../../model/version.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { OwnNodes } from '../../network/several/index.ts';
import { createDispatcher } from '../../rpc/dispatcher.ts';
import type { Log } from '../../rpc/log.ts';
import { listenOnSocket, type SocketServer } from '../../rpc/socket-server.ts';
import { Turns } from '../../rpc/turns.ts';
import { LinkCodes } from '../../runes/link-codes.ts';
import { type SimulatedOffer, simulatedOffers } from '../../simulated-issuers/index.ts';
import { prepareSocketDirectory } from '../files/paths.ts';
import type { HttpOptions } from '../options/http-options.ts';
import type { StartOptions } from '../options/start-options.ts';
import { watchForDamage } from './damage-watch.ts';
import { type Forwarding, openForwarding } from './forwarding.ts';
import { openHttp } from './open-http.ts';
import { type BaseParts, openBaseParts } from './parts/base-parts.ts';
import { Closers } from './parts/closers.ts';
import { startEarlyThreads } from './parts/early-threads.ts';
import { Later } from './parts/later.ts';
import { type MoneyParts, openMoney } from './parts/money-parts.ts';
import { type Observability, openObservability } from './parts/observability.ts';
import { openRouting, type RoutingParts } from './parts/routing-parts.ts';
import { Shutdown } from './parts/shutdown.ts';
import { withPresentChannels } from './present-channels.ts';
import { linkSocket } from './socket-link.ts';

/** A running daemon. */
export interface Daemon {
  readonly socketPath: string;
  /** The URL of the HTTP server. Undefined when there is none. */
  readonly httpUrl: string | undefined;
  /** The graph in use, as one line for people. */
  readonly graphDescription: string;
  /** Whether the daemon moves simulated money only. */
  readonly isSimulated: boolean;
  /** Makes a link that opens the web page. Undefined unless the network is simulated and the page is served. */
  pageLink(): Promise<string | undefined>;
  /**
   * Finishes the requests in progress, then closes everything. May be called several times. Resolves when everything is
   * closed.
   */
  stop(): Promise<void>;
  /** Resolves when the daemon has stopped. Rejects if closing failed or a part failed for good. */
  readonly stopped: Promise<void>;
}

/**
 * Opens and serves a node. After an error, nothing stays open. With `servesUsualHttp`, HTTP is served even if no option
 * requests it, if possible; programs that embed the node do not set this.
 * @throws DataDirectoryError, IdentityError, SecretFileError, SettingsError, StoreError, FulguriteError, UsageError,
 *   BusError, SocketPathError, HttpServerError
 */
export async function startDaemon(
  options: StartOptions,
  log: NodeLog,
  { servesUsualHttp = false } = {},
): Promise<Daemon> {
  const closers = new Closers();
  try {
    return await open(options, log, closers, servesUsualHttp ? options.usualHttp : undefined);
  } catch (error) {
    await closers.run().catch((closing) => log.broken(`error while closing: ${closing}`));
    throw error;
  }
}

/**
 * Opens the parts of the daemon in this order: threads, base, observability, routing, money, servers. Each part may use
 * the parts opened before it.
 */
async function open(
  asked: StartOptions,
  log: NodeLog,
  closers: Closers,
  usualHttp: HttpOptions | undefined,
): Promise<Daemon> {
  const shutdown = new Shutdown();
  const measured = {
    routing: new Later<RoutingParts>(),
    money: new Later<MoneyParts>(),
    server: new Later<SocketServer>(),
  };
  const servesHttp = (asked.http ?? usualHttp) !== undefined;
  const solvers = startEarlyThreads(asked, servesHttp, closers);
  const base = await openBaseParts(asked, log, closers);
  const observability = openObservability(base, measured, servesHttp);
  const routing = measured.routing.open(await openRouting(base, observability, solvers));
  const money = measured.money.open(await openMoney(base, observability, routing, shutdown));
  const parts: OpenParts = { base, observability, routing, money, shutdown };
  const forwarding = openForwarding(base.options, base.beside, observability.registry.commands);
  closers.add(() => forwarding?.close());
  let httpServer: HttpServer | undefined;
  const context = contextOf(parts, forwarding, () => httpServer);
  if (context.networkPort.capabilities.pays) money.offers.own.requests.payer = requestPayer(context);
  const turns = new Turns();
  const server = measured.server.open(await serveSocket(parts, context, forwarding, turns));
  httpServer = await serveHttp(parts, context, forwarding, turns, usualHttp);
  reportReady(parts, server.path);
  const stopped = watchForEnd(parts);
  return {
    socketPath: server.path,
    httpUrl: httpServer?.url,
    graphDescription: routing.source.describe,
    isSimulated: context.isSimulated,
    async pageLink() {
      const hasPage = context.networkPort.kind === 'simulated' && httpServer?.pageUrl !== undefined;
      return hasPage ? (await makePageLink(context)).url : undefined;
    },
    stopped,
    stop() {
      shutdown.requestStop();
      return stopped;
    },
  };
}

interface OpenParts {
  readonly base: BaseParts;
  readonly observability: Observability;
  readonly routing: RoutingParts;
  readonly money: MoneyParts;
  readonly shutdown: Shutdown;
}

/** The parts that commands may use. */
function contextOf(
  { base, observability, routing, money, shutdown }: OpenParts,
  forwarded: Forwarding | undefined,
  httpServer: NodeContext['httpServer'],
): NodeContext {
  const { options, directory, store, layers, log, runes, backups, settings } = base;
  const { graph } = routing.source;
  const { payments, probes, balances, quotes, webhooks, webhookHosts, offers, names, ownInvoices } = money;
  const { network, ownNodes, makeInvoice, forwards, listForwards, issueInvoice } = money.opened;
  let issuersOffers: readonly SimulatedOffer[] | undefined;
  return {
    identity: identityOn(directory.identity, network, ownNodes),
    chain: options.chain,
    get blockheight() {
      return network.blockHeight();
    },
    dataDirectory: options.dataDirectory,
    version: VERSION,
    graph,
    engine: withPresentChannels(routing.engine, network),
    layers,
    networkPort: network,
    trial: money.trial?.test,
    ...{ payments, probes, balances, quotes, webhooks, webhookHosts, names, offers, makeInvoice },
    ...{ forwards, listForwards },
    invoices: ownInvoices.invoices,
    simulatedPayer: ownInvoices.simulatedPayer,
    simulatedInvoice: issueInvoice,
    // These offers are made on first use, because signing them would take a twentieth of the start-up time.
    get simulatedOffers() {
      issuersOffers ??= network.kind === 'simulated' ? simulatedOffers(graph) : [];
      return issuersOffers;
    },
    layersDurable: (layer) => store.layers.durable(layer),
    listsAsAskrene: options.replaceAskrene,
    // Depends on the option, not on the opened network, because payments of earlier runs are listed even without a
    // network.
    isSimulated: options.network === 'simulated',
    ...{ runes, backups, settings, log, forwarded, httpServer },
    linkCodes: new LinkCodes(),
    recentLog: log.recent,
    metricsText: () => observability.metrics.text(),
    notReady: () => store.shared?.problems() ?? {},
    requestStop: () => shutdown.requestStop(),
  };
}

/** Serves the commands on the UNIX socket. @throws SocketPathError */
async function serveSocket(
  { base: { options, log, closers }, observability: { registry, metrics } }: OpenParts,
  context: NodeContext,
  forwarding: Forwarding | undefined,
  turns: Turns,
): Promise<SocketServer> {
  prepareSocketDirectory(options.socketPath);
  const watching = { watcher: metrics.counts.requests, transport: 'socket' } as const;
  const server = await listenOnSocket({
    path: options.socketPath,
    dispatcher: createDispatcher(registry, context, log.of('rpc'), {
      watched: watching,
      forward: forwarding,
    }),
    log: log.of('rpc'),
    allowDeprecated: options.allowDeprecated,
    alwaysServed: ['stop'],
    limits: options.limits,
    turns,
  });
  closers.add(() => server.close());
  closers.add(linkSocket(options.dataDirectory, options.chain, server.path, log));
  return server;
}

/**
 * Serves HTTP as the options request. If they do not request HTTP, serves it at the default address, if there is one
 * and the port is free.
 */
async function serveHttp(
  { base: { options, log, closers }, observability, routing, shutdown }: OpenParts,
  context: NodeContext,
  forward: Forwarding | undefined,
  turns: Turns,
  usual: HttpOptions | undefined,
): Promise<HttpServer | undefined> {
  const serve = (how: HttpOptions): Promise<HttpServer> =>
    openHttp(how, {
      ...{ registry: observability.registry, context, turns, forward },
      events: observability.events.stream,
      limits: options.limits,
      allowDeprecated: options.allowDeprecated,
      watcher: observability.metrics.counts.requests,
      mapFiles: openMapFiles(routing.source.graph, options.dataDirectory, log.of('explorer'), closers),
      onDied: (error) => shutdown.fail(error),
    });
  let httpServer: HttpServer | undefined;
  if (options.http !== undefined) httpServer = await serve(options.http);
  else if (usual !== undefined) httpServer = await unlessTaken(serve(usual), usual, log);
  if (httpServer !== undefined) closers.add(() => httpServer.close());
  return httpServer;
}

function reportReady({ base: { options, log }, money }: OpenParts, socketPath: string): void {
  if (curve.name !== 'native') {
    log.unusual(
      `cannot load the native secp256k1 library; using slower ${curve.name} code instead. To fix this, ` +
        'reinstall with optional dependencies (npm package secp256k1)',
    );
  }
  const { kind } = money.opened.network;
  log.info(`fulgurite ${VERSION} serves ${socketPath}`, { network: kind, chain: options.chain });
}

/**
 * From now on the daemon can stop: on request, because its database is lost or damaged, or because it was retired.
 * @returns see `Daemon.stopped`
 */
function watchForEnd({ base: { directory, store, log, closers }, shutdown }: OpenParts): Promise<void> {
  const stopped = shutdown.listen(() => closers.run());
  void store.shared?.retired.then((error) => {
    log.broken(error.message);
    shutdown.failUnlessFailed(error);
  });
  void directory.store.file.lost.then((error) => shutdown.failUnlessFailed(error));
  const endDamageWatch = watchForDamage({
    search: directory.searchForDamage,
    onUnsearched: (error) => log.unusual(error.message),
    onDamage(error) {
      log.broken(error.message);
      shutdown.fail(error);
    },
  });
  closers.add(endDamageWatch);
  return stopped;
}

/**
 * Waits for the HTTP server that opens by default, when no option requests one. If it cannot be opened, usually because
 * the port is taken, logs this and returns undefined, and the daemon continues without HTTP.
 */
async function unlessTaken(
  opening: Promise<HttpServer>,
  { host, port }: HttpOptions,
  log: NodeLog,
): Promise<HttpServer | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof HttpServerError)) throw error;
    log.unusual(
      `HTTP is disabled: ${error.message}. Another program may be using ${host}:${port}; use --http HOST:PORT for another address, or --no-http`,
    );
    return undefined;
  }
}

/** The explorer's map. The thread of the map starts when the map is first requested. */
function openMapFiles(graph: ChannelGraph, directory: string, log: Log, closers: Closers): MapFiles {
  const mapFiles = new MapFiles({
    graph,
    layoutFile: join(directory, LAYOUT_FILE),
    onFault: (error) => log.broken(`cannot create the map: ${error.stack ?? error.message}`),
  });
  closers.add(() => mapFiles.close());
  return mapFiles;
}

/**
 * Our identity on the network, with our feature bits. With an attached node, its identity; with several nodes, the
 * identity of the first one.
 */
function identityOn(own: NodeIdentity, network: NetworkPort, nodes: OwnNodes | undefined): NodeIdentity {
  const { features } = network.identity;
  const nodeId = nodes?.list[0]?.nodeId ?? network.identity.nodeId;
  const behind = network.nodeBehind();
  return {
    ...own,
    id: nodeId,
    ...(behind !== undefined && { alias: behind.alias, color: behind.color }),
    features: { ...own.features, init: Buffer.from(features).toString('hex') },
  };
}
