/** Wires up the metrics: which parts of the service report to them, and what is read at each scrape. */
import { statSync } from 'node:fs';
import type { Figures } from '../../events/index.ts';
import type { LayerBook } from '../../layers/layer-book.ts';
import {
  GaugeFamily,
  type GaugeReading,
  type GaugeReadings,
  NodeMetrics,
  ProcessMetrics,
} from '../../metrics/index.ts';
import { type ChannelGraph, POLICY_ENABLED } from '../../model/channel-graph.ts';
import { VERSION } from '../../model/version.ts';
import type { NetworkPort } from '../../network/port.ts';
import type { OwnNode, OwnNodes } from '../../network/several/index.ts';
import { SHARED_LAYER } from '../../payments/learn/learning.ts';
import type { Drift } from '../../payments/learn/odds-drift.ts';
import type { ProbeFigures } from '../../payments/probes/prober.ts';
import type { RpcTransport } from '../../rpc/request-watcher.ts';
import type { StoreFigures } from '../../store/postgres/postgres-store.ts';

/** The options of `openMetrics`, known before the other parts of the service are open. */
export interface MetricsOptions {
  readonly methods: readonly string[];
  readonly transports: readonly RpcTransport[];
  readonly network: string;
  readonly chain: string;
  /** Path of the SQLite database. */
  readonly storePath: string;
}

/** Figures of this daemon in a fleet. Without a fleet, all numbers are 0, and `isReady` is true. */
export interface FleetFigures {
  /** How many chunks of the layer log the slowest solver is behind. */
  readonly lag: number;
  /** Replies of solvers without a result, usually because the solver's data was out of date. */
  readonly stale: number;
  readonly rejected: number;
  /** Bus messages dropped because they name another fleet, or none. */
  readonly foreign: number;
  /** Bus messages dropped because they are malformed. */
  readonly malformed: number;
  /** Payments that other daemons took over, and payments taken over from them. */
  readonly lost: number;
  readonly takenOver: number;
  /** Journal changes refused because the payment belongs to another daemon. */
  readonly fenced: number;
  /** Whether the state of the shared database allows this daemon to pay. */
  readonly isReady: boolean;
  readonly isBusDown: boolean;
  /** Solvers that are responding. */
  readonly solvers: number;
  /** Figures of the shared database. Undefined without one. */
  readonly store: StoreFigures | undefined;
}

/** The parts of the service that are read when the metrics are scraped. */
export interface ScrapedRooms {
  readonly figures: () => Figures;
  readonly graph: ChannelGraph;
  readonly layers: LayerBook;
  readonly network: NetworkPort;
  /** Our nodes, if there are several. */
  readonly ownNodes: OwnNodes | undefined;
  /** The comparison of predicted probabilities with outcomes. Undefined if odds are not learned. */
  readonly drift: Drift | undefined;
  /** Probe statistics. Undefined if probing is off. */
  readonly probes: ProbeFigures | undefined;
  readonly fleet: () => FleetFigures;
  readonly connections: () => Readonly<Partial<Record<RpcTransport, number>>>;
}

/** The metrics of a node. */
export interface OpenedMetrics {
  readonly counts: NodeMetrics;
  /** Publishes the graph, and records the time that this takes. */
  timePublish(graph: ChannelGraph, publish: (graph: ChannelGraph) => void): void;
  /** The metrics in Prometheus' text format. Call it only after the scraped parts are open. */
  text(): Promise<string>;
  close(): void;
}

/**
 * Opens the metrics.
 * @param rooms called only after the scraped parts are open
 */
export function openMetrics(options: MetricsOptions, rooms: () => ScrapedRooms): OpenedMetrics {
  const counts = new NodeMetrics(options);
  const publication = { atMs: performance.now(), enabledDirections: 0 };
  const gauges = gaugesOf(options, rooms, publication, counts);
  const process_ = new ProcessMetrics();
  return {
    counts,
    timePublish(graph, publish) {
      const beganMs = performance.now();
      publish(graph);
      counts.notePublish(performance.now() - beganMs);
      publication.atMs = performance.now();
      publication.enabledDirections = enabledDirectionsOf(graph);
    },
    async text() {
      const ours = [...counts.families, ...gauges].map((family) => family.render()).join('');
      return ours + (await process_.text());
    },
    close: () => process_.close(),
  };
}

