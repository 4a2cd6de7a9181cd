/**
 * The daemon: opens the parts of the service one after the other, serves them over the socket, and closes them in
 * the opposite order. If one part cannot be opened, those before it are closed again.
 */
import { join } from 'node:path';
import { Backdrop, LAYOUT_FILE } from '../../backdrop/index.ts';
import { curve } from '../../bolt/crypto/curve.ts';
import type { NodeContext, NodeIdentity } from '../../commands/context.ts';
import { COMMANDS } from '../../commands/index.ts';
import { requestPayer } from '../../commands/payments/request-payer.ts';
import { makePageLink } from '../../commands/utility/explorer.ts';
import { RouteEngine } from '../../engine/host/engine.ts';
import { type Door, DoorError } from '../../http/door.ts';
import { LayerBook } from '../../layers/layer-book.ts';
import { eventLines, type NodeLog, parseLevelRules } from '../../log/index.ts';
import type { ChannelGraph } from '../../model/channel-graph.ts';
import { realClock } from '../../model/clock.ts';
import { FulguriteError } from '../../model/errors.ts';
import type { NodeId } from '../../model/node-id.ts';
import { VERSION } from '../../model/version.ts';
import { NameResolver } from '../../names/index.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { OwnNodes } from '../../network/several/index.ts';
import { openOffers } from '../../offers/index.ts';
import { BalanceHistory } from '../../payments/books/balance-history.ts';
import { PaymentEngine } from '../../payments/payment-engine.ts';
import { QuoteBook } from '../../payments/quotes/quote-book.ts';
import { createDispatcher } from '../../rpc/dispatcher.ts';
import type { Log } from '../../rpc/log.ts';
import { createRegistry } from '../../rpc/registry.ts';
import { listenOnSocket } from '../../rpc/socket-server.ts';
import { Turns } from '../../rpc/turns.ts';
import { LinkCodes } from '../../runes/link-codes.ts';
import { RuneBook } from '../../runes/rune-book.ts';
import { simulatedOffers } from '../../simulated-issuers/index.ts';
import type { RuneRepository } from '../../store/rune-repository.ts';
import type { Store } from '../../store/store.ts';
import { NamedHosts } from '../../webhooks/index.ts';
import { type DataDirectory, openDataDirectory } from '../files/data-directory.ts';
import { prepareSocketDirectory } from '../files/paths.ts';
import { openRuneSecret } from '../files/rune-secret.ts';
import type { HttpOptions } from '../options/http-options.ts';
import { SECRET_OPTION_NAMES, START_OPTION_NAMES, type StartOptions } from '../options/start-options.ts';
import { Backups } from './backup.ts';
import { claimNodes } from './claim-nodes.ts';
import { watchForDamage } from './damage-watch.ts';
import { openForwarding } from './forwarding.ts';
import { importLayers } from './import-layers.ts';
import { importPairMemory } from './import-pair-memory.ts';
import { openHttp } from './open-door.ts';
import { openEvents } from './open-events.ts';
import { type OpenedFleet, openFleet } from './open-fleet.ts';
import { type OpenedGraph, openGraph } from './open-graph.ts';
import { openInvoices } from './open-invoices.ts';
import { openMetrics } from './open-metrics.ts';
import { openNetwork } from './open-network.ts';
import { openOdds } from './open-odds.ts';
import { openSplices, withSplices } from './open-splices.ts';
import { type NodeStore, openNodeStore } from './open-store.ts';
import { openWebhooks } from './open-webhooks.ts';
import { withPresentChannels } from './present-channels.ts';
import { type NodeBeside, nodeIdOf, reachNodeBeside } from './reach-node.ts';
import { Settings } from './settings.ts';
import { type SharedGraph, shareGraph } from './share-graph.ts';
import { linkSocket } from './socket-link.ts';

/** Milliseconds that the last changes get, at a stop, when the disk refuses them. */
const LAST_CHANGES_MS = 20_000;

/** A daemon that is running. */
export interface Daemon {
  readonly socketPath: string;
  /** Where HTTP is served. Undefined when it is not. */
  readonly httpUrl: string | undefined;
  /** One line for people that says which graph it works on. */
  readonly graphDescription: string;
  /** Whether its money is not real. */
  readonly isSimulated: boolean;
  /** Makes a link that opens the page, where the network is simulated and HTTP is served. Undefined elsewhere. */
  pageLink(): Promise<string | undefined>;
  /**
   * Answers the requests that have begun, then closes everything. May be called again. Resolves when all is
   * closed.
   */
  stop(): Promise<void>;
  /** Resolves after a stop, whoever asked for it. Rejects when closing failed or the network had died. */
  readonly stopped: Promise<void>;
}