const FLEET_COUNTERS = [
  [
    'fleet_stale_total',
    "Solver replies without a usable result, usually because the solver's data was out of date.",
    'stale',
  ],
  [
    'fleet_rejected_total',
    'Solver replies that were malformed or violated the terms of their query.',
    'rejected',
  ],
  ['fleet_foreign_total', 'Bus messages dropped because they name another fleet, or none.', 'foreign'],
  ['fleet_malformed_total', 'Bus messages dropped because they are malformed.', 'malformed'],
  ['lease_lost_total', 'Payments of this daemon that other daemons took over.', 'lost'],
  ['takeover_total', 'Payments that this daemon took over from others.', 'takenOver'],
  [
    'fenced_write_total',
    'Changes that the database refused because the payment belongs to another daemon.',
    'fenced',
  ],
] as const satisfies readonly (readonly [string, string, keyof FleetFigures])[];

const STORE_GAUGES = [
  ['database_down', '1 while the check of the shared database fails.', ({ isUp }) => Number(!isUp)],
  [
    'database_answer_seconds',
    'Response time of the last successful check of the shared database.',
    ({ answerMs }) => answerMs / 1000,
  ],
  [
    'database_schema_differs',
    '1 if the schema of the shared database is not that of this release.',
    ({ isSchemaOurs }) => Number(!isSchemaOurs),
  ],
  [
    'leases_confirmed_seconds_ago',
    'Time since the shared database last confirmed our leases.',
    ({ leasesConfirmedMsAgo }) => leasesConfirmedMsAgo / 1000,
  ],
  [
    'leases_held',
    'Payments that this daemon owns: unfinished ones, and finished ones that it took over.',
    ({ paymentsHeld }) => paymentsHeld,
  ],
  ['store_queued_changes', 'Changes queued for the shared database.', ({ queued }) => queued],
  [
    'unknown_htlcs',
    'HTLCs on our nodes that belong to no known payment, found after a failover.',
    ({ unknownHtlcs }) => unknownHtlcs,
  ],
] as const satisfies readonly (readonly [string, string, (store: StoreFigures) => number])[];

const OWN_NODE_GAUGES = [
  [
    'own_node_up',
    'With several nodes: 1 if the node responds and is synchronized, or its state is off.',
    ({ problem, settings }) => Number(problem === undefined || settings.state === 'off'),
  ],
  [
    'own_node_paying',
    'With several nodes: 1 if the node takes new parts.',
    ({ whyResting }) => Number(whyResting === undefined),
  ],
  [
    'own_node_height_lag',
    'With several nodes: number of blocks by which the node is behind the median of the nodes; negative if it is ahead, 0 if its state is off.',
    ({ port, agreedHeight, settings }) =>
      settings.state === 'off' ? 0 : (agreedHeight ?? port.blockHeight()) - port.blockHeight(),
  ],
  [
    'own_node_at_floor',
    'With several nodes: 1 if the node takes no new parts only because its floor or its balance leaves nothing to spend.',
    ({ whyResting }) => Number(whyResting?.kind === 'floor' || whyResting?.kind === 'empty'),
  ],
  [
    'own_node_spendable_msat',
    'With several nodes: amount that the usable channels of the node can send.',
    ({ spendableMsat }) => Number(spendableMsat),
  ],
  [
    'own_node_may_spend_msat',
    'With several nodes: spendable amount minus the floor; 0 while the node takes no new parts.',
    ({ mayPayMsat }) => Number(mayPayMsat),
  ],
  [
    'own_node_floor_msat',
    'With several nodes: amount that our payments leave spendable on the node (its floor).',
    ({ settings }) => Number(settings.floorMsat),
  ],
  [
    'own_node_htlcs_in_flight',
    'With several nodes: our HTLCs in flight that the node sent.',
    ({ inFlight }) => inFlight.size,
  ],
] as const satisfies readonly (readonly [string, string, (node: OwnNode) => number])[];

interface Publication {
  readonly atMs: number;
  readonly enabledDirections: number;
}

function gaugesOf(
  { network: kind, chain, storePath }: MetricsOptions,
  rooms: () => ScrapedRooms,
  publication: Publication,
  counts: NodeMetrics,
): readonly GaugeFamily[] {
  const gauge = (name: string, help: string, read: GaugeReadings): GaugeFamily =>
    new GaugeFamily(`fulgurite_${name}`, help, read);
  const figure = (name: string, help: string, read: (figures: Figures) => number): GaugeFamily =>
    gauge(name, help, () => read(rooms().figures()));
  const build = { version: VERSION, network: kind, chain, node_version: process.version };
  return [
    gauge('build_info', 'Version, network, chain and Node.js version; always 1.', () => [[build, 1]]),
    gauge('rpc_connections', 'Client connections to the UNIX socket.', () =>
      Object.entries(rooms().connections()).map(([transport, count]) => [{ transport }, count]),
    ),
    gauge('rpc_in_flight', 'Requests in progress, over all transports.', () => counts.requestsInFlight),
    gauge('workers', 'Route search threads by state.', () => {
      const { workers, searchesRunning } = rooms().figures();
      const busy = Math.min(workers, searchesRunning);
      return [
        [{ state: 'busy' }, busy],
        [{ state: 'idle' }, workers - busy],
      ];
    }),
    new GaugeFamily(
      'fulgurite_worker_restarts_total',
      'Route search threads replaced after they died or were terminated.',
      () => rooms().figures().workersReplaced,
      'counter',
    ),
    gauge(
      'fleet_lag_changes',
      'Layer log chunks by which the slowest responding solver lags behind.',
      () => rooms().fleet().lag,
    ),
    gauge(
      'fleet_not_ready',
      '1 while the state of the shared database prevents this daemon from paying.',
      () => Number(!rooms().fleet().isReady),
    ),
    gauge('bus_down', '1 while the bus is disconnected; 0 if no bus is configured.', () =>
      Number(rooms().fleet().isBusDown),
    ),
    gauge(
      'fleet_solvers',
      'Solvers on the bus that reported their load recently.',
      () => rooms().fleet().solvers,
    ),
    ...STORE_GAUGES.map(([name, help, read]) =>
      gauge(name, help, () => {
        const { store } = rooms().fleet();
        return store === undefined ? 0 : read(store);
      }),
    ),
    ...FLEET_COUNTERS.map(
      ([name, help, of]) => new GaugeFamily(`fulgurite_${name}`, help, () => rooms().fleet()[of], 'counter'),
    ),
    figure('payments_in_flight', 'Payments in progress, without probes.', (f) => f.paymentsInFlight),
    figure('htlcs_in_flight', 'HTLCs of our payments and probes in flight.', (f) => f.htlcsInFlight),
    figure('htlcs_in_flight_msat', 'Msat locked in the HTLCs of our payments and probes.', (f) =>
      Number(f.htlcsInFlightMsat),
    ),
    figure(
      'oldest_htlc_seconds',
      'Age of the oldest HTLC of our payments and probes in flight; 0 if there is none.',
      (f) => (f.oldestHtlcAtMs === undefined ? 0 : Math.max(0, (Date.now() - f.oldestHtlcAtMs) / 1000)),
    ),
    gauge(
      'odds_drifted',
      '1 if predicted probabilities no longer hold; 0 otherwise, or if odds are not learned. See listlearned.',
      () => Number(rooms().drift?.hasDrifted ?? false),
    ),
    gauge(
      'odds_deviation',
      'Share of recent attempts that arrived minus the predicted share, in standard deviations.',
      () => rooms().drift?.deviation ?? 0,
    ),
    new GaugeFamily(
      'fulgurite_probes_total',
      'Finished probes that tested their route.',
      () => rooms().probes?.sent ?? 0,
      'counter',
    ),
    new GaugeFamily(
      'fulgurite_probes_arrived_total',
      'Probes that reached their recipient.',
      () => rooms().probes?.arrived ?? 0,
      'counter',
    ),
    gauge('probes_in_flight_msat', 'Msat that probes lock, including probes about to be sent.', () =>
      Number(rooms().probes?.inFlightMsat ?? 0n),
    ),
    gauge(
      'node_ready',
      '1 if the attached node (with several nodes, any of them) can pay, or no node is attached; otherwise 0.',
      () => (rooms().network.nodeBehind()?.problem === undefined ? 1 : 0),
    ),
    figure('block_height', 'Block height; 0 while unknown.', (f) => f.blockHeight),
    gauge('graph_nodes', 'Nodes in the graph.', () => rooms().graph.nodeCount),
    gauge('graph_channels', 'Channels in the graph.', () => rooms().graph.channelCount),
    gauge(
      'graph_enabled_directions',
      'Enabled channel directions in the last published graph.',
      () => publication.enabledDirections,
    ),
    gauge(
      'graph_age_seconds',
      'Time since the last graph was published.',
      () => (performance.now() - publication.atMs) / 1000,
    ),
    gauge(
      'layer_records',
      'Constraints, impressions and disabled nodes in layers of payments and probes in progress (own), in the layer of what they learned (learned), and in all other layers (user).',
      () => layerRecords(rooms().layers),
    ),
    gauge(
      'store_bytes',
      'Size of the SQLite database in the data directory, including its write-ahead log.',
      () => bytesOf(storePath),
    ),
    gauge('peers', 'Peers of our nodes by connection state.', () => peersOf(rooms().network)),
    gauge(
      'channel_spendable_msat',
      'Total spendable balance of our channels, even of those not usable at the moment. With several nodes, excluding nodes that cannot pay.',
      () => spendableOf(rooms().network),
    ),
    ...OWN_NODE_GAUGES.map(([name, help, read]) =>
      gauge(name, help, () =>
        (rooms().ownNodes?.list ?? []).map((node) => [{ node: node.name }, read(node)]),
      ),
    ),
  ];
}