/** Functions that close what was opened. The last one runs first. */
class Closers {
  private readonly list: (() => void | Promise<void>)[] = [];

  add(close: () => void | Promise<void>): void {
    this.list.push(close);
  }

  /** Closes everything, even if some of it fails. @throws the first failure. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.list.pop(); close !== undefined; close = this.list.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/**
 * Opens and serves a node. After an error, nothing stays open. With `servesUsualHttp`, HTTP is also served
 * without an explicit option, if possible; a program that starts the node as a part of itself does not want
 * that.
 * @throws DataDirectoryError, IdentityError, StoreError, FulguriteError graphSource, SocketPathError
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
    await closers.run().catch((closing) => log.broken(`while closing: ${closing}`));
    throw error;
  }
}

async function open(
  asked: StartOptions,
  log: NodeLog,
  closers: Closers,
  usualHttp: HttpOptions | undefined,
): Promise<Daemon> {
  const networkLog = log.of('network');
  const beside = await reachNodeBeside(asked, networkLog);
  closers.add(() => beside?.link.close());
  const options: StartOptions = { ...asked, chain: beside?.link.facts.chain ?? asked.chain };
  const ofDirectory = openDataDirectory(options, log, oneNode(beside));
  const { identity, secretKey, store: local, noteSimulatedJournal, searchForDamage } = ofDirectory;
  const nodeBehind = payingNode(beside);
  let fenced = 0;
  const store = await openOrClose(options, ofDirectory, nodeBehind, log, () => void fenced++);
  closers.add(() => closeStore(store, local, log));
  const daemonId = store.shared?.fleetId ?? ofDirectory.directoryId;
  const claim = await claimNodes(beside, daemonId, networkLog);
  closers.add(store.shared?.deleteOld(options.keepPaymentsDays) ?? (() => undefined));
  const backups = new Backups(options.dataDirectory, local, store.shared?.place);
  closers.add(() => backups.close());
  const runes = await openRunes(options.dataDirectory, store.runes, log.of('runes'));
  closers.add(() => runes.close());
  const names = { all: START_OPTION_NAMES, secret: SECRET_OPTION_NAMES };
  const settings = new Settings(options.dataDirectory, options.given, names);
  followLogLevel(settings, log);
  const layers = new LayerBook();
  await store.layers.attach(layers);
  if (options.replaceAskrene && beside?.kind === 'cln') {
    await importLayers({ link: beside.link, layers, repository: store.layers, log });
  }
  const events = openEvents(layers, () => ({ engine, payments, network }), log);
  closers.add(() => events.close());
  events.stream.listen(eventLines({ log, isPrivate: options.log.isPrivate }));
  const registry = createRegistry(COMMANDS, options.developer);
  const metrics = openMetrics(
    {
      methods: registry.names,
      transports: (options.http ?? usualHttp) === undefined ? ['socket'] : ['socket', 'http'],
      network: options.network,
      chain: options.chain,
      storePath: local.file.path,
    },
    () => ({
      figures: events.figures,
      graph,
      layers,
      network,
      ownNodes,
      drift: odds?.model.drift,
      fleet: () => ({
        lag: fleet?.lag ?? 0,
        stale: fleet?.stats.stale ?? 0,
        rejected: fleet?.stats.rejected ?? 0,
        foreign: fleet?.foreign ?? 0,
        malformed: fleet?.malformed ?? 0,
        ...payments.takeovers,
        fenced,
        isBusDown: fleet?.isConnected === false,
        solvers: fleet?.solverCount ?? 0,
        store: store.shared?.figures(),
        isReady: Object.keys(store.shared?.problems() ?? {}).length === 0,
      }),
      connections: () => ({ socket: server.connections }),
    }),
  );
  closers.add(() => metrics.close());
  events.stream.listen(metrics.counts.note);
  store.timeCommits((ms) => {
    metrics.counts.noteCommit(ms);
    events.noteCommitMs(ms);
  });
  let sharesLead: (() => boolean) | undefined;
  const splices = await openSplices({
    ...{ book: layers, records: store.records, log: log.of('graph') },
    isLeading: () => sharesLead?.() ?? true,
  });
  const opened = withSplices(await openGraph(options, beside, log.of('graph')), splices, log.of('graph'));
  const shared = await shareLive(opened, options, ofDirectory.directoryId, store, log);
  sharesLead = shared && (() => shared.isLeading());
  const source: OpenedGraph = shared ?? opened;
  const { graph, describe } = source;
  closers.add(() => source.stop());
  const sharesGraph = shared !== undefined;
  const fleet = await joinFleet(options, ofDirectory.directoryId, store, layers, sharesGraph, log);
  closers.add(() => fleet?.close());
  const engine = new RouteEngine({
    book: layers,
    ...(fleet && { fleet: fleet.solvers }),
    deadlineMs: () => settings.valueOf('askrene-timeout') * 1000,
    ...(options.workers !== undefined && { workers: options.workers }),
    ...(options.queueSize !== undefined && { queueSize: options.queueSize }),
    onSearch: (search) => {
      metrics.counts.noteSearch(search);
      if (search.searchMs !== undefined) events.noteSearchMs(search.searchMs);
    },
  });
  closers.add(() => engine.close());
  const publish = (): void => metrics.timePublish(graph, (published) => engine.publish(published));
  publish();
  engine.warmUp(graph);
  source.follow(publish);

  let requestStop = (): void => undefined;
  let death: Error | undefined;
  const openedNetwork = await openNetwork(options, {
    ...{ beside, daemonId },
    // Peers tell their gossip to the source. What others have of it comes back from the log.
    graph: options.network === 'peer' ? opened.graph : graph,
    ownNodeId: identity.id,
    secretKey,
    log: networkLog,
    input: process.stdin,
    sharedSettings: store.shared && store.records,
    claim,
    publish: shared?.sourceChanged ?? publish,
    // Without a network no HTLC gets an outcome any more. The next start asks what became of the open ones.
    onDied: (error) => {
      death = error;
      requestStop();
    },
  });
  const { network, messages, fetches, issueInvoice, makeInvoice, ownNodes } = openedNetwork;
  closers.add(() => network.close());
  network.onOwnChannels(({ channels }) => splices.ownChannels(channels));
  const isSimulatedNow = network.kind === 'simulated';
  if (isSimulatedNow && beside === undefined) noteSimulatedJournal();
  const offers = await openOffers({
    port: messages,
    fetchPort: fetches,
    graph,
    nodeSecretKey: secretKey,
    repository: store.offers,
    allTakeMessages: isSimulatedNow,
    mayConnect: !options.fetchinvoiceNoconnect,
    news: events.fetchNews,
    onMessage: (what) => metrics.counts.noteMessage(what),
  });
  closers.add(() => offers.close());
  const odds = options.learnedOdds
    ? openOdds(options.dataDirectory, realClock, log.of('payments'))
    : undefined;
  closers.add(() => odds?.close());
  const payments = new PaymentEngine({
    ...(odds !== undefined && { odds: odds.model }),
    ...(ownNodes !== undefined && { ownNodes }),
    network,
    engine,
    book: layers,
    graph: () => graph,
    repository: store.payments,
    makesLayerLater: options.replaceAskrene,
    onRequestPaid: (requestId) => offers.own.requests.markUsed(requestId),
    log: log.of('payments'),
    news: events.paymentNews,
  });
  closers.add(() => payments.close());
  await payments.start();
  await importPairMemory(network, layers, graph, log.of('layers'));

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
    ...{ daemon: ofDirectory.directoryId, isSimulated: options.network === 'simulated' },
  });
  closers.add(() => webhooks.close());

  const nameResolver =
    options.nameResolver &&
    new NameResolver({ place: options.nameResolver, clock: realClock, anchors: options.nameAnchors });
  closers.add(() => nameResolver?.close());

  const ownInvoices = await openInvoices(openedNetwork, store.records);
  closers.add(() => ownInvoices.close());

  let door: Door | undefined;
  const forwarding = openForwarding(options, beside, registry.commands);
  closers.add(() => forwarding?.close());
  const context: NodeContext = {
    identity: identityOn(identity, network, ownNodes),
    chain: options.chain,
    get blockheight() {
      return network.blockHeight();
    },
    dataDirectory: options.dataDirectory,
    version: VERSION,
    graph,
    engine: withPresentChannels(engine, network),
    layers,
    networkPort: network,
    payments,
    balances,
    quotes,
    webhooks,
    webhookHosts,
    invoices: ownInvoices.invoices,
    simulatedPayer: ownInvoices.simulatedPayer,
    names: nameResolver,
    offers,
    makeInvoice,
    simulatedInvoice: issueInvoice,
    simulatedOffers: isSimulatedNow ? simulatedOffers(graph) : [],
    layersDurable: (layer) => store.layers.durable(layer),
    listsAsAskrene: options.replaceAskrene,
    // The option decides, not the network that was opened, because payments of earlier runs are listed too.
    isSimulated: options.network === 'simulated',
    runes,
    linkCodes: new LinkCodes(),
    backups,
    pageUrl: () => door?.pageUrl,
    settings,
    log,
    recentLog: log.recent,
    forwarded: forwarding,
    metricsText: () => metrics.text(),
    notReady: () => store.shared?.problems() ?? {},
    requestStop: () => requestStop(),
  };
  if (network.capabilities.pays) offers.own.requests.payer = requestPayer(context);
  prepareSocketDirectory(options.socketPath);
  const turns = new Turns();
  const server = await listenOnSocket({
    path: options.socketPath,
    dispatcher: createDispatcher(
      registry,
      context,
      log.of('rpc'),
      undefined,
      { watcher: metrics.counts.requests, transport: 'socket' },
      forwarding,
    ),
    log: log.of('rpc'),
    allowDeprecated: options.allowDeprecated,
    alwaysServed: ['stop'],
    limits: options.limits,
    turns,
  });
  closers.add(() => server.close());
  closers.add(linkSocket(options.dataDirectory, options.chain, server.path, log));

  const serveHttp = (how: HttpOptions): Promise<Door> =>
    openHttp(how, {
      registry,
      context,
      turns,
      forward: forwarding,
      events: events.stream,
      limits: options.limits,
      allowDeprecated: options.allowDeprecated,
      watcher: metrics.counts.requests,
      backdrop: openBackdrop(graph, options.dataDirectory, log.of('explorer'), closers),
      onDied: (error) => {
        death = error;
        requestStop();
      },
    });
  if (options.http !== undefined) door = await serveHttp(options.http);
  else if (usualHttp !== undefined) door = await unlessTaken(serveHttp(usualHttp), usualHttp, log);
  if (door !== undefined) closers.add(() => door.close());
  if (curve.name !== 'native') {
    log.unusual(
      `cannot load the native secp256k1 library; using slower ${curve.name} code instead: ` +
        'reinstall with optional dependencies (npm package secp256k1)',
    );
  }
  log.info(`fulgurite ${VERSION} serves ${server.path}`, { network: network.kind, chain: options.chain });

  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= closers.run();
    return stopping;
  };
  const stopped = new Promise<void>((resolve, reject) => {
    requestStop = () => {
      stop().then(() => (death === undefined ? resolve() : reject(death)), reject);
    };
  });
  if (death !== undefined) requestStop();
  void local.file.lost.then((error) => {
    death ??= error;
    requestStop();
  });
  const endDamageWatch = watchForDamage({
    search: searchForDamage,
    onUnsearched: (error) => log.unusual(error.message),
    onDamage(error) {
      log.broken(error.message);
      death = error;
      requestStop();
    },
  });
  closers.add(endDamageWatch);
  return {
    socketPath: server.path,
    httpUrl: door?.url,
    graphDescription: describe,
    isSimulated: context.isSimulated,
    async pageLink() {
      return isSimulatedNow && door?.pageUrl !== undefined ? (await makePageLink(context)).url : undefined;
    },
    stopped,
    stop() {
      requestStop();
      return stopped;
    },
  };
}

/** HTTP without an explicit option: a port that is taken is reported, and the node continues without HTTP. */
async function unlessTaken(
  opening: Promise<Door>,
  { host, port }: HttpOptions,
  log: NodeLog,
): Promise<Door | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof DoorError)) throw error;
    log.unusual(
      `HTTP is disabled: ${error.message}. Another program may be using ${host}:${port}; use --http HOST:PORT for another address, or --no-http`,
    );
    return undefined;
  }
}