function enabledDirectionsOf({ channelCount, policyFlags }: ChannelGraph): number {
  let enabled = 0;
  for (let direction = 0; direction < 2 * channelCount; direction++) {
    if ((policyFlags[direction]! & POLICY_ENABLED) !== 0) enabled++;
  }
  return enabled;
}

/**
 * Matches the names of the layers that payments and probes make while they are in progress. The shared layer contains
 * what they learned. All other layers count as the user's.
 */
const OF_A_PAYMENT = /^(?:x?keysend|x?pay|probe)-\d+(?:-\d+)?$/;

/**
 * Counts the records of all layers by their owner. Uses the lengths of lists, because visiting up to a million records
 * of a layer would take long.
 */
function layerRecords(book: LayerBook): GaugeReading[] {
  const empty = () => ({ liquidity: 0, disabled_node: 0 });
  const sums = { own: empty(), learned: empty(), user: empty() };
  for (const { name, records, disabledNodes } of book.layers()) {
    const sum = sums[name === SHARED_LAYER ? 'learned' : OF_A_PAYMENT.test(name) ? 'own' : 'user'];
    sum.liquidity += records.length;
    sum.disabled_node += disabledNodes.length;
  }
  return Object.entries(sums).flatMap(([layer_kind, counts]) =>
    Object.entries(counts).map(([record, count]) => [{ layer_kind, record }, count] as const),
  );
}

function bytesOf(path: string): number {
  const sizeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(path) + sizeOf(`${path}-wal`);
}

function peersOf(network: NetworkPort): GaugeReading[] {
  const peers = network.peers();
  const connected = peers.filter((peer) => peer.connected).length;
  return [
    [{ state: 'connected' }, connected],
    [{ state: 'disconnected' }, peers.length - connected],
  ];
}

const spendableOf = (network: NetworkPort): number =>
  Number(network.ownChannels().channels.reduce((sum, { spendableMsat }) => sum + spendableMsat, 0n));