/** The map of the explorer. Its thread starts when someone looks at it. */
function openBackdrop(graph: ChannelGraph, directory: string, log: Log, closers: Closers): Backdrop {
  const backdrop = new Backdrop({
    graph,
    layoutFile: join(directory, LAYOUT_FILE),
    onFault: (error) => log.broken(`cannot create the map: ${error.stack ?? error.message}`),
  });
  closers.add(() => backdrop.close());
  return backdrop;
}

async function openRunes(directory: string, repository: RuneRepository, log: Log): Promise<RuneBook> {
  // A recovery may have left out names just now.
  await repository.durable();
  const runes = await repository.runes();
  const own = openRuneSecret(directory, runes.length, log);
  const secret = (await repository.shared?.secret(own)) ?? own;
  if (runes.length > 0 && Buffer.compare(secret, own) !== 0) {
    log.unusual(
      `the ${runes.length} runes of this daemon are no longer valid: it now uses the runes of the fleet`,
    );
  }
  return RuneBook.open({ secret, repository, clock: realClock });
}

/** Writes the lines that the option asks for, now and whenever it changes. */
function followLogLevel(settings: Settings, log: NodeLog): void {
  const follow = (): void => log.setRules(parseLevelRules(settings.valueOf('log-level')) ?? []);
  follow();
  settings.onChange('log-level', follow);
}

/**
 * Closes the store. When the disk is full, it waits a while, because the operator may be making room. When the thread of
 * the database is gone, nothing can be written any more, so it does not wait.
 * @throws FulguriteError storeFailed that says what is lost
 */
async function closeStore(store: NodeStore, local: Store, log: NodeLog): Promise<void> {
  const { queued } = store;
  const isGone = store.shared === undefined && local.file.isLost;
  if (!(await store.drain(0)) && !isGone) {
    log.broken(`cannot write the last ${queued} changes to disk; retrying for ${LAST_CHANGES_MS / 1000} s`);
    await store.drain(LAST_CHANGES_MS);
  }
  try {
    store.close();
  } catch (error) {
    const cause = isGone ? 'the thread of the database ended' : 'cannot write to disk';
    const message = `the last ${queued} changes are lost: ${cause}; none of them was confirmed to a client`;
    throw new FulguriteError('storeFailed', message, { changes: queued, reason: String(error) });
  } finally {
    // Where the rows are elsewhere, this file only locks the directory.
    if (store.shared !== undefined) local.close();
  }
}

/** A graph that changes is shared through the database, if there is one. Others are the same everywhere already. */
async function shareLive(
  source: OpenedGraph,
  { network }: StartOptions,
  daemon: string,
  { shared }: NodeStore,
  log: NodeLog,
): Promise<SharedGraph | undefined> {
  const isLive = source.isLive || network === 'peer';
  if (shared === undefined || !isLive) return undefined;
  return shareGraph(source, { store: shared, daemon, log: log.of('graph') });
}

/** Joins the fleet that the options name. */
async function joinFleet(
  { bus, chain }: StartOptions,
  id: string,
  { shared }: NodeStore,
  book: LayerBook,
  sharesGraph: boolean,
  log: NodeLog,
): Promise<OpenedFleet | undefined> {
  if (bus === undefined || shared === undefined) return undefined;
  return openFleet({ url: bus, chain, id, shared, book, sharesGraph, log: log.of('fleet') });
}

/** Opens the store that the options name. When it cannot be opened, the directory is given up too. */
async function openOrClose(
  options: StartOptions,
  { identity, directoryId, store: local }: DataDirectory,
  nodeBehind: NodeId | undefined,
  log: NodeLog,
  onFenced: () => void,
): Promise<NodeStore> {
  const { store: address, dataDirectory, network, chain } = options;
  const payingNode = nodeBehind ?? identity.id;
  const user = { daemon: directoryId, ownNode: identity.id, payingNode, network, chain };
  try {
    const onFault = (message: string): void => log.broken(message);
    return await openNodeStore({ address, dataDirectory, user, onFault, onFenced }, local);
  } catch (error) {
    local.close();
    throw error;
  }
}

/** The node behind us, if it is one. */
const oneNode = (beside: NodeBeside | undefined): NodeId | undefined =>
  beside === undefined || beside.kind === 'several' ? undefined : beside.link.facts.nodeId;

/** The node whose money is paid with. Several nodes are known by the lowest of their ids, in whatever order they are named. */
function payingNode(beside: NodeBeside | undefined): NodeId | undefined {
  if (beside?.kind !== 'several') return oneNode(beside);
  return beside.nodes.map(nodeIdOf).sort()[0];
}

/**
 * Our identity on this network, with the feature bits that it shows. Beside a node we have that node's identity, and
 * beside several that of the first one.
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
